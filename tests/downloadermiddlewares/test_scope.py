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


def test_scope_other_domain_is_never_requested(leaving: Leaving) -> None:
    assert leaving.done.returncode == 1, leaving.done.stderr[-3000:]
    assert leaving.other.log.hits() == []


@pytest.mark.parametrize("way", WAYS)
def test_scope_crawl_reports_redirect_target(leaving: Leaving, way: str) -> None:
    last = "/walk/chain/3" if way == "chain" else f"/walk/{way}"
    expected = ("excluded", Reason("redirected_off_site", target_url=leaving.target(way)))
    assert leaving.left.urls("walked")[last] == expected


@pytest.mark.parametrize("way", WAYS)
def test_scope_single_page_reports_redirect_target_alike(leaving: Leaving, way: str) -> None:
    expected = Reason("redirected_off_site", target_url=leaving.target(way))
    assert leaving.left.urls(f"page-{way}") == {f"/page/{way}": ("excluded", expected)}
    run = leaving.left.last_run(f"page-{way}")
    assert (run["state"], run["reason"]) == ("failed", Reason("start_excluded", error=expected))


@pytest.mark.parametrize(("name", "way"), [("start", "302"), ("start-chain", "chain")])
def test_scope_start_page_off_domain_fails_run_with_target(leaving: Leaving, name: str, way: str) -> None:
    run = leaving.left.last_run(name)
    assert run["state"] == "failed"
    assert Reason("redirected_off_site", target_url=leaving.target(way)) in run["reason"]


def test_scope_retried_page_is_requested_expected_times(leaving: Leaving) -> None:
    for folder in ("walk", "page"):
        assert [hit.status for hit in leaving.site.log.hits(f"/{folder}/retried")] == [503, 503, 302]
        assert [hit.status for hit in leaving.site.log.hits(f"/{folder}/dropped")] == [0, 302]


def test_scope_sitemap_entries_outside_are_counted_with_reason(leaving: Leaving) -> None:
    assert leaving.left.listed(leaving.left.last_run("walked")["run_id"]) == {Reason("outside_hosts"): 2}
    assert not leaving.other.log.hits("/listed")


def test_scope_credentials_of_target_are_not_stored(leaving: Leaving) -> None:
    everything = leaving.left.rows("SELECT reason FROM run_urls") + leaving.left.rows("SELECT * FROM audit")
    assert "secret" not in str(everything)
    assert "secret" not in leaving.done.stderr


def test_scope_urls_all_reach_final_state(leaving: Leaving) -> None:
    leaving.left.assert_sums()
