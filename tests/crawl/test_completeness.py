"""S0's first example as its user would run it: the sitemap names the landing page, the page links the sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

SECTIONS = tuple(f"/regulations/1024/{number}/" for number in range(1, 14))


def test_sitemap_of_landing_page_only_hides_no_section(site: Site, project: Project) -> None:
    site.page("/regulations/1024/", page("Regulation X", *SECTIONS))
    for path in SECTIONS:
        site.page(path, page(f"Section {path}"))
    site.sitemap(["/regulations/1024/"])
    project.manifest(
        [
            source(
                "reg-x",
                site.at("/regulations/1024/"),
                "crawl",
                scrape_config={"include_patterns": ["/regulations/1024/*"], "max_depth": 2},
            )
        ],
        delay_s=0.02,
    )
    done = project.scrapy("collect")
    assert done.returncode == 0, done.stderr
    assert CrawlOutput(project).in_state("reg-x", "captured") == {"/regulations/1024/", *SECTIONS}


def test_superseded_version_is_excluded_by_named_rule(site: Site, project: Project) -> None:
    dated = "/regulations/1024/2020-01-01/5/"
    site.page("/regulations/1024/", page("Regulation X", "/regulations/1024/5/", dated))
    for path in ("/regulations/1024/5/", dated):
        site.page(path, page(f"Section {path}"))
    crawl = source("reg-x", site.at("/regulations/1024/"), "crawl")
    project.manifest([crawl], delay_s=0.02)
    project.scrapy("collect")
    left = CrawlOutput(project)
    assert left.in_state("reg-x", "captured") == {"/regulations/1024/", "/regulations/1024/5/"}
    assert left.urls("reg-x")[dated] == ("excluded", Reason("copy", rule="dated_version"))
    project.manifest([crawl | {"scrape_config": {"allowed_copies": ["dated_version"]}}], delay_s=0.02)
    project.scrapy("collect", "--source", "reg-x")
    assert dated in left.in_state("reg-x", "captured") | left.in_state("reg-x", "unchanged")
