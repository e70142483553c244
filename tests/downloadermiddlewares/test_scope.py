"""Out of the source's domain: told, with the target, and never asked; whatever leads there, and whenever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

#: How a path leads to the other domain.
WAYS = ("301", "302", "303", "307", "308", "meta", "retried", "dropped", "chain", "userinfo", "relative")


class Leaving:
    """A site that leads out in every way, by a crawl and as single pages, and what one job left."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        self.site, self.other = new_site(), new_site()
        self._script()
        # The other site may be asked as far as addresses go: only the scope stands before it.
        project.manifest(
            [
                source("walked", self.site.at("/"), "crawl", scrape_config={"follow_links": True}),
                *(source(f"page-{way}", self.site.at(f"/page/{way}")) for way in WAYS),
                source("start", self.site.at("/walk/302"), "crawl"),
                source("start-chain", self.site.at("/walk/chain"), "crawl"),
            ],
            delay_s=0.02,
        )
        project.env["RORI_ALLOWED_ADDRESSES"] = f"{self.site.netloc},{self.other.netloc}"
        self.done = project.scrapy("collect", "--force", env={"RORI_RETRY_SCALE": "0.01"})
        self.left = CrawlOutput(project)

    def target(self, way: str) -> str:
        return self.other.at(f"/there/{way}")

    def _script(self) -> None:
        site = self.site
        site.page("/", page("Start", "/mapped-out", *(f"/walk/{way}" for way in WAYS)))
        outside = [self.other.at("/listed"), "https://www.example.org/listed"]
        site.sitemap(["/", *outside])
        site.redirect("/mapped-out", self.target("mapped-out"))
        for folder in ("walk", "page"):
            for way in WAYS:
                self._lead_out(f"/{folder}/{way}", way)

    def _lead_out(self, path: str, way: str) -> None:
        site, target = self.site, self.target(way)
        if way == "meta":
            site.page(path, f'<meta http-equiv="refresh" content="1; url={target}"><p>Wait</p>')
        elif way == "chain":
            site.redirect(path, f"{path}/2")
            site.redirect(f"{path}/2", f"{path}/3", 301)
            site.redirect(f"{path}/3", target)
        elif way == "userinfo":
            site.redirect(path, target.replace("http://", f"http://{site.host}:secret@"))
        elif way == "relative":
            site.redirect(path, target.removeprefix("http:"))
        else:
            site.redirect(path, target, int(way) if way.isdigit() else 302)
        if way == "retried":
            site.status(path, 503, times=2)
        if way == "dropped":
            site.drop(path, times=1)


@pytest.fixture(scope="module")
def leaving(shared: Project, new_site: Callable[[], Site]) -> Leaving:
    return Leaving(shared, new_site)


def test_the_other_domain_is_never_asked(leaving: Leaving) -> None:
    assert leaving.done.returncode == 1, leaving.done.stderr[-3000:]
    assert leaving.other.log.hits() == []


@pytest.mark.parametrize("way", WAYS)
def test_a_crawl_reports_where_a_page_led(leaving: Leaving, way: str) -> None:
    last = "/walk/chain/3" if way == "chain" else f"/walk/{way}"
    told = ("excluded", Reason("redirected_off_site", target_url=leaving.target(way)))
    assert leaving.left.urls("walked")[last] == told


@pytest.mark.parametrize("way", WAYS)
def test_a_single_page_reports_it_in_the_same_words(leaving: Leaving, way: str) -> None:
    told = Reason("redirected_off_site", target_url=leaving.target(way))
    assert leaving.left.urls(f"page-{way}") == {f"/page/{way}": ("excluded", told)}
    run = leaving.left.last_run(f"page-{way}")
    assert (run["state"], run["reason"]) == ("failed", Reason("start_excluded", error=told))


@pytest.mark.parametrize(("name", "way"), [("start", "302"), ("start-chain", "chain")])
def test_a_crawl_whose_start_left_the_domain_fails_with_the_target(leaving: Leaving, name: str, way: str) -> None:
    run = leaving.left.last_run(name)
    assert run["state"] == "failed"
    assert Reason("redirected_off_site", target_url=leaving.target(way)) in run["reason"]


def test_what_was_retried_was_asked_so_often_and_no_more(leaving: Leaving) -> None:
    for folder in ("walk", "page"):
        assert [hit.status for hit in leaving.site.log.hits(f"/{folder}/retried")] == [503, 503, 302]
        assert [hit.status for hit in leaving.site.log.hits(f"/{folder}/dropped")] == [0, 302]


def test_entries_of_sitemaps_outside_are_counted_with_the_reason(leaving: Leaving) -> None:
    assert leaving.left.listed(leaving.left.last_run("walked")["run_id"]) == {Reason("outside_hosts"): 2}
    assert not leaving.other.log.hits("/listed")


def test_credentials_of_a_target_are_kept_nowhere(leaving: Leaving) -> None:
    everything = leaving.left.rows("SELECT reason FROM run_urls") + leaving.left.rows("SELECT * FROM audit")
    assert "secret" not in str(everything)
    assert "secret" not in leaving.done.stderr


def test_every_url_has_its_end(leaving: Leaving) -> None:
    leaving.left.assert_sums()
