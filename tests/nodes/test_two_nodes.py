"""Two nodes over one queue, one killed in the middle: all is collected once, and no server is asked by two at once.

The full size, with the delays of production: ``python -m benchmarks.nodes``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.nodes.node_set import NodeSet, serve, turns
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.server.log import smallest_spacing

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.postgresql import Cluster
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(400)]  # eight jobs, each a process

_DELAY_S = 0.4
#: Between the moment at which a request leaves, by which we space, and its arrival: a loaded machine takes its time.
_LATE_S = 0.1
_PAGES = 2


def test_two_nodes_one_killed_other_collects_the_rest(
    project: Project, sites: Callable[[int], list[Site]], postgresql: Cluster
) -> None:
    servers = sites(6)
    project.manifest(serve(servers, _PAGES), delay_s=_DELAY_S)
    held = servers[0].slow("/1", page("Part 0.1"), times=1, seconds=300)
    with NodeSet(project, postgresql.ledger()) as node_set:
        node_set.queue(servers, _PAGES)
        servers[0].log.wait_for("/1", timeout=60)
        [(dying, survivor)] = [
            (one, other)
            for one, other in (node_set.nodes, node_set.nodes[::-1])
            if turns(servers[0]) == [str(one.port)]
        ]
        node_set.wait_for_rows("SELECT 1 FROM jobs WHERE state = 'ended' AND node = %s", survivor.name)
        dying.kill()
        node_set.silent(dying)
        held.release()
        node_set.wait_until_over(90)
        jobs = node_set.rows("SELECT sources, state, outcome, reason, node FROM jobs")
        runs = node_set.rows("SELECT source_id, state FROM runs")
        held_still = node_set.rows("SELECT owner FROM leases WHERE owner IS NOT NULL")
    assert sorted(runs) == sorted((f"s{site}-{one}", "complete") for site in range(6) for one in range(_PAGES)), jobs
    states = Counter(state for _, state, *_ in jobs)
    # A job that is killed behind its last page needs no other.
    assert states["ended"] in {5, 6} and states["lost"] >= 1 and set(states) == {"ended", "lost"}
    assert not held_still
    lines = Counter(line["url"] for line in CrawlOutput(project).index())
    assert lines == {site.at(f"/{one}"): 1 for site in servers for one in range(_PAGES)}
    assert project.scrapy("verify").returncode == 0
    for site in servers:
        assert len(turns(site)) == len(set(turns(site))) <= 2, "asked by two nodes in turn"
        assert smallest_spacing(site.log.hits()) >= _DELAY_S - _LATE_S
    assert {name for site in servers for name in turns(site)} == {str(node.port) for node in node_set.nodes}
