"""The tier `browser` with pages that scripts write: what is asked of a server for them, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.tiers.browser.marked_chromium import MarkedChromium
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.reasons import Reason
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

AGENT = "RORI-Collector/1.0 (+https://rori.dev/collector; research-purposes)"
_WRITES = (
    '<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body><main id="m"></main>'
    "<script>setTimeout(async () => {{ {script};"
    " document.getElementById('m').innerHTML = `{body}` }}, {after})</script>"
    "</body></html>"
)


def written(title: str, *, script: str = "", head: str = "", after: int = 300, text: str = "") -> str:
    """A page whose whole text a script writes, *after* so many ms."""
    body = page(title, text=text).partition("<main>")[2].partition("</main>")[0]
    return _WRITES.format(title=title, script=script, head=head, after=after, body=body)


def serve(site: Site, elsewhere: Site) -> None:
    site.robots("User-agent: *\nDisallow: /private\n")
    site.page("/late", written("Late"))
    # It looks quiet for two seconds: only who waits for the selector has the text.
    site.page(
        "/selector", written("Selected", after=2500).replace("innerHTML = `", "innerHTML = `<i class='here'></i>")
    )
    head = '<link rel="stylesheet" href="/s.css"><link rel="prefetch" href="/prefetched"><script src="/a.js"></script>'
    loads = (
        "const told = await (await fetch('/data.json')).json(); new Image().src = '/i.png';"
        " document.fonts.load('9px F'); navigator.sendBeacon('/beacon'); new Worker('/w.js');"
        " navigator.serviceWorker && await navigator.serviceWorker.register('/sw.js').catch(() => 0);"
        " const place = await new Promise(done => navigator.geolocation.getCurrentPosition("
        "() => done('found'), error => done('refused ' + error.code)));"
    )
    site.page(
        "/loads", written("Loads", script=loads, head=head, text="${told.word}, ${navigator.userAgent}, ${place}")
    )
    site.page("/data.json", '{"word": "fetched"}', content_type="application/json")
    site.page(
        "/s.css",
        "@font-face { font-family: F; src: url(/f.woff2) } body { font-family: F; background: url(/b.png) }",
        content_type="text/css",
    )
    site.page("/a.js", "", content_type="text/javascript")
    site.page("/w.js", "fetch('/by-worker')", content_type="text/javascript")
    site.page("/sw.js", "", content_type="text/javascript")
    site.redirect("/moved", "/plain")
    site.page("/goes", "<p>Wait</p><script>location.href = '/plain?by=script'</script>")
    site.page("/pushes", written("Pushed", script="history.replaceState(0, '', '/pushes?tab=1#top')"))
    site.redirect("/leaves", elsewhere.at("/x"))
    site.page("/leaves-by-script", f"<p>Wait</p><script>location.href = '{elsewhere.at('/y')}'</script>")
    site.redirect("/forbidden", "/private/1")
    site.page("/forbidden-by-script", "<p>Wait</p><script>location.href = '/private/2'</script>")
    for path in ("/private/1", "/private/2"):
        site.page(path, page("Private"))
    site.page("/plain", page("Plain"))
    site.page("/latin", page("Gr\xfc\xdfe").encode("latin-1"), content_type="text/html; charset=iso-8859-1")
    site.page("/note.txt", "A note as it is: <main>\n" * 40, content_type="text/plain")
    site.status("/missing", 404)
    site.page("/cookie", written("Cookie", script="document.cookie = 'seen=1'; await fetch('/asked-after')"))


PATHS = (
    *("late", "selector", "loads", "moved", "goes", "pushes", "leaves", "leaves-by-script"),
    *("forbidden", "forbidden-by-script", "latin", "note.txt", "missing", "cookie"),
)


@pytest.fixture(scope="module")
def collected(new_site: Callable[[], Site], shared: Project) -> tuple[Site, Site, CrawlOutput, MarkedChromium]:
    """One crawl of every page, each a source of its own, and its server."""
    site, elsewhere = new_site(), new_site()
    serve(site, elsewhere)
    chromium = MarkedChromium(shared)
    only = {"tiers": ["browser"], "min_content_chars": 1}
    own: dict[str, dict[str, object]] = {
        "selector": {"wait_for_selector": "main .here"},
        "loads": {"custom_headers": {"X-Own": "for the page"}},
    }
    shared.manifest(
        [
            source(f"s-{n}", site.at(f"/{path}"), scrape_config={**only, **own.get(path, {})})
            for n, path in enumerate(PATHS)
        ],
        delay_s=0.05,
    )
    done = shared.scrapy("collect", "-L", "INFO", timeout=300)
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return site, elsewhere, CrawlOutput(shared), chromium


Collected = tuple["Site", "Site", CrawlOutput, MarkedChromium]


def end(crawl_output: CrawlOutput, path: str) -> tuple[str, Reason]:
    """State and reason of the source's start page."""
    return crawl_output.urls(f"s-{PATHS.index(path)}")[f"/{path}"]


