"""Sets of names (elements, roles, words of classes), written as they are read: one after the other."""

from __future__ import annotations


def names(words: str) -> frozenset[str]:
    """The words of *words*, apart by white space, as a set."""
    return frozenset(words.split())
