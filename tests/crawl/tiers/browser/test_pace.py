"""A rendered page is one request of politeness: what it loads goes three at once, and the next one waits for it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM, MarkedChromium
from tests.support.pages import page
from tests.support.project import source
from tests.support.server import report
from tests.support.server.log import LATE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Hit, Site

pytestmark = pytest.mark.crawl

DELAY_S = 0.5
_FILES = 12


def serve(site: Site, *paths: str, elsewhere: Site | None = None) -> None:
    """Pages that need twelve scripts, each of which adds a paragraph: half of them at once, half of them late."""
    body = page("Rules").partition("<main>")[2].partition("</main>")[0]
    host = elsewhere.url if elsewhere is not None else ""
    scripts = "".join(f'<script src="{host}/s{number}.js"></script>' for number in range(_FILES // 2))
    late = f"[...Array({_FILES // 2}).keys()].forEach(n => document.head.append(Object.assign("
    late += f"document.createElement('script'), {{src: '{host}/s' + (n + {_FILES // 2}) + '.js'}})))"
    for path in paths:
        site.page(
            path,
            f'<!DOCTYPE html><html><head><title>Rules</title></head><body><main id="m"></main>{scripts}'
            f"<script>setTimeout(() => {late}, 300)</script></body></html>",
        )
    for number in range(_FILES):
        (elsewhere or site).page(
            f"/s{number}.js",
            f"document.getElementById('m').insertAdjacentHTML('beforeend', `<p>Paragraph {number} of it.</p>{body}`)",
            content_type="text/javascript",
        )


@pytest.fixture
def collect(project: Project) -> Callable[..., None]:
    MarkedChromium(project, QUICK_CHROMIUM)
    project.env["RORI_RETRY_SCALE"] = "0.01"  # else a page that is refused a file waits as long as it may take

    def collect(sources: Sequence[dict[str, object]], *sites: Site, allowed: Sequence[Site] = ()) -> None:
        project.manifest(sources, domains={site.host: {"delay_s": DELAY_S} for site in (*sites, *allowed)})
        project.env["RORI_ALLOWED_ADDRESSES"] += "".join(f",{site.netloc}" for site in allowed)
        project.scrapy("collect", "--force", timeout=180)

    return collect


def rendered(name: str, url: str) -> dict[str, object]:
    return source(name, url, scrape_config={"tiers": ["browser"]})


def pages_of(hits: Sequence[Hit], *paths: str) -> list[list[Hit]]:
    """The hits from each page on until the next one."""
    starts = [at for at, hit in enumerate(hits) if hit.path in paths] + [len(hits)]
    return [list(hits[start:end]) for start, end in pairwise(starts)]


def test_page_scripts_leave_at_once_and_next_request_waits_for_the_last(
    site: Site, project: Project, crawl_output: CrawlOutput, collect: Callable[..., None]
) -> None:
    MarkedChromium(project)  # the product's own: how fast it asks is not the shell's word alone
    serve(site, "/a", "/b")
    collect([rendered("a", site.at("/a")), rendered("b", site.at("/b"))], site)
    first, second = pages_of(site.log.hits(), "/a", "/b")
    for one in (first, second):  # each run has its own cache
        assert len(one) == 1 + _FILES
        assert one[-1].at - one[0].at < _FILES * DELAY_S
    assert report(site.log.hits()).most_at_once <= 3
    assert second[0].at - first[-1].at >= DELAY_S - LATE_S
    assert crawl_output.urls("a") == {"/a": ("captured", "")}
    text = crawl_output.envelope("/a")["content"]["body"]
    assert [number for number in range(_FILES) if f"Paragraph {number} of it." not in text] == []


def test_page_files_held_by_server_keep_three_at_once(
    site: Site, crawl_output: CrawlOutput, collect: Callable[..., None]
) -> None:
    """Slow answers: a fourth would be under way with them if anything let it go."""
    serve(site, "/a")
    for number in range(_FILES):
        site.slow(f"/s{number}.js", seconds=0.5)
    collect([rendered("a", site.at("/a"))], site)
    assert report(site.log.hits()).most_at_once == 3
    assert crawl_output.urls("a") == {"/a": ("captured", "")}


def test_group_request_of_other_source_waits_while_page_renders(site: Site, collect: Callable[..., None]) -> None:
    """The page's data takes longer than the delay: nothing else is asked of its group before it has come."""
    serve(site, "/a")
    site.page("/plain", page("Plain"))
    site.page("/s0.js", "fetch('/data').then(one => one.text()).then(() => fetch('/after'))")
    site.slow("/data", "x", seconds=3 * DELAY_S)
    site.page("/after", "x")
    collect([rendered("a", site.at("/a")), source("plain", site.at("/plain"))], site)
    hits = site.log.hits()
    [around] = pages_of(hits, "/a")
    others = [hit for hit in hits if hit.path in {"/plain", "/robots.txt"}]
    inside = [hit for hit in around if hit.path not in {"/plain", "/robots.txt"}]
    assert {"/data", "/after"} <= {hit.path for hit in inside}
    for hit in others:
        assert hit.at <= inside[0].at - DELAY_S + LATE_S or hit.at >= inside[-1].at + DELAY_S - LATE_S


