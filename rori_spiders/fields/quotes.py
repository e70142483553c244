"""Where a quote stands in a page: looked up as a reader would, without regard to blanks, marks of emphasis and quotes.

In: a page's text in its plain form, and a quote. Out: places in the original. A quote that begins or ends within a word
or a number stands nowhere: "5.25%" is not in "15.25%".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.fields.plain import plain

if TYPE_CHECKING:
    from rori_spiders.fields.plain import Plain

#: What holds a number together, between two digits.
_IN_NUMBERS = ",.:/"
#: Signs belong to the number that they stand before.
_SIGNS = "-−–"


class Place(NamedTuple):
    """A stretch of the plain text, and how often its words stand in the part that was searched."""

    start: int
    end: int
    occurrences: int


def locate(quote: str, page: Plain, part: tuple[int, int]) -> Place | None:
    """The first place of *quote* within *part*, a stretch of ``page.text``; None where it stands nowhere."""
    needle = plain(quote).text.strip()
    if not needle:
        return None
    first, occurrences = None, 0
    at = page.text.find(needle, *part)
    while at >= 0:
        if _is_whole(page.text, at, at + len(needle)):
            first = at if first is None else first
            occurrences += 1
        at = page.text.find(needle, at + 1, part[1])
    return None if first is None else Place(first, first + len(needle), occurrences)


def _is_whole(text: str, start: int, end: int) -> bool:
    return not _cuts(text, start) and not _cuts(text, end)


def _cuts(text: str, at: int) -> bool:
    """Whether a word or a number goes on across *at*."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isalnum() and after.isalnum():
        return True
    if after.isdigit() and before in _SIGNS:
        return at < 2 or not text[at - 2].isalnum()  # "30-60" is no sign
    if before in _IN_NUMBERS and after.isdigit():
        return at > 1 and text[at - 2].isdigit()
    return before.isdigit() and after in _IN_NUMBERS and at + 1 < len(text) and text[at + 1].isdigit()
