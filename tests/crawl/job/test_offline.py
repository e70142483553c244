"""A network of our own that is down: the job stops, nothing counts against its sources, and the next one goes on."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.crawl.job import connectivity
from rori_spiders.crawl.job.connectivity import Connectivity
from rori_spiders.urls.public_addresses import AddressRules
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_FAST = {"RORI_RETRY_SCALE": "0.001"}
_NAMES = "-s", "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"


def _refusing_url() -> str:
    """A page on an address of its own, whose port nobody listens on."""
    host = next_address()
    with socket.socket() as taken:
        taken.bind((host, 0))
        return f"http://{host}:{taken.getsockname()[1]}/"


def _collect(project: Project, *args: str, **env: str) -> CompletedProcess[str]:
    return project.scrapy("collect", *args, env={**_FAST, **env})


def _states(project: Project) -> dict[str, tuple[str, str | None]]:
    """Each source's newest run: its state and the code of the reason."""
    return {run["source_id"]: (run["state"], run["reason_code"]) for run in CrawlOutput(project).runs()}


def _alerts(project: Project) -> list[dict[str, Any]]:
    return CrawlOutput(project).rows("SELECT * FROM alerts WHERE cleared_at IS NULL")


def _failures(project: Project) -> int:
    (row,) = CrawlOutput(project).rows("SELECT coalesce(sum(failures_in_row), 0) AS failures FROM source_state")
    return int(row["failures"])


def test_night_without_dns_counts_against_nobody_and_next_job_continues(project: Project, site: Site) -> None:
    site.page("/", page("Law"))
    names = [f"agency-{number}.example" for number in range(8)]
    project.manifest([source(name.partition(".")[0], f"http://{name}:{site.port}/") for name in names])
    project.env["RORI_ALLOWED_ADDRESSES"] = f"{site.host}/32"

    done = _collect(project, *_NAMES, TOLD_NAMES="nobody=0")
    assert done.returncode == 1
    assert "0 of 8 sources complete." in done.stdout
    assert "This machine seems to be offline: no name is resolved (agency-" in done.stdout
    assert "Nothing counts against the 8 sources left; the next job goes on with them." in done.stdout, done.stdout
    assert set(_states(project).values()) == {("partial", "offline")}
    assert _failures(project) == 0
    assert CrawlOutput(project).rows("SELECT * FROM audit WHERE state = 'failed'") == []
    (alert,) = _alerts(project)
    assert (alert["event"], alert["source_id"], alert["severity"]) == ("offline", "", "high")

    _collect(project, *_NAMES, TOLD_NAMES="nobody=0")
    assert [one["alert_id"] for one in _alerts(project)] == [alert["alert_id"]]

    done = _collect(project, *_NAMES, TOLD_NAMES=",".join(f"{name}={site.host}" for name in names))
    assert (done.returncode, _alerts(project)) == (0, []), done.stdout
    assert _states(project) == {name.partition(".")[0]: ("complete", "complete") for name in names}


def test_one_source_alone_is_told_from_the_network_by_the_names_of_others(project: Project) -> None:
    project.manifest([source(name, f"http://{name}.invalid/") for name in ("a", "b", "c")])
    done = project.scrapy("crawl", "b", env=_FAST)
    assert done.returncode == 1
    assert "This machine seems to be offline: no name is resolved (b.invalid, a.invalid, c.invalid)" in done.stdout
    assert _states(project) == {"b": ("partial", "offline")}


def test_dead_name_among_others_that_resolve_fails_alone(project: Project, site: Site) -> None:
    site.page("/", page("Law"))
    hosts = {"dead": "dead.example", "one": "one.example", "two": "two.example"}
    project.manifest([source(name, f"http://{host}:{site.port}/") for name, host in hosts.items()])
    project.env["RORI_ALLOWED_ADDRESSES"] = f"{site.host}/32"
    told = f"one.example={site.host},two.example={site.host}"
    project.scrapy("crawl", "dead", *_NAMES, env={**_FAST, "TOLD_NAMES": told})
    assert _states(project) == {"dead": ("failed", "start_failed")}
    assert [one["event"] for one in _alerts(project)] == ["robots_unreachable"]


@pytest.mark.parametrize("dead", [1, 2])
def test_dead_servers_among_living_ones_count_against_themselves(
    project: Project, sites: Callable[[int], list[Site]], dead: int
) -> None:
    living = sites(5 - dead)
    for one in living:
        one.page("/", page("Law"))
    project.manifest(
        [
            *(source(f"dead-{number}", _refusing_url()) for number in range(dead)),
            *(source(f"living-{number}", one.at("/")) for number, one in enumerate(living)),
        ],
        delay_s=0.02,
    )
    assert _collect(project).returncode == 1
    states = _states(project)
    assert [states.pop(f"dead-{number}") for number in range(dead)] == [("failed", "start_failed")] * dead
    assert set(states.values()) == {("complete", "complete")}
    assert (_failures(project), len(_alerts(project))) == (dead, dead)


