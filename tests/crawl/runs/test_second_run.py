"""A second visit walks the whole site again, and stages only what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PAGES = {"/", "/1", "/2", "/deep", "/clock"}


def reach(figure: str) -> str:
    return page("Limits", "/deep", text=f"The baseline limit for a one-unit property is ${figure}.")


def clock(time: str) -> str:
    return page("Clock", clock=time)


class Visited:
    """A site visited three times: as it was, as it was but for its clock, and with one digit edited."""

    def __init__(self, project: Project, site: Site) -> None:
        self.site = site
        site.page("/", page("Start", "/1", "/2", "/clock"), validators=True)
        site.page("/1", reach("832,750"), validators=True)
        site.page("/2", page("Without validators"))
        site.page("/deep", page("Only reached by a page that answers 304"), validators=True)
        site.page("/clock", clock("March 1, 2026, 10:04:11"))
        project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
        self.left = CrawlOutput(project)
        self.states: list[dict[str, str]] = []
        self.hits: list[list[tuple[str, int]]] = []  # path and status, of each visit
        self.files: list[set[str]] = []
        self._visit(project)
        site.set("/clock", clock("March 2, 2026, 11:15:22"))
        self._visit(project)
        site.set("/1", reach("832,751"))
        self._visit(project)

    def _visit(self, project: Project) -> None:
        self.site.log.clear()
        visit = project.scrapy("crawl", "a")
        assert visit.returncode == 0, visit.stderr
        self.states.append(self.left.states("a"))
        self.hits.append([(hit.path, hit.status) for hit in self.site.log.hits() if hit.path in PAGES])
        self.files.append(self.left.files())


@pytest.fixture(scope="module")
def visited(shared: Project, new_site: Callable[[], Site]) -> Visited:
    return Visited(shared, new_site())


def test_first_run_stages_every_page(visited: Visited) -> None:
    assert visited.states[0] == dict.fromkeys(PAGES, "captured")
    assert len(visited.files[0]) == len(PAGES)
    assert {one["integrity"]["change_type"] for one in visited.left.envelopes()[: len(PAGES)]} == {"new"}


def test_second_run_without_change_stages_nothing(visited: Visited) -> None:
    assert visited.states[1] == dict.fromkeys(PAGES, "unchanged")
    assert visited.files[1] == visited.files[0]


def test_second_run_not_modified_pages_still_lead_to_their_links(visited: Visited) -> None:
    assert sorted(visited.hits[1]) == [("/", 304), ("/1", 304), ("/2", 200), ("/clock", 200), ("/deep", 304)]


def test_second_run_changed_digit_is_one_modified_envelope(visited: Visited) -> None:
    assert visited.states[2] == {**dict.fromkeys(PAGES, "unchanged"), "/1": "captured"}
    assert len(visited.files[2] - visited.files[1]) == 1
    first, edited = (one for one in visited.left.envelopes() if path_of(one["source"]["url"]) == "/1")
    assert edited["integrity"]["change_type"] == "modified"
    assert edited["integrity"]["previous_content_hash"] == first["integrity"]["content_hash"]
    assert "832,751" in edited["content"]["body"] and "832,750" in first["content"]["body"]
    assert visited.left.index()[-1]["envelope_id"] == edited["envelope_id"]


def test_second_run_change_is_stored_as_version(visited: Visited) -> None:
    versions = visited.left.rows(
        "SELECT seq, change_type FROM versions JOIN pages USING (page_id) WHERE url LIKE '%/1' ORDER BY seq"
    )
    assert [tuple(one.values()) for one in versions] == [(1, "new"), (2, "modified")]


def test_second_run_ledger_and_staging_agree(visited: Visited) -> None:
    visited.left.assert_sums()
    visited.left.assert_verified()


def test_second_run_page_confirmed_for_a_month_is_read_whole(
    project: Project, site: Site, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start", "/1"), validators=True)
    site.page("/1", page("Limits"), validators=True)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    project.scrapy("crawl", "a")
    crawl_output.change("UPDATE page_validators SET seen_at = '2026-01-01T00:00:00.000000Z'")
    statuses = []
    for _ in range(2):
        site.log.clear()
        project.scrapy("crawl", "a")
        statuses.append({hit.status for hit in site.log.hits() if hit.path in PAGES})
        assert set(crawl_output.states("a").values()) == {"unchanged"}
    assert statuses == [{200}, {304}]
    crawl_output.assert_verified()
