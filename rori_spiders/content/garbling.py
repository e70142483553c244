"""Tell words that were decoded by a wrong charset from the same words decoded rightly."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter

# What browsers fall back to, and the charsets that servers name for pages in another.
_WRONG = ("cp1252", "latin-1", "cp1251", "koi8-r", "cp1250", "mac-roman", "cp932", "gb18030", "big5hkscs", "cp949")
_LOST = "\ufffd"


def garbled_words(words: Counter[str], clean: Counter[str], charset: str) -> list[str]:
    """The words of *words* that are words of *clean*, a text decoded from *charset*, decoded wrongly.

    What has a replacement character where *clean* has none is garbled, too. Empty where *clean* is no better.
    """
    if any(_LOST in word for word in clean):
        return []
    return [word for word in words if not word.isascii() and word not in clean and _is_garbled(word, clean, charset)]


def _is_garbled(word: str, clean: Counter[str], charset: str) -> bool:
    return _LOST in word or any(_decoded_again(word, wrong, charset) in clean for wrong in _WRONG)


def _decoded_again(word: str, wrong: str, charset: str) -> str | None:
    """*word* as it would be, had it not been read as *wrong*. C1 controls stand for bytes that Windows-1252 has not."""
    try:
        return b"".join(_bytes_of(character, wrong) for character in word).decode(charset)
    except (UnicodeError, LookupError):
        return None


def _bytes_of(character: str, wrong: str) -> bytes:
    return bytes((ord(character),)) if "\x80" <= character <= "\x9f" else character.encode(wrong)
