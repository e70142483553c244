"""A redesigned site: a third of its pages answer 301 to new addresses. Nothing is gone, all history is found."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import page_history
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = [f"/old/{number}" for number in range(12)]
MOVED = {path: path.replace("old", "new") for path in PATHS[:4]}


def held(project: Project, url: str, at: datetime) -> list[str]:
    """The hashes of what was held of *url* at that moment."""
    ledger = open_ledger(f"sqlite:///{project.ledger}", migrate=False)
    try:
        with ledger.connect() as conn:
            return [one.version.content_hash for one in page_history.held_at(conn, url, at)]
    finally:
        ledger.close()


def test_moved_pages_a_third_of_site_is_followed(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start", *PATHS))
    for path in PATHS:
        site.page(path, page(f"Page {path}"))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"sitemaps": []})], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    before = datetime.now(UTC)

    for old, new in MOVED.items():
        site.page(new, page(f"Page {old}", text="One more rule." if old == "/old/1" else ""))
        site.redirect(old, new, 301)
    site.page("/", page("Start", *(MOVED.get(path, path) for path in PATHS)))
    for _ in range(2):
        assert project.scrapy("collect", "--force").returncode == 0
        assert crawl_output.last_run("a")["state"] == "complete"
        assert crawl_output.in_state("a", "gone") == crawl_output.in_state("a", "failed") == set()
    assert crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL") == []
    assert crawl_output.rows("SELECT * FROM pages WHERE missing_since IS NOT NULL OR gone_at IS NOT NULL") == []

    amended_old, amended = site.at("/old/1"), site.at("/new/1")
    for url in (amended_old, amended):  # what changed as it moved, under both addresses
        diff = project.scrapy("diff", "a", url, "--format", "json")
        assert diff.returncode == 0, diff.stderr
        history = json.loads(diff.stdout)
        assert (history["url"], history["from"]["url"], history["to"]["url"]) == (amended, amended_old, amended)
        assert "One more rule" in diff.stdout
        rows = json.loads(project.scrapy("audit", "--url", url, "--format", "json").stdout)
        assert {row["url"] for row in rows} == {amended_old, amended}
        assert [row["state"] for row in rows if row["url"] == amended_old] == ["captured", "excluded", "excluded"]
    shown = project.scrapy("diff", "a", amended).stdout
    assert f", at {amended_old}" in shown and f"a  {amended}" in shown

    for old, new in MOVED.items():
        then, now = held(project, site.at(old), before), held(project, site.at(new), datetime.now(UTC))
        assert len(then) == len(now) == 1
        assert (then == now) == (old != "/old/1")  # one was amended as it moved
        assert held(project, site.at(new), before) == then
        assert held(project, site.at(old), datetime.now(UTC)) == now
    crawl_output.assert_sums()
    crawl_output.assert_verified()
