"""A node that dies while it holds the leases of ten groups: another one collects what it left, none of it twice."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import job_queue
from tests.nodes.node_set import NodeSet, turns
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.postgresql import Cluster
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(400)]  # jobs, each a process


def test_killed_node_with_ten_leases_frees_them_all(
    project: Project, sites: Callable[[int], list[Site]], postgresql: Cluster
) -> None:
    first, *others = servers = sites(10)
    first.page("/", page("Start", *(one.at("/more") for one in others)))
    for number, one in enumerate(others):
        one.page("/more", page(f"More {number}"))
    held = others[0].slow("/more", page("More 0"), times=1, seconds=300)
    hosts = [one.host for one in others]
    project.manifest([source("wide", first.at("/"), "crawl", allowed_hosts=hosts)], delay_s=0.05)
    project.env["RORI_ALLOWED_ADDRESSES"] = ",".join(one.netloc for one in servers)
    with NodeSet(project, postgresql.ledger(), max_proc=1) as node_set:
        ledger = open_ledger(node_set.url)
        with ledger.begin() as conn:
            groups, now = [one.host for one in servers], datetime.now(UTC)
            job_queue.enqueue_job(
                conn, job_id=str(uuid4()), sources=["wide"], groups=groups, priority=0, operator="system", now=now
            )
        ledger.close()
        others[0].log.wait_for("/more", timeout=60)
        leased = node_set.rows("SELECT owner FROM leases WHERE owner IS NOT NULL")
        [dying] = [one for one in node_set.nodes if turns(first) == [str(one.port)]]
        dying.kill()
        node_set.silent(dying)
        held.release()
        node_set.wait_until_over(90)
        runs = node_set.rows("SELECT source_id, state FROM runs")
        still = node_set.rows("SELECT owner FROM leases WHERE owner IS NOT NULL")
    assert (len(leased), len({owner for (owner,) in leased})) == (10, 1)
    assert (runs, still) == ([("wide", "complete")], [])
    lines = Counter(line["url"] for line in CrawlOutput(project).index())
    assert lines == Counter([first.at("/"), *(one.at("/more") for one in others)])
    assert project.scrapy("verify").returncode == 0
