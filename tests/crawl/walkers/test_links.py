"""Guides as they are published: frames, image maps, odd links, spellings. What is collected is what can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_FRAMES = '<frameset cols="20%,80%"><frame src="all.html"><frame src="summary.html"></frameset>'
_AREA = '<img src="m.png" usemap="#m"><map name="m"><area shape="rect" coords="0,0,9,9" href="/area"></map>'
_ODD = (
    '<a href=" /trimmed\n">a</a><a href="/a&amp;b?x=1&amp;y=2">b</a><a href="/br[1]">c</a><a href="?q=1">d</a>'
    '<a href="./../dots">e</a><a href="/back\\slash">f</a><a href="/%75pper%7e">g</a><a href="/with space">h</a>'
    '<a href="javascript:void(0)">i</a><a href="mailto:a@b.example">j</a><a href="/unié">k</a>'
    '<a href="//{netloc}/n">l</a>'
)
_INDIRECT = (
    "<button onclick=\"window.open('/clicked','_blank')\">O</button><a href=\"javascript:location='/scripted'\">m</a>"
    '<select><option value="/chosen">2019</option></select><object type="text/html" data="/embedded"></object>'
)
_XHTML = (
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'
    '<html xmlns="http://www.w3.org/1999/xhtml">'
)


def headed(html: str, head: str) -> str:
    return html.replace("<head>", f"<head>{head}")


class Guide:
    """A guide with all of that, collected once; and an old one whose start page is nothing but frames."""

    def __init__(self, project: Project, site: Site, old: Site) -> None:
        self.site, self.old = site, old
        self._links()
        self._pages()
        old.page("/", "<html><head><title>The Code</title></head>" + _FRAMES)
        old.page("/all.html", page("All titles", "/title-1"))
        old.page("/summary.html", page("Summary"))
        old.page("/title-1", page("Title 1"))
        sources = [source("guide", site.at("/"), "crawl"), source("old", old.at("/"), "crawl")]
        project.manifest(sources, delay_s=0.02)
        self.done = project.scrapy("collect")
        self.left = CrawlOutput(project)

    def _links(self) -> None:
        site = self.site
        parts = (
            "/api/",
            "/map",
            "/next/1",
            "/based/",
            "/latin",
            "/xhtml",
            "/series/1",
            "/shown",
            "/indirect",
            "/soft",
            "/broken",
        )
        variants = ("/Forms/Form%20(1)", "/forms/form%20%281%29", "/slashed", "/slashed/", "/case", "/Case")
        odd = _ODD.format(netloc=site.netloc)
        site.page("/", page("Guide", *parts, *variants).replace("</main>", f"{odd}</main>"))
        site.page("/map", page("Map").replace("</main>", f"{_AREA}</main>"))
        for number in (1, 2, 3):
            following = f'<link rel="next" href="/next/{number + 1}">' if number < 3 else ""
            site.page(f"/next/{number}", headed(page(f"Chapter {number}"), following))
            first = '<link rel="canonical" href="/series/1">'  # of a series, on each of its pages
            site.page(f"/series/{number}", headed(page(f"Part {number}", f"/series/{number + 1}"), first))
        site.page("/based/", headed(page("Based", "one"), '<base href="/elsewhere/">'))
        latin = page("Latin").replace("</main>", '<a href="/caf\xe9?q=\xe9">e</a></main>').encode("latin-1")
        site.page("/latin", latin, content_type="text/html; charset=iso-8859-1")
        below = page("X", "/below").partition("<head>")[2]
        site.page("/xhtml", f"{_XHTML}<head>{below}", content_type="application/xhtml+xml")
        site.page("/indirect", page("Indirect").replace("</main>", f"{_INDIRECT}</main>"))
        site.page("/shown", page("Shown").replace("</main>", '<iframe src="/inner"></iframe></main>'))

    def _pages(self) -> None:
        site = self.site
        site.page("/api/", "<html><head><title>API</title></head>" + _FRAMES)
        site.page("/api/all.html", '<html><body><p>All classes</p><a href="A.html">A</a></body></html>')
        site.page("/soft", "<title>Page not found</title><h1>Page not found</h1><a href='/behind-soft'>x</a>")
        site.status("/broken", 410, body="<a href='/behind-broken'>x</a>")
        for path in ("/Forms/Form%20(1)", "/forms/form%20%281%29"):
            site.page(path, page("A form"))
        for path in ("/slashed", "/slashed/"):
            site.page(path, page("With a slash, and without"))
        reached = ("/api/summary.html", "/api/A.html", "/area", "/elsewhere/one", "/below", "/inner", "/case", "/Case")
        odd = ("/trimmed", "/a&b?x=1&y=2", "/br%5B1%5D", "/?q=1", "/dots", "/back/slash", "/upper~", "/with%20space")
        indirect = ("/clicked", "/scripted", "/chosen", "/embedded")
        for path in (*reached, *odd, *indirect, "/uni%C3%A9", "/n", "/caf%C3%A9?q=%E9"):
            site.page(path, page(f"Page {path}"))
        for path in ("/based/one", "/behind-soft", "/behind-broken", "/caf%C3%A9?q=%C3%A9"):
            site.page(path, page("Nothing leads here"))


@pytest.fixture(scope="module")
def guide(shared: Project, new_site: Callable[[], Site]) -> Guide:
    return Guide(shared, new_site(), new_site())


PAGES = {
    *("/", "/map", "/area", "/next/1", "/next/2", "/next/3", "/based/", "/elsewhere/one", "/latin", "/caf%C3%A9?q=%E9"),
    *("/xhtml", "/below", "/series/1", "/series/2", "/series/3", "/shown", "/inner", "/case", "/Case", "/slashed"),
    *(
        "/api/all.html",
        "/api/summary.html",
        "/api/A.html",
        "/Forms/Form%20(1)",
        "/trimmed",
        "/a&b?x=1&y=2",
        "/br%5B1%5D",
    ),
    *("/?q=1", "/dots", "/back/slash", "/upper~", "/with%20space", "/uni%C3%A9", "/n"),
    *("/indirect", "/clicked", "/scripted", "/chosen", "/embedded"),
}


def test_links_reachable_pages_are_staged(guide: Guide) -> None:
    staged = [path_of(line["url"]) for line in guide.left.index() if line["manifest_id"] == "guide"]
    assert sorted(staged) == sorted(PAGES)
    guide.left.assert_sums()


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/api/", Reason("only_frames", target_url="{site}/api/all.html")),
        ("/forms/form%20%281%29", Reason("same_bytes", target_url="{site}/Forms/Form%20(1)")),
        ("/slashed/", Reason("same_bytes", target_url="{site}/slashed")),
    ],
)
def test_links_other_urls_name_the_url_that_was_read(guide: Guide, path: str, why: str) -> None:
    assert guide.left.urls("guide")[path] == ("excluded", why.format(site=guide.site.url))


def test_links_of_failed_pages_are_not_followed(guide: Guide) -> None:
    failed = {path: reason.code for path, (state, reason) in guide.left.urls("guide").items() if state == "failed"}
    assert failed == {"/soft": "soft_404", "/broken": "not_found", "/series/4": "not_found"}


def test_links_start_page_of_frames_only_begins_run(guide: Guide) -> None:
    assert guide.left.in_state("old", "captured") == {"/all.html", "/summary.html", "/title-1"}
    assert guide.left.last_run("old")["state"] == "complete", guide.done.stdout


def test_links_by_routes_of_scripts_are_excluded_and_named(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    """`/app/#/rates` is no other address than `/app/` for a server: it was not requested, and the run says so.

    So does a run that a 304 tells that the page is as it was. A pattern may exclude them by name.
    """
    links = '<a href="/app/#/rates">a</a><a href="#/fees?of=va">b</a><a href="#top">c</a><a href="/app/">d</a>'
    links += "<a href=\"javascript:__doPostBack('c$grid','Page$2')\">2</a>"
    start = page("Start").replace("</main>", f"{links}<a href='#/geb\u00fchren'>e</a></main>")
    site.page("/", start, validators=True)
    site.page("/app/", page("Application", "#/rates"))
    routes = {"/app/#/rates", "/#/fees?of=va", "/#/geb\u00fchren", "/#/Page$2"}

    def collect(*excluded: str) -> dict[str, tuple[str, str]]:
        config = {"exclude_patterns": excluded}
        project.manifest([source("a", site.at("/"), "crawl", scrape_config=config)], delay_s=0.02)
        project.scrapy("collect", "--force")
        crawl_output.assert_sums()
        crawl_output.assert_verified()
        of_run = crawl_output.last_run("a")["run_id"]
        rows = crawl_output.rows("SELECT * FROM run_urls WHERE kind = 'page' AND run_id = ?", of_run)
        return {row["url"].removeprefix(site.at("")): (row["state"], row["reason_code"]) for row in rows}

    left = dict.fromkeys(routes, ("excluded", "script_route"))
    assert collect() == {"/": ("captured", "captured"), "/app/": ("captured", "captured"), **left}
    run = crawl_output.last_run("a")
    assert run["state"] == "incomplete" and "not requested: 4, such as" in run["reason"], run["reason"]

    again = collect()
    assert {url: state for url, (state, _) in again.items() if url not in routes} == dict.fromkeys(
        ("/", "/app/"), "unchanged"
    )
    assert {url: again[url] for url in routes} == left and [hit.status for hit in site.log.hits("/")][-1] == 304
    assert crawl_output.last_run("a")["state"] == "incomplete"

    named = collect("/app/#/*", "/#/*")
    assert {url: named[url] for url in routes} == dict.fromkeys(routes, ("excluded", "exclude_pattern"))
    assert crawl_output.last_run("a")["state"] == "complete"
