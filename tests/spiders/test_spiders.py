"""`scrapy list`, `crawl` and `shell`: sources by their ids, methods by their names, and what is wrong in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_JOB = "0b8e7c9e-6d0f-4b7c-9b56-2f3a1c0d4e5f"


@pytest.fixture(scope="module")
def known(shared: Project, new_site: Callable[[], Site]) -> Site:
    """The site of the shared project, whose manifest names a page and a site on it."""
    site = new_site()
    site.robots("User-agent: *\nDisallow: /no/\nCrawl-delay: 0.5\n")
    for path in ("/page", "/site/", "/no/1"):
        site.page(path, page(f"Page {path}"))
    shared.manifest([source("one-page", site.at("/page")), source("one-site", site.at("/site/"), "crawl")])
    return site


@pytest.mark.usefixtures("known")
def test_spider_list_names_sources_and_methods(shared: Project) -> None:
    listed = shared.scrapy("list")
    assert listed.returncode == 0
    assert listed.stdout.split() == ["mediawiki", "one-page", "one-site", "page", "site", "sources"]
    assert not shared.ledger.exists()  # who only looks leaves nothing behind


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["nothing-of-ours"],
            "scrapy crawl: unknown source 'nothing-of-ours'; `scrapy list` lists sources\nUsage: scrapy crawl SOURCE",
        ),
        (
            ["one-page", "-a", "nonsense"],
            "scrapy crawl: Invalid -a value, use -a NAME=VALUE\nUsage: scrapy crawl SOURCE",
        ),
        (["--nonsense"], "scrapy crawl: unknown option: --nonsense"),
        (["sources"], "name the sources"),
        (["page", "-a", "sources=one-site"], "one-site has method crawl: use `scrapy crawl one-site`"),
        (["site", "-a", "sources=one-site,missing"], "the active manifest has no source with the ID missing"),
        ([], "expected one source"),
    ],
)
def test_spider_invalid_arguments_are_refused_before_any_request(
    shared: Project, known: Site, args: list[str], message: str
) -> None:
    before = len(known.log.hits())
    refused = shared.scrapy("crawl", *args, "-L", "ERROR")
    assert refused.returncode == 2, refused.stdout + refused.stderr
    assert message in refused.stderr
    assert "Traceback" not in refused.stderr
    assert len(known.log.hits()) == before


def test_spiders_of_several_methods_run_in_one_job(shared: Project, known: Site) -> None:
    done = shared.scrapy("crawl", "sources", "-a", "sources=one-page,one-site", "-s", f"RORI_JOB_ID={_JOB}")
    assert done.returncode == 0, done.stderr
    crawl_output = CrawlOutput(shared)
    assert {run["source_id"]: run["job_id"] for run in crawl_output.runs()} == {"one-page": _JOB, "one-site": _JOB}
    assert len(known.log.hits("/page")) == 1


def test_spider_crawls_source_by_id(shared: Project, known: Site) -> None:
    before = len(known.log.hits("/page"))
    done = shared.scrapy("crawl", "one-page")
    assert done.returncode == 0, done.stderr
    assert len(known.log.hits("/page")) == before + 1


def test_spider_shell_obeys_robots_and_delay(shared: Project, known: Site) -> None:
    known.log.clear()
    seen = shared.scrapy("shell", known.at("/page"), "-c", "response.css('h1::text').get()", "-L", "ERROR")
    assert "Page /page" in seen.stdout, seen.stderr
    refused = shared.scrapy("shell", known.at("/no/1"), "-c", "print('got', response)", "-L", "ERROR")
    assert "got <200" not in refused.stdout
    assert [hit.path for hit in known.log.hits()] == ["/robots.txt", "/page", "/robots.txt"]
    assert min(known.report().gaps) >= 2.0


def test_spider_broken_manifest_removes_only_its_own_sources(project: Project) -> None:
    path = project.manifest([source("fine", "http://127.0.0.1:1/")])
    path.write_text('{"sources": [{"id": "x"', encoding="utf-8")
    listed = project.scrapy("list")
    assert listed.stdout.split() == ["mediawiki", "page", "site", "sources"]
    assert listed.stderr.count("manifest.json") == 1
    assert "Traceback" not in listed.stderr
