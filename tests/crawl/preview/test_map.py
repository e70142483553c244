"""`scrapy map`: what a collection would ask for is what it then asks for; nothing is collected, all is polite."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.output_schema import find_problems
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_XML = "application/xml"
ROBOTS = "User-agent: *\nDisallow: /law/secret\n"


class Mapped:
    """A site with a sitemap index, mapped as JSON; then collected; then mapped again."""

    def __init__(self, project: Project, site: Site) -> None:
        self.site, self.project = site, project
        site.robots(f"{ROBOTS}Sitemap: {site.at('/index.xml')}\n")
        site.page("/", page("The Guide", "/law/1", "/unnamed", "/photo.jpg", "{{item.url}}"))
        locs = "".join(f"<sitemap><loc>{site.at(at)}</loc></sitemap>" for at in ("/law.xml", "/gone.xml", "/index.xml"))
        site.page("/index.xml", f"<sitemapindex>{locs}</sitemapindex>", content_type=_XML)
        paths = ("/law/1", "/law/2", "/law/secret", "/x/out", "/law/{{id}}", "/law/a.zip")
        urls = [*(site.at(path) for path in paths), "https://elsewhere.example/y"]
        rows = "".join(f"<url><loc>{url}</loc><lastmod>2026-01-0{n + 1}</lastmod></url>" for n, url in enumerate(urls))
        site.page("/law.xml", f"<urlset>{rows}</urlset>", content_type=_XML)
        for path in ("/law/1", "/law/2", "/law/secret", "/unnamed"):
            site.page(path, page(f"Page {path}"))
        config = {"exclude_patterns": ["/x/*", "/never/*"]}
        project.manifest([source("guide", site.at("/"), "crawl", scrape_config=config)], delay_s=0.02)
        self.done = project.scrapy("map", "guide", "--format", "json")
        assert self.done.returncode == 0, self.done.stderr
        self.map: dict[str, Any] = json.loads(self.done.stdout)
        assert find_problems("map", self.map) == []
        self.requested_paths = [hit.path for hit in site.log.hits()]
        self.left = CrawlOutput(project)
        self.written = self._written()

    def _written(self) -> set[str]:
        names = [
            row["name"]
            for row in self.left.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        return {name for name in names if self.left.rows(f'SELECT 1 FROM "{name}" LIMIT 1')}

    def would(self, state: str) -> dict[str, dict[str, Any]]:
        return {path_of(one["url"]): one for one in self.map["urls"] if one["state"] == state}


@pytest.fixture(scope="module")
def mapped(shared: Project, new_site: Callable[[], Site]) -> Mapped:
    return Mapped(shared, new_site())


def test_map_requests_only_lists_and_start_page(mapped: Mapped) -> None:
    assert sorted(mapped.requested_paths) == ["/", "/gone.xml", "/index.xml", "/law.xml", "/robots.txt"]
    assert mapped.requested_paths[0] == "/robots.txt"


def test_map_lists_pages_to_collect(mapped: Mapped) -> None:
    found = mapped.would("collect")
    assert set(found) == {"/", "/law/1", "/law/2", "/unnamed"}
    assert (found["/law/1"]["found_by"], found["/law/1"]["lastmod"]) == ("sitemap", "2026-01-01")
    assert (found["/law/1"]["title"], found["/"]["title"]) == ("Section at /law/1", "The Guide")
    assert [found[path]["requested"] for path in ("/", "/law/1")] == [True, False]
    assert not any(one["held"] for one in mapped.map["urls"])


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/law/secret", Reason("robots_disallowed")),
        ("/x/out", Reason("exclude_pattern", rule="/x/*")),
        ("/y", Reason("outside_hosts")),
        ("/law/a.zip", Reason("not_a_document", rule=".zip")),
        ("/law/%7B%7Bid%7D%7D", Reason("crawler_trap", rule="unfilled template placeholder")),
        ("/photo.jpg", Reason("not_a_document", rule=".jpg")),
    ],
)
def test_map_lists_excluded_pages_with_reasons(mapped: Mapped, path: str, reason: str) -> None:
    assert mapped.would("excluded")[path]["reason"].startswith(reason)


def test_map_states_what_is_unknown(mapped: Mapped) -> None:
    notes = "\n".join(mapped.map["notes"])
    assert f"sitemap not read: {mapped.site.at('/gone.xml')} ({Reason('http_error', http_status=404)})" in notes
    assert "exclude_patterns: /never/* matches no page" in notes
    assert mapped.map["not_requested"].startswith("the content of 3 pages")
    assert mapped.map["known"] == len(mapped.map["urls"]) == sum(mapped.map[s] for s in ("collect", "excluded"))


def test_map_collects_nothing_and_logs_its_requests(mapped: Mapped) -> None:
    assert mapped.written == {"leases", "actions", "fact_leaves", "alembic_version"}
    (row,) = mapped.left.rows("SELECT * FROM actions")
    assert (row["action"], row["target"]) == ("map", "guide") and row["actor"]
    requests = {path_of(one["url"]): one["status"] for one in json.loads(row["details"])["requests"]}
    assert requests == {"/robots.txt": 200, "/": 200, "/index.xml": 200, "/law.xml": 200, "/gone.xml": 404}
    assert not mapped.project.staging.exists()


def test_map_pages_equal_those_collected(mapped: Mapped) -> None:
    done = mapped.project.scrapy("crawl", "guide")
    assert done.returncode == 1, done.stderr  # one of its sitemaps is not there
    assert mapped.left.in_state("guide", "captured") == set(mapped.would("collect"))
    counted = {"/x/out", "/y"}  # named by a sitemap outside the scope: they have no rows
    assert mapped.left.in_state("guide", "excluded") == set(mapped.would("excluded")) - counted
    again = mapped.project.scrapy("map", "guide", "--section", "/law/")
    assert again.returncode == 0, again.stderr
    assert "4 would be collected (4 already held)" in again.stdout
    assert len(mapped.left.runs()) == 1


# --- links, depth, contents ---------------------------------------------------------------------------------------


@pytest.fixture
def linked(site: Site, project: Project) -> Site:
    """A site without sitemaps: contents, chapters, and pages below these."""
    head = '<link rel="contents" href="/toc"><link rel="next" href="/1">'
    site.page("/", page("Start", "/toc", "/1").replace("<head>", f"<head>{head}"))
    site.page("/toc", page("Contents", "/1", "/2", "/3"))
    for number in (1, 2, 3):
        site.page(f"/{number}", page(f"Chapter {number}", f"/{number}/a"))
        site.page(f"/{number}/a", page(f"Part {number} a"))
    project.manifest([source("book", site.at("/"), "crawl")], delay_s=0.02)
    return site


def known(project: Project, *options: str) -> dict[str, dict[str, str]]:
    done = project.scrapy("map", "book", "--format", "csv", *options)
    assert done.returncode == 0, done.stderr
    return {path_of(row["url"]): row for row in csv.DictReader(done.stdout.splitlines())}


def test_map_follows_contents_and_links_to_depth(linked: Site, project: Project) -> None:
    found = known(project)
    assert {path for path, row in found.items() if row["requested"] == "true"} == {"/", "/toc"}
    assert set(found) == {"/", "/toc", "/1", "/2", "/3"}
    assert (found["/1"]["found_by"], found["/2"]["found_by"]) == ("rel=next", "link")
    deeper = known(project, "--depth", "1")
    assert {path for path, row in deeper.items() if row["requested"] == "true"} == {"/", "/toc", "/1", "/1/a"}
    assert set(deeper) == {*found, "/1/a"}
    assert set(known(project, "--no-links")) == {"/", "/toc", "/1"}
    assert max(linked.report().hits.values()) <= 3  # once a map


def test_map_follows_links_also_with_sitemap(linked: Site, project: Project) -> None:
    linked.sitemap(["/3"])
    assert {path for path, row in known(project).items() if row["state"] == "collect"} == {
        *("/", "/toc", "/1", "/2", "/3"),
    }
