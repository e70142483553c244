"""What is known of a page counts in its verdict: far shorter than ever proves nothing, as long as ever is no stub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.pages import page
from tests.support.project import source
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import Vendor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

LONG = page("Rules", text="A lender shall say so in writing. " * 200)
#: Short, and with a word of sites that are closed.
NOTICE = (
    "<!DOCTYPE html><html lang=en><title>Filing</title><main><h1>Filing</h1><p>The counter of this site is closed at "
    "noon. {0} Paper is accepted at all hours at the door; a receipt is sent within two days of the filing, by mail, "
    "to the address that stands on the form. A fee of twelve dollars is due.</p></main>"
)


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with Vendor(next_address()) as opened:
        yield opened


def test_page_with_tenth_of_previous_text_escalates_and_is_held(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor
) -> None:
    site.page("/", LONG)
    project.manifest([source("rules", site.at("/"), scrape_config={"min_content_chars": 50})], delay_s=0.05)
    env = {**vendor.env("firecrawl"), "RORI_TIERS": "http,firecrawl", "RORI_RETRY_SCALE": "0.01"}
    project.scrapy("collect", "--force", env=env)
    assert crawl_output.urls("rules") == {"/": ("captured", "")}

    site.page("/", "<!DOCTYPE html><html><main><h1>Rules</h1><p>See the new address of the rules.</p></main></html>")
    vendor.page(site.at("/"), LONG)
    done = project.scrapy("collect", "--force", env=env)
    assert crawl_output.urls("rules")["/"][0] == "unchanged"
    assert f"http gave {Reason('unknown', http_status=200)}; trying firecrawl" in done.stderr

    vendor.page(site.at("/"), "<main><h1>Rules</h1><p>See the new address of the rules, now.</p></main>")
    project.scrapy("collect", "--force", env=env)
    state, reason = crawl_output.urls("rules")["/"]
    assert (state, reason.code) == ("failed", "suspect")
    assert len(crawl_output.index()) == 1


def test_page_as_long_as_before_is_not_hidden_by_maintenance_words(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    filler = "Forms are at the counter, and copies are made there at ten cents a page until half past eleven. " * 2
    site.page("/", NOTICE.format(filler))
    site.page("/new", NOTICE.format("Forms are temporarily unavailable."))
    config = {"min_content_chars": 50}
    listed = [source("old", site.at("/"), scrape_config=config), source("new", site.at("/new"), scrape_config=config)]
    project.manifest(listed, delay_s=0.05)
    project.scrapy("collect", "--force", env={"RORI_TIERS": "http", "RORI_RETRY_SCALE": "0.01"})
    assert crawl_output.urls("new")["/new"][1].code == "maintenance"

    site.page("/", NOTICE.format("Forms are temporarily unavailable."))
    project.scrapy("collect", "--force", "--source", "old", env={"RORI_TIERS": "http", "RORI_RETRY_SCALE": "0.01"})
    assert crawl_output.urls("old")["/"] == ("captured", "")
