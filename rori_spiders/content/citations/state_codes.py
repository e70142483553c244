"""Codes of the states: "Cal. Civ. Code § 2923.5", "Minnesota Statutes 290.067", "RCW 61.24.030"; and uniform acts.

One grammar: the state, a subject, and what the code is called ("Tex. Prop. Code Ann."), or what it is called "of" the
state ("Code of Alabama 1975"), then the way to the section ("Title 40, Chapter 18") and its number. The state is
written out, abbreviated as in the Bluebook's table T1, or with its two capitals; codes that go by initials and
California's named codes, in a source of California, need none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.citations import pinpoints
from rori_spiders.content.citations.model import Citation
from rori_spiders.content.citations.state_names import CALIFORNIA, INITIALS, NUMBERED_INITIALS, STATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def _spelled(words: Iterable[str]) -> str:
    """Alternatives, the longest first; blanks of any kind between words, and a point may be missing at the end."""
    longest = sorted(set(words), key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s{1,3}") for word in longest)


_STATE = _spelled([spelling for state in STATES for spelling in state])
#: A section: digits with at most a letter or two, joined by points, dashes, colons or a comma ("79-32,121").
_NUMBER = (
    r"(?:[A-Z]{1,2}-?)?\d{1,6}(?:[A-Z]{1,2}|[a-z](?![a-z]))?(?:(?:[.:/-]|,(?=\d{3}(?!\d)))[A-Z]?\d{1,6}(?:[A-Z]{1,2}|[a-z](?![a-z]))?"
    r"|-[A-Za-z](?![\w-])){0,6}(?![\w-])"
)
_ITEM = re.compile(_NUMBER)
# Without a sign only a number that is nothing else: with a point or dash in it, or of three digits and no year.
_PLAIN = r"(?:\d{1,4}[A-Z]{0,2}(?:[.:-]\d{1,5}[A-Z]{0,2}){1,4}|(?!(?:19|20)\d\d\b)\d{3,6}[a-z]?\b(?!,\d|\s?%))"
_ANNOTATED = (
    r"(?:,?\s{1,3}(?:Ann(?:otated\b|\.)|\(?(?:19|20)\d\d\)?(?![\w.-])|Supp\.|Regs?\.|R\.|r\.|Rules?\b|of\s(?:1[89]|20)\d\d\b"
    r"|of\s(?:Regulations|Regs\.|Rules)|L\b|\([A-Z&]{2,6}\))){0,4}"
)
# What codes are called. Before it the state and the subject are looked for; a plain "Law" or "Code" is none.
_NOUN = re.compile(
    r"(?P<noun>[CSLGAR](?<=\b[CSLGAR])(?:(?<=C)(?:ode|ODE)\b|(?<=S)tat(?:utes?|s)?\b\.?|(?<=L)aws?\b|(?<=G)en\.\sL\."
    r"|(?<=A)dmin(?:istrative|\.)\s{1,3}(?:Rules?|R\.|r\.)|(?<=R)egs\.)"
    rf"(?P<of>\s{{1,3}}of\s{{1,3}}(?:the\s{{1,3}})?(?:State\s{{1,3}}of\s{{1,3}})?(?:{_STATE}))?{_ANNOTATED})"
)
_WAY = (
    r"(?:(?:,?\s{0,3}[|–—-]?\s{0,3}(?:Title|Chapter|Division|Part|Article|Sub(?:title|chapter|part)|tit\.|ch\.|c\.|pt\.|art\.|CH)"
    r"|\s{1,3}[|–—-]\s)[^;:§()\n]{0,160}?)?"
)
# The way from the code's name to the number of its section, which begins where this ends.
_TO_SECTION = re.compile(
    rf"(?P<way>{_WAY})(?:,?\s{{0,3}}[|–—-]?\s{{0,3}}(?:§{{1,2}}|\bSS\b|[Ss]ec(?:tions?\b|s?\.)|\br\.)\s{{0,3}}(?=[A-Z]{{0,2}}-?\d)"
    rf"|(?:,?\s{{1,3}}|\.)(?=\d{{1,3}}-\d{{1,3}}[A-Z]?(?:-\d|\.\d{{1,2}}\b)))|,?\s{{1,3}}(?={_PLAIN})"
)
_CALLED = re.compile(r"Code|CODE|Stat|Law|Regs|Admin|\bL\b")
_BEFORE = re.compile(
    rf"(?<![\w.$§-])(?P<code>(?:(?:19|20)\d\d\s|\d{{1,3}}\s)?(?:{_STATE})(?:['’]s)?\s{{1,3}}(?:(?:[A-Z][\w.&'’-]{{0,20}},?|and|of|&|the|–|-|legal)\s{{1,3}}){{0,7}})$"
)
_CALIFORNIAN = re.compile(r"(?:(?:19|20)\d\d )?(?:Cal\.?|California|CA) (?P<subject>.+?) Code(?: Ann(?:\.|otated))?")
_UNIFORM_NAMES = {
    "U.C.C.": "UCC", "Uniform Commercial Code": "UCC", "U.P.C.": "UPC", "Uniform Probate Code": "UPC",
    "Unif. Prob. Code": "UPC", "U3C": "UCCC", "Uniform Consumer Credit Code": "UCCC",
}  # fmt: skip
_CHAPTER = re.compile(r",?\s{0,3}(?:c\.|ch\.|Chapter)\s{0,3}(?P<number>\d{1,4}[A-Z]{0,2})")
_BARE = re.compile(r"\d{1,4}[A-Z]{0,2}(?![\w.:-])")
# A year, the beginning of the way to the section, and the code's initials are no part of its name.
_NO_NAME = re.compile(r",?\s{1,3}(?:\(?(?:19|20)\d\d\)?|\([A-Z&]{2,6}\))$")
_SESSION = re.compile(r"(?:19|20)\d\d\s")
_SUBJECT = re.compile(rf"\b(?P<subject>{_spelled(CALIFORNIA)})\s{{1,3}}$")
_PROCEDURE = re.compile(
    r"\bCode\s{1,3}of\s{1,3}Civil\s{1,3}Procedure,?\s{1,3}(?:§{1,2}|[Ss]ec(?:tions?|\.))\s{0,3}(?=\d)"
)
_INITIALS = re.compile(
    rf"(?<![\w.])(?P<code>{_spelled(INITIALS)})(?:,?\s{{0,3}}(?:§{{1,2}}|[Ss]ec(?:tions?\b|\.)|(?:Admin\.\s)?r\.)\s{{0,3}}(?=[\dA-Z])|\s{{1,3}}(?:Stat(?:utes?|\.)\s)?(?=[A-Z]{{0,2}}\d{{1,4}}[A-Z]{{0,2}}[.:-]\d))"
)
_NUMBERED = re.compile(
    rf"(?P<title>\d(?<![\w.$§-]\d)\d{{0,2}}(?:-\d{{1,3}})?)\s{{1,3}}(?P<code>{_spelled(NUMBERED_INITIALS)})"
    r"(?:,?\s{0,3}(?:§{1,2}|\bSS\b|[Ss]ec(?:tions?\b|\.)|r\.|ch(?:\.|apter))\s{0,3}(?=\d)|\s{1,3}(?=\d{1,4}[A-Z]?[.:/-]\d)|\s{1,3}(?=\d{2,4}\b))"
)
_NAMES_NUMBERED = re.compile("|".join(sorted({word.split()[-1].replace(".", r"\.") for word in NUMBERED_INITIALS})))
_NAMES_INITIALS = re.compile("|".join(sorted({re.escape(word.split()[0]) for word in INITIALS})))
_UNIFORM = re.compile(
    r"(?P<code>U(?<=\bU)(?:CCC|3C|\.?C\.?C\.?|\.?P\.?C\.?|nif(?:orm|\.)\s(?:(?:[A-Z][\w.-]{0,20}|and|of|on|&)\s){1,6}?(?:Code|Act)))(?:\s\((?:19|20)\d\d\))?"
    r",?\s{1,3}(?:(?:§{1,2}|[Ss]ec(?:tions?\b|s?\.))\s{0,3}(?=\d)|(?=\d{1,2}[A-Z]?-\d{3}))"
)


#: Characters between the name of a code and the number of a section.
_MOST_OF_WAY = 260


def find(text: str, context: Mapping[str, str] | None = None) -> Iterator[Citation]:
    """Sections of states' codes and of uniform acts, each of a list; the form keeps the code's name as printed.

    ``context``: ``state`` ("CA") is the state that the source belongs to.
    """
    state = (context or {}).get("state")
    if _CALLED.search(text):
        yield from _of_named_codes(text, state)
    if _NAMES_INITIALS.search(text):
        for match in _INITIALS.finditer(text):
            sign = "§ " if "§" in match[0] else ""
            yield from _sections(text, match.start(), match.end(), f"{_plain(match['code'])} {sign}")
    if _NAMES_NUMBERED.search(text):
        for match in _NUMBERED.finditer(text):
            sign = "§ " if "§" in match[0] or "SS" in match[0] else ""
            code = f"{match['title']} {_plain(match['code'])} {sign}"
            yield from _sections(text, match.start(), match.end(), code)
    for match in _UNIFORM.finditer(text) if "U" in text else ():
        name = _plain(match["code"])
        yield from _sections(text, match.start(), match.end(), f"{_UNIFORM_NAMES.get(name, name)} § ")


def _of_named_codes(text: str, state: str | None) -> Iterator[Citation]:
    for match in _NOUN.finditer(text):
        way = _TO_SECTION.match(text, match.end(), match.end() + _MOST_OF_WAY)
        head = _head(text, match, way, state) if way else None
        if way and head:
            start, code = head
            yield from _sections(text, start, way.end(), f"{code}{_chapter(text, way)} § ")
    for match in _PROCEDURE.finditer(text) if state == "CA" else ():
        yield from _sections(text, match.start(), match.end(), "Cal. Civ. Proc. Code § ")


def _plain(code: str) -> str:
    return " ".join(code.split())


def _head(text: str, match: re.Match[str], way: re.Match[str], state: str | None) -> tuple[int, str] | None:
    """Where the citation of a code begins, and what the code is called; None where no state is named."""
    noun = _plain(_NO_NAME.sub("", match["noun"]))
    window = text[max(0, match.start() - 110) : match.start()]
    before = _BEFORE.search(window)
    if before:
        if _SESSION.match(before["code"]) and not way[0].strip(" ,") and _BARE.match(text, way.end()):
            return None  # a page of the laws of a session: "1990 Cal. Stat. 1234"
        if noun.startswith("CODE") and before["code"].split()[0].isupper() and len(before["code"].split()[0]) < 3:
            return None  # words in capitals: "IN CODE SECTION 12"
        return match.start() - len(window) + before.start(), _named(_plain(before["code"] + noun))
    if match["of"]:
        lead = re.search(r"(?:\b(?:19|20)\d\d\s)?(?:\b(?:Official|Revised|General|Compiled)\s{1,3})?$", window)
        start = match.start() - (len(lead[0]) if lead else 0)
        return start, _plain((lead[0] if lead else "") + noun)
    if state == "CA" and noun in ("Code", "CODE") and (subject := _SUBJECT.search(window)):
        return match.start() - len(window) + subject.start(), _named(f"Cal. {_plain(subject['subject'])} Code")
    return None


def _named(code: str) -> str:
    """California's codes by the Bluebook's abbreviation, whichever way they are written; other codes as printed."""
    subject = _CALIFORNIAN.fullmatch(code)
    law = CALIFORNIA.get(subject["subject"]) if subject else None
    # The first spelling of each is the abbreviation.
    return f"Cal. {next(name for name, key in CALIFORNIA.items() if key == law)} Code" if law else code


def _chapter(text: str, way: re.Match[str]) -> str:
    """The chapter that a section's number needs where it does not have it: "Mass. Gen. Laws ch. 62, § 6"."""
    chapter = _CHAPTER.fullmatch(way["way"] or "")
    return f" ch. {chapter['number']}," if chapter and _BARE.match(text, way.end()) else ""


def _sections(text: str, start: int, at: int, head: str) -> Iterator[Citation]:
    for index, item in enumerate(pinpoints.read_list(text, at, _ITEM)):
        yield Citation(start if index == 0 else item.start, item.end, "other", head + item.pinned)
