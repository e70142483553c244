"""Where a text stands: the title, part and section that "this part" and "§ 1026.43" refer to."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.content.citations import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rori_spiders.content.citations.citation import Citation

_TITLE = re.compile(r"(?:title\s+)?(\d{1,2})\b", re.IGNORECASE)
# "... provided by the Fair Debt Collection Practices Act (the Act)": what "the Act" means from there on.
_THE_ACT = re.compile(
    r"(?P<name>(?<!\w)(?:[A-Z][\w.-]{0,40}\s(?:(?:in|of|and|for)\s)?){1,8}Act)\s\((?:the\s|[“\"](?:the\s)?)Act[”\"]?\)"
)
# "## § 1024.5 Coverage of RESPA." begins a section; appendices and supplements stand behind the last one.
_HEADING = re.compile(
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
    given = {key: str(value) for key, value in (context or {}).items() if value}
    title = given.get("title", "")
    number = _TITLE.match(title)
    code = "usc" if re.search(r"U\.?S\.?C", title, re.IGNORECASE) else "cfr" if number else None
    titles: dict[str, int] = {}
    for citation in found:
        cited = _CFR.match(citation.canonical)
        if cited:
            titles.setdefault(cited[2], int(cited[1]))
    section = given.get("section", "").lstrip("§ ") or None
    part = given.get("part") or (section.partition(".")[0] if section and "." in section else None)
    defined = _THE_ACT.search(text)
    act = given.get("act") or (names.act(defined["name"]) if defined else None)
    return Place(
        code,
        int(number[1]) if number else None,
        part,
        section,
        given.get("subpart"),
        given.get("agency", ""),
        act,
        titles,
        tuple((heading.start(), heading["section"]) for heading in _headings(text, code)),
    )


def _headings(text: str, code: str | None) -> Iterator[re.Match[str]]:
    """The headings that begin or end a section: those of the Code have no point in their numbers, others have one."""
    for heading in _HEADING.finditer(text) if "\n#" in text or text.startswith("#") else ():
        if heading["section"] is None or ("." in heading["section"]) is (code != "usc"):
            yield heading
