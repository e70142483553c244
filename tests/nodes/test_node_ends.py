"""A real node that is stopped or killed, and one on which no job can begin: no job hangs, and none is lost."""

from __future__ import annotations

import signal
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import source_status
from tests.nodes.node_set import NodeSet, serve
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.postgresql import Cluster
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(400)]  # jobs, each a process

_DELAY_S = 0.1


def test_node_stopped_or_killed_leaves_jobs_recoverable(
    project: Project, sites: Callable[[int], list[Site]], postgresql: Cluster
) -> None:
    servers = sites(2)
    project.manifest(serve(servers, 1), delay_s=_DELAY_S)
    stops, orphaned = (site.slow("/0", page("Part"), times=1, seconds=300) for site in servers)
    with NodeSet(project, postgresql.ledger(), 1) as node_set:
        [node] = node_set.nodes
        node_set.queue(servers[:1], 1)
        servers[0].log.wait_for("/0", timeout=60)
        node.signal(signal.SIGTERM)
        node.wait_for_end()
        stopped = node_set.job("s0-0")
        assert (stopped["state"], stopped["reason"]) == ("cancelled", "stopped by a signal"), "it ended before Scrapyd"
        stops.release()
        node.start()
        assert project.scrapy("dispatch", "--once").returncode == 0
        servers[1].log.wait_for("/0", timeout=60)
        node.signal(signal.SIGKILL)
        node.wait_for_end()
        orphaned.release()
        for source_id in ("s0-0", "s1-0"):
            ended = node_set.wait_for(source_id, state="ended")
            assert (ended["outcome"], ended["attempt"]) == ("complete", 1)


def test_node_stopped_leaves_at_once_what_people_ordered_to_another(
    project: Project, sites: Callable[[int], list[Site]], postgresql: Cluster
) -> None:
    servers = sites(2)
    project.manifest(serve(servers, 1), delay_s=_DELAY_S)
    held = [site.slow("/0", page("Part"), times=1, seconds=300) for site in servers]
    with NodeSet(project, postgresql.ledger(), 2) as node_set:
        stops, goes_on = node_set.nodes
        goes_on.kill()
        now = datetime.now(UTC)
        with open_ledger(node_set.url) as ledger, ledger.begin() as conn:
            source_status.record_outcome(
                conn, "s1-0", run_id=str(uuid4()), state="complete", operator="system", changed=False, now=now
            )
            source_status.set_next_run(conn, "s1-0", now)
        stops.post("schedule.json", project="default", spider="sources", sources="s0-0")
        ordered = node_set.job("s0-0")
        assert "Queued 1 job with 1 source." in project.scrapy("dispatch", "--once").stdout
        for site in servers:
            site.log.wait_for("/0", timeout=60)
        stops.signal(signal.SIGTERM)
        stops.wait_for_end()
        again = node_set.job("s0-0")
        assert (again["state"], again["operator"], again["follows"]) == ("waiting", "manual", ordered["job_id"])
        assert again["priority"] == ordered["priority"]
        assert node_set.job("s1-0")["reason"] == "stopped by a signal"
        assert "Queued 1 job with 1 source." in project.scrapy("dispatch", "--once").stdout, (
            "it need not wait until due"
        )
        for one in held:
            one.release()
        goes_on.start()
        for source_id in ("s0-0", "s1-0"):
            ended = node_set.wait_for(source_id, state="ended")
            assert (ended["outcome"], ended["node"]) == ("complete", goes_on.name)
        assert node_set.rows("SELECT DISTINCT state, resumed_at IS NULL FROM runs") == [("complete", False)]
        assert not node_set.rows("SELECT 1 FROM source_state WHERE next_run_at IS NOT NULL")
        assert "Queued 0 jobs" in project.scrapy("dispatch", "--once").stdout


def test_node_offline_counts_no_failure_of_its_sources(project: Project, postgresql: Cluster) -> None:
    project.manifest([source(f"s{one}-0", f"http://s{one}.invalid/") for one in range(3)])
    with NodeSet(project, postgresql.ledger(), 1, max_proc=1) as node_set:
        assert project.scrapy("dispatch", "--once").returncode == 0
        node_set.wait_for_rows("SELECT 1 FROM jobs WHERE outcome = 'offline'")
        [(reason,)] = node_set.rows("SELECT reason FROM jobs WHERE outcome = 'offline'")
        assert str(reason).startswith("This machine seems to be offline: no name is resolved (s")
        assert node_set.rows("SELECT state, reason_code FROM runs") == [("partial", "offline")]
        assert not node_set.rows("SELECT 1 FROM source_state WHERE failures_in_row > 0")
        node_set.wait_for_rows("SELECT 1 FROM alerts WHERE event = 'offline'")
        assert len(node_set.rows("SELECT 1 FROM jobs WHERE state = 'waiting'")) == 2


def test_job_that_cannot_start_is_reported_and_node_waits(
    project: Project, sites: Callable[[int], list[Site]], postgresql: Cluster
) -> None:
    servers = sites(2)
    manifest = project.manifest(serve(servers, 1), delay_s=_DELAY_S)
    good = manifest.read_text(encoding="utf-8")
    with NodeSet(project, postgresql.ledger(), 1, max_proc=1) as node_set:
        [node] = node_set.nodes
        manifest.write_text(good.replace('"status"', '"stati"'), encoding="utf-8")
        node_set.queue(servers, 1)
        node.wait_for_log("did not start; this node takes no job for a minute")
        refused, waits = sorted((node_set.job(f"s{one}-0") for one in range(2)), key=lambda job: str(job["state"]))
        assert (refused["state"], refused["outcome"], waits["state"]) == ("ended", "refused", "waiting")
        assert str(manifest) in refused["reason"] and "stati" in refused["reason"]
        assert not node_set.rows("SELECT 1 FROM leases WHERE owner IS NOT NULL")
        manifest.write_text(good, encoding="utf-8")
        node.kill()
        node.start()
        assert project.scrapy("dispatch", "--once").returncode == 0
        assert node_set.rows("UPDATE alembic_version SET version_num = 'later' RETURNING 1")
        node.wait_for_log("see its log")
        told = node_set.rows("SELECT reason FROM jobs WHERE outcome = 'refused'")
        assert len(told) == 2 and any(f"the process on {node.name} ended" in str(why) for (why,) in told)
