"""Describe differences between two texts that a reader of the page cannot see."""

import re
import unicodedata
from collections.abc import Callable

WHITE_SPACE = "white space, line breaks or indentation"
BLANK_LINES = "blank lines, or white space around paragraphs"

_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")
_EMPHASIS = re.compile(r"[*_]+")


def unseen(old: str, new: str) -> str:
    """What alone differs between them, when a reader of the page would see none of it; "" when it is more."""
    return _first(old, new, _UNSEEN)


def as_seen(text: str) -> str:
    """*text* without what ``unseen`` tells of, white space apart."""
    return _composed(_visible(_without_escapes(text)))


def unread(old: str, new: str) -> str:
    """The same for what does not change the words, but shows: emphasis, and where links lead."""
    return _first(old, new, _UNREAD)


def _first(old: str, new: str, steps: tuple[tuple[Callable[[str], str], str], ...]) -> str:
    return next((what for simplify, what in steps if _folded(simplify(old)) == _folded(simplify(new))), "")


def _folded(text: str) -> str:
    return " ".join(text.split())


def _without_escapes(text: str) -> str:
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def _visible(text: str) -> str:
    return text if text.isascii() else "".join(char for char in text if unicodedata.category(char) != "Cf")


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _without_emphasis(text: str) -> str:
    return _EMPHASIS.sub("", text)


def _without_targets(text: str) -> str:
    return _TARGET.sub("]", text)


_UNSEEN = (
    (str, WHITE_SPACE),
    (_without_escapes, "backslashes that only escape characters"),
    (_visible, "invisible characters"),
    (_composed, "the way in which accented characters are encoded"),
)
_UNREAD = (
    (_without_emphasis, "the emphasis (asterisks or underscores)"),
    (_without_targets, "where links lead"),
)
