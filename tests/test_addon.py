"""Another project with the add-on: judged and converted pages, at our pace, whatever its settings say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.support.pages import page

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_REPOSITORY = Path(__file__).parents[1]
#: A project that is rude, as its author may not even know.
_SETTINGS = """
SPIDER_MODULES = ["foreign"]
ADDONS = {"rori_spiders.addon.RoriAddon": 1}
ROBOTSTXT_OBEY = False
DOWNLOAD_DELAY = 0
CONCURRENT_REQUESTS_PER_DOMAIN = 16
RETRY_ENABLED = False
RORI_CONVERT_WORKERS = 1
"""
_SPIDER = """
import scrapy
from rori_spiders.addon import NotContent


class Foreign(scrapy.Spider):
    name = "foreign"
    download_delay = 0.01

    def __init__(self, urls, **more):
        super().__init__(**more)
        self.urls = urls.split(",")

    async def start(self):
        for url in self.urls:
            yield scrapy.Request(url, callback=self.parse, errback=self.refused)
        yield scrapy.Request(self.urls[0] + "?again", meta={"dont_obey_robotstxt": True}, errback=self.refused)

    def parse(self, response):
        page = response.meta["rori_page"]
        kind = response.meta["rori_verdict"].kind
        yield {"url": response.url, "title": page.title, "text": page.markdown, "kind": kind}

    def refused(self, failure):
        verdict = failure.value.verdict.kind if failure.check(NotContent) else None
        yield {"url": failure.request.url, "kind": verdict, "why": str(failure.value)}
"""


class Crawled(NamedTuple):
    """What a crawl of the project gave, by path, and what its servers were asked."""

    items: dict[str, dict[str, Any]]
    site: Site
    closed: Site
    log: str


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, new_site: Callable[[], Site]) -> Crawled:
    folder, site, closed = tmp_path_factory.mktemp("foreign"), new_site(), new_site()
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = foreign_settings\n", "utf-8")
    (folder / "foreign_settings.py").write_text(_SETTINGS, "utf-8")
    (folder / "foreign").mkdir()
    (folder / "foreign" / "__init__.py").write_text(_SPIDER, "utf-8")
    site.robots("User-agent: *\nDisallow: /private\n")
    site.page("/rule", page("Escrow accounts"))
    site.page("/denied", "<html><title>Access Denied</title><h1>Access Denied</h1><p>Reference #18.2f</p></html>")
    site.page("/private", page("Not for robots"))
    closed.status("/robots.txt", 503)
    closed.page("/rule", page("Never asked for"))
    urls = [*(site.at(path) for path in ("/rule", "/denied", "/private")), closed.at("/rule")]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RORI_", "SCRAPY_"))}
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", "foreign", "-a", f"urls={','.join(urls)}", "-O", "items.jsonl"],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(_REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]
    assert not (folder / "collect").exists(), "no ledger, no staging area"
    items = {one["url"].removeprefix(site.url).replace(closed.url, "closed"): one for one in lines}
    return Crawled(items, site, closed, done.stderr)


def test_addon_content_comes_judged_and_converted(crawled: Crawled) -> None:
    item = crawled.items["/rule"]
    assert (item["kind"], item["title"]) == ("content", "Escrow accounts")
    assert item["text"].startswith("# Escrow accounts\n")


def test_addon_refusal_goes_to_errback_with_verdict(crawled: Crawled) -> None:
    assert crawled.items["/denied"]["kind"] == "denied"


def test_addon_robots_txt_is_obeyed_whatever_project_says(crawled: Crawled) -> None:
    assert crawled.items["/private"]["why"] == "Forbidden by robots.txt"
    assert "its robots.txt was not read" in crawled.items["/rule?again"]["why"], "dont_obey_robotstxt is no way around"
    assert crawled.items["closed/rule"]["why"] == "Forbidden by robots.txt"
    assert "nothing of its host is requested" in crawled.log
    assert sorted(hit.path for hit in crawled.site.log.hits()) == ["/denied", "/robots.txt", "/rule"]
    assert [hit.path for hit in crawled.closed.log.hits()] == ["/robots.txt"]


def test_addon_pace_is_ours_whatever_spider_says(crawled: Crawled) -> None:
    times = sorted(hit.at for hit in crawled.site.log.hits())
    assert all(after - before >= 1.5 for before, after in pairwise(times))