def test_scripts_of_a_run_are_fetched_once_for_all_its_pages(
    site: Site, crawl_output: CrawlOutput, collect: Callable[..., None]
) -> None:
    """Though their server gives neither age nor validators; data and what must not be stored are fetched anew."""
    paths = ["/1", "/2", "/3"]
    serve(site, *paths)
    site.page("/s1.js", "fetch('/data')", content_type="text/javascript", cache_control="no-store")
    site.redirect("/s2.js", "/moved.js")
    site.page("/moved.js", "1", content_type="text/javascript")
    site.status("/s4.js", 404)
    site.page("/data", "x")
    site.sitemap(paths)
    config = {"tiers": ["browser"], "follow_links": False, "sitemaps": [site.at("/sitemap.xml")]}
    collect([source("all", site.at("/1"), "crawl", scrape_config=config)], site)
    hits = site.report().hits
    assert {path: hits[path] for path in paths} == dict.fromkeys(paths, 1)
    often = {"/data", "/s1.js"}
    assert {path: hits[path] for path in hits if hits[path] > 1} == dict.fromkeys(often, len(paths))
    for path in paths:
        text = crawl_output.envelope(path)["content"]["body"]
        assert [n for n in (0, 3, *range(5, _FILES)) if f"Paragraph {n} of it." not in text] == []


def test_files_of_another_group_count_as_its_request(
    sites: Callable[[int], list[Site]], crawl_output: CrawlOutput, collect: Callable[..., None]
) -> None:
    """The other group is crawled itself: its own requests and the page's files keep its delay between them."""
    site, other = sites(2)
    serve(site, "/a", elsewhere=other)
    paths = [f"/p{number}" for number in range(4)]
    for path in paths:
        other.page(path, page(path))
    sources = [rendered("a", site.at("/a")), *(source(f"p{n}", other.at(path)) for n, path in enumerate(paths))]
    collect(sources, site, other)
    hits = other.log.hits()
    is_file = [hit.path.endswith(".js") for hit in hits]
    between = [
        later.at - earlier.at
        for (earlier, later), both in zip(pairwise(hits), pairwise(is_file), strict=True)
        if not all(both)
    ]
    assert sum(is_file) == _FILES
    assert min(between) >= DELAY_S - LATE_S
    assert crawl_output.urls("a") == {"/a": ("captured", "")}


def test_refused_file_pauses_its_group(site: Site, collect: Callable[..., None]) -> None:
    """429 for one of the first scripts: what the page asks for afterwards waits as long as the server says."""
    serve(site, "/a")
    site.status("/s0.js", 429, retry_after_s=4)
    collect([rendered("a", site.at("/a"))], site)
    late = [hit.at for hit in site.log.hits() if hit.path in {f"/s{n}.js" for n in range(_FILES // 2, _FILES)}]
    [refused] = site.log.hits("/s0.js")
    assert min(late) >= refused.at + 2.5  # the date in Retry-After has whole seconds


def test_page_does_not_wait_for_its_data_and_fails(
    site: Site, crawl_output: CrawlOutput, collect: Callable[..., None]
) -> None:
    """Its scripts give up on data that we hold back, and write so: that is no text of the publisher's."""
    serve(site, "/a")
    impatient = (
        "const stop = new AbortController(); setTimeout(() => stop.abort(), 400);"
        "Promise.all([...Array(9).keys()].map(n => fetch('/data?' + n, {signal: stop.signal})))"
        ".catch(() => m.innerHTML = '<p>The rule could not be loaded.</p>'.repeat(40))"
    )
    site.page("/s5.js", impatient, content_type="text/javascript")
    for number in range(9):
        site.slow(f"/data?{number}", "x", seconds=5)
    collect([rendered("a", site.at("/a"))], site)
    state, reason = crawl_output.urls("a")["/a"]
    assert (state, str(reason).partition(":")[0]) == ("failed", "Timeout")
    assert "did not wait for" in str(reason)
    assert crawl_output.envelopes() == []
