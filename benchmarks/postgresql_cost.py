"""What PostgreSQL spends on each thing that a fleet does: CPU of its processes, by page, poll, claim and renewal.

    .venv/bin/python -m benchmarks.postgresql_cost              # 200 of each
    .venv/bin/python -m benchmarks.postgresql_cost --job 30     # a real job instead: a site of so many pages, twice

All transactions are those of the collector's own functions, from one client. A page is a first visit with 20 links, its
version and its envelope, or a second one, at which one page in fifty has changed; half of the sources answer 304 then.
`together` is how many pages one transaction records. Statements, rows and transactions are those that the server ran
(`pg_stat_statements`). On a machine that others use, compare rounds, not single figures. A real job does all that a
page costs: its reservation, its renewals, and the plans of statements that are new to its session.
"""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from benchmarks.fleet import Domain, cluster_cpu_s
from benchmarks.ledger_year import Visitor
from rori_spiders.crawl.runs.run import Run
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import job_queue, leases, permits
from rori_spiders.ledger.queue.permits import PermitLimits
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.manifest.scope import Scope
from rori_spiders.reasons import COMPLETE
from tests.support.pages import page
from tests.support.postgresql import Cluster, name_of
from tests.support.project import Project, source
from tests.support.server import Site

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.queue.job_queue import QueuedJob

_TTL_S = 600.0
_LIMITS = PermitLimits(100_000)


