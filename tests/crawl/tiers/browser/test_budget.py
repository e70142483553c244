"""The browser's budget holds for a run, whoever asks at the same time and however often the run is gone on with."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_SENTENCE = "A creditor shall disclose the finance charge clearly and conspicuously in writing. "
#: Pages of a few words, to which a script adds many; each of its own kind, so that none begins with the browser.
SHORT = [f"/{name}" for name in ("amount", "balance", "credit", "disclosure", "escrow")]


@pytest.fixture(autouse=True)
def _with_a_browser(project: Project) -> None:
    project.env |= {"RORI_TIERS": "official,mediawiki,http,browser", "RORI_CHROMIUM": QUICK_CHROMIUM}


def short(title: str, *, script: bool = True) -> str:
    code = f"<script>document.querySelector('main').append('{_SENTENCE * 12}')</script>" if script else ""
    return f"<!DOCTYPE html><title>{title}</title><body><main><h1>{title}</h1><p>{_SENTENCE}</p></main>{code}</body>"


def index(title: str) -> str:
    links = "".join(f"<li><a href='/{n}.zip'>Supervisory highlights, issue number {n}</a></li>" for n in range(40))
    return f"<!DOCTYPE html><title>{title}</title><body><main><h1>{title}</h1><ul>{links}</ul></main><script>1</script>"


def serve(site: Site, *more: str) -> None:
    for path in SHORT:
        site.page(path, short(path))
    site.page("/", page("Start"))
    site.sitemap([*SHORT, *more])


def engines(crawl_output: CrawlOutput) -> Counter[str]:
    return Counter(str(one["scrape"]["engine"]) for one in crawl_output.envelopes())


def test_no_more_pages_than_the_budget_are_rendered(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    """Two sources at once, each with a budget of its own; what is spent fails, and no provider is asked instead."""
    one, other = sites(2)
    for site in (one, other):
        serve(site)
    listed = [
        source("one", one.at("/"), "crawl", scrape_config={"browser_budget": 2, "tiers": ["http", "browser", "zyte"]}),
        source("other", other.at("/"), "crawl"),
    ]
    project.manifest(listed, delay_s=0.05)
    keys = {"RORI_ZYTE_KEYS": "x" * 20, "RORI_ZYTE_URL": "http://127.0.0.1:9/v1"}
    env = {**keys, "RORI_TIERS": "http,browser,zyte", "RORI_BROWSER_BUDGET": "1"}
    collected = project.scrapy("collect", env=env)
    assert collected.returncode == 1, collected.stderr
    for name, site, budget in (("one", one, 2), ("other", other, 1)):
        assert crawl_output.last_run(name)["browser_pages"] == budget
        ends = Counter(reason.code for path, (_, reason) in crawl_output.urls(name).items() if path != "/")
        assert ends == {"captured": budget, "browser_budget_spent": len(SHORT) - budget}
        assert sum(hit.path in SHORT for hit in site.log.hits()) == len(SHORT) + budget
    assert engines(crawl_output) == {"http": 2, "browser": 3}
    assert "Spent: 3 pages by the browser." in collected.stdout
    tried = [
        json.loads(row["attempts"]) for row in crawl_output.rows("SELECT attempts FROM audit WHERE state = 'failed'")
    ]
    assert {tuple(one["tier"] for one in attempts) for attempts in tried if len(attempts) > 1} == {("http", "browser")}
    crawl_output.assert_sums()

    foretold = project.scrapy("collect", "--dry-run", "--force", "--format", "json", env=env)
    assert {row["id"]: row["browser_pages"] for row in json.loads(foretold.stdout)} == {"one": 2, "other": 1}

    first, second, *_ = collected.stdout.splitlines()
    assert {first.partition(":")[0], second.partition(":")[0]} == {"one", "other"}
    advice = next(line for line in (first, second) if line.startswith("one:"))
    assert "3 pages not rendered, the browser budget of 2 is spent." in advice
    assert re.search(r'Set "browser_budget": 5 in its scrape_config \(about \d+ s more a run\)', advice), advice

    def rendered() -> set[str]:
        pages = crawl_output.rows("SELECT url FROM pages WHERE source_id = 'one' AND content_hash IS NOT NULL")
        return {path for row in pages for path in SHORT if row["url"].endswith(path)}

    met = [rendered()]
    for _ in range(2):  # the next runs begin with what was left, not with the same two
        project.scrapy("collect", "--source", "one", "--force", env=env)
        met.append(rendered())
    assert [len(one) for one in met] == [2, 4, 5]


def test_short_pages_stand_where_the_browser_could_not_say_more(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start"))
    site.page("/plain", short("Plain", script=False))
    site.page("/index", index("Index"))
    site.page("/written", short("Written"))
    site.sitemap(["/plain", "/index", "/written"])
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"browser_budget": 0})], delay_s=0.05)
    project.scrapy("collect")
    assert crawl_output.in_state("a", "captured") == {"/", "/plain", "/index"}
    assert crawl_output.urls("a")["/written"][1].code == "browser_budget_spent"
    assert engines(crawl_output) == {"http": 3}
    [row] = crawl_output.rows("SELECT attempts FROM audit WHERE url LIKE '%/plain'")
    told = [(one["tier"], one["reason_code"]) for one in json.loads(row["attempts"])]
    assert told == [("http", "thin"), ("browser", "browser_budget_spent"), ("http", "captured")]
    assert [hit.path for hit in site.log.hits()].count("/plain") == 1
    crawl_output.assert_sums()
    crawl_output.assert_verified()

    assert project.scrapy("collect", "--force").returncode == 0 or crawl_output.in_state("a", "unchanged")
    assert {"/plain", "/index"} <= crawl_output.in_state(
        "a", "unchanged"
    )  # they are as long as when they were last good


def test_continued_run_has_no_second_budget(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    serve(site, "/slow")
    site.page("/slow", page("Slow"))
    held = site.slow("/slow", times=1)
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"browser_budget": 2})], delay_s=0.05)
    with job(project, "collect") as running:
        site.log.wait_for("/slow")
        running.send_signal(signal.SIGINT)
        held.release()
        said, _ = running.communicate(timeout=60)
    first = crawl_output.last_run("a")
    assert first["state"] == "partial", said
    project.scrapy("collect")
    run = crawl_output.last_run("a")
    assert (run["run_id"], run["browser_pages"]) == (first["run_id"], 2)
    ends = Counter(reason.code.value for path, (_, reason) in crawl_output.urls("a").items() if path in SHORT)
    assert ends["browser_budget_spent"] >= len(SHORT) - 2
    crawl_output.assert_sums()


def test_site_of_short_pages_is_collected_whole(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    """Each has a script that adds nothing. Once the browser has found three of them to be short, all are believed."""
    paths = [f"/{letter * 3}" for letter in "abcdefghijkl"]
    for path in paths:
        site.page(path, short(path, script=False) + "<script>self.seen = 1</script>")
    site.page("/", page("Start"))
    site.sitemap(paths)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.05)
    collected = project.scrapy("collect")
    assert collected.returncode == 0, collected.stdout + collected.stderr
    assert crawl_output.in_state("a", "captured") == {"/", *paths}
    assert 3 <= crawl_output.last_run("a")["browser_pages"] <= 5
    crawl_output.assert_sums()

    crawl_output.change("UPDATE pages SET body_chars = 2 * body_chars")  # none is as long as when it was last good
    assert project.scrapy("collect", "--force").returncode == 0
    assert crawl_output.in_state("a", "unchanged") == {"/", *paths}
    assert crawl_output.last_run("a")["browser_pages"] == 0
