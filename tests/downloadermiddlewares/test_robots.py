"""robots.txt: asked first and once, obeyed by every request, whatever stands in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_DISALLOWED = "User-agent: *\nDisallow: /drafts/\n"
_HTML = page("Robots", text="User-agent: * Allow: /")


class RobotsCrawl:
    """Sites with a robots.txt of each kind, and what one crawl of all of them left."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        self.sites: dict[str, Site] = {}
        self._new_site = new_site
        texts: dict[str, str | bytes] = {
            "rules": _DISALLOWED,
            "bom": b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /drafts/\r\n",
            "named": "User-agent: *\nDisallow:\n\nUser-agent: rori-collector\nDisallow: /drafts/\n",
            "broken": "",
            "html": _HTML,
            "absent": "",
            "forbidden": "",
            "recovers": _DISALLOWED,
            "moved": "",
            "dropped": "",
        }
        for name, text in texts.items():
            self._serve(name).robots(text)
        self.sites["broken"].status("/robots.txt", 500)
        self.sites["absent"].status("/robots.txt", 404)
        self.sites["forbidden"].status("/robots.txt", 403)
        self.sites["recovers"].status("/robots.txt", 503, times=2)
        self.sites["moved"].redirect("/robots.txt", "/about/robots.txt", 301)
        self.sites["moved"].page("/about/robots.txt", _DISALLOWED, content_type="text/plain")
        self.sites["dropped"].drop("/robots.txt")
        project.manifest([source(name, site.at("/"), "crawl") for name, site in self.sites.items()], delay_s=0.05)
        self.done = project.scrapy("collect", env={"RORI_RETRY_SCALE": "0.01"})
        self.left = CrawlOutput(project)

    def _serve(self, name: str) -> Site:
        site = self.sites[name] = self._new_site()
        site.page("/", page("Start", "/a", "/drafts/b"))
        site.page("/a", page("Public"))
        site.page("/drafts/b", page("Draft"))
        return site

    def paths(self, name: str) -> list[str]:
        return [hit.path for hit in self.sites[name].log.hits()]


@pytest.fixture(scope="module")
def robots_crawl(shared: Project, new_site: Callable[[], Site]) -> RobotsCrawl:
    return RobotsCrawl(shared, new_site)


@pytest.mark.parametrize("name", ["rules", "bom", "named", "recovers", "moved"])
def test_robots_disallowed_url_is_never_fetched(robots_crawl: RobotsCrawl, name: str) -> None:
    assert "/drafts/b" not in robots_crawl.paths(name)
    states = robots_crawl.left.urls(name)
    assert {path: state for path, (state, _) in states.items()} == {
        "/": "captured",
        "/a": "captured",
        "/drafts/b": "excluded",
    }
    assert states["/drafts/b"][1].code == "robots_disallowed"


@pytest.mark.parametrize("name", ["absent", "forbidden"])
def test_robots_missing_allows_all(robots_crawl: RobotsCrawl, name: str) -> None:
    assert robots_crawl.left.in_state(name, "captured") == {"/", "/a", "/drafts/b"}


@pytest.mark.parametrize("name", ["broken", "html", "dropped"])
def test_robots_unreadable_forbids_all(robots_crawl: RobotsCrawl, name: str) -> None:
    assert robots_crawl.paths(name) == ["/robots.txt"] * 4  # S0 §7.1: three retries
    state, reason = robots_crawl.left.urls(name)["/"]
    assert (state, robots_crawl.left.last_run(name)["state"]) == ("failed", "failed")
    assert reason.code == "robots_unavailable"


def test_robots_is_requested_first_and_once(robots_crawl: RobotsCrawl) -> None:
    for name, site in robots_crawl.sites.items():
        assert set(site.report().first.values()) == {"/robots.txt"}, name
        if name in {"rules", "bom", "named", "absent", "forbidden", "moved"}:
            assert robots_crawl.paths(name).count("/robots.txt") == 1, name
    assert robots_crawl.paths("recovers")[:3] == ["/robots.txt"] * 3


def test_robots_failures_are_reported(robots_crawl: RobotsCrawl) -> None:
    assert robots_crawl.done.returncode == 1
    assert "7 of 10 sources complete" in robots_crawl.done.stdout
    assert "robots.txt answered HTTP 500" in robots_crawl.done.stdout
    assert "an HTML page stands in place of robots.txt" in robots_crawl.done.stdout
    robots_crawl.left.assert_sums()


