"""Numbers in sentences for people. A step: text only."""

from __future__ import annotations


def format_count(number: int, noun: str) -> str:
    """``1 page``, ``0 pages``, ``2,000 pages``: *noun* is in the singular, and its plural ends with s.

    Of a phrase (``list of pages``) the first word is counted.
    """
    first, space, rest = noun.partition(" ")
    return f"{number:,} {first}{'s' * (number != 1)}{space}{rest}"