class Meter:
    """Prints what a number of calls cost."""

    def __init__(self, cluster: Cluster, url: str) -> None:
        self._cluster, self._database = cluster, name_of(url)
        cluster.sql("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
        cluster.restart()
        self._sql("CREATE EXTENSION pg_stat_statements")

    def _sql(self, statement: str) -> list[tuple[object, ...]]:
        return self._cluster.sql(statement, database=self._database)

    def measure(self, name: str, number: int, work: Callable[[int], Any], each: int = 1) -> None:
        self._sql("SELECT pg_stat_statements_reset()")
        before, client = cluster_cpu_s(self._cluster), time.process_time()
        for at in range(0, number, each):
            work(at)
        spent, client = cluster_cpu_s(self._cluster) - before, time.process_time() - client
        [(calls, rows, ends)] = self._sql(
            "SELECT sum(calls)::int, sum(rows)::int, sum(calls) FILTER (WHERE query IN ('COMMIT', 'ROLLBACK'))::int "
            "FROM pg_stat_statements WHERE query !~ 'pg_stat_statements'"
        )
        print(
            f"{name:28} {spent / number * 1000:6.2f} ms of PostgreSQL, {client / number * 1000:6.2f} ms of the client, "
            f"{int(str(calls)) / number:5.1f} statements, {int(str(rows)) / number:5.1f} rows, "
            f"{int(str(ends or 0)) / number:4.1f} transactions",
            flush=True,
        )


def measure_job(url: str, meter: Meter, number: int) -> None:
    """A real job of one site, at a first and at a second visit, which its server answers with 304."""
    with Site("127.0.33.1") as site, TemporaryDirectory(prefix="rori-cost-") as folder:
        paths = [f"/{one}" for one in range(number - 1)]
        site.page("/", page("Start", *paths), validators=True)
        for at, path in enumerate(paths):
            site.page(path, page(path, *paths[max(0, at - 10) : at + 10]), validators=True)
        project = Project(Path(folder))
        project.env["RORI_DATABASE_URL"] = url
        project.manifest([source("s", site.at("/"), "crawl")])
        for visit in ("first", "second"):
            meter.measure(f"a page of a job, {visit} visit", number, lambda _: _run_job(project), number)


def _run_job(project: Project) -> None:
    done = project.scrapy("crawl", "s", timeout=1200)
    assert not done.returncode, done.stderr


def measure_pages(ledger: Ledger, meter: Meter, number: int, together: int) -> None:
    """Two sources of that many pages, one of which sends no 304: all at a first visit, then all at a second one."""
    domain = Domain(1000 + together, number + together, 2.0)
    visitors = [Visitor(domain.source(), at, pages=domain.pages) for at in range(2)]
    _measure_visit(ledger, meter, domain, visitors[0], "first visit", together)
    _measure_visit(ledger, meter, domain, visitors[0], "304", together)
    # The same pages once more, whose server sends all their bytes.
    _measure_visit(ledger, meter, domain, visitors[1], "same text", together)


def _measure_visit(ledger: Ledger, meter: Meter, domain: Domain, visitor: Visitor, kind: str, together: int) -> None:
    now = datetime.now(UTC)

    def begin(conn: Connection) -> tuple[str, leases.Lease]:
        row = run_records.open_run(
            conn,
            source_id=visitor.source.id,
            manifest_version="1",
            method="crawl",
            operator="system",
            job_id=str(uuid4()),
            now=now,
            resume_after=now,
        )
        lease = leases.acquire_lease(conn, domain.group, owner="n:7-1-k:pages", now=now, ttl_s=_TTL_S)
        assert lease is not None
        found = [FrontierUrl(row.run_id, visitor.source.id, url) for url in visitor.urls]
        frontier.add_urls(conn, row.run_id, found)
        return row.run_id, lease

    run_id, lease = ledger.write(begin)
    run = Run(run_id, visitor.source, Scope(visitor.source), "1", now)
    visits = 0 if kind == "first visit" else 1

    def record(at: int) -> None:
        def recording(conn: Connection) -> None:
            leases.check_lease(conn, domain.group, lease.epoch)
            visitor.record_pages(conn, run, visitor.urls[at : at + together], now, visits)

        ledger.write(recording)

    number = len(visitor.urls) - together
    record(number)  # statements are prepared
    meter.measure(f"{kind}, {together} together", number, record, together)
    ledger.write(lambda conn: run_records.close_run(conn, run_id, state="complete", reason=COMPLETE, now=now))
    ledger.write(lambda conn: leases.release_leases(conn, [lease]))


def measure_jobs(ledger: Ledger, meter: Meter, number: int) -> None:  # noqa: C901  # a step after the other
    """Jobs of one source each, from the queue to their end."""
    now = datetime.now(UTC)
    terms = job_queue.ClaimTerms(_TTL_S, "n", _LIMITS, timedelta(minutes=5))
    jobs: list[QueuedJob] = []
    begun: list[tuple[str, str, leases.Lease]] = []

    def poll(_: int) -> None:
        assert not ledger.read(lambda conn: job_queue.count_claimable_and_lost(conn, terms, now=now))

    def enqueue(at: int) -> None:
        order = {"priority": 0.0, "operator": "system", "now": now}
        groups, sources = [f"d{at}.gov"], [f"s{at}"]
        ledger.write(
            lambda conn: job_queue.enqueue_job(conn, job_id=str(uuid4()), sources=sources, groups=groups, **order)  # type: ignore[arg-type]
        )

    def claim(_: int) -> None:
        def claiming(conn: Connection) -> QueuedJob | None:
            job_queue.recover_lost_jobs(conn, now=now)
            return job_queue.claim_job(conn, terms, node="n:6800", now=now)

        job = ledger.write(claiming)
        assert job is not None
        jobs.append(job)

    def begin(at: int) -> None:
        job, owner = jobs[at], f"n:7-1-k:{jobs[at].job_id}"

        def beginning(conn: Connection) -> tuple[str, str, leases.Lease]:
            job_queue.start_job(conn, job.job_id, owner=owner, host="n", now=now, ttl_s=_TTL_S)
            permits.claim_permits(conn, owner, keep=0, wanted=1, limits=_LIMITS, now=now, ttl_s=_TTL_S)
            lease = leases.acquire_lease(conn, job.groups[0], owner=owner, now=now, ttl_s=_TTL_S)
            assert lease is not None
            row = run_records.open_run(
                conn,
                source_id=job.sources[0],
                manifest_version="1",
                method="scrape",
                operator="system",
                job_id=job.job_id,
                now=now,
                resume_after=now,
            )
            return owner, row.run_id, lease

        begun.append(ledger.write(beginning))

    def renew(at: int) -> None:
        job, (owner, _, lease) = jobs[at], begun[at]

        def renewing(conn: Connection) -> None:
            leases.record_request(conn, job.groups[0], now)
            leases.renew_leases(conn, [lease], now=now, ttl_s=_TTL_S)
            permits.claim_permits(conn, owner, keep=1, wanted=1, limits=_LIMITS, now=now, ttl_s=_TTL_S)
            job_queue.renew_job(conn, job.job_id, owner=owner, now=now, ttl_s=_TTL_S)

        ledger.write(renewing)

    def end(at: int) -> None:
        job, (owner, run_id, lease) = jobs[at], begun[at]

        def ending(conn: Connection) -> None:
            run_records.close_run(conn, run_id, state="complete", reason=COMPLETE, now=now)
            leases.release_leases(conn, [lease])
            permits.release_permits(conn, owner)
            job_queue.end_job(conn, job.job_id, owner=owner, outcome="complete", reason=None, cancelled=False, now=now)

        ledger.write(ending)

    steps = {"poll of an idle node": poll, "job queued": enqueue, "job claimed": claim, "job begun": begin}
    for name, step in (steps | {"job renewed": renew, "job ended": end}).items():
        meter.measure(name, number, step)


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--job", type=int, metavar="PAGES")
    given = parser.parse_args()
    number = given.number
    with closing(Cluster()) as cluster:
        url = cluster.ledger()
        meter = Meter(cluster, url)
        if given.job:
            measure_job(url, meter, given.job)
            return
        ledger = open_ledger(url, timeout_s=60)
        for together in (1, 5, 20):
            measure_pages(ledger, meter, number, together)
        measure_jobs(ledger, meter, number)


if __name__ == "__main__":
    main()
