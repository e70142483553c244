"""Redirects: followed inside the source, told and not followed outside, and never a way to ask somebody twice."""

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


class Led:
    """A site that leads elsewhere in every way, a site it leads to, and what one crawl left."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        self.site, self.other = new_site(), new_site()
        _script(self.site, self.other)
        project.manifest(
            [
                source("walked", self.site.at("/"), "crawl"),
                source("single", self.site.at("/single")),
                source("left", self.site.at("/away")),
            ],
            delay_s=0.02,
        )
        # The other site may be asked as far as addresses go: only the scope stands before it.
        project.env["RORI_ALLOWED_ADDRESSES"] = f"{self.site.netloc},{self.other.netloc}"
        self.done = project.scrapy("collect")
        self.left = CrawlOutput(project)
        self.urls = self.left.urls("walked")


def _script(site: Site, other: Site) -> None:
    site.page(
        "/", page("Start", "/old", "/older", "/new", "/away", "/meta", "/private", "/no/1", "/chain/1", "/mirror")
    )
    site.robots("User-agent: *\nDisallow: /no/\n")
    site.redirect("/old", "/new", 301)
    site.redirect("/older", site.at("/new"), 302)
    site.page("/new", page("New"))
    site.redirect("/away", other.at("/there"))
    site.redirect("/private", "/no/2")
    site.page("/no/2", page("Not for us"))
    site.page("/meta", f'<meta http-equiv="refresh" content="0; url={other.at("/refreshed")}"><p>Wait</p>')
    for hop in range(1, 4):
        site.redirect(f"/chain/{hop}", f"/chain/{hop + 1}", 308)
    site.page("/chain/4", page("End of the chain"))
    site.redirect("/mirror", "/", 307)
    site.redirect("/single", "/moved", 301)
    site.page("/moved", page("A single page that has moved"))
    other.page("/there", page("Another publisher"))


@pytest.fixture(scope="module")
def led(shared: Project, new_site: Callable[[], Site]) -> Led:
    return Led(shared, new_site)


@pytest.mark.parametrize(("path", "target"), [("/away", "/there"), ("/meta", "/refreshed")])
def test_redirect_to_other_domain_is_reported_and_not_requested(led: Led, path: str, target: str) -> None:
    assert led.urls[path] == ("excluded", Reason("redirected_off_site", target_url=led.other.at(target)))
    assert led.other.log.hits() == []


@pytest.mark.parametrize("path", ["/old", "/older"])
def test_redirect_in_scope_is_followed(led: Led, path: str) -> None:
    assert led.urls[path] == ("excluded", Reason("redirected", target_url=led.site.at("/new")))


def test_redirect_target_is_requested_and_staged_once(led: Led) -> None:
    assert len(led.site.log.hits("/new")) == 1
    assert len(led.site.log.hits("/")) == 1
    walked = [path_of(line["url"]) for line in led.left.index() if line["manifest_id"] == "walked"]
    assert sorted(walked) == ["/", "/chain/4", "/new"]


def test_redirect_target_is_judged_by_robots_txt(led: Led) -> None:
    assert led.urls["/no/1"][0] == led.urls["/no/2"][0] == "excluded"
    assert led.urls["/no/2"][1].code == "robots_disallowed"
    assert not led.site.log.hits("/no/1") + led.site.log.hits("/no/2")


def test_redirect_of_single_page_preserves_url_of_manifest(led: Led) -> None:
    assert led.left.urls("single") == {"/single": ("captured", "")}
    assert path_of(led.left.envelope("/single")["source"]["url"]) == "/single"
    (row,) = led.left.rows("SELECT final_url, redirects FROM audit WHERE url LIKE '%/single'")
    assert path_of(row["final_url"]) == "/moved"
    assert aliases(led, "single") == {"/single": {"/moved"}}


def test_redirect_sources_are_aliases_of_page(led: Led) -> None:
    assert aliases(led, "walked")["/new"] == {"/old", "/older"}
    led.left.assert_verified()


def test_redirect_requested_before_its_page_is_alias_too(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    """Of two links, the first is asked first: here that is the redirect."""
    site.page("/", page("Start", "/alias", "/page"))
    site.page("/page", page("Page"))
    site.redirect("/alias", "/page")
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"sitemaps": []})], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    paths = [hit.path for hit in site.log.hits()]
    assert paths.index("/alias") < paths.index("/page")
    [alias] = crawl_output.rows(
        "SELECT pages.url AS page, page_aliases.url FROM page_aliases JOIN pages USING (page_id)"
    )
    assert (path_of(alias["page"]), path_of(alias["url"])) == ("/page", "/alias")


def aliases(led: Led, source_id: str) -> dict[str, set[str]]:
    """Path of a page of the source -> the paths of its aliases."""
    found: dict[str, set[str]] = {}
    for row in led.left.rows(
        "SELECT pages.url AS page, page_aliases.url AS alias FROM page_aliases JOIN pages USING (page_id) "
        "WHERE source_id = ?",
        source_id,
    ):
        found.setdefault(path_of(row["page"]), set()).add(path_of(row["alias"]))
    return found


def test_redirect_of_start_page_off_domain_fails_run(led: Led) -> None:
    run = led.left.last_run("left")
    assert run["state"] == "failed"
    assert led.other.at("/there") in run["reason"]
    assert led.done.returncode == 1
    led.left.assert_sums()
