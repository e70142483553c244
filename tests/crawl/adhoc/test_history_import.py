"""`scrapy import ecfr` and `fr`: histories of a part by the publishers' APIs, asked politely and each thing once."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from tests.crawl.tiers.official.publishers import ECFR, FEDERAL_REGISTER, Publishers
from tests.crawl.tiers.official.stand_ins import FederalRegister, PastPart
from tests.evidence.imports.samples import law
from tests.evidence.imports.test_cdx_history import digest
from tests.support.crawl_output import CrawlOutput
from tests.support.project import source

if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

SEARCH = "/api/v1/documents.json?conditions[cfr][title]=12&conditions[cfr][part]=1024"
_RESOLVER = "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"


class Imported:
    """A part with three days since 2024, and two documents about it, which nothing has collected."""

    def __init__(self, project: Project, site: Site) -> None:
        self.publishers, self.project, self.left = Publishers(site), project, CrawlOutput(project)
        self.site, self.part = site, PastPart(site)
        self.part.end_day("2024-01-01")
        words = "(a) A servicer must answer within 30 days, and must keep a copy of its answer for two years."
        self.part.amend("1024.2", "§ 1024.2   Definitions.", words, day="2024-03-01")
        self.part.end_day("2024-03-01")
        self.part.amend("1024.5", "§ 1024.5   Coverage of RESPA.", "", day="2025-05-01", removed=True)
        self.part.end_day("2025-05-01")
        self.part.publish("2026-11-17")
        self.part.publish_versions("2024-01-01")
        self.url = self.publishers.at(ECFR, self.part.path)
        self.register = FederalRegister(site)
        for number, day in (("2024-04321", "2024-03-01"), ("2025-07654", "2025-05-01")):
            self.register.add(number, day)
        self.register.publish()
        sources = [source("reg-x", self.url, "crawl"), source("rules", self.publishers.at(FEDERAL_REGISTER, SEARCH))]
        project.manifest(sources, domains=self.publishers.domains(delay_s=0.02))

    def scrapy(self, *args: str) -> CompletedProcess[str]:
        return self.project.scrapy(*args, "-s", _RESOLVER, env=self.publishers.env())

    def rows(self, *args: str) -> list[dict[str, Any]]:
        done = self.scrapy(*args, "--format", "json")
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found


@pytest.fixture
def imported(project: Project, site: Site) -> Imported:
    return Imported(project, site)


def test_import_ecfr_records_each_text_once_with_its_day(imported: Imported) -> None:
    done = imported.scrapy("import", "ecfr", "12", "CFR", "1024", "--since", "2024-01-01")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "6 imported, 2 unchanged, 1 absent." in done.stdout
    asked = ["titles.json", "versions", *["full"] * 3]
    assert imported.part.requested_paths() == asked
    section = f"{imported.url}/section-1024.2"
    rows = imported.rows("import", "list", "--page", section)
    assert [(one["captured_at"][:10], one["trust"], one["state"]) for one in rows] == [
        ("2024-01-01", "publisher", "imported"),
        ("2024-03-01", "publisher", "imported"),
    ]
    again = imported.scrapy("import", "ecfr", "reg-x", "--since", "2024-01-01")
    assert (again.returncode, imported.part.requested_paths()) == (0, [*asked, "titles.json", "versions"])
    assert "3 recorded before" in again.stdout
    [row] = imported.rows("as-of", "2024-02-01", "--page", section)
    assert "stated that this was the text on 2024-01-01 (the publisher's word alone, given later)" in row["says"]
    assert (row["captured"], row["stated_for"][:10]) == (None, "2024-01-01")
    removed = f"{imported.url}/section-1024.5"
    assert imported.rows("as-of", "2025-04-30", "--page", removed)[0]["state"] == "imported"
    assert imported.rows("as-of", "2025-05-02", "--page", removed) == []
    done = imported.scrapy("diff", "reg-x", section)
    difference = done.stdout
    assert "within 30 days" in difference, done.stderr
    assert "to   imported text, stated for 2024-03-01" in difference
    assert "stated later, by its publisher: this collector has not seen it" in difference
    assert imported.scrapy("verify").returncode == 0
    assert not imported.left.rows("SELECT 1 FROM runs UNION SELECT 1 FROM audit UNION SELECT 1 FROM versions")


def test_import_fr_records_documents_of_the_part(imported: Imported) -> None:
    done = imported.scrapy("import", "fr", "12 CFR 1024", "--since", "2024-01-01")
    assert done.returncode == 0, done.stderr
    assert "2 imported." in done.stdout
    rows = imported.rows("import", "list", "--source", "rules")
    assert [(one["captured_at"][:10], one["published"], one["trust"]) for one in rows] == [
        ("2024-03-01", "2024-03-01", "publisher"),
        ("2025-05-01", "2025-05-01", "publisher"),
    ]
    before = imported.register.requested_paths()
    assert imported.scrapy("import", "fr", "12 CFR 1024", "--since", "2024-01-01").returncode == 0
    assert set(imported.register.requested_paths()[len(before) :]) == {"list"}


PAGE = "http://www.hud.example/fha"


class Archived:
    """A web archive at the test site, with captures of a page that one project has as its source."""

    server = "/cdx/search/cdx"

    def __init__(self, project: Project, site: Site) -> None:
        self.project, self.site = project, site
        rows: list[list[str]] = []
        for day, body in (("20190301", law(30)), ("20190501", law(60)), ("20190601", law(30))):
            packed = gzip.compress(body, mtime=0)
            rows.append([f"{day}080000", PAGE, "text/html", "200", digest(packed)])
            site.page(f"/web/{day}080000id_/{PAGE}", packed, content_type="text/html", content_encoding="gzip")
        listed = json.dumps([["timestamp", "original", "mimetype", "statuscode", "digest"], *rows])
        query = urlencode(
            [
                ("url", PAGE),
                ("output", "json"),
                ("fl", "timestamp,original,mimetype,statuscode,digest"),
                ("limit", "1000"),
            ]
        )
        site.page(f"{self.server}?{query}", listed, content_type="application/json")
        project.manifest([source("fha", PAGE)], domains={site.host: {"delay_s": 0.02}})
        self.env = {"RORI_ALLOWED_ADDRESSES": site.host}

    def scrapy(self, *args: str) -> CompletedProcess[str]:
        return self.project.scrapy("import", "cdx", PAGE, "--server", self.site.at(self.server), *args, env=self.env)

    def requested_paths(self) -> list[str]:
        return [hit.path.partition("?")[0] for hit in self.site.log.hits()]


def test_import_cdx_asks_politely_for_each_payload_once(project: Project, site: Site) -> None:
    archived = Archived(project, site)
    done = archived.scrapy("--limit", "1")
    assert done.returncode == 0, done.stderr
    assert "1 imported." in done.stdout and "as --limit says" in done.stdout
    done = archived.scrapy()
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 imported, 1 recorded before." in done.stdout
    captures = [path for path in archived.requested_paths() if path.startswith("/web/")]
    assert captures == [f"/web/{day}080000id_/{PAGE}" for day in ("20190301", "20190501")]
    assert archived.requested_paths()[0] == "/robots.txt"
    assert project.scrapy("verify", env=archived.env).returncode == 0


def test_import_cdx_forbidden_by_robots_requests_nothing(project: Project, site: Site) -> None:
    archived = Archived(project, site)
    site.robots("User-agent: *\nDisallow: /cdx/\n")
    done = archived.scrapy()
    assert done.returncode == 1
    assert "robots" in done.stderr
    assert archived.requested_paths() == ["/robots.txt"]
