"""How jobs of real nodes are stopped, by people and by accident: each ends well, and what it left is due again."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.nodes.node_set import NodeSet, serve
from tests.support.pages import page

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.postgresql import Cluster
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(400)]  # jobs, each a process

_DELAY_S = 0.1


def test_stopped_job_leaves_remaining_sources_due(
    project: Project, sites: Callable[[int], list[Site]], postgresql: Cluster
) -> None:
    servers = sites(3)
    project.manifest(serve(servers, 1), delay_s=_DELAY_S)
    held = [site.slow("/0", page("Part"), times=1, seconds=300) for site in servers]
    with NodeSet(project, postgresql.ledger(), 1, max_proc=3) as node_set:
        [node] = node_set.nodes
        node_set.queue(servers, 1)
        for site in servers:
            site.log.wait_for("/0", timeout=60)
        from_elsewhere, by_scrapyd, killed = (node_set.job(f"s{one}-0") for one in range(3))
        assert project.scrapy("jobs", "cancel", from_elsewhere["job_id"]).returncode == 0
        answer = node.post("cancel.json", project="default", job=by_scrapyd["job_id"])
        assert answer["prevstate"] == "running"
        os.kill(node_set.pid(killed), signal.SIGKILL)
        assert node_set.wait_for("s1-0", state="cancelled")["reason"] == "stopped by a signal"
        assert node_set.wait_for("s0-0", state="cancelled")["reason"].startswith("cancelled by")
        assert node_set.job("s2-0")["state"] == "running", "only its silence tells the queue"
        node_set.silent(node)
        for one in held:
            one.release()
        again = node_set.wait_for("s2-0", attempt=2, state="ended")
        assert (again["follows"], again["outcome"]) == (killed["job_id"], "complete")
        assert sorted(node_set.rows("SELECT source_id, state FROM runs")) == [
            ("s0-0", "partial"),
            ("s1-0", "partial"),
            ("s2-0", "complete"),
        ]
        assert "Queued 2 jobs with 2 sources." in project.scrapy("dispatch", "--once").stdout
        for source_id in ("s0-0", "s1-0"):
            assert node_set.wait_for(source_id, state="ended")["outcome"] == "complete"
        assert not node_set.rows("SELECT 1 FROM leases WHERE owner IS NOT NULL")


def test_stopped_job_that_a_person_ordered_is_next_on_another_node(
    project: Project, sites: Callable[[int], list[Site]], postgresql: Cluster
) -> None:
    """Two nodes with one place each: what a schedule ordered waits while the first one's machine ends."""
    servers = sites(4)
    project.manifest(serve(servers, 1), delay_s=_DELAY_S)
    held = [site.slow("/0", page("Part"), times=1, seconds=300) for site in servers]
    with NodeSet(project, postgresql.ledger(), max_proc=1) as node_set:
        assert project.scrapy("dispatch", "--prioritize", "s0-0").returncode == 0
        servers[0].log.wait_for("/0", timeout=60)
        ordered = node_set.job("s0-0")
        assert "Queued 3 jobs with 3 sources." in project.scrapy("dispatch", "--once").stdout
        node_set.wait_for_rows("SELECT 1 FROM jobs WHERE state = 'running' AND operator = 'system'")
        ends, stays = sorted(node_set.nodes, key=lambda node: node.name != ordered["node"])
        ends.signal(signal.SIGTERM)
        assert node_set.wait_for("s0-0", state="waiting")["priority"] == ordered["priority"]
        for one in held:
            one.release()
        again = node_set.wait_for("s0-0", state="ended")
        assert (again["follows"], again["outcome"], again["node"]) == (ordered["job_id"], "complete", stays.name)
        node_set.wait_until_over(120)
        begun = node_set.rows("SELECT operator FROM jobs WHERE node = %s ORDER BY started_at", stays.name)
        assert [operator for (operator,) in begun] == ["system", "manual", "system", "system"]
        assert project.scrapy("verify").returncode == 0
