"""A refusal whose script lets browsers in after a while: the page behind it is what is kept, and never the refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.marked import MarkedChromium
from tests.crawl.pages import page
from tests.project import source

if TYPE_CHECKING:
    from tests.crawl.left import Left
    from tests.project import Project
    from tests.server import Site

pytestmark = pytest.mark.crawl

_WALL = (
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1>"
    "<script>setTimeout(function () { document.cookie = 'passed=1'; location.reload(); }, 1500);</script></body></html>"
)


def test_a_wall_that_lets_browsers_in_is_waited_for(site: Site, project: Project, left: Left) -> None:
    MarkedChromium(project)
    site.page("/act", page("Truth in Lending Act"))
    site.status("/act", 403, times=1, body=_WALL, content_type="text/html")
    project.manifest([source("a", site.at("/act"), scrape_config={"tiers": ["browser"]})], delay_s=0.05)
    done = project.scrapy("collect", timeout=300)
    assert done.returncode == 0, done.stdout
    assert left.urls("a") == {"/act": ("captured", "")}
    assert "Checking your browser" not in left.envelope("/act")["content"]["body"]
    assert len(site.log.hits("/act")) == 2
