"""The parts of a page that the browser renders are asked for at the pace of their group, and waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.tiers.browser.marked_chromium import MarkedChromium
from tests.support.pages import page
from tests.support.project import source
from tests.support.server import report

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

DELAY_S = 0.5
#: A late answer of a busy machine moves what the server sees.
_LATE_S = 0.05
_SCRIPTS = 6


def serve(site: Site) -> None:
    """A page that needs six scripts, each of which adds a paragraph, and data that the last one asks for."""
    scripts = "".join(f'<script src="/s{number}.js"></script>' for number in range(_SCRIPTS))
    body = page("Rules").partition("<main>")[2].partition("</main>")[0]
    site.page("/", f'<!DOCTYPE html><html><head><title>Rules</title></head><body><main id="m"></main>{scripts}</body>')
    for number in range(_SCRIPTS):
        site.page(
            f"/s{number}.js",
            f"document.getElementById('m').innerHTML += `<p>Paragraph {number} of the rule.</p>{body}`",
            content_type="text/javascript",
        )
    site.page("/data.json", '{"word": "fetched"}', content_type="application/json")


@pytest.fixture
def collected(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> Callable[..., tuple[Site, CrawlOutput]]:
    def collect(more: str = "") -> tuple[Site, CrawlOutput]:
        MarkedChromium(project)
        [site] = sites(1)
        serve(site)
        if more:
            site.page("/s5.js", more, content_type="text/javascript")
        rendered = source("rendered", site.at("/"), scrape_config={"tiers": ["browser"]})
        project.manifest([rendered], domains={site.host: {"delay_s": DELAY_S}})
        project.scrapy("collect", "--force", timeout=180)
        return site, crawl_output

    return collect


def test_parts_take_their_turn(collected: Callable[..., tuple[Site, CrawlOutput]]) -> None:
    site, crawl_output = collected("fetch('/data.json').then(one => one.json()).then(one => m.innerHTML += one.word)")
    seen = report(site.log.hits())
    assert min(seen.gaps) >= DELAY_S - _LATE_S
    assert len(site.log.hits()) == _SCRIPTS + 3  # robots.txt, the page, its scripts, its data
    assert crawl_output.urls("rendered") == {"/": ("captured", "")}
    [envelope] = crawl_output.envelopes()
    text = envelope["content"]["body"]
    assert [number for number in range(_SCRIPTS - 1) if f"Paragraph {number} of the rule." not in text] == []
    assert "fetched" in text


def test_a_page_that_does_not_wait_for_its_data_is_none(collected: Callable[..., tuple[Site, CrawlOutput]]) -> None:
    impatient = (
        "const stop = new AbortController(); setTimeout(() => stop.abort(), 50);"
        "Promise.all([1, 2, 3].map(n => fetch('/data.json?' + n, {signal: stop.signal})))"
        ".catch(() => m.innerHTML = '<p>The rule could not be loaded.</p>'.repeat(40))"
    )
    _, crawl_output = collected(impatient)
    state, reason = crawl_output.urls("rendered")["/"]
    assert (state, str(reason).partition(":")[0]) == ("failed", "Timeout")
    assert "did not wait for" in str(reason)
    assert crawl_output.envelopes() == []
