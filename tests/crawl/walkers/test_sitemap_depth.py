"""`max_depth` bounds what a sitemap names by the folders of its path, and never hides what links lead to."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from rori_spiders.manifest.scope import path_depth
from rori_spiders.reasons import Reason
from tests.support.cases import cases
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

_NEAR = tuple(f"/guide/{number}" for number in range(1, 4))
#: Three folders below the start: the first is linked from the start page, the second from one that the sitemap names.
_LINKED, _LINKED_LATER, _UNLINKED = (f"/guide/a/b/{name}" for name in ("linked", "later", "unlinked"))
_TOO_DEEP = ("excluded", Reason("max_depth", limit=2))


@cases(
    ("url", "depth"),
    [
        ("https://a.example/guide/index.html", 1),
        ("https://a.example/guide/1024/", 1),
        ("https://a.example/guide/1024/5?x=/y/z", 2),
        ("https://a.example/other", 1),
        ("https://a.example/", 1),
        ("https://b.example/guides/a/b", 3),
    ],
)
def test_sitemap_depth_is_counted_in_folders_from_start_url(url: str, depth: int) -> None:
    assert path_depth("https://a.example/guide/start.html", url) == depth


def _serve(site: Site, project: Project) -> None:
    site.page("/guide/", page("Guide", _NEAR[0], _LINKED))
    for path in _NEAR:
        site.page(path, page(f"Page {path}", _LINKED_LATER if path == _NEAR[2] else "/guide/"))
    for path in (_LINKED, _LINKED_LATER, _UNLINKED):
        site.page(path, page(f"Page {path}"))
    site.sitemap(["/guide/", *_NEAR, _LINKED, _LINKED_LATER, _UNLINKED])
    config = {"include_patterns": ["/guide/*"], "max_depth": 2}
    project.manifest([source("guide", site.at("/guide/"), "crawl", scrape_config=config)], delay_s=0.02)


@pytest.mark.crawl
def test_sitemap_depth_page_too_deep_is_collected_only_by_links(site: Site, project: Project) -> None:
    _serve(site, project)
    done = project.scrapy("collect")
    assert done.returncode == 0, done.stderr
    left = CrawlOutput(project)
    assert left.in_state("guide", "captured") == {"/guide/", *_NEAR, _LINKED, _LINKED_LATER}
    assert left.urls("guide")[_UNLINKED] == _TOO_DEEP
    assert left.last_run("guide")["state"] == "complete"
    assert site.log.hits(_UNLINKED) == []
    left.assert_sums()

    project.scrapy("collect", "--force")
    assert left.urls("guide")[_UNLINKED] == _TOO_DEEP
    assert left.in_state("guide", "unchanged") == {"/guide/", *_NEAR, _LINKED, _LINKED_LATER}


@pytest.mark.crawl
def test_sitemap_depth_deep_pages_wait_after_stop(site: Site, project: Project) -> None:
    _serve(site, project)
    slow = site.slow(_NEAR[2], page("Page", _LINKED_LATER), times=1)
    with project.start("collect") as job:
        assert site.log.wait_for(_NEAR[2], timeout=60)
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=60)
    slow.release()
    left = CrawlOutput(project)
    assert left.last_run("guide")["state"] == "partial"
    assert left.states("guide")[_UNLINKED] == "pending"
    assert project.scrapy("collect").returncode == 0
    assert left.urls("guide")[_UNLINKED] == _TOO_DEEP
    assert left.states("guide")[_LINKED_LATER] == "captured"
    assert len(left.runs("guide")) == 1
    left.assert_sums()


@pytest.mark.crawl
def test_sitemap_depth_map_shows_excluded_pages(site: Site, project: Project) -> None:
    _serve(site, project)
    shown = project.scrapy("map", "guide", "--format", "csv").stdout.splitlines()
    assert [row for row in shown if _UNLINKED in row and "excluded" in row]
    assert [row for row in shown if f"{_LINKED},collect" in row]
