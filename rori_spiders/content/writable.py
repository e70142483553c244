"""Text that UTF-8 can write: what is hashed, measured and staged is the same text."""

from __future__ import annotations


def clean(text: str) -> str:
    """*text* with U+FFFD for each lone surrogate, which UTF-8 cannot write. Everything else stays, NUL included."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
