"""Crawls of servers that break HTTP: each URL ends as it must, and the pages between them do not notice."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.hostile import codings, wires
from tests.hostile.server import Endpoint, HostileServer, html
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import Project, source
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterator

# The first test waits for the crawls of all cases: a minute on a loaded machine.
pytestmark = [pytest.mark.crawl, pytest.mark.timeout(360)]

SITES = {
    "slow": wires.SLOW_ONES,
    "wires": {**wires.LOST_ONES, **wires.STATUSES, **wires.REDIRECTS},
    "lengths": {**wires.LENGTHS, **wires.HEADS, **wires.BODIES},
    "codings": codings.CODINGS,
}
CASES = [(name, path, endpoint) for name, site in SITES.items() for path, endpoint in site.items()]
SITES["wires"] |= wires.LOOPS
GOOD = [f"/good/{number}" for number in range(6)]
MAX_BYTES = 4 * 2**20


def whole(endpoints: dict[str, Endpoint]) -> dict[str, Endpoint]:
    """*endpoints*, good pages among them, and a start page that links all."""
    good = {path: Endpoint(html(page(f"Good {path}").encode())) for path in GOOD}
    paths, every = [*endpoints], max(1, len(endpoints) // len(GOOD))
    for number, path in enumerate(GOOD):
        paths.insert((number + 1) * every + number, path)
    return {**endpoints, **good, "/": Endpoint(html(page("Start", *paths).encode()))}


class Hostile:
    """The servers, and what a crawl left of those that never end, and one of all others.

    Only the first gives up early: on a busy machine, two seconds are too few for a sound page.
    """

    def __init__(self, project: Project, servers: dict[str, HostileServer]) -> None:
        self.servers = servers
        config = {"follow_links": True, "sitemaps": []}
        project.manifest(
            [source(name, f"{server.url}/", "crawl", scrape_config=config) for name, server in servers.items()],
            delay_s=0.01,
        )
        project.env |= {"RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": "0.001", "RORI_MAX_BYTES": str(MAX_BYTES)}
        slow, *others = (f"--source={name}" for name in servers)
        self.done = [
            project.scrapy("collect", slow, "-s", "DOWNLOAD_TIMEOUT=2", timeout=150),
            project.scrapy("collect", *others, "-s", "DOWNLOAD_TIMEOUT=30", timeout=150),
        ]
        self.output = CrawlOutput(project)
        self.urls = {name: self.output.urls(name) for name in servers}


@pytest.fixture(scope="module")
def hostile(shared: Project) -> Iterator[Hostile]:
    with ExitStack() as opened:
        servers = {
            name: opened.enter_context(HostileServer(next_address(), whole(endpoints)))
            for name, endpoints in SITES.items()
        }
        yield Hostile(shared, servers)


@pytest.mark.parametrize(("name", "path", "endpoint"), CASES, ids=[path for _, path, _ in CASES])
def test_hostile_http_response_ends_as_expected(hostile: Hostile, name: str, path: str, endpoint: Endpoint) -> None:
    state, reason = hostile.urls[name][path]
    assert state == endpoint.final, reason
    assert reason.code == (endpoint.word or "captured") or state == "excluded", reason
    assert hostile.servers[name].hits[path] == endpoint.asked


@pytest.mark.parametrize("size", [2, 10])
def test_hostile_redirect_loop_is_detected(hostile: Hostile, size: int) -> None:
    """Each of its URLs leads to the next; the last that is asked leads back, and says so."""
    ends = [hostile.urls["wires"][f"/loop/{size}/{n}"] for n in range(size)]
    failed = [reason for state, reason in ends if state == "failed"]
    assert failed == [Reason("redirect_loop", rule="the page redirects to itself")]
    assert sum(state == "excluded" for state, _ in ends) == size - 1
    assert all(hostile.servers["wires"].hits[f"/loop/{size}/{n}"] == 1 for n in range(size))


@pytest.mark.parametrize("name", SITES)
def test_hostile_responses_do_not_affect_other_pages(hostile: Hostile, name: str) -> None:
    assert {path: hostile.urls[name][path] for path in GOOD} == dict.fromkeys(GOOD, ("captured", ""))
    assert all(hostile.servers[name].hits[path] == 1 for path in GOOD)


def test_hostile_runs_reach_outcome(hostile: Hostile) -> None:
    for done in hostile.done:
        assert done.returncode in (0, 1), done.stderr[-3000:]
        assert "Traceback" not in done.stderr
    hostile.output.assert_sums()


def test_hostile_captured_pages_are_whole(hostile: Hostile) -> None:
    for envelope in hostile.output.envelopes():
        body = envelope["content"]["body"]
        assert body.count("A creditor shall disclose") == 2, envelope["source"]["url"]
        assert "Evil" not in body
