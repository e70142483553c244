"""A part of the CFR as the eCFR's versioner API publishes it, on the site of `publishers.py`: it can be amended.

Its answers are those of https://www.ecfr.gov/developers/documentation/api/v1: `titles.json`, `versions/title-N.json`
and `full/DAY/title-N.xml`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.crawl.tiers.official.publishers import ECFR, TITLES, Publishers

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
            text = f"(a) This is the text of section {number}, which says what a servicer must do."
            self.amend(f"{self.part}.{number}", f"§ {self.part}.{number}   {heading}", text, day="2017-01-01")
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
        self, name: str, heading: str, text: str, *, level: str = "section", day: str, removed: bool = False
    ) -> None:
        """Put a version into force; its last issue is that of *day*."""
        self.texts[name] = (level, heading, text)
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
        for name, (level, heading, text) in self.texts.items():
            tag, kind = _KINDS[level]
            bodies[level] += (
                f'<{tag} N="{escape(name)}" TYPE="{kind}">\n<HEAD>{heading}</HEAD>\n<P>{escape(text)}\n</P>\n</{tag}>\n'
            )
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
        asked = urlencode([("issue_date[lte]", self.day), *self.within, ("part", self.part)])
        publishers.json(f"{_API}/versions/title-{self.title}.json?{asked}", {"content_versions": issued, "meta": meta})
        self.serve(self.xml())
        publishers.json(self.full, {"error": "No matching content found."}, status=404)

    def serve(self, xml: bytes) -> None:
        self.site.page(f"{self.full}?{self.query()}", xml, content_type="application/xml")

    def asked(self) -> list[str]:
        """What was asked of the API so far, without its base address: titles, versions, full."""
        paths = [hit.path for hit in self.site.log.hits() if hit.host.startswith(ECFR)]
        return [path.removeprefix(f"{_API}/").split("/")[0] for path in paths if path.startswith(_API)]
