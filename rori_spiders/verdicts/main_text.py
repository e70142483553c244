"""The main text of a converted page as the rules on walls read it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.){0,2000})\]\([^()\s]{0,2000}\)")
_SYNTAX = re.compile(r"[*_`\\]+")
_HEADING = re.compile(r"#{1,6}[ \t]+(\S.*)")
_BELOW_NUMBER = 3  # lines
#: Where old pages are laid out in tables, a row holds menus beside the text: a piece of it is a cell, or a line of one.
_PIECE_END = re.compile(r"\\?\||<br>")
_MENU_LINKS = 5  # so many in one row are a menu, not a list of documents
# The number of an error as a line of its own, a heading, or a part of the title: "500", "Error 503", "4 0 4".
NUMBERED_ERROR = re.compile(
    r"(?:(?:http )?(?:error|status|page)(?: code)?:? ?)?(?P<status>4 ?[0-5] ?\d|5 ?[0-3] ?\d)(?: (?:error|page))?"
)


@dataclass(frozen=True)
class MainText:
    """The main text of a converted page, in small letters: headings and lines without markup, links apart."""

    title: str
    headings: tuple[str, ...]
    text: str
    own_chars: int
    links: int
    chars: int  # of the markdown
    below_number: str = ""  # the heading that is the number of an error, and the lines below it
    lead: MainText | None = None  # the first heading, or that which is the title, with its own section alone

    @classmethod
    def read(cls, markdown: str, title: str | None) -> tuple[MainText, list[list[str]]]:
        """The text, and its lines: before the first heading, then each with its heading."""
        headings, lines, own, links = [], [], 0, 0
        below: list[str] = []
        sections: list[list[str]] = [[]]
        for line in markdown.splitlines():
            has_links = "](" in line
            found = len(_LINK.findall(line)) if has_links else 0
            is_row = found > 1 and line.startswith("|")
            links += found if not is_row or found < _MENU_LINKS else 0
            if is_row:
                line = _without_menu(line)
            shown = _SYNTAX.sub("", _LINK.sub(r"\1", line) if has_links else line).strip()
            heading = _HEADING.match(shown)
            if (heading and not below and NUMBERED_ERROR.fullmatch(heading[1].lower().strip(" .!"))) or (
                below and shown and len(below) <= _BELOW_NUMBER
            ):
                below.append((heading[1] if heading else shown).lower())
            if heading:
                headings.append(heading[1].lower())
                sections.append([])
            sections[-1].append(line)
            if heading:
                continue
            unlinked = _SYNTAX.sub("", _LINK.sub("", line)) if has_links else shown
            outside = " ".join(unlinked.split()).strip("|-,;:. ")
            own += len(outside)
            if outside:  # of lists of links nothing is said
                lines.append(shown.lower())
        main = cls(
            (title or "").lower(), tuple(headings), "\n".join(lines), own, links, len(markdown), "\n".join(below)
        )
        return main, sections


def _without_menu(row: str) -> str:
    """A row of a table without its pieces that are links alone."""
    pieces = (piece for piece in _PIECE_END.split(row) if _SYNTAX.sub("", _LINK.sub("", piece)).strip("|-,;:. "))
    return " ".join(pieces)
