"""References that need the page: "§ 1026.43(c)", "part 1024", "this part", "paragraph (a)(1) of this section", acts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.citations import lists, names, pins
from rori_spiders.content.citations.citation import Citation
from rori_spiders.content.citations.codes import CFR_PART, CFR_SECTION, STATUTE_SECTION, USC_SECTION, within_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.content.citations.place import Place

_SECTION = re.compile(r"(?:§{1,2}\s{0,3}|\b[Ss]ec(?:tions?|s?\.)\s{1,3})(?=\d)")
_PART = re.compile(r"\b[Pp]arts?\s{1,3}(?=\d{2,4}\b)")
_THIS = re.compile(r"\b[Tt]his\s+(?P<what>part|section|subpart)\b")
_APPENDIX = re.compile(r"\b[Aa]ppendix\s+(?P<letter>[A-Z](?:-\d)?)\b(?P<tail>\s+(?:to|of)\s+(?:this\s+part|[Pp]art\s+(?P<part>\d{2,4}))\b)?(?!\s+to\s+Reg)")
_PARAGRAPH = re.compile(r"\b(?:[Ss]ub)?[Pp]aragraphs?\s{1,2}(?=\()|\b[Ss]ubsections?\s{1,2}(?=\()")
_OF = re.compile(r"\s+of\s+(?:this\s+(?P<this>section|part|title|chapter|subsection|definition|paragraph)\b|(?P<section>§|[Ss]ection\s))")
_OF_THIS = re.compile(r"\s+of\s+this\s+(?:section|part|chapter|title|subchapter)\b")
_OF_TITLE = re.compile(r"\s+of\s+title\s+(?P<title>\d{1,2}),?\s+(?:of\s+the\s+)?(?:United\s+States\s+Code|U\.?S\.?C\.?)")
_OF_ACT = re.compile(
    r"\s+of\s+(?:(?P<short>" + "|".join(names.SHORT_ACTS) + r")\b|the\s+(?P<name>(?:" + "|".join(names.SHORT_ACTS)
    + r")\b|(?:[A-Z][\w.&'’-]*\s+|(?:in|of|and|for|to|the)\s+){0,9}?Act\b(?:\s+of\s+(?:19|20)\d{2})?))"
)
_BEFORE_ACT = re.compile(r"\b(?P<short>" + "|".join(names.SHORT_ACTS) + r")\s+$")
_FREDDIE = re.compile(r"Freddie\s+Mac|\bGuide\s+(?:Section|Chapter|Exhibit)")


def find(text: str, place: Place) -> Iterator[Citation]:
    """References resolved against ``place``. What cannot be resolved is left out: half a citation misleads."""
    yield from _paragraphs(text, place)
    freddie = place.code is None and bool(_FREDDIE.search(text))
    for match in _SECTION.finditer(text):
        yield from _section(text, match, place, freddie=freddie)
    for match in _PART.finditer(text):
        yield from _parts(text, match, place)
    yield from _this(text, place)
    yield from _appendices(text, place)


def _section(text: str, match: re.Match[str], place: Place, *, freddie: bool) -> Iterator[Citation]:
    items = lists.read(text, match.end(), CFR_SECTION)
    if items:
        yield from _cfr_sections(text, match, items, place, freddie=freddie)
        return
    items = lists.read(text, match.end(), USC_SECTION)
    if not items:
        return
    if code := _OF_TITLE.match(text, items[-1].end):
        yield from _each(match.start(), items, "usc", f"{code['title']} U.S.C. § ", code.end())
        return
    act = _act(text, match.start(), lists.read(text, match.end(), STATUTE_SECTION) or items, place)
    if act:
        yield from act
    elif place.code == "usc" and place.title:
        tail = _OF_THIS.match(text, items[-1].end)
        if tail or len(items[0].number) >= 3:
            yield from _each(match.start(), items, "relative", f"{place.title} U.S.C. § ", tail.end() if tail else None)


def _cfr_sections(
    text: str, match: re.Match[str], items: list[lists.Item], place: Place, *, freddie: bool
) -> Iterator[Citation]:
    tail = _OF_THIS.match(text, items[-1].end)
    title = place.title_of(items[0].number.partition(".")[0])
    if freddie and re.fullmatch(r"\d{4}\.\d{1,2}", items[0].number) and items[0].number.partition(".")[0] not in place.titles:
        guide = re.search(r"\bGuide\s+$", text[max(0, match.start() - 8) : match.start()])
        start = match.start() - (len(guide[0]) if guide else 0)
        yield from _each(start, items, "freddie", "Freddie Mac Guide § ", None)
    elif title and not _OF_ACT.match(text, items[-1].end):
        yield from _each(match.start(), items, "relative", f"{title} C.F.R. § ", tail.end() if tail else None)


def _act(text: str, start: int, items: list[lists.Item], place: Place) -> list[Citation]:
    behind = _OF_ACT.match(text, items[-1].end)
    before = _BEFORE_ACT.search(text, max(0, start - 12), start)
    if behind:
        name = behind["short"] or names.act(behind["name"])
        if name == "Act":  # "the Act": whichever the page is about
            name = place.act or ""
        start = before.start() if before and not behind["short"] else start
    else:
        name = before["short"] if before else ""
        start = before.start() if before else start
    if not name:
        return []
    return list(_each(start, items, "other", f"{name} § ", behind.end() if behind else None))


def _each(start: int, items: list[lists.Item], kind: str, head: str, end: int | None) -> Iterator[Citation]:
    """One citation an item: the first carries the head, the last the tail."""
    for index, item in enumerate(items):
        stop = end if end is not None and index == len(items) - 1 else item.end
        yield Citation(start if index == 0 else item.start, stop, kind, head + item.pinned)


def _parts(text: str, match: re.Match[str], place: Place) -> Iterator[Citation]:
    items = lists.read(text, match.end(), CFR_PART, pinned=False)
    for index, item in enumerate(items):
        title = place.title_of(item.number)
        if title is None:
            return
        canonical, end = f"{title} C.F.R. Part {item.number}", item.end
        if index == len(items) - 1:
            canonical, end = within_part(text, canonical, end)
        yield Citation(match.start() if index == 0 else item.start, end, "relative", canonical)


def _this(text: str, place: Place) -> Iterator[Citation]:
    """ "this part" and its kin; "of this part" behind a number has been taken by that number."""
    for match in _THIS.finditer(text):
        what = match["what"]
        canonical = None
        if what == "section" and place.section and place.title:
            canonical = f"{place.title} {'U.S.C.' if place.code == 'usc' else 'C.F.R.'} § {place.section}"
        elif place.code == "cfr" and place.part and what == "part":
            canonical = f"{place.title} C.F.R. Part {place.part}"
        elif place.code == "cfr" and place.part and what == "subpart":
            canonical = f"{place.title} C.F.R. Part {place.part}" + (f", Subpart {place.subpart}" if place.subpart else "")
        if canonical:
            yield Citation(match.start(), match.end(), "relative", canonical)


def _appendices(text: str, place: Place) -> Iterator[Citation]:
    for match in _APPENDIX.finditer(text):
        part = match["part"] or place.part
        title = place.title_of(part) if part else None
        if title and place.code != "usc":
            yield Citation(match.start(), match.end(), "relative", f"{title} C.F.R. Part {part}, Appendix {match['letter']}")


def _paragraphs(text: str, place: Place) -> Iterator[Citation]:
    """ "paragraphs (c)(1) and (d)(1) of this section", "paragraph (b) of § 1026.43"."""
    for match in _PARAGRAPH.finditer(text):
        items = _designations(text, match.end())
        behind = _OF.match(text, items[-1].end) if items else None
        number, end = place.section, behind.end() if behind else None
        if behind and behind["section"]:
            target = CFR_SECTION.match(text, behind.end() + (text[behind.end() : behind.end() + 1] == " "))
            if target is None:
                continue
            number, end = target[0], target.end()
        elif number is None or (behind is None and match[0][:3].lower() == "sub"):
            continue
        title = place.title_of(number.partition(".")[0]) if place.code != "usc" else place.title
        if title:
            code = "U.S.C." if place.code == "usc" else "C.F.R."
            yield from _each(match.start(), items, "relative", f"{title} {code} § {number}", end)


def _designations(text: str, at: int) -> list[lists.Item]:
    path, end = pins.read(text, at)
    if not path:
        return []
    # An empty number lets the same list grammar read "(c)(1) and (d)(1)".
    return lists.continued(text, lists.Item(at, end, "", path))
