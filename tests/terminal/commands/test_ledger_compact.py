"""`scrapy ledger compact`: what it removes, and that all proofs stand as before."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site


def _told(project: Project, *words: str) -> Any:
    return json.loads(project.scrapy(*words, "--format", "json").stdout)


def _collect(project: Project, times: int) -> None:
    for _ in range(times):
        assert project.scrapy("collect", "--force").returncode == 0


def test_ledger_compact_unchanged_pages_keep_audit_row_only(
    project: Project, site: Site, crawl_output: CrawlOutput, database_url: str
) -> None:
    if database_url.startswith("postgresql"):
        project.env["RORI_DATABASE_URL"] = database_url
        assert project.scrapy("ledger", "upgrade").returncode == 0
    site.page("/law/", page("Law", "/law/1", "/law/2"))
    for path in ("/law/1", "/law/2"):
        site.page(path, page(path), validators=True)
    site.sitemap(["/law/1", "/law/2", "/news/1"])
    project.manifest([source("law", site.at("/law/"), "crawl")], delay_s=0.01)
    _collect(project, 2)
    site.set("/law/1", page("Changed"))
    _collect(project, 2)
    runs, audited = _told(project, "runs"), _told(project, "audit", "--kind", "all")
    held_then = ("as-of", datetime.now(UTC).isoformat(), "--page", site.at("/law/1"))
    held = _told(project, *held_then)
    crawl_output.assert_verified()

    assert "Compacted 0 pages that had not changed, in 0 runs." in project.scrapy("ledger", "compact").stdout
    said = project.scrapy("ledger", "compact", "--keep-days", "0")
    assert said.stdout == "Compacted 3 pages that had not changed, in 1 run.\n", said.stdout + said.stderr
    second = crawl_output.runs("law")[1]["run_id"]
    assert crawl_output.rows("SELECT state FROM run_urls WHERE run_id = ? AND kind = 'page'", second) == []
    assert _told(project, "runs") == runs
    assert _told(project, "audit", "--kind", "all") == audited
    assert _told(project, *held_then) == held
    crawl_output.assert_verified()
    _collect(project, 1)
    assert crawl_output.states("law") == {"/law/": "unchanged", "/law/1": "unchanged", "/law/2": "unchanged"}
    assert "Compacted 0" not in project.scrapy("ledger", "compact", "--keep-days", "0").stdout
    crawl_output.assert_verified()


def test_verify_compacted_page_without_audit_row_is_found(
    project: Project, site: Site, crawl_output: CrawlOutput
) -> None:
    site.page("/law/", page("Law"), validators=True)
    project.manifest([source("law", site.at("/law/"), "crawl")], delay_s=0.01)
    _collect(project, 4)
    assert (
        "Compacted 1 page that had not changed, in 1 run."
        in project.scrapy("ledger", "compact", "--keep-days", "0").stdout
    )
    crawl_output.change("UPDATE runs SET compacted = 2 WHERE compacted = 1")
    kinds = [one["kind"] for one in _told(project, "verify")]
    assert kinds == ["run_sum", "run_sum", "fact_changed"]


def test_ledger_compact_without_ledger_does_nothing(project: Project, site: Site) -> None:
    project.manifest([source("law", site.at("/law/"), "crawl")])
    said = project.scrapy("ledger", "compact")
    assert said.returncode == 0 and "Nothing collected yet" in said.stderr
