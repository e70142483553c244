"""eCFR and Federal Register on one test site, as programs find them: pages, robots.txt and all else answer "Request
Access" with 200; the documented APIs answer. The names of the real hosts lead here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rori_spiders.terminal import demo

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

ECFR, FEDERAL_REGISTER = "www.ecfr.gov", "www.federalregister.gov"
DELAY_S = 0.2
JSON = "application/json; charset=utf-8"
DAY = "2026-11-19"
TITLES, VERSIONS = "/api/versioner/v1/titles.json", "/api/versioner/v1/versions/title-1.json"
FULL = f"/api/versioner/v1/full/{DAY}/title-1.xml"
PART, SECTION = "/current/title-1/chapter-I/part-2", "/current/title-1/section-2.5"
RULE = "/documents/2014/11/03/2014-25503/amendments-to-the-2013-mortgage-rules"
RULE_JSON = "/api/v1/documents/2014-25503.json"
RULE_XML = "/documents/full_text/xml/2014/11/03/2014-25503.xml"
AGENCY = "/agencies/consumer-financial-protection-bureau"
WALL = (Path(demo.__file__).parent / "site" / "_answers" / "request-access.html").read_bytes()
_FIXTURES = Path(__file__).parent / "fixtures"


def text(name: str) -> bytes:
    """A fixture: a text as the APIs give it."""
    return (_FIXTURES / name).read_bytes()


def rule(**more: Any) -> dict[str, Any]:
    """The API's JSON of the one rule, in its documented form."""
    return {
        "title": "Amendments to the 2013 Mortgage Rules Under the Truth in Lending Act (Regulation Z)",
        "type": "Rule",
        "abstract": "The Bureau is amending certain mortgage rules issued in 2013.",
        "document_number": "2014-25503",
        "publication_date": "2014-11-03",
        "effective_on": "2015-08-01",
        "citation": "79 FR 65299",
        "docket_ids": ["Docket No. CFPB-2014-0009"],
        "regulation_id_numbers": ["3170-AA43"],
        "topics": ["Consumer protection"],
        "agencies": [{"name": "Consumer Financial Protection Bureau", "id": 573}],
        "html_url": f"https://{FEDERAL_REGISTER}{RULE}",
        "full_text_xml_url": f"https://{FEDERAL_REGISTER}{RULE_XML}",
        **more,
    }


class Publishers:
    """Both on *site*, with the settings by which a project finds them there."""

    def __init__(self, site: Site) -> None:
        self.site = site
        site.robots(WALL, content_type="text/html; charset=utf-8")
        for page in (PART, SECTION, RULE, AGENCY, "/sitemap.xml", "/search"):
            site.page(page, WALL)
        self.json(TITLES, {"titles": [_title(1), _title(35, None)], "meta": {"date": "2026-11-20"}})
        self.json(VERSIONS, _versions("2016-11-28", "2022-12-29", "2019-01-21"))
        for query in ("chapter=I&part=2", "chapter=I&subchapter=A&part=2"):
            site.page(f"{FULL}?{query}", text("ecfr-title-1-part-2.xml"), content_type="application/xml")
        site.page(f"{FULL}?part=2&section=2.5", text("ecfr-title-1-section-2.5.xml"), content_type="application/xml")
        self.json(FULL, {"error": "No matching content found."}, status=404)
        self.json(f"/api/versioner/v1/structure/{DAY}/title-1.json", _structure())
        self.json(RULE_JSON, rule())
        site.page(RULE_XML, text("fr-2014-25503.xml"), content_type="text/xml")
        self.json("/api/v1/documents.json", {"count": 1, "description": "Documents from the CFPB", "results": [rule()]})

    def json(self, path: str, value: object, *, status: int = 200) -> None:
        self.site.page(path, json.dumps(value), status=status, content_type="application/json; charset=utf-8")

    def at(self, host: str, path: str) -> str:
        return f"http://{host}:{self.site.port}{path}"

    def domains(self, **more: Any) -> dict[str, Any]:
        return {host: {"delay_s": DELAY_S, "group": "federalregister.gov", **more} for host in (ECFR, FEDERAL_REGISTER)}

    def env(self, tiers: str = "official,mediawiki,http") -> dict[str, str]:
        return {
            "RORI_TIERS": tiers,
            "RORI_ALLOWED_ADDRESSES": f"{ECFR},{FEDERAL_REGISTER}",
            "RORI_ECFR_API": self.at(ECFR, "/api/versioner/v1"),
            "RORI_FEDERAL_REGISTER_API": self.at(FEDERAL_REGISTER, "/api/v1"),
            "RORI_RETRY_SCALE": "0.001",
            "TOLD_NAMES": ",".join(f"{host}={self.site.host}" for host in (ECFR, FEDERAL_REGISTER)),
        }

    def collect(self, project: Project, *args: str, **env: str) -> str:
        """What ``scrapy collect`` printed and logged. Nights do not matter: it is forced."""
        resolver = "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"
        done = project.scrapy("collect", "--force", "-s", resolver, *args, env=self.env() | env)
        return done.stdout + done.stderr


def _title(number: int, day: str | None = DAY) -> dict[str, Any]:
    return {"number": number, "name": f"Title {number}", "up_to_date_as_of": day, "reserved": day is None}


def _versions(*days: str) -> dict[str, Any]:
    entries = [{"date": day, "amendment_date": day, "identifier": "2.5", "part": "2", "title": "1"} for day in days]
    meta = {"title": "1", "result_count": str(len(days)), "latest_amendment_date": max(days)}
    return {"content_versions": entries, "meta": meta}


def _structure() -> dict[str, Any]:
    parts = [
        {"type": "part", "identifier": "2", "label": "Part 2 - General Information", "reserved": False},
        {"type": "part", "identifier": "4", "label": "Part 4 [Reserved]", "reserved": True},
    ]
    subchapter = {"type": "subchapter", "identifier": "A", "label": "Subchapter A - General", "children": parts}
    chapter = {"type": "chapter", "identifier": "I", "label": "Chapter I - Committee", "children": [subchapter]}
    return {"type": "title", "identifier": "1", "label": "Title 1 - General Provisions", "children": [chapter]}
