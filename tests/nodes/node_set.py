"""Two nodes over one PostgreSQL ledger and one staging area, the jobs in their queue, and what servers saw of them."""

from __future__ import annotations

import re
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import psycopg

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import job_queue
from tests.nodes.node import Node
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.project import Project
    from tests.support.server import Site


class NodeSet:
    """*number* nodes in folders of their own beside *project*, whose manifest they share."""

    def __init__(
        self, project: Project, database_url: str, number: int = 2, *, max_proc: int = 2, staging: str = ""
    ) -> None:
        self.project, self.url = project, database_url
        project.env |= {"RORI_DATABASE_URL": database_url, "RORI_STAGING": staging or str(project.staging)}
        forks = project.starter(project.env)
        self.nodes = [
            Node(project.folder / f"node-{one}", project.env, max_proc=max_proc, starter=forks) for one in range(number)
        ]
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for node in self.nodes:
            self._stack.enter_context(node)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def queue(self, sites: Sequence[Site], pages: int) -> None:
        """One job a site, of the sources that ``serve`` gave for it."""
        ledger = open_ledger(self.url)
        with ledger.begin() as conn:
            for number, site in enumerate(sites):
                ids, now = [f"s{number}-{one}" for one in range(pages)], datetime.now(UTC)
                job_queue.enqueue_job(
                    conn, job_id=str(uuid4()), sources=ids, groups=[site.host], priority=0, operator="system", now=now
                )
        ledger.close()

    def rows(self, query: str, *values: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.url, autocommit=True) as conn:
            return conn.execute(query.encode(), values or None).fetchall()  # without values, % is a letter

    def wait_for_rows(self, query: str, *values: str) -> None:
        """Until there are some. AssertionError with the nodes' logs when none come."""
        until = time.monotonic() + 60
        while not self.rows(query, *values):
            assert time.monotonic() < until, "\n".join(node.log for node in self.nodes)
            time.sleep(0.2)

    def silent(self, node: Node) -> None:
        """As if a minute had passed since the last sign of life of *node*."""
        late = "now() - interval '1 second'"
        of_node = f"SELECT job_id FROM jobs WHERE node = '{node.name}' AND state IN ('leased', 'running')"
        with psycopg.connect(self.url, autocommit=True) as conn:
            for job_id in [row[0] for row in conn.execute(of_node.encode()).fetchall()]:
                conn.execute(f"UPDATE leases SET expires_at = {late} WHERE owner LIKE '%:{job_id}'".encode())
                conn.execute(f"UPDATE jobs SET leased_until = {late} WHERE job_id = '{job_id}'".encode())

    def job(self, source_id: str) -> dict[str, Any]:
        """The last job of the source."""
        of_it = f"""sources::text LIKE '%"{source_id}"%'"""
        query = f"SELECT row_to_json(jobs) FROM jobs WHERE {of_it} ORDER BY queued_at DESC"
        found: dict[str, Any] = self.rows(query)[0][0]  # type: ignore[assignment]  # whatever psycopg makes of JSON
        return found

    @staticmethod
    def pid(job: dict[str, Any]) -> int:
        """That of the process that runs it."""
        return int(job["owner"].split(":")[-2].partition("-")[0])

    def wait_for(self, source_id: str, **wanted: object) -> dict[str, Any]:
        """The last job of the source, once it stands so. AssertionError with the nodes' logs when it does not."""
        until = time.monotonic() + 60
        while not wanted.items() <= (found := self.job(source_id)).items():
            assert time.monotonic() < until, f"{found}\n" + "\n".join(node.log for node in self.nodes)
            time.sleep(0.2)
        return found

    def wait_until_over(self, timeout_s: float) -> None:
        """Until nothing waits or runs any more. AssertionError with the nodes' logs when it lasts too long."""
        until = time.monotonic() + timeout_s
        while self.rows("SELECT 1 FROM jobs WHERE state IN ('waiting', 'leased', 'running')"):
            assert time.monotonic() < until, "\n".join(node.log for node in self.nodes)
            time.sleep(0.2)


def serve(sites: Sequence[Site], pages: int) -> list[dict[str, Any]]:
    """So many pages on each site; gives their sources."""
    found = []
    for number, site in enumerate(sites):
        for one in range(pages):
            site.page(f"/{one}", page(f"Part {number}.{one}"))
            found.append(source(f"s{number}-{one}", site.at(f"/{one}")))
    return found


def turns(site: Site) -> list[str]:
    """The nodes that asked the site, one after the other: a node that is there twice was interrupted by another."""
    asked = (re.search(r"node/(\d+)", hit.headers["user-agent"]) for hit in site.log.hits())
    return [name for name, _ in groupby(found[1] if found else "?" for found in asked)]
