"""Regulations by letter ("Regulation Z"), executive orders, and comments of the official interpretations."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from rori_spiders.content.citations import lists, names
from rori_spiders.content.citations.citation import Citation
from rori_spiders.content.citations.codes import STATUTE_SECTION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.content.citations.place import Place

_REGULATION = re.compile(r"\bReg(?:ulations?|s?\.)?\s+(?P<letter>[A-Z]{1,2})\b(?!\.\w)")
_MORE = re.compile(r"(?:,\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+)(?P<letter>[A-Z]{1,2})\b(?!\.\w|['’])")
_BOARD = re.compile(r"\b(?:Board|Federal\s+Reserve)(?:['’]s)?\s+(?:[\w-]+\s+){0,2}$")
_OLD_PART = re.compile(r"[\s,(]{1,3}12\s+CFR\s+(?:[Pp]art\s+)?2\d{2}\b")
_ORDER = re.compile(
    r"(?P<before>\b[Ss]ection\s+(?P<first>\d{1,2}(?:\([a-z0-9]{1,3}\)){0,3})\s+of\s+)?\b(?:Executive\s+Orders?"
    r"|Exec\.\s+Order|E\.\s?O\.)\s*(?:Nos?\.\s*)?(?P<n>\d{4,5})\b"
)
_ORDER_SECTION = re.compile(r",?\s+(?:§|[Ss]ection)\s*(?=\d)")
# "Executive Order 12866, “Regulatory Planning and Review,” section 3(f)": a citation of its own behind the title.
_TITLED_SECTION = re.compile(r",?\s+[“\"(][^”\")\n]{3,120}[”\")],?\s+(?P<sign>§\s?|[Ss]ection\s+)(?=\d)")
_MORE_COMMENTS = re.compile(r"(?:,\s+(?:and\s+|or\s+)?|\s+(?:and|or|through)\s+)(?P<n>-\d{1,2}(?![\w]))")
_COMMENT = re.compile(
    r"\b(?:[Cc]omments?)\s+(?P<id>\d{1,3}[a-z]?(?:\([a-zA-Z0-9]{1,4}\)){0,6}-\d{1,2}(?:\.[ivx]{1,5}(?:\.[A-Z])?)?)"
)
_OF_REGULATION = re.compile(r"\s+(?:of|to|in)\s+Regulation\s+(?P<letter>[A-Z]{1,2})\b")


def find(text: str, place: Place, cited: Sequence[Citation]) -> Iterator[Citation]:
    """Regulations, orders and comments. ``cited`` are the citations that named their code."""
    regulations = list(_regulations(text, place))
    yield from regulations
    yield from _orders(text)
    yield from _comments(text, place, sorted([*regulations, *cited], key=lambda citation: citation.start))


def _regulations(text: str, place: Place) -> Iterator[Citation]:
    for match in _REGULATION.finditer(text):
        board = _is_boards(text, match, place)
        found = match
        start = match.start()
        while True:
            letter = found["letter"]
            target = names.regulation(letter, board=board)
            if target is None:
                break
            yield Citation(start, found.end(), "named_reg", f"Regulation {letter}", target)
            following = _MORE.match(text, found.end()) if match[0].startswith(("Regulations", "Regs")) else None
            if following is None:
                break
            found, start = following, following.start("letter")


def _is_boards(text: str, match: re.Match[str], place: Place) -> bool:
    """Whose regulation: the Board's when it is named so, cited with a Board part, or the page is the Board's own."""
    if _BOARD.search(text, max(0, match.start() - 60), match.start()) or _OLD_PART.match(text, match.end()):
        return True
    return place.agency.upper() in ("FRB", "FRS", "BOARD", "FEDERAL RESERVE") or bool(
        re.fullmatch(r"2\d\d", place.part or "")
    )


def _orders(text: str) -> Iterator[Citation]:
    for match in _ORDER.finditer(text):
        canonical, end = f"Exec. Order {match['n']}", match.end()
        if match["first"]:
            canonical = f"{canonical}, § {match['first']}"
        elif section := _ORDER_SECTION.match(text, end):
            item = lists.read(text, section.end(), STATUTE_SECTION)
            if item:
                canonical, end = f"{canonical}, § {item[0].pinned}", item[0].end
        yield Citation(match.start(), end, "eo", canonical)
        if (titled := _TITLED_SECTION.match(text, end)) and (item := lists.read(text, titled.end(), STATUTE_SECTION)):
            pinned = f"Exec. Order {match['n']}, § {item[0].pinned}"
            yield Citation(titled.start("sign"), item[0].end, "eo", pinned)


def _comments(text: str, place: Place, cited: Sequence[Citation]) -> Iterator[Citation]:
    """A comment belongs to the regulation named behind it, else to the last one named before it, else to the page's
    part.
    """
    parts = [(citation.end, part) for citation in cited if (part := _part_of(citation))]
    for match in _COMMENT.finditer(text):
        more = list(_more_comments(text, match.end()))
        named = _OF_REGULATION.match(text, more[-1].end() if more else match.end())
        part = names.regulation(named["letter"], board=False) if named else None
        if part is None:
            index = bisect_right(parts, match.start(), key=lambda known: known[0])
            part = parts[index - 1][1] if index else None
        if part is None and place.part and place.title:
            part = f"{place.title} C.F.R. Part {place.part}"
        if part:
            yield Citation(match.start(), match.end(), "comment", f"{part}, Supplement I, comment {match['id']}")
            for other in more:
                paragraph = match["id"].rpartition("-")[0]
                pinned = f"{part}, Supplement I, comment {paragraph}{other['n']}"
                yield Citation(other.start("n"), other.end(), "comment", pinned)


def _more_comments(text: str, at: int) -> Iterator[re.Match[str]]:
    """Of "comments 32(b)(1)-1 and -2" those behind the first, which ends at *at*."""
    following = _MORE_COMMENTS.match(text, at)
    while following is not None:
        yield following
        following = _MORE_COMMENTS.match(text, following.end())


def _part_of(citation: Citation) -> str | None:
    if citation.target:
        return citation.target
    match = re.match(r"(\d+ C\.F\.R\.) (?:§|Part) (10\d\d)\b", citation.canonical)
    return f"{match[1]} Part {match[2]}" if match else None
