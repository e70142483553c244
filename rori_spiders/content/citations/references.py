"""References that need the page: "§ 1026.43(c)", "part 1024", "this part", "paragraph (a)(1) of this section", acts."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from rori_spiders.content.citations import law_names, pinpoints
from rori_spiders.content.citations.codes import (
    CFR_PART,
    CFR_SECTION,
    INNER,
    STATUTE_SECTION,
    USC_SECTION,
    inner_of,
    within_part,
)
from rori_spiders.content.citations.expressions import compile_at_word, triggered
from rori_spiders.content.citations.model import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.content.citations.context import Place


_SECTION = triggered(
    r"§|[Ss]ec(?:tions?|s?\.)\s{1,3}[\dlI]", r"[§Ss](?:(?<=§)§?\s{0,3}|(?<=\b[Ss])ec(?:tions?|s?\.)\s{1,3})(?=[\dlI])"
)
_PART = triggered(r"[Pp]arts?\s{1,3}\d{2}", r"\b[Pp]arts?\s{1,3}(?=\d{2,4}\b)")
_THIS = triggered(r"[Tt]his\s+(?:part|section|subpart)", r"\b[Tt]his\s+(?P<what>part|section|subpart)\b")
_APPENDIX = triggered(
    r"[Aa]ppendi(?:x|ces)\s+[A-Z]",
    r"\b[Aa]ppendi(?:x|ces)\s+(?P<letter>[A-Z]{1,2}(?:-\d{1,2})?)\b(?P<more>(?:(?:,\s|\s(?:and|or|through)\s|,\s(?:and|or)\s)[A-Z](?:-\d{1,2})?\b){0,9})(?P<tail>\s+(?:to|of)\s+(?:this\s+part|"
    r"[Pp]art\s+(?P<part>\d{2,4}))\b)?(?!\s+to\s+Reg)",
)
_LETTER = re.compile(r"\b[A-Z](?:-\d{1,2})?\b")
_PARAGRAPH = triggered(
    r"(?:aragraph|lause|ubsection)s?\s{1,2}\(",
    r"\b[SsPpCc](?:(?<=[Pp])aragraph|(?<=[Cc])lause|(?<=[Ss])ub(?:[Pp]aragraph|[Cc]lause|section))s?\s{1,2}(?=\()",
)
_ENUMERATOR = re.compile(r"(?:^|[.;:—–]\s{1,2}|\n\s{0,8})(?P<path>\([a-z]{1,2}\)(?:\(\d{1,2}\))?(?:\([A-Z]\))?)(?=\s)")
_OF = re.compile(
    r"\s+of\s+(?:(?P<unit>(?:subsection|(?:sub)?paragraph|clause)\s{1,2})(?=\([a-zA-Z\d]{1,4}\))|this\s+(?P<this>section|part|title|chapter|subsection|definition|paragraph)\b|"
    r"(?P<section>§\s?|[Ss]ection\s))"
)
_OF_THIS = re.compile(r"\s+of\s+this\s+(?:section|part|chapter|title|subchapter)\b")
_OF_TITLE = re.compile(
    r"\s+of\s+title\s+(?P<title>\d{1,2})\b(?P<code>,?\s+(?:of\s+the\s+)?(?:United\s+States\s+Code|U\.?S\.?C\.?))?"
)
_SHORT_ACTS = "|".join(law_names.SHORT_ACTS) + r"|Dodd-Frank(?!\s{1,3}(?:Wall|Act)\b)"
_OF_ACT = re.compile(
    r"\s+of\s+(?:(?P<short>"
    + _SHORT_ACTS
    + r")\b|the\s+(?P<name>(?:"
    + _SHORT_ACTS
    + r")\b|(?:[A-Z][\w.&'’-]{0,40}\s+|(?:in|of|and|for|to|the)\s+){0,9}?Act\b(?:\s+of\s+(?:19|20)\d{2})?))"
)
# "TILA section 129C", "the Dodd-Frank Act sections 1032(f) and 1098"; a word that begins a sentence is no name.
_BEFORE_ACT = re.compile(
    r"\b(?P<name>"
    + _SHORT_ACTS
    + r"|(?!(?:The|See|Under|Also|In|And|By|Of|Both|Each|This|That|Section|Sections|[A-Z]{1,4}\.)\s)"
    r"(?:[A-Z][\w.&’-]{0,40}\s(?:(?:in|of|and|for|to|the)\s){0,2}){1,8}Act(?:\sof\s(?:19|20)\d{2})?)(?:['’]s)?,?\s{1,3}$"
)
# "Penal Code section 1054.1", "section 1054.1 of the Penal Code": of a code that is not the CFR.
_CODE_BEFORE = re.compile(r"\b(?:(?<!Zip\s)Code|Statutes|Stat\.)[ \xa0]{1,2}$")
_CODE_BEHIND = re.compile(
    r"(?:,|\s{1,3}of\s{1,3}the)\s{1,3}(?!Code\sof\sFed)(?:(?:[A-Z][\w.'’]{0,20}|&|and|of)\s{1,2}){0,5}(?:Code|Statutes|Laws)\b(?!\sof\sFed)"
)
_INITIALS_BEFORE = re.compile(r"\b(?P<name>[A-Z]{3,9})\s$")
_OF_THAT = re.compile(r"\s+of\s+(?:that|such)\b")
_OF_INITIALS = re.compile(r"\s+of\s+(?:the\s+)?(?P<name>[A-Z]{3,9})\b")
_TITLE_OF_ACT = triggered(r"[Tt]itle\s{1,3}[IVXL]{1,6}\s", r"\b[Tt]itle\s{1,3}(?P<title>[IVXL]{1,6})\b(?=\s{1,3}of\b)")
_SUBPART = triggered(
    r"ubpart\s{1,3}[A-Z]|upplement\s{1,3}I",
    r"\b[Ss]u(?:bpart\s{1,3}(?P<subpart>[A-Z]{1,2})|pplement\s{1,3}I)\b(?!\s{1,3}to\s{1,3}Reg)"
    r"(?P<tail>\s{1,3}(?:of|to)\s{1,3}(?:this\s{1,3}part|[Pp]art\s{1,3}(?P<part>\d{2,4})))?\b",
)
_IN_GUIDE = re.compile(r"(?:1[1-9]\d\d|[2-9]\d{3})\.\d{1,2}")
_FREDDIE = triggered(
    r"Freddie\s+Mac|Guide\s+(?:Section|Chapter|Exhibit)",
    r"Freddie\s+Mac|Guide(?<=\bGuide)\s+(?:Section|Chapter|Exhibit)",
)


def find_sections(text: str, place: Place) -> Iterator[Citation]:
    """References resolved against ``place``. What cannot be resolved is left out: half a citation misleads."""
    signs = list(_SECTION.finditer(text))
    yield from _paragraphs(text, signs, place)
    freddie = place.code is None and bool(_FREDDIE.search(text))
    done = 0  # a list is read once, not from each of its signs on
    for match in signs:
        if match.start() >= done:
            citations, done = _section(text, match, place, freddie=freddie)
            yield from citations
    yield from _appendices(text, place)
    yield from _subparts(text, place)
    for match in _PART.finditer(text):
        yield from _parts(text, match, place)
    yield from _this(text, place)
    yield from _titles(text)


def _section(text: str, match: re.Match[str], place: Place, *, freddie: bool) -> tuple[list[Citation], int]:
    """The citations of one list, and where it ends, resolved or not."""
    items = pinpoints.read_list(text, match.end(), CFR_SECTION)
    if items:
        return list(_cfr_sections(text, match, items, place, freddie=freddie)), items[-1].end
    items = pinpoints.read_list(text, match.end(), USC_SECTION)
    if not items:
        return [], match.end()
    return list(_statute_sections(text, match, items, place)), items[-1].end


def _statute_sections(text: str, match: re.Match[str], items: list[pinpoints.Item], place: Place) -> Iterator[Citation]:
    code = _OF_TITLE.match(text, items[-1].end)
    if code and (code["code"] or place.code == "usc"):
        yield from _each(match.start(), items, "usc", f"{code['title']} U.S.C. § ", code.end())
        return
    act = _act(text, match.start(), pinpoints.read_list(text, match.end(), STATUTE_SECTION) or items, place)
    if act:
        yield from act
    elif place.code == "usc" and place.title:
        tail = _OF_THIS.match(text, items[-1].end)
        if tail or len(items[0].number) >= 3:
            yield from _each(match.start(), items, "relative", f"{place.title} U.S.C. § ", tail.end() if tail else None)


def _cfr_sections(
    text: str, match: re.Match[str], items: list[pinpoints.Item], place: Place, *, freddie: bool
) -> Iterator[Citation]:
    tail = _OF_THIS.match(text, items[-1].end)
    if _CODE_BEFORE.search(text, max(0, match.start() - 12), match.start()) or _CODE_BEHIND.match(text, items[-1].end):
        return
    part = items[0].number.partition(".")[0]
    title = place.title_of(part)
    # The Guide's chapters begin at 1101: what is below is the Bureau's.
    if freddie and part not in place.titles and _IN_GUIDE.fullmatch(items[0].number):
        guide = re.search(r"\bGuide\s+$", text[max(0, match.start() - 8) : match.start()])
        start = match.start() - (len(guide[0]) if guide else 0)
        yield from _each(start, items, "freddie", "Freddie Mac Guide § ", None)
    elif title and not _OF_ACT.match(text, items[-1].end):
        yield from _each(match.start(), items, "relative", f"{title} C.F.R. § ", tail.end() if tail else None)


def _act(text: str, start: int, items: list[pinpoints.Item], place: Place) -> list[Citation]:
    behind = _OF_ACT.match(text, items[-1].end)
    before = _BEFORE_ACT.search(text, max(0, start - 120), start)
    if behind:
        name = law_names.act(behind["short"] or behind["name"])
        if name == "Act":  # "the Act": whichever the page is about
            name = place.act or place.meant_act or ""
        if before and not behind["short"] and before["name"] in law_names.SHORT_ACTS:
            start = before.start()
    else:
        # "sections 803 through 812" in a rule about one act: three digits and no point are a section of that act.
        is_the_acts = len(items[0].number) == 3 and not _OF_THAT.match(text, items[-1].end)
        name = law_names.act(before["name"]) if before else (place.act or "") if is_the_acts else ""
        start = before.start() if before else start
        if initials := _OF_INITIALS.match(text, items[-1].end):
            is_act = initials["name"] in place.acts or law_names.is_act(initials["name"])
            name, behind = (initials["name"], initials) if is_act else (name, None)
        elif before is None and (initials := _INITIALS_BEFORE.search(text, max(0, start - 12), start)):
            # "NAHASDA section 810": its own act where the text says so, and never "the Act" of the page.
            is_act = initials["name"] in place.acts or law_names.is_act(initials["name"])
            name, start = (initials["name"], initials.start()) if is_act else ("", start)
    if not name:
        return []
    return list(_each(start, items, "other", f"{name} § ", behind.end() if behind else None))


def _each(start: int, items: list[pinpoints.Item], kind: str, head: str, end: int | None) -> Iterator[Citation]:
    """One citation an item: the first carries the head, the last the tail."""
    for index, item in enumerate(items):
        stop = end if end is not None and index == len(items) - 1 else item.end
        yield Citation(start if index == 0 else item.start, stop, kind, head + item.pinned)


def _parts(text: str, match: re.Match[str], place: Place) -> Iterator[Citation]:
    items = pinpoints.read_list(text, match.end(), CFR_PART, pinned=False)
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
        if what == "section" and (here := place.section_at(match.start())):
            canonical = f"{here[0]} {'U.S.C.' if place.code == 'usc' else 'C.F.R.'} § {here[1]}"
        elif place.code == "cfr" and place.part and what == "part":
            canonical = f"{place.title} C.F.R. Part {place.part}"
        elif place.code == "cfr" and place.part and what == "subpart":
            canonical = f"{place.title} C.F.R. Part {place.part}" + (
                f", Subpart {place.subpart}" if place.subpart else ""
            )
        if canonical:
            yield Citation(match.start(), match.end(), "relative", canonical)


def _appendices(text: str, place: Place) -> Iterator[Citation]:
    for match in _APPENDIX.finditer(text):
        part = match["part"] or place.part
        title = place.title_of(part) if part else None
        if not title or place.code == "usc":
            continue
        head, end = f"{title} C.F.R. Part {part}, Appendix ", match.end()
        more = list(_LETTER.finditer(text, *match.span("more"))) if match["more"] else []
        yield Citation(match.start(), match.end("letter") if more else end, "relative", head + match["letter"])
        for one in more:
            yield Citation(one.start(), end if one is more[-1] else one.end(), "relative", head + one[0])


def _subparts(text: str, place: Place) -> Iterator[Citation]:
    """ "subpart E", "subpart C of part 1024", "supplement I to this part"."""
    for match in _SUBPART.finditer(text):
        part = match["part"] or place.part
        title = place.title_of(part) if part else None
        if title and (match["part"] or place.code == "cfr") and (match["tail"] or match["subpart"]):
            inner = f"Subpart {match['subpart']}" if match["subpart"] else "Supplement I"
            yield Citation(match.start(), match.end(), "relative", f"{title} C.F.R. Part {part}, {inner}")


def _titles(text: str) -> Iterator[Citation]:
    """ "Title X of the Dodd-Frank Act"."""
    for match in _TITLE_OF_ACT.finditer(text):
        behind = _OF_ACT.match(text, match.end())
        name = law_names.act(behind["short"] or behind["name"]) if behind else "Act"
        if (
            behind is None
            and (initials := _OF_INITIALS.match(text, match.end()))
            and law_names.is_act(initials["name"])
        ):
            name, behind = initials["name"], initials
        if behind and name != "Act":
            yield Citation(match.start(), behind.end(), "other", f"{name}, Title {match['title']}")


def _paragraphs(text: str, signs: Sequence[re.Match[str]], place: Place) -> Iterator[Citation]:
    """ "paragraphs (c)(1) and (d)(1) of this section", "paragraph (b) of § 1026.43", "subparagraph (A)"."""
    if not _PARAGRAPH.trigger.is_in(text):
        return
    mentions = _mentions(text, signs)
    enumerators = [(match.end(), match["path"]) for match in _ENUMERATOR.finditer(text)]
    done = 0
    for match in _PARAGRAPH.finditer(text):
        items = _designations(text, match.end()) if match.start() >= done else []
        if not items:
            continue
        done, unit = items[-1].end, match[0]
        behind = _OF.match(text, done)
        if behind and behind["unit"]:  # "paragraph (2) of subsection (b)" is (b)(2)
            path, done = pinpoints.read_pins(text, behind.end())
            items = [replace(item, path=path + item.path) for item in items]
            items[-1] = replace(items[-1], end=done)
            unit = behind["unit"]
            behind = _OF.match(text, done)
        if behind and behind["section"]:
            yield from _of_section(text, match.start(), items, behind.end(), place)
            continue
        here = place.section_at(match.start())
        last = _last(mentions, match.start()) if here is None and place.code == "cfr" else None
        title, number = here or (place.title, last)
        if number and title and (not behind or behind["this"] not in ("part", "title", "chapter")):
            inside = _inside(unit, _last(enumerators, match.start())) if place.code == "usc" else ""
            code = "U.S.C." if place.code == "usc" else "C.F.R."
            end = behind.end() if behind else None
            yield from _each(match.start(), items, "relative", f"{title} {code} § {number}{inside}", end)


_JOINED_BY = re.compile(r"\s{1,3}of\s{1,3}(?:the\s{1,3})?")


def join_paragraphs(text: str, found: list[Citation]) -> list[Citation]:
    """*found*, in order, where "paragraph (b) of 12 CFR 1026.36" is one citation, of the paragraph."""
    starts = {citation.start: citation for citation in found if "§" in citation.canonical}
    joined: list[Citation] = []
    for match in _PARAGRAPH.finditer(text) if starts else ():
        items = _designations(text, match.end())
        of = _JOINED_BY.match(text, items[-1].end) if items else None
        section = starts.pop(of.end(), None) if of else None
        if section and not section.canonical.endswith("et seq."):
            joined += _each(match.start(), items, section.kind, section.canonical, section.end)
            found.remove(section)
    return sorted([*found, *joined], key=lambda citation: (citation.start, citation.end)) if joined else found


def _mentions(text: str, signs: Sequence[re.Match[str]]) -> list[tuple[int, str]]:
    """Sections named by sign or word, and where: the one before a paragraph is the one that it belongs to."""
    heads = (match.end() for match in signs)
    return [(end, number[0]) for end in heads if (number := CFR_SECTION.match(text, end))]


def _of_section(text: str, start: int, items: list[pinpoints.Item], at: int, place: Place) -> Iterator[Citation]:
    target = CFR_SECTION.match(text, at)
    title = place.title_of(target[0].partition(".")[0]) if target else None
    if target and title:
        yield from _each(start, items, "relative", f"{title} C.F.R. § {target[0]}", target.end())


def _last(places: list[tuple[int, str]], before: int) -> str | None:
    """The newest of ``places`` (in order) that ends before an offset."""
    index = bisect_right(places, before, key=lambda place: place[0])
    return places[index - 1][1] if index else None


def _inside(word: str, enumerator: str | None) -> str:
    """Statutes speak of paragraphs within the subsection, and subparagraphs within the paragraph, that they stand
    in.
    """
    path = pinpoints.read_pins(enumerator or "", 0)[0]
    depth = {"subs": 0, "para": 1, "subp": 2, "clau": 3, "subc": 4}[word[:4].lower()]
    return pinpoints.written(path[:depth])


def _designations(text: str, at: int) -> list[pinpoints.Item]:
    path, end = pinpoints.read_pins(text, at)
    if not path:
        return []
    # An empty number lets the same list grammar read "(c)(1) and (d)(1)".
    return pinpoints.continued(text, pinpoints.Item(at, end, "", path))


# Regulations by letter ("Regulation Z"), executive orders, and comments of the official interpretations.

# "Appendix A to Regulation E" is two: the appendix, and the regulation behind it.
_INNER_BEFORE = re.compile(rf"\b{INNER}(?:(?:the\s|Bureau|Board|CFPB)(?:['’]s)?\s{{0,2}}){{0,2}}$")
_REGULATION = compile_at_word(r"Reg(?:ulations?|s?\.)?\s+(?P<letter>[A-Z]{1,2})\b(?!\.\w|(?<=U)\.\sS\.)")
_MORE = re.compile(r"(?:,\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+)(?P<letter>[A-Z]{1,2})\b(?!\.\w|['’])")
_BOARD = re.compile(r"\b(?:Board|Federal\s+Reserve)(?:['’]s)?\s+(?:[\w-]+\s+){0,2}$")
_OLD_PART = re.compile(r"[\s,(]{1,3}12\s+CFR\s+(?:[Pp]art\s+)?2\d{2}\b")
_ORDER = triggered(
    r"E(?:xecutive\s+Orders?|xec\.\s+Order|\.\s?O\.|O\s)\s*(?:Nos?\.\s*)?\d",
    r"(?P<before>\b[Ss]ection\s+(?P<first>\d{1,2}(?:\([a-z0-9]{1,3}\)){0,3})\s+of\s+)?\b(?:Executive\s+Orders?"
    r"|Exec\.\s+Order|E\.\s?O\.|EO(?=\s+1[1-4],?\d{3}\b))\s*(?:Nos?\.\s*)?(?P<n>\d{4,5}|\d\d,\d{3})\b(?!-\d)",
)
_ORDER_SECTION = re.compile(r",?\s+(?:§|[Ss]ection)\s*(?=\d)")
# "Executive Order 12866, “Regulatory Planning and Review,” section 3(f)": a citation of its own behind the title.
_TITLED_SECTION = re.compile(r",?\s+[“\"(][^”\")\n]{3,120}[”\")],?\s+(?P<sign>§\s?|[Ss]ection\s+)(?=\d)")
_COMMENT_POINT = r"[-–—‑]\d{1,2}(?:\.[ivx]{1,5}(?:\.[A-Z]\b)?)?(?![\w(])"
_COMMENT_ID = r"\d{1,3}[a-z]?(?:\([a-zA-Z0-9]{1,4}\)){0,6}" + _COMMENT_POINT
_COMMENT = triggered(
    r"(?:omments?|mts?\.|I,\s{1,3}(?:¶|[Pp]ara(?:graph|\.)))\s{1,3}\d{1,3}[a-z]?[(‑–—-]",
    rf"(?<!\w)(?:[Cc](?:omments?|mts?\.)|(?<=I,\s)(?:¶|[Pp]ara(?:graph|\.)))\s{{1,3}}(?P<id>{_COMMENT_ID})",
)
# "comments 32(b)(1)-1 and -2", "37(c)-1.ii and .iii", "30(c)-1 through 31(b)-2": a point, a subpoint, or a whole id.
_MORE_COMMENTS = re.compile(
    r"(?:[,;]\s{1,3}(?:and\s{1,3}|or\s{1,3})?|\s{1,3}(?:and|or|through|to)\s{1,3})"
    rf"(?P<n>(?P<id>{_COMMENT_ID})|(?P<point>{_COMMENT_POINT})|\.[ivx]{{1,5}}(?:\.[A-Z])?(?!\w))"
)
_BUREAUS_SECTION = re.compile(r"(?:§\s{0,3}|[Ss]ec(?:tions?|s?\.)\s{1,3})(?P<part>10\d\d)\.\d")
#: "Tenn. Comp. R. & Regs. R. 1200-13-13-.02": the letter stands for a rule.
_RULE_BEHIND = re.compile(r"\.\s{1,3}\d{1,4}-\d")
_OF_REGULATION = re.compile(r"\s+(?:of|to|in)\s+Regulation\s+(?P<letter>[A-Z]{1,2})\b")


def find_named_rules(text: str, place: Place, cited: Sequence[Citation]) -> Iterator[Citation]:
    """Regulations, orders and comments. ``cited`` are the citations that named their code."""
    regulations = list(_regulations(text, place))
    yield from regulations
    for regulation in regulations:
        inner = _INNER_BEFORE.search(text, max(0, regulation.start - 40), regulation.start)
        if inner and regulation.target:
            yield Citation(*inner.span("inner"), "cfr", regulation.target + inner_of(inner))
    yield from _orders(text)
    yield from _comments(text, place, sorted([*regulations, *cited], key=lambda citation: citation.start))


def _regulations(text: str, place: Place) -> Iterator[Citation]:
    for match in _REGULATION.finditer(text):
        if match["letter"] == "R" and _RULE_BEHIND.match(text, match.end()):
            continue
        board = _is_boards(text, match, place)
        found = match
        start = match.start()
        while True:
            letter = found["letter"]
            target = law_names.regulation(letter, board=board)
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
        number = match["n"].replace(",", "")
        canonical, end = f"Exec. Order {number}", match.end()
        if match["first"]:
            canonical = f"{canonical}, § {match['first']}"
        elif section := _ORDER_SECTION.match(text, end):
            item = pinpoints.read_list(text, section.end(), STATUTE_SECTION)
            if item:
                canonical, end = f"{canonical}, § {item[0].pinned}", item[0].end
        yield Citation(match.start(), end, "eo", canonical)
        if (titled := _TITLED_SECTION.match(text, end)) and (
            item := pinpoints.read_list(text, titled.end(), STATUTE_SECTION)
        ):
            pinned = f"Exec. Order {number}, § {item[0].pinned}"
            yield Citation(titled.start("sign"), item[0].end, "eo", pinned)


def _comments(text: str, place: Place, cited: Sequence[Citation]) -> Iterator[Citation]:
    """A comment belongs to the regulation named behind it, else to the last one named before it, else to the page's
    part.
    """
    if not _COMMENT.trigger.is_in(text):
        return
    parts = [(citation.end, part) for citation in cited if (part := _part_of(citation))]
    of_bureau = ((one.end(), one["part"]) for one in _BUREAUS_SECTION.finditer(text))
    parts = sorted(
        [*parts, *((end, f"12 C.F.R. Part {part}") for end, part in of_bureau if place.title_of(part) == 12)]
    )
    for match in _COMMENT.finditer(text):
        more = list(_more_comments(text, match.end()))
        named = _OF_REGULATION.match(text, more[-1].end() if more else match.end())
        part = law_names.regulation(named["letter"], board=False) if named else None
        part = part or _commented_part(match["id"], match.start(), parts, place)
        if part is None:
            continue
        point = _with_hyphens(match["id"])
        yield Citation(match.start(), match.end(), "comment", f"{part}, Supplement I, comment {point}")
        for other in more:
            written = _with_hyphens(other["n"])
            if other["point"]:
                written = point.rpartition("-")[0] + written
            elif not other["id"]:
                paragraph, dash, number = point.rpartition("-")
                written = paragraph + dash + number.partition(".")[0] + written
            point = written
            yield Citation(other.start("n"), other.end(), "comment", f"{part}, Supplement I, comment {point}")


def _with_hyphens(comment: str) -> str:
    return re.sub("[–—‑]", "-", comment)


def _commented_part(comment: str, at: int, parts: Sequence[tuple[int, str]], place: Place) -> str | None:
    """The last part cited before *at* that has the comment's section, else the page's, else the next one cited."""
    number = re.match(r"\d+", comment)
    section = int(number[0]) if number else 0
    index = bisect_right(parts, at, key=lambda known: known[0])
    home = [f"{place.title} C.F.R. Part {place.part}"] if place.part and place.title else []
    near = [part for _, part in reversed(parts[max(0, index - 20) : index])]
    for part in [*near, *home, *(part for _, part in parts[index : index + 20])]:
        if section in law_names.COMMENTED.get(part, ()):
            return part
    # A section that the page's regulation has not is one of Regulation Z, the only one with so many.
    if home and home[0] in law_names.COMMENTED and section in law_names.COMMENTED["12 C.F.R. Part 1026"]:
        return "12 C.F.R. Part 1026"
    return home[0] if home and home[0] not in law_names.COMMENTED else None


def _more_comments(text: str, at: int) -> Iterator[re.Match[str]]:
    """Of "comments 32(b)(1)-1 and -2" those behind the first, which ends at *at*."""
    following = _MORE_COMMENTS.match(text, at)
    while following is not None:
        yield following
        following = _MORE_COMMENTS.match(text, following.end())


def _part_of(citation: Citation) -> str | None:
    if citation.target:
        return citation.target
    match = re.match(r"(\d+ C\.F\.R\.) (?:§|Part) (10\d\d|2\d\d)\b", citation.canonical)
    return f"{match[1]} Part {match[2]}" if match else None
