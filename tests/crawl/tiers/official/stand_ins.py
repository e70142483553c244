"""The official APIs as their publishers document them, on the site of `publishers.py`: a part of the CFR that can be
amended, and a search of the Federal Register.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.crawl.tiers.official.publishers import ECFR, FEDERAL_REGISTER, TITLES, Publishers, rule, text

if TYPE_CHECKING:
    from tests.support.server import Site

_API = "/api/versioner/v1"
FIRST_DAY = "2026-11-17"
_KINDS = {"section": ("DIV8", "SECTION"), "appendix": ("DIV9", "APPENDIX")}


@dataclass
class CfrPart:
    """A part with a subpart, sections and an appendix. *within*: levels between title and part, as its URL has them."""

    site: Site
    title: int = 12
    part: str = "1024"
    within: tuple[tuple[str, str], ...] = ()
    day: str = FIRST_DAY
    texts: dict[str, tuple[str, str, str]] = field(default_factory=dict)  # name -> level, heading, text
    versions: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number, heading in ((1, "Designation."), (2, "Definitions."), (5, "Coverage of RESPA.")):
            words = f"(a) This is the text of section {number}, which says what a servicer must do."
            self.amend(f"{self.part}.{number}", f"§ {self.part}.{number}   {heading}", words, day="2017-01-01")
        name = f"Appendix A to Part {self.part}"
        self.amend(name, f"{name}—Instructions", "Line 101. Gross amount due.", level="appendix", day="2017-01-01")
        self.publish()

    @property
    def path(self) -> str:
        levels = "".join(f"/{level}-{name}" for level, name in self.within)
        return f"/current/title-{self.title}{levels}/part-{self.part}"

    @property
    def full(self) -> str:
        """The path of the part's text, without the query."""
        return f"{_API}/full/{self.day}/title-{self.title}.xml"

    def query(self, *more: tuple[str, str]) -> str:
        return urlencode([*self.within, ("part", self.part), *more])

    def amend(
        self, name: str, heading: str, words: str, *, level: str = "section", day: str, removed: bool = False
    ) -> None:
        """Put a version into force; its last issue is that of *day*."""
        self.texts[name] = (level, heading, words)
        if removed:
            del self.texts[name]
        self.versions.append(
            {
                "date": day,
                "amendment_date": day,
                "issue_date": day,
                "identifier": name,
                "name": heading,
                "part": self.part,
                "substantive": True,
                "removed": removed,
                "subpart": "A",
                "title": str(self.title),
                "type": level,
            }
        )

    def xml(self) -> bytes:
        bodies = {"section": "", "appendix": ""}
        for name, (level, heading, words) in self.texts.items():
            tag, kind = _KINDS[level]
            inside = f"<HEAD>{heading}</HEAD>\n<P>{escape(words)}\n</P>"
            bodies[level] += f'<{tag} N="{escape(name)}" TYPE="{kind}">\n{inside}\n</{tag}>\n'
        return (
            f'<?xml version="1.0"?>\n<DIV5 N="{self.part}" NODE="12:8.0.2.13.21" TYPE="PART">\n'
            f"<HEAD>PART {self.part}—REAL ESTATE SETTLEMENT PROCEDURES ACT</HEAD>\n"
            "<AUTH>\n<HED>Authority:</HED><PSPACE>12 U.S.C. 2603.\n</PSPACE></AUTH>\n"
            '<DIV6 N="A" TYPE="SUBPART">\n<HEAD>Subpart A—General Provisions</HEAD>\n'
            f"{bodies['section']}</DIV6>\n{bodies['appendix']}</DIV5>"
        ).encode()

    def publish(self, day: str | None = None) -> None:
        """Serve the part as of *day*."""
        self.day = day or self.day
        publishers = Publishers.__new__(Publishers)  # for its helpers alone
        publishers.site = self.site
        titles = [{"number": self.title, "name": "Banks", "latest_amended_on": self.day, "up_to_date_as_of": self.day}]
        publishers.json(TITLES, {"titles": titles, "meta": {"date": self.day, "import_in_progress": False}})
        issued = [one for one in self.versions if one["issue_date"] <= self.day]
        meta = {"title": str(self.title), "result_count": str(len(issued)), "issue_date": {"lte": self.day}}
        query = urlencode([("issue_date[lte]", self.day), *self.within, ("part", self.part)])
        publishers.json(f"{_API}/versions/title-{self.title}.json?{query}", {"content_versions": issued, "meta": meta})
        self.serve(self.xml())
        publishers.json(self.full, {"error": "No matching content found."}, status=404)

    def serve(self, xml: bytes) -> None:
        self.site.page(f"{self.full}?{self.query()}", xml, content_type="application/xml")

    def requested_paths(self) -> list[str]:
        """What was asked of the API so far, without its base address: titles, versions, full."""
        paths = [hit.path for hit in self.site.log.hits() if hit.host.startswith(ECFR)]
        return [path.removeprefix(f"{_API}/").split("/")[0] for path in paths if path.startswith(_API)]


