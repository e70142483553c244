"""The fence: a host is reached by the tiers named for it, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_host_fenced_to_absent_tiers_is_not_requested(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    free, fenced = sites(2)
    free.page("/", page("Start", "/1"))
    free.redirect("/1", fenced.at("/1"))
    fenced.page("/", page("Fenced"))
    fenced.page("/1", page("Fenced as well"))
    project.manifest(
        [
            source("free", free.at("/"), "crawl", allowed_hosts=[fenced.host]),
            source("fenced", fenced.at("/")),
            source("own", free.at("/"), scrape_config={"tiers": ["browser"]}),
        ],
        domains={free.host: {"delay_s": 0.05}, fenced.host: {"delay_s": 0.05, "tiers": ["browser"]}},
    )
    manifest, here = project.env.pop("RORI_MANIFEST"), {"RORI_TIERS": "mediawiki,http,browser"}
    assert project.scrapy("manifest", "activate", manifest, env=here).returncode == 0
    collected = project.scrapy("collect", env={"RORI_TIERS": "mediawiki,http"})
    assert collected.returncode == 1, collected.stderr
    [of_target] = crawl_output.rows("SELECT state, reason_code FROM run_urls WHERE url = ?", fenced.at("/1"))
    assert (of_target["state"], of_target["reason_code"]) == ("failed", "no_tier")
    assert crawl_output.urls("fenced")["/"] == (
        "failed",
        Reason("no_tier", error="none that the source or its domain allows is available; see `scrapy tiers`"),
    )
    assert crawl_output.urls("own")["/"][0] == "failed"
    assert {hit.path for hit in fenced.log.hits()} <= {"/robots.txt"}
    crawl_output.assert_sums()
    crawl_output.assert_verified()
