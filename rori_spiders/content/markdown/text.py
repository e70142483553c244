"""The text of a page as markdown text: white space as a reader sees it, and no character that markdown would act on.

White space is folded as a browser folds it; non-breaking and typographic spaces become a space, soft hyphens and
zero-width characters go, control characters are read as Windows-1252 the way browsers read them.
"""

from __future__ import annotations

import re

from rori_spiders.content.markdown import marks

_SPACES = re.compile(r"[ \t\r\n\f\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\xa0]+")
# What `&#128;` to `&#159;` stand for on pages written on Windows; the five holes are dropped.
_WINDOWS = {code: bytes((code,)).decode("cp1252", "ignore") or None for code in range(0x80, 0xA0)}
_UNSEEN = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF, 0x200E, 0x200F))
_CHARACTERS: dict[int, str | None] = {**_WINDOWS, **_UNSEEN}
_CHANGED = re.compile(f"[{''.join(map(chr, _CHARACTERS))}]")
_FOLDED = re.compile(_SPACES.pattern.replace("[ ", "[").replace("]+", "]|  "))
_PLAIN = re.compile(r"[A-Za-z0-9 ,.;:()'\"“”’§–—/$%?\u00c0-\u024f]*\Z")

_ANYWHERE = re.compile(
    r"""\\(?=[!-/:-@\[-`{-~]|$)         # a backslash that would escape what follows
      | [*`]
      | (?<![^\W_])_|_(?![^\W_])        # inside a word an underscore is only an underscore
      | \](?=[(:])                      # would begin a link's target, or a definition
      | <(?=[A-Za-z/!?])                # would begin a tag
      | &(?=\#?\w+;)                    # would be a character reference
      | ~(?=~)
    """,
    re.VERBOSE,
)
_LINE_START = re.compile(
    r"""(?P<mark>\#(?=\#{0,5}(?:\s|$)) | [-+:](?=\s|$) | > | ~(?=~~) | [-=:|](?=[-=:|\s]*$) )
      | (?P<number>\d{1,9})(?=[.)](?:\s|$))
    """,
    re.VERBOSE,
)


def fold(text: str) -> str:
    """*text* with its white space folded and its unseen characters gone."""
    if not text.isascii() and _CHANGED.search(text):
        text = text.translate(_CHARACTERS)
    return _SPACES.sub(" ", text) if _FOLDED.search(text) else text


def verbatim(text: str) -> str:
    """*text* of a preformatted block: lines as they are, non-breaking spaces as spaces."""
    return text.translate(_CHARACTERS).replace("\xa0", " ").replace("\r\n", "\n").replace("\r", "\n")


def is_plain(text: str) -> bool:
    """Whether there is nothing in *text* that markdown could act on, wherever in a line it stands."""
    return _PLAIN.match(text) is not None


def escape(text: str) -> str:
    """*text* with a backslash before each character that markdown would act on anywhere in a line."""
    if _PLAIN.match(text):
        return text
    return _ANYWHERE.sub(r"\\\g<0>", text)


def escape_line_start(text: str) -> str:
    """*text*, which begins a line, with a backslash where it would begin a list, a heading, a quote or a rule."""
    found = None if text[:1].isalpha() else _LINE_START.match(text)
    if found is None:
        return text
    if (number := found["number"]) is not None:
        return f"{number}\\{text[len(number) :]}"
    return "\\" + text


def one_line(text: str) -> str:
    """Converted *text* on one line, for headings and link texts."""
    return re.sub(r"\s+", " ", text.replace(marks.BREAK, " ")).strip()
