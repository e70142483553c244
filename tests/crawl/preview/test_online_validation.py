"""`scrapy manifest validate --online`: asks as politely as a collection, refuses what could never be collected."""

from __future__ import annotations

import csv
import json
import re
import signal
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders import ROBOTS_TOKEN
from rori_spiders.crawl.preview.online_validation import SourceCheck
from rori_spiders.reasons import Reason
from tests.crawl.transport.canary import Canary
from tests.envelope.factories import a_source
from tests.support.crawl_output import CrawlOutput
from tests.support.jobs import job
from tests.support.output_schema import find_problems
from tests.support.pages import page
from tests.support.project import source
from tests.urls.private import PRIVATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

#: robots.txt of the first site; Crawl-delay is short for the test's sake.
ROBOTS = f"User-agent: {ROBOTS_TOKEN}\nDisallow: /no/\nCrawl-delay: 0.5\n"


class Validated:
    """Three sites, a canary, and what one online validation said of their sources, as JSON."""

    def __init__(self, project: Project, new_site: Callable[[], Site], canary: Canary) -> None:
        self.site, self.other, self.down, self.canary = new_site(), new_site(), new_site(), canary
        self._script()
        at, other = self.site.at, self.other
        sources = [
            source("good", at("/")),
            source("forbidden", at("/no/page")),
            source("to-forbidden", at("/to-no")),
            source("moved", at("/moved"), "crawl"),
            source("moved-page", at("/moved")),
            source("away", at("/away"), "crawl"),
            source("away-page", at("/away")),
            source("chain", at("/chain")),
            source("refreshed", at("/refresh")),
            source("lost", at("/lost")),
            source("blocked", at("/blocked")),
            source("busy", at("/busy")),
            source("sister", at("/sister"), "crawl", allowed_hosts=[other.host]),
            source("down", self.down.at("/")),
            source("proposed", at("/proposed"), status="proposed"),
            source("to-canary", at("/canary"), allowed_hosts=["127.0.0.1"]),
            *(source(f"private-{n}", f"http://{host}:{canary.port}/") for n, host in enumerate(_private())),
        ]
        domains = {one.host: {"delay_s": 0.02} for one in (self.site, other, self.down)}
        self.path = project.manifest(sources, domains=domains)
        project.env["RORI_ALLOWED_ADDRESSES"] = ",".join(one.netloc for one in (self.site, other, self.down))
        self.done = project.scrapy("manifest", "validate", str(self.path), "--online", "--format", "json", timeout=240)
        self.rows: dict[str, dict[str, Any]] = {row["id"]: row for row in json.loads(self.done.stdout or "[]")}
        self.project = project

    def _script(self) -> None:
        site, other = self.site, self.other
        site.robots(ROBOTS)
        site.page("/", page("Good"))
        site.page("/no/page", page("Forbidden"))
        site.redirect("/to-no", "/no/page")
        site.redirect("/moved", "/")
        site.redirect("/away", other.at("/there"))
        site.redirect("/chain", "/away")
        site.page("/refresh", f'<meta http-equiv="refresh" content="0; url={other.at("/there")}"><p>Wait</p>')
        site.status("/blocked", 403, body="<h1>Forbidden</h1>")
        site.status("/busy", 503)
        site.redirect("/sister", other.at("/sister"))
        site.redirect("/canary", f"http://127.0.0.1:{self.canary.port}/moved")
        other.page("/sister", page("Sister"))
        self.down.robots("", status=503)


def _private() -> list[str]:
    """The spellings that a manifest takes, some of them."""
    return [host for host in PRIVATE if re.fullmatch(r"[0-9a-z.\[\]:]*[^.]", host)][::4]


@pytest.fixture(scope="module")
def validated(shared: Project, new_site: Callable[[], Site]) -> Iterator[Validated]:
    with Canary() as canary:
        yield Validated(shared, new_site, canary)


def test_online_validation_exit_code_reports_refusals(validated: Validated) -> None:
    assert validated.done.returncode == 2, validated.done.stderr[-3000:]
    lines = validated.done.stderr.splitlines()
    assert all(".url: " in line for line in lines if not line.startswith(("warning: ", "More: "))), (
        validated.done.stderr
    )
    assert "proposed" not in validated.rows
    assert find_problems("manifest-validate.online", list(validated.rows.values())) == []


@pytest.mark.parametrize(
    ("name", "result", "robots", "status", "why"),
    [
        ("good", "ok", "allowed", 200, ""),
        ("forbidden", "refused", "disallowed", None, Reason("robots_disallowed")),
        ("to-forbidden", "refused", "disallowed", None, "which robots.txt disallows"),
        ("moved", "ok", "allowed", 200, ""),
        ("moved-page", "ok", "allowed", 200, ""),
        ("away", "refused", "allowed", None, "Redirects to another site: "),
        ("away-page", "refused", "allowed", None, "Redirects to another site: "),
        ("chain", "refused", "allowed", None, "Redirects to another site: "),
        ("refreshed", "refused", "allowed", None, "Redirects to another site: "),
        ("lost", "warning", "allowed", 404, Reason("not_found", http_status=404)),
        ("blocked", "warning", "allowed", 403, Reason("denied", http_status=403)),
        ("busy", "warning", "allowed", 503, "HTTP 503"),
        ("sister", "ok", "no rules", 200, ""),
        ("down", "failed", "unavailable", None, "robots.txt answered HTTP 503"),
        ("to-canary", "refused", "allowed", None, "Address refused: "),
    ],
)
def test_online_validation_prints_result_of_each_source(
    validated: Validated, name: str, result: str, robots: str, status: int | None, why: str
) -> None:
    row = validated.rows[name]
    assert (row["result"], row["robots"], row["status"]) == (result, robots, status)
    assert why in row["why"]
    assert bool(row["why"]) == (result != "ok")