def test_robots_that_allowed_page_is_stored(robots_crawl: RobotsCrawl) -> None:
    (seen,) = robots_crawl.left.rows(
        "SELECT robots_seen.* FROM robots_seen JOIN runs USING (run_id) WHERE runs.source_id = 'rules'"
    )
    assert (seen["outcome"], seen["status"]) == ("rules", 200)
    rows = robots_crawl.left.rows("SELECT robots_object FROM audit WHERE manifest_id = 'rules' AND state = 'captured'")
    assert {row["robots_object"] for row in rows} == {seen["object"]}


def test_robots_forty_concurrent_requests_wait_for_one(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.robots("User-agent: *\nDisallow: /no/\n")
    paths = [f"/{'no' if number % 2 else 'yes'}/{number}" for number in range(40)]
    for path in paths:
        site.page(path, page(f"Page {path}"))
    held = site.slow("/robots.txt", seconds=0.5)
    project.manifest([source(f"s{path.replace('/', '-')}", site.at(path)) for path in paths], delay_s=0.02)
    collected = project.scrapy("collect", "-s", "RORI_PARALLEL_RUNS=40")
    held.release()
    assert collected.returncode == 1  # a source whose only page is disallowed has failed
    requested_paths = [hit.path for hit in site.log.hits()]
    assert requested_paths[0] == "/robots.txt"
    assert sorted(requested_paths[1:]) == sorted(path for path in paths if path.startswith("/yes/"))
    states = crawl_output.rows("SELECT state, count(*) AS n FROM run_urls GROUP BY state")
    assert {row["state"]: row["n"] for row in states} == {"captured": 20, "excluded": 20}
    crawl_output.assert_sums()


def test_robots_awaited_blocks_no_other_group(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    """Four servers that do not answer for their robots.txt, and a fifth place: enough for the site that answers."""
    *silent, good = sites(5)
    good.page("/", page("Start", "/1", "/2"))
    for path in ("/1", "/2"):
        good.page(path, page(f"Page {path}"))
    for one in silent:
        one.page("/", page("Start"))
    held = [one.slow("/robots.txt", seconds=600, times=1) for one in silent]
    named = [source(f"silent-{number}", one.at("/")) for number, one in enumerate(silent)]
    project.manifest([*named, source("good", good.at("/"), "crawl")], delay_s=0.02)
    with job(project, "collect", "-s", "CONCURRENT_REQUESTS=5", "-s", "DOWNLOAD_TIMEOUT=600") as running:
        for one in silent:
            one.log.wait_for("/robots.txt")
        good.log.wait_for("/2")
        for answer in held:
            answer.release()
        output, _ = running.communicate(timeout=60)
    assert running.returncode == 0, output
    assert crawl_output.in_state("good", "captured") == {"/", "/1", "/2"}


@pytest.mark.parametrize("packed", [False, True])
def test_robots_endless_is_read_to_limit(
    site: Site, project: Project, crawl_output: CrawlOutput, *, packed: bool
) -> None:
    rules = "User-agent: *\nDisallow: /no/\n"
    if packed:
        site.gzip("/robots.txt", rules + "# and so on\n" * 100_000)
    else:
        site.endless("/robots.txt", rules + "# and so on\n" * 20_000)
    site.page("/", page("Start", "/yes/1", "/no/1"))
    site.page("/yes/1", page("Yes"))
    site.page("/no/1", page("No"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    assert (crawl_output.states("a"), site.log.hits("/no/1")) == (
        {"/": "captured", "/yes/1": "captured", "/no/1": "excluded"},
        [],
    )
    (seen,) = crawl_output.rows("SELECT status, outcome FROM robots_seen")
    assert seen == {"status": 200, "outcome": "rules"}


def test_robots_delay_of_hours_cools_down_site(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.robots("User-agent: *\nCrawl-delay: 120000\n")
    site.page("/", page("Start"))
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    collected = project.scrapy("collect")
    assert collected.returncode == 1
    assert [hit.path for hit in site.log.hits()] == ["/robots.txt"]
    state, reason = crawl_output.urls("a")["/"]
    assert (state, reason == Reason("crawl_delay", seconds=120000, limit=900)) == ("failed", True)
    crawl_output.assert_sums()


def test_robots_retry_after_is_obeyed(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start"))
    site.status("/robots.txt", 429, times=1, retry_after="2")
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    assert project.scrapy("collect", env={"RORI_RETRY_SCALE": "0.001"}).returncode == 0
    first, second = site.log.hits("/robots.txt")
    assert second.at - first.at >= 2.0
    assert crawl_output.states("a") == {"/": "captured"}


def test_robots_redirect_to_host_of_other_job_is_refused(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    """What stands there is not known, so nothing is asked: the run waits for the other job to end."""
    own, theirs = sites(2)
    own.redirect("/robots.txt", theirs.at("/robots.txt"))
    own.page("/", page("Mine"))
    theirs.page("/", page("Theirs"))
    held = theirs.slow("/", page("Theirs"), times=1)
    project.manifest([source("mine", own.at("/")), source("theirs", theirs.at("/"))], delay_s=0.02)
    with job(project, "crawl", "theirs") as first:
        theirs.log.wait_for("/")
        second = project.scrapy("crawl", "mine")
        assert second.returncode == 1, second.stderr
        assert (crawl_output.states("mine"), crawl_output.last_run("mine")["state"]) == ({"/": "pending"}, "partial")
        assert not own.log.hits("/") and len(theirs.log.hits("/robots.txt")) == 1
        held.release()
        first.communicate(timeout=60)
    assert project.scrapy("crawl", "mine").returncode == 0
    assert crawl_output.states("mine") == {"/": "captured"}


def _robots_rows(left: CrawlOutput) -> list[tuple[int, str | None, bool]]:
    """Of each robots.txt in the audit: its HTTP status, reason code, and whether the bytes are those of the run."""
    rows = left.rows(
        "SELECT audit.*, robots_seen.object AS seen, robots_seen.status AS seen_status FROM audit"
        " JOIN robots_seen USING (run_id) WHERE kind = 'robots' ORDER BY audit_id"
    )
    assert all(row["http_status"] == row["seen_status"] for row in rows)
    return [(row["http_status"], row["reason_code"], row["raw_hash"] == row["seen"]) for row in rows]


def test_robots_is_requested_conditionally_by_next_job(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.robots(_DISALLOWED, etag='"one"')
    site.page("/", page("Start", "/a", "/drafts/b"))
    site.page("/a", page("Public"))
    project.manifest([source("a", site.at("/"), "crawl"), source("b", site.at("/a"))], delay_s=0.02)
    for _ in range(2):
        assert project.scrapy("collect", "--force").returncode == 0
    first, second = site.log.hits("/robots.txt")
    assert "if-none-match" not in first.headers
    assert (second.headers["if-none-match"], second.status) == ('"one"', 304)
    assert _robots_rows(crawl_output) == [(200, None, True)] * 2 + [(304, "not_modified", True)] * 2
    seen = crawl_output.rows("SELECT object, fetched_at FROM robots_seen ORDER BY fetched_at")
    assert len({row["object"] for row in seen}) == 1
    assert len({row["fetched_at"] for row in seen}) == 2  # the 304 is a reading of its own: its 24 hours begin then
    assert crawl_output.urls("a")["/drafts/b"][1].code == "robots_disallowed"
    assert not site.log.hits("/drafts/b")
    assert project.scrapy("verify").returncode == 0

    site.status("/robots.txt", 304, times=1)  # without the ETag, which RFC 9110 demands
    project.scrapy("collect", "--force")
    site.robots("User-agent: *\nDisallow: /a\n", etag='"two"')
    project.scrapy("collect", "--force")
    third, fourth = site.log.hits("/robots.txt")[2:]
    assert (third.headers["if-none-match"], fourth.headers["if-none-match"]) == ('"one"', '"one"')
    assert (third.status, fourth.status) == (304, 200)
    assert crawl_output.urls("b")["/a"][1].code == "robots_disallowed"
    assert crawl_output.urls("a")["/drafts/b"][0] == "failed"  # allowed now, and not there


def test_robots_with_lost_bytes_is_requested_whole(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.robots(_DISALLOWED, etag='"one"')
    site.page("/", page("Start"))
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    project.scrapy("collect")
    (seen,) = crawl_output.rows("SELECT object FROM robots_seen")
    (file,) = project.staging.glob(f"_objects/*/{seen['object']}.gz")
    file.unlink()
    project.scrapy("collect", "--force")
    second = site.log.hits("/robots.txt")[1]
    assert ("if-none-match" in second.headers, second.status) == (False, 200)
    assert file.exists()


def test_robots_unexpected_304_is_not_permission(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.status("/robots.txt", 304)
    site.page("/", page("Start"))
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    assert project.scrapy("collect", env={"RORI_RETRY_SCALE": "0.001"}).returncode == 1
    assert crawl_output.urls("a")["/"][1].code == "robots_unavailable"
    assert not site.log.hits("/")