def body(crawl_output: CrawlOutput, path: str) -> str:
    return str(crawl_output.envelope(f"/{path}")["content"]["body"])


@pytest.mark.parametrize(
    "path", ["late", "selector", "loads", "moved", "goes", "pushes", "latin", "note.txt", "cookie"]
)
def test_browser_page_is_captured(collected: Collected, path: str) -> None:
    assert end(collected[2], path)[0] == "captured"


def test_browser_text_is_what_scripts_wrote(collected: Collected) -> None:
    crawl_output = collected[2]
    assert "Late begins here" in body(crawl_output, "late")
    assert "Selected begins here" in body(crawl_output, "selector")
    assert "Grüße begins here" in body(crawl_output, "latin")
    assert crawl_output.envelope("/late")["scrape"]["engine"] == "browser"
    assert crawl_output.envelope("/late")["scrape"]["engine_version"].startswith("chromium/")


def test_browser_response_other_than_html_is_stored_unchanged(collected: Collected) -> None:
    assert "A note as it is" in body(collected[2], "note.txt")
    assert collected[0].report().hits["/note.txt"] == 1


def test_everything_is_asked_under_our_name(collected: Collected) -> None:
    site, _, crawl_output, _ = collected
    assert set(site.report().user_agents) == {AGENT}
    assert AGENT in body(crawl_output, "loads").replace("\\", "")
    asked = site.report().hits
    assert {"/s.css", "/a.js", "/data.json", "/w.js", "/by-worker"} <= asked.keys()


def test_pictures_fonts_and_beacons_are_not_asked_for(collected: Collected) -> None:
    asked = collected[0].report().hits
    never = {"/i.png", "/b.png", "/f.woff2", "/favicon.ico", "/beacon", "/prefetched", "/sw.js", "/popped"}
    assert never & asked.keys() == set()


def test_no_permission_is_given(collected: Collected) -> None:
    assert "refused 1" in body(collected[2], "loads")


def test_headers_of_the_source_are_for_its_page_alone(collected: Collected) -> None:
    hits = collected[0].log.hits()
    assert {hit.path for hit in hits if "x-own" in hit.headers} == {"/loads"}


def test_browser_cookies_are_separate_by_source(collected: Collected) -> None:
    assert {hit.path for hit in collected[0].log.hits() if "seen=1" in hit.headers.get("cookie", "")} == {
        "/asked-after"
    }


def test_redirects_are_judged_before_they_are_followed(collected: Collected) -> None:
    site, elsewhere, crawl_output, _ = collected
    for path in ("leaves", "leaves-by-script"):
        state, reason = end(crawl_output, path)
        assert (state, reason.code) == ("excluded", "redirected_off_site")
    for path in ("forbidden", "forbidden-by-script"):
        assert end(crawl_output, path)[0] == "excluded"
    assert not elsewhere.log.hits()
    assert not [hit.path for hit in site.log.hits() if hit.path.startswith("/private")]
    assert crawl_output.rows(
        "SELECT final_url FROM audit WHERE final_url = ? AND state = 'captured'", site.at("/plain")
    )


def test_browser_missing_page_fails(collected: Collected) -> None:
    state, reason = end(collected[2], "missing")
    assert (state, reason.code) == ("failed", "not_found")


def test_browser_leaves_no_process_and_no_profile(collected: Collected) -> None:
    _, _, crawl_output, chromium = collected
    chromium.wait(alive=False, timeout=10)
    crawl_output.assert_sums()
    crawl_output.assert_verified()
