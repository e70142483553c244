"""Addresses that are not public and that nobody named are never connected to, whatever leads there."""

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


class Lured:
    """A site that lures to a canary on another loopback address, which belongs to the source and was not allowed."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        site, self.canary = new_site(), new_site()
        self.canary.page("/secret", page("Secret"))
        canary = self.canary.at("/secret")
        decimal = int.from_bytes(bytes(int(part) for part in self.canary.host.split(".")), "big")
        self.lures = {
            "link": canary,
            "ipv6": f"http://[::ffff:{self.canary.host}]:{self.canary.port}/secret",
            "decimal": f"http://{decimal}:{self.canary.port}/secret",
            "metadata": "http://169.254.169.254/latest/meta-data/",
        }
        site.page("/", page("Start", "/redirect", "/permanent", "/meta", "/after", *self.lures.values()))
        site.redirect("/redirect", canary)
        site.redirect("/permanent", canary, 308)
        site.page("/meta", f'<meta http-equiv="refresh" content="0; url={canary}"><p>Wait</p>')
        site.page("/after", page("After"))
        site.sitemap(["/redirect", "/permanent", "/meta", "/after", canary])
        site.redirect("/moved-robots", canary)
        hosts = [self.canary.host, "169.254.169.254"]
        robbed = new_site()
        robbed.redirect("/robots.txt", self.canary.at("/robots.txt"))
        self.robbed = robbed
        project.manifest(
            [
                source("lured", site.at("/"), "crawl", allowed_hosts=hosts, scrape_config={"follow_links": True}),
                source("robbed", robbed.at("/")),
            ],
            delay_s=0.02,
        )
        self.done = project.scrapy("collect", env={"RORI_RETRY_SCALE": "0.01"})
        self.left = CrawlOutput(project)


@pytest.fixture(scope="module")
def lured(shared: Project, new_site: Callable[[], Site]) -> Lured:
    return Lured(shared, new_site)


def test_private_address_receives_no_request(lured: Lured) -> None:
    assert lured.done.returncode == 1, lured.done.stderr
    assert lured.canary.log.hits() == []


def test_private_address_links_fail_with_reason(lured: Lured) -> None:
    rows = lured.left.rows("SELECT url, state, reason_code FROM run_urls")
    refused = {row["url"] for row in rows if row["reason_code"] == "address_not_public"}
    assert {lured.canary.at("/secret"), lured.lures["metadata"]} <= refused
    assert {row["state"] for row in rows if row["url"] in refused} == {"failed"}


def test_private_address_redirects_are_reported(lured: Lured) -> None:
    urls = lured.left.urls("lured")
    for path in ("/redirect", "/permanent", "/meta"):
        assert urls[path] == ("excluded", Reason("redirected", target_url=lured.canary.at("/secret")))
    assert urls["/secret"][0] == "failed"


def test_private_address_other_pages_are_captured(lured: Lured) -> None:
    assert lured.left.in_state("lured", "captured") == {"/", "/after"}
    lured.left.assert_sums()


def test_private_address_robots_redirect_forbids_all(lured: Lured) -> None:
    assert {hit.path for hit in lured.robbed.log.hits()} == {"/robots.txt"}
    state, reason = lured.left.urls("robbed")["/"]
    assert (state, reason.code) == ("failed", "robots_unavailable")