def test_servers_that_all_refuse_connections_are_a_network_that_is_down(project: Project) -> None:
    project.manifest([source(f"s{number}", _refusing_url()) for number in range(4)], delay_s=0.02)
    done = _collect(project)
    assert "This machine seems to be offline: none of 3 hosts in a row could be reached" in done.stdout
    assert set(_states(project).values()) == {("partial", "offline")}
    assert (_failures(project), [one["event"] for one in _alerts(project)]) == (0, ["offline"])


def test_servers_that_are_down_behind_one_that_answers_count_against_themselves(project: Project, site: Site) -> None:
    """Nobody is left to be asked when the last ones fail: the server that answered before takes a connection still."""
    site.page("/", page("Law"))
    dead = [source(f"dead-{number}", _refusing_url()) for number in range(3)]
    project.manifest([source("a-living", site.at("/")), *dead], delay_s=0.02)
    assert _collect(project, RORI_PARALLEL_RUNS="1").returncode == 1
    states = _states(project)
    assert states.pop("a-living") == ("complete", "complete")
    assert set(states.values()) == {("failed", "start_failed")}
    assert _failures(project) == 3
    assert [hit.path for hit in site.log.hits()] == ["/robots.txt", "/"]


def test_servers_that_are_down_do_not_keep_the_next_job_from_the_others(project: Project, site: Site) -> None:
    """They are the first again, as nothing counted against them: so they go last."""
    site.page("/", page("Law"))
    dead = [source(f"dead-{number}", _refusing_url()) for number in range(3)]
    project.manifest([*dead, source("living", site.at("/"))], delay_s=0.02)
    _collect(project, RORI_PARALLEL_RUNS="3")
    assert set(_states(project).values()) == {("partial", "offline")}
    assert not site.log.hits()
    _collect(project, RORI_PARALLEL_RUNS="3")
    states = _states(project)
    assert states.pop("living") == ("complete", "complete")
    assert set(states.values()) == {("failed", "start_failed")}
    assert _alerts(project) and "offline" not in {one["event"] for one in _alerts(project)}


def test_connectivity_host_that_answers_blames_sources(project: Project, site: Site) -> None:
    project.manifest([source(f"s{number}", _refusing_url()) for number in range(4)], delay_s=0.02)
    _collect(project, RORI_CONNECTIVITY_HOST=f"{site.host}:{site.port}")
    assert _states(project) == {f"s{number}": ("failed", "start_failed") for number in range(4)}
    assert (_failures(project), site.log.hits()) == (4, [])


def test_connectivity_host_that_is_absent_blames_network(project: Project) -> None:
    named = _refusing_url().removeprefix("http://").rstrip("/")
    project.manifest([source("only", _refusing_url())], delay_s=0.02)
    done = project.scrapy("crawl", "only", env={**_FAST, "RORI_CONNECTIVITY_HOST": named})
    assert f"offline: {named} (RORI_CONNECTIVITY_HOST) cannot be reached: " in done.stdout
    assert _states(project) == {"only": ("partial", "offline")}


def test_network_loss_during_job_leaves_rest_pending(project: Project, sites: Callable[[int], list[Site]]) -> None:
    served = sites(3)
    for number, one in enumerate(served):
        one.page("/", page("Guide", *(f"/{name}" for name in "abc")))
        for name in "abc":
            one.page(f"/{name}", page(f"Section {name} of guide {number}"))
    project.manifest(
        [
            source(f"g{number}", one.at("/"), "crawl", scrape_config={"sitemaps": []})
            for number, one in enumerate(served)
        ],
        delay_s=0.5,
    )
    with project.start("collect", "--force", env=_FAST) as job:
        for one in served:
            assert one.log.wait_for("/", timeout=60)
        for one in served:
            one.close()
        out, _ = job.communicate(timeout=100)
    assert job.returncode == 1, out
    assert set(_states(project).values()) == {("partial", "offline")}, out
    assert CrawlOutput(project).rows("SELECT * FROM run_urls WHERE state = 'failed'") == []


@pytest.mark.parametrize("given", ["http://a/", "a b:443", "a:99999", ":443"])
def test_connectivity_host_that_is_no_host_is_refused(project: Project, given: str) -> None:
    project.manifest([source("a", "http://a.invalid/")])
    done = _collect(project, RORI_CONNECTIVITY_HOST=given)
    assert done.returncode == 2
    assert "RORI_CONNECTIVITY_HOST" in done.stderr


def test_server_answer_during_address_lookup_does_not_break_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = Connectivity(None, AddressRules([]), named_host="", asked_sources=list, stop=print)  # type: ignore[arg-type]
    network._unreachable |= {"a": "a.invalid", "b": "b.invalid"}

    async def look_up(_host: str) -> tuple[str, ...]:
        network._unreachable.clear()
        return ()

    monkeypatch.setattr(connectivity, "_addresses", look_up)
    asyncio.run(network._has_route())
