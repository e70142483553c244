"""S0's first example as its user would run it: the sitemap names the landing page, the page links the sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

SECTIONS = tuple(f"/regulations/1024/{number}/" for number in range(1, 14))


def test_a_sitemap_that_names_the_landing_page_alone_hides_no_section(site: Site, project: Project) -> None:
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