def test_online_validation_reports_where_sources_lead(validated: Validated) -> None:
    site, other = validated.site, validated.other
    leads = {name: (row["final_url"], row["in_domain"]) for name, row in validated.rows.items()}
    assert leads["good"] == leads["moved"] == leads["moved-page"] == (site.at("/"), True)
    assert leads["sister"] == (other.at("/sister"), True)
    assert {leads[name] for name in ("away", "away-page", "chain", "refreshed")} == {(other.at("/there"), False)}
    assert validated.rows["good"]["crawl_delay_s"] == 0.5


def test_online_validation_private_addresses_are_refused_and_not_requested(validated: Validated) -> None:
    private = [row for name, row in validated.rows.items() if name.startswith("private-")]
    assert len(private) >= 20
    assert {row["result"] for row in private} == {"refused"}
    assert all(row["why"].startswith("Address refused: ") for row in private)
    assert validated.canary.heard == []


def test_online_validation_requests_each_url_once(validated: Validated) -> None:
    paths = [hit.path for hit in validated.site.log.hits()]
    assert paths[0] == "/robots.txt"
    assert paths.count("/robots.txt") == 1
    for path in ("/lost", "/blocked", "/busy", "/refresh", "/chain"):
        assert paths.count(path) == 1
    assert not [path for path in paths if path.startswith(("/no/", "/proposed"))]
    assert [hit.path for hit in validated.other.log.hits()] == ["/robots.txt", "/sister"]
    assert [hit.path for hit in validated.down.log.hits()] == ["/robots.txt"]


def test_online_validation_respects_delay_and_concurrency(validated: Validated) -> None:
    report = validated.site.report()
    assert report.most_at_once == 1
    assert report.smallest_gap is not None and report.smallest_gap >= 0.5


def test_online_validation_writes_only_leases(validated: Validated) -> None:
    crawl_output = CrawlOutput(validated.project)
    tables = [
        row["name"]
        for row in crawl_output.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    ]
    counts = {name: crawl_output.rows(f'SELECT count(*) AS n FROM "{name}"')[0]["n"] for name in tables}
    assert {name for name, count in counts.items() if count} == {"leases", "alembic_version"}
    assert crawl_output.rows("SELECT owner FROM leases WHERE owner IS NOT NULL") == []
    assert not validated.project.staging.exists()


def one_source(project: Project, site: Site, **more: Any) -> Path:
    site.page("/", page("Good"))
    return project.manifest([source("one", site.at("/")), source("off", site.at("/off"), **more)], delay_s=0.02)


def test_online_validation_prints_table_or_csv_of_selected_sources(project: Project, site: Site) -> None:
    path = one_source(project, site, status="paused")
    done = project.scrapy("manifest", "validate", "--online")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{path}: valid. Version 1.0.0, 2 sources (1 active, 1 paused).\nsource   result")
    assert done.stdout.endswith("1 source: 1 ok.\n")
    done = project.scrapy(
        "manifest", "validate", "-", "--online", "--source", "off", "--format", "csv", stdin=path.read_text("utf-8")
    )
    assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader(done.stdout.splitlines())
    assert (row["id"], row["result"], row["why"]) == ("off", "warning", Reason("not_found", http_status=404))


def test_online_validation_of_invalid_manifest_requests_nothing(project: Project, site: Site) -> None:
    one_source(project, site, frequency="hourly")
    assert project.scrapy("manifest", "validate", "--online").returncode == 2
    assert site.log.hits() == []
    assert not project.ledger.exists()


def test_online_validation_of_leased_group_is_locked(project: Project, site: Site) -> None:
    one_source(project, site, status="paused")
    held = site.slow("/", page("Good"))
    with job(project, "collect", "--force") as running:
        site.log.wait_for("/")
        done = project.scrapy("manifest", "validate", "--online", "--format", "json")
        held.release()
        running.communicate(timeout=60)
    (row,) = json.loads(done.stdout)
    assert (done.returncode, row["result"]) == (1, "locked")
    assert "is held by" in row["why"]
    assert len(site.log.hits("/")) == 1


def test_online_validation_source_is_over_once_it_has_a_result() -> None:
    check = SourceCheck(a_source())
    assert (check.result, check.is_over) == ("not_asked", False)
    check.result = "failed"
    assert check.is_over


def test_online_validation_interrupted_ends_cleanly(project: Project, site: Site) -> None:
    one_source(project, site)
    held = site.slow("/", page("Good"))
    with job(project, "manifest", "validate", "--online", "--format", "json") as running:
        site.log.wait_for("/")
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=20)
    held.release()
    assert running.returncode == 1
    assert [row["result"] for row in json.loads(out)][1:] in (["not_asked"], ["failed"])
    assert "Traceback" not in out
    assert CrawlOutput(project).rows("SELECT owner FROM leases WHERE owner IS NOT NULL") == []
