"""Text made safe for markdown: what the law wrote stays what a reader sees, whatever its characters mean to a
renderer.
"""

import re

# `_` inside a word and `[` without a link behind it mean nothing in CommonMark; escaping them would only hurt readers.
_ANYWHERE = re.compile(r"\\(?=[!-/:-@\[-`{-~])|[`*]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|\](?=[(\[:])|&(?=#?\w{1,31};)|~~")
_LINE_START = re.compile(
    r"^(?:(?P<number>\d{1,9})(?P<dot>[.)])(?=\s|$)|(?P<sign>[-+](?=\s|$)|#{1,6}(?=\s|$)|>|=+\s*$|-+\s*$|~{3}))"
)
_SPACE = re.compile(r"[ \t\r\n\f\v]+")


def collapsed(text: str) -> str:
    """Runs of blanks and line ends as one blank. A non-breaking space stays: it is a character of the text."""
    return _SPACE.sub(" ", text)


def escaped(text: str) -> str:
    """Characters that would mark something up, with a backslash before them."""
    return _ANYWHERE.sub(lambda match: "\\" + match[0] if match[0] != "~~" else "\\~\\~", text)


def block(text: str) -> str:
    """A paragraph's text whose beginning would make it a list, a heading or a quote ("1986.

    A paragraph") is kept one.
    """
    return _LINE_START.sub(_escape_line_start, text, count=1)


def _escape_line_start(match: re.Match[str]) -> str:
    return f"{match['number']}\\{match['dot']}" if match["number"] else f"\\{match['sign']}"


def cell(text: str) -> str:
    """Text for a cell of a pipe table."""
    return text.replace("|", "\\|").strip()


# Code as it is written: a fenced block that no fence inside of it can end.

_FENCE = re.compile(r"^[^\S\n]*(`{3,})", re.MULTILINE)


def fenced(text: str, language: str) -> str:
    """*text* as a code block whose fence is longer than any within."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n"
