"""The tier `browser` reads what a person sees: shadow roots, frames of the page, and text that a timer draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import ReasonCode
from tests.crawl.tiers.browser.marked_chromium import MarkedChromium
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_SHADOW = """<!DOCTYPE html><html><head><title>Shadow</title></head><body><x-page id=host>
<p slot=first>Second by slot.</p><p>Nobody shows this.</p></x-page><x-term id=term>last</x-term>
<script>
const root = document.getElementById('host').attachShadow({mode: 'open'});
setTimeout(() => { root.innerHTML = `<style>p { color: red }</style><h1>First</h1><slot name=first>no fallback</slot>
<slot name=other><p>Third by fallback.</p></slot><x-inner></x-inner>`;
  root.querySelector('x-inner').attachShadow({mode: 'open'}).innerHTML = `TEXT` }, 400);
document.getElementById('term').attachShadow({mode: 'open'}).innerHTML = '<p>The last <slot></slot> word.</p>';
</script></body></html>"""
_TIMER = """<!DOCTYPE html><html><head><title>TITLE</title></head><body><main id=m></main>
<script>setTimeout(() => { document.getElementById('m').innerHTML = `TEXT` }, MS)</script></body></html>"""
_FRAMES = """<!DOCTYPE html><html><head><title>Frames</title></head><body><p>Before the frame.</p>
<iframe src="/in/frame" width=600 height=400></iframe><p>Behind the frame.</p>
<iframe src="/private/frame" width=600 height=400></iframe>
<iframe src="/in/frame?hidden" hidden></iframe>
<script>document.write('<iframe srcdoc="<p>Of a script.</p>" width=9 height=9></iframe>')</script></body></html>"""


def _writes_after(ms: int, title: str) -> str:
    return _TIMER.replace("TITLE", title).replace("TEXT", _main(page(title))).replace("MS", str(ms))


def _main(html: str) -> str:
    return html.partition("<main>")[2].partition("</main>")[0]


@pytest.fixture(scope="module")
def collected(new_site: Callable[[], Site], shared: Project) -> tuple[Site, CrawlOutput]:
    """One crawl of every page, each a source of its own."""
    site = new_site()
    site.robots("User-agent: *\nDisallow: /private\n")
    site.page("/timer", _writes_after(4000, "Timer"))
    site.page("/never", _writes_after(600_000, "Never"))
    site.page("/shadow", _SHADOW.replace("TEXT", _main(page("Shown", text="A lender must answer within 30 days."))))
    site.page("/frames", _FRAMES)
    framed = page("Framed", "next", text="A borrower may cure within 45 days.")
    site.page("/in/frame", framed.replace("<head>", '<head><base href="/other/">'))
    site.page("/private/frame", page("Private frame"))
    MarkedChromium(shared)
    only = {"tiers": ["browser"], "min_content_chars": 1}
    paths = ("timer", "never", "shadow", "frames")
    shared.manifest([source(path, site.at(f"/{path}"), scrape_config=only) for path in paths], delay_s=0.05)
    done = shared.scrapy("collect", "-L", "INFO", timeout=300)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    return site, CrawlOutput(shared)


def body(crawl_output: CrawlOutput, path: str) -> str:
    assert crawl_output.urls(path[1:])[path][0] == "captured", crawl_output.urls(path[1:])
    return str(crawl_output.envelope(path)["content"]["body"])


def test_browser_text_of_a_timer_is_waited_for(collected: tuple[Site, CrawlOutput]) -> None:
    assert "Timer begins here" in body(collected[1], "/timer")
    state, reason = collected[1].urls("never")["/never"]
    assert (state, reason.code) == ("failed", ReasonCode.JS_SHELL)


def test_browser_shadow_roots_are_read_where_they_stand(collected: tuple[Site, CrawlOutput]) -> None:
    text = body(collected[1], "/shadow")
    shown = (
        "# First",
        "Second by slot.",
        "Third by fallback.",
        "A lender must answer within 30 days.",
        "The last last word.",
    )
    places = [text.find(words) for words in shown]
    assert -1 not in places and places == sorted(places), text
    assert "Nobody shows this" not in text and "no fallback" not in text and "color: red" not in text


def test_browser_frames_of_the_page_are_read_where_they_stand(collected: tuple[Site, CrawlOutput]) -> None:
    site, crawl_output = collected
    text = body(crawl_output, "/frames")
    places = [text.find(words) for words in ("Before the", "within 45 days.", "Behind the frame.", "Of a script.")]
    assert -1 not in places and places == sorted(places), text
    assert text.count("within 45 days.") == 1  # a hidden one is not shown
    assert site.at("/other/next") in text
    assert "Private frame" not in text
    assert "/private/frame" not in site.report().hits
