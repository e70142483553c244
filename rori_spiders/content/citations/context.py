"""The place of a page in the codes, from its URL and title: the meaning of "this part" and "§ 1026.43" there.

Only what is said outright: an address of a kind whose form is known, or a title that begins with a citation. A press
release about a section is not that section.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rori_spiders.content.citations import codes, law_names
from rori_spiders.content.citations.expressions import triggered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rori_spiders.content.citations.model import Citation


_SECTION = r"(?P<section>\d{1,4}\.\d{1,4}[a-z]?(?:-\d{1,2}[a-z]?)?)"
_PART = r"part-(?P<part>\d+)(?:/subpart-(?P<subpart>[A-Z]{1,2}))?"
_ECFR = r"ecfr\.gov/(?:current|on/[\d-]+)/title-(?P<title>\d+)/(?:.*/)?"
_ADDRESSES = tuple(
    (code, re.compile(pattern))
    for code, pattern in (
        ("CFR", rf"{_ECFR}section-{_SECTION}$"),
        ("CFR", rf"{_ECFR}{_PART}$"),
        ("CFR", rf"law\.cornell\.edu/cfr/text/(?P<title>\d+)/{_SECTION}$"),
        ("CFR", rf"law\.cornell\.edu/cfr/text/(?P<title>\d+)/{_PART}$"),
        ("CFR", r"consumerfinance\.gov/rules-policy/regulations/(?P<part>10\d\d)(?:/(?P<number>\d+))?$"),
        ("USC", r"law\.cornell\.edu/uscode/text/(?P<title>\d+)/(?P<section>\d+[a-z]*(?:-\d+[a-z]?)?)$"),
        ("USC", r"uscode\.house\.gov/.*granuleid:USC-prelim-title(?P<title>\d+)-section(?P<section>\d+[\w-]*)"),
    )
)
_BEFORE = re.compile(r"^(?:eCFR\s*::\s*)?")
_US_CODE = re.compile(r"^(?P<title>\d{1,2}) U\.?S\.? Code § ?(?P<section>\d{1,5}[a-z]{0,2}(?:-\d{1,3}[a-z]?)?)\b")
_FOUND = re.compile(r"(?P<title>\d+) (?P<code>C\.F\.R|U\.S\.C)\. (?:§ (?P<section>[\w.-]+)|Part (?P<part>\d+))")
#: Whose regulations a site speaks of when it says "Regulation Z".
_AGENCIES = {"federalreserve.gov": "FRB"}


# "dre.ca.gov", "www.courts.ca.gov", "www.leg.state.fl.us": the state that the source belongs to.
_STATE_HOST = re.compile(r"(?:^|\.)(?:([a-z]{2})\.gov|state\.([a-z]{2})\.us)$")


def home_of(url: str, title: str | None) -> dict[str, str]:
    """The context for `citations.find`, as far as known: ``title`` ("12 CFR"), ``part``, ``section``, ``agency``,
    ``state`` ("CA").
    """
    known = _by_address(url) or _by_title(title or "")
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    if host in _AGENCIES:
        known["agency"] = _AGENCIES[host]
    if state := _STATE_HOST.search(host):
        known["state"] = (state[1] or state[2]).upper()
    return known


def _by_address(url: str) -> dict[str, str]:
    address = url.partition("://")[2].partition("#")[0].rstrip("/")
    for code, pattern in _ADDRESSES:
        if found := pattern.search(address):
            named = {name: value for name, value in found.groupdict().items() if value}
            if number := named.pop("number", None):
                named["section"] = f"{named['part']}.{number}"
            return named | {"title": f"{named.get('title', '12')} {code}"}
    return {}


def _by_title(title: str) -> dict[str, str]:
    start = _BEFORE.sub("", " ".join(title.split()))
    if found := _US_CODE.match(start):
        return {"title": f"{found['title']} USC", "section": found["section"]}
    first = next((citation for citation in codes.find(start[:80]) if citation.start == 0), None)
    found = _FOUND.match(first.canonical) if first else None
    if found is None:
        return {}
    known = {"title": f"{found['title']} {found['code'].replace('.', '')}"}
    return known | {name: value for name in ("section", "part") if (value := found[name])}


# Where a text stands: the title, part and section that "this part" and "§ 1026.43" refer to.

_TITLE = re.compile(r"(?:title\s+)?(\d{1,2})\b", re.IGNORECASE)
# "... provided by the Fair Debt Collection Practices Act (the Act)": what "the Act" means from there on.
_THE_ACT = triggered(
    r"Act\s\((?:the\s|[“\"])",
    r"(?P<name>(?<!\w)(?:[A-Z][\w.-]{0,40}\s(?:(?:in|of|and|for)\s)?){1,8}Act)\s\((?:the\s|[“\"](?:the\s)?)Act[”\"]?\)",
)
#: "the Clean Air Act (CAA or Act)".
_INITIALS_OF_ACT = re.compile(r"Act\b[^.;]{0,60}?\([“\"]?([A-Z]{3,9})\b")
# "(b) *Act* means the Equal Credit Opportunity Act": so a regulation says it.
_ACT_MEANS = triggered(
    " means the ",
    r"Act(?<=[*_”\"\s]Act)[*_”\"]{0,2}\smeans\sthe\s(?P<name>(?:[A-Z][\w.-]{0,40}\s(?:(?:in|of|and|for)\s)?){1,8}Act)\b",
)
# "## § 1024.5 Coverage of RESPA." begins a section; appendices and supplements stand behind the last one.
_HEADING = triggered(
    r"# (?:\*\*)?(?:§ ?\d|Appendix|Supplement|Subpart)",
    r"^#{1,6} (?:\*\*)?(?:§ ?(?P<section>\d{1,4}\.\d{1,4}[a-z]?(?:-\d{1,2}[a-z]?)?"
    r"|\d{1,5}[a-z]{0,2}(?:-\d{1,3}[a-z]?)?)(?![\w(])|Appendix\b|Supplement\b|Subpart\b)",
    re.MULTILINE,
)
_CFR = re.compile(r"(\d{1,2}) C\.F\.R\. (?:§|Part) (\d{1,4})")


@dataclass(frozen=True, slots=True)
class Place:
    """``code`` is ``cfr`` or ``usc``; all may be unknown. ``titles`` maps parts named in the text to their titles."""

    code: str | None
    title: int | None
    part: str | None
    section: str | None
    subpart: str | None
    agency: str
    act: str | None
    titles: dict[str, int]
    headings: tuple[tuple[int, str | None], ...] = ()
    meant_act: str | None = None  # what "the Act" is by the text's own definition
    acts: frozenset[str] = frozenset()  # initials that the text gives acts

    def section_at(self, offset: int) -> tuple[int, str] | None:
        """The title and the section that the text at *offset* stands in: by the heading above it, else by the page."""
        index = bisect_right(self.headings, offset, key=lambda heading: heading[0])
        section = self.headings[index - 1][1] if index else self.section
        if section is None:
            return None
        title = self.title or (self.title_of(section.partition(".")[0]) if "." in section else None)
        return (title, section) if title else None

    def title_of(self, part: str) -> int | None:
        """The CFR title of a part: as cited in the same text, by the page's own title, or by the Bureau's numbers.

        Parts 1000 to 1099 are the Bureau's in title 12; the only other titles with such parts are few (7, 40, 49).
        """
        if part in self.titles:
            return self.titles[part]
        if self.code == "cfr" and self.title:
            return self.title
        return 12 if self.code is None and re.fullmatch(r"10[0-9]{2}", part) else None


def place_of(text: str, context: Mapping[str, str] | None, found: Iterable[Citation]) -> Place:
    """What is known from the page (``title`` such as "12 CFR", ``part``, ``section``, ...) and from its own
    citations.
    """
    stated = {key: str(value) for key, value in (context or {}).items() if value}
    title = stated.get("title", "")
    number = _TITLE.match(title)
    code = "usc" if re.search(r"U\.?S\.?C", title, re.IGNORECASE) else "cfr" if number else None
    titles: dict[str, int] = {}
    for citation in found:
        cited = _CFR.match(citation.canonical)
        if cited:
            titles.setdefault(cited[2], int(cited[1]))
    section = stated.get("section", "").lstrip("§ ") or None
    part = stated.get("part") or (section.partition(".")[0] if section and "." in section else None)
    defined = _THE_ACT.search(text)
    meant = _ACT_MEANS.search(text)
    act = stated.get("act") or (law_names.act(defined["name"]) if defined else None)
    return Place(
        code,
        int(number[1]) if number else None,
        part,
        section,
        stated.get("subpart"),
        stated.get("agency", ""),
        act,
        titles,
        tuple((heading.start(), heading["section"]) for heading in _headings(text, code)),
        law_names.act(meant["name"]) if meant else None,
        frozenset(_INITIALS_OF_ACT.findall(text)),
    )


def _headings(text: str, code: str | None) -> Iterator[re.Match[str]]:
    """The headings that begin or end a section: those of the Code have no point in their numbers, others have one."""
    for heading in _HEADING.finditer(text):
        if heading["section"] is None or ("." in heading["section"]) is (code != "usc"):
            yield heading