@dataclass
class FederalRegister:
    """A search of the Federal Register's documents API, its answers in pages of *page_size*, newest first."""

    site: Site
    page_size: int = 2
    documents: list[dict[str, Any]] = field(default_factory=list)

    def add(self, number: str, day: str, **more: Any) -> str:
        """A document with its full text; gives the path of its page."""
        dated = f"{day.replace('-', '/')}/{number}"
        xml = f"/documents/full_text/xml/{dated}.xml"
        facts = {"full_text_xml_url": f"https://{FEDERAL_REGISTER}{xml}", "correction_of": None, **more}
        path = f"/documents/{dated}/a-rule"
        document = rule(
            document_number=number, publication_date=day, html_url=f"https://{FEDERAL_REGISTER}{path}", **facts
        )
        self.documents.insert(0, document)
        publishers = self._publishers()
        publishers.json(f"/api/v1/documents/{number}.json", document)
        body = text("fr-2014-25503.xml").replace(b"2014-25503", number.encode())
        self.site.page(xml, body, content_type="text/xml")
        return path

    def _publishers(self) -> Publishers:
        publishers = Publishers.__new__(Publishers)  # for its helpers alone
        publishers.site = self.site
        return publishers

    def publish(self, count: int | None = None) -> None:
        """Serve the search; *count*: what the API says of the number of documents, if it is wrong."""
        total = len(self.documents)
        pages = [self.documents[at : at + self.page_size] for at in range(0, total, self.page_size)] or [[]]
        for number, page in enumerate(pages, 1):
            answer: dict[str, Any] = {
                "count": total if count is None else count,
                "description": "Documents published by the Bureau",
                "total_pages": len(pages),
                "results": page,
            }
            if number < len(pages):
                answer["next_page_url"] = f"https://{FEDERAL_REGISTER}/api/v1/documents?format=json&page={number + 1}"
            at = "" if number == 1 else f"?format=json&page={number}"
            self._publishers().json(f"/api/v1/documents.json{at}", answer)

    def requested_paths(self) -> list[str]:
        """What was asked so far: ``list`` of the search, ``json`` of a document, the number of a text."""
        paths = [hit.path for hit in self.site.log.hits() if hit.host.startswith(FEDERAL_REGISTER)]
        return [_asked_word(path) for path in paths if path != "/robots.txt"]


def _asked_word(path: str) -> str:
    if path.startswith("/api/v1/documents.json"):
        return "list"
    return "json" if path.startswith("/api/") else path.rpartition("/")[2].rpartition(".")[0]


class PastPart(CfrPart):
    """A part whose text of each day can be asked for: what it was on the days that `end_day` named."""

    def end_day(self, day: str) -> None:
        """Serve the text as it is now as that of *day*."""
        self.day = day
        self.serve(self.xml())

    def publish_versions(self, since: str) -> None:
        """Serve what was amended and issued from *since* to the newest day, in pages of two."""
        issued = [one for one in self.versions if since <= one["issue_date"] <= self.day]
        pages = [issued[at : at + 2] for at in range(0, len(issued), 2)] or [[]]
        publishers = Publishers.__new__(Publishers)  # for its helpers alone
        publishers.site = self.site
        for number, page in enumerate(pages, 1):
            meta = {"title": str(self.title), "result_count": str(len(issued)), "total_pages": str(len(pages))}
            span = [("issue_date[gte]", since), ("issue_date[lte]", self.day), *self.within, ("part", self.part)]
            query = urlencode([*span, *([("page", str(number))] if number > 1 else [])])
            publishers.json(
                f"{_API}/versions/title-{self.title}.json?{query}", {"content_versions": page, "meta": meta}
            )
