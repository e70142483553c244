"""A job compares what it changed before it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_job_records_what_it_changed(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start", "/a"))
    site.page("/a", page("Fees: pay $100 within 60 days"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    site.page("/a", page("Fees: pay $110 within 60 days"))
    assert project.scrapy("collect", "--force").returncode == 0
    recorded = crawl_output.rows("SELECT kind, importance FROM changes")
    assert sorted((row["kind"], row["importance"]) for row in recorded) == [
        ("initial", 0), ("initial", 0), ("number", 3),
    ]  # fmt: skip


def test_held_page_of_another_converter_is_read_by_the_charset_it_came_with(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    text = page("Fees: pay 500 € within 60 days")
    site.page("/", text.encode("iso-8859-15"), content_type="text/html; charset=iso-8859-15")
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    crawl_output.change("UPDATE versions SET converter_version = '0', content_hash = '0'")
    site.page("/", text.encode(), content_type="text/html; charset=utf-8")
    assert project.scrapy("collect", "--force").returncode == 0
    assert crawl_output.states("a") == {"/": "unchanged"}
