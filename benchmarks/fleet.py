"""A fleet in virtual time over a real PostgreSQL: who asks which group when, what is lost, and what the ledger costs.

    .venv/bin/python -m benchmarks.fleet                                     # 12 nodes, 300 domains
    .venv/bin/python -m benchmarks.fleet --nodes 50 --domains 100000 --robots /path/to/robots --processes 8

Nodes claim jobs, lease groups, begin and resume runs, record each page and renew leases by the collector's own
functions, in transactions of their own, from several processes at once. Only waiting is left out: each process jumps
to its next event, and all of them meet after each virtual second. Delays are the Crawl-delays of the robots.txt files
in ``--robots``, or 2 s; sizes are those of the packaged manifest's sources, `max_pages` cut to ``--most-pages``. Every
``--churn-s`` a node is killed with all its jobs and another joins; nodes' own clocks are off by up to 2 minutes; the
database is restarted with -m immediate two thirds of the way. Each page is put into a bucket of moto's, which answers
503 for ten virtual minutes a third of the way: jobs under way then end unrecorded and those that begin are refused, as
real ones are, and the dispatcher's next round finds them due again. Exit code 1 when a promise was broken.

Prints whether a group was ever asked by two jobs at once or too early, which URLs were lost or recorded twice,
transactions and lease statements a page, CPU of PostgreSQL a page, and percentiles of its answers.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter, defaultdict
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from itertools import count, pairwise
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from uuid import uuid4

import boto3
from sqlalchemy import select

from benchmarks.ledger_year import Visitor
from rori_spiders.crawl.runs.run import Run
from rori_spiders.downloadermiddlewares.robots import MAX_DELAY_S
from rori_spiders.exceptions import StagingError
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import job_queue, leases, permits
from rori_spiders.ledger.queue.permits import PermitLimits
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.tables import jobs, runs
from rori_spiders.manifest.loading import load_packaged, parse_manifest
from rori_spiders.manifest.scope import Scope
from rori_spiders.politeness.robots_policy import read_robots_txt
from rori_spiders.reasons import COMPLETE, Reason, ReasonCode
from rori_spiders.staging.s3 import S3Store
from rori_spiders.staging.store import LogLine
from tests.staging.s3.fixtures import KEYS, moto
from tests.staging.s3.proxy import Fault, Proxy
from tests.support.postgresql import Cluster
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.synchronize import Barrier

    from sqlalchemy import Connection

    from rori_spiders.ledger.queue.job_queue import QueuedJob
    from rori_spiders.manifest.models import Source

_EPOCH = datetime(2026, 6, 1, 7, tzinfo=UTC)
_TTL_S, _RENEWAL_S, _POLL_S = 60.0, 15.0, 5.0
_SLOTS = 10
_LIMITS = PermitLimits(_SLOTS)
_BUCKET = "fleet"
_OUTAGE_S = 600


def _at(virtual_s: float) -> datetime:
    return _EPOCH + timedelta(seconds=virtual_s)


@dataclass(frozen=True, slots=True)
class Domain:
    """A site: its group, how many pages it has, and the delay that it wants."""

    number: int
    pages: int
    delay_s: float

    @property
    def host(self) -> str:
        return f"www.d{self.number}.gov"

    @property
    def group(self) -> str:
        return f"d{self.number}.gov"

    def source(self) -> Source:
        named = [source(f"s{self.number}", f"https://{self.host}/", "crawl")]
        text = json.dumps({"version": "1", "sources": named})
        return parse_manifest(text, name="fleet", origin="fleet").manifest.sources[0]


@dataclass(slots=True)
class Work:
    """A job as its process has it."""

    job: QueuedJob
    owner: str
    domain: Domain
    run: Run
    visitor: Visitor
    pending: list[str]
    held: leases.Lease
    may_ask_at: float
    renewed_at: float


@dataclass
class Node:
    name: str
    skew_s: float
    jobs: dict[str, Work] = field(default_factory=dict)
    is_alive: bool = True


@dataclass
class Found:
    """What a process has seen: requests as servers would, and the time of each transaction."""

    requests: list[tuple[str, float, str]] = field(default_factory=list)  # group, virtual time, job
    took_ms: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    transactions: Counter[str] = field(default_factory=Counter)
    killed: int = 0
    refused: int = 0  # jobs that began while the bucket answered 503
    unrecorded: int = 0  # jobs that ended since a page could not be staged


class FleetProcess:
    """The nodes of one process, as events in virtual time."""

    def __init__(self, url: str, number: int, given: argparse.Namespace, domains: list[Domain]) -> None:
        self._ledger = open_ledger(url, timeout_s=120)
        self._random = Random(f"{given.seed} {number}")  # noqa: S311
        self._domains = domains
        self._given = given
        self._ids = count()
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._number = number
        self._store = S3Store(f"s3://{_BUCKET}/staged")
        #: Recorded while the bucket failed: the next job appends what is missing, as the ledger knows it.
        self._unlisted: list[LogLine] = []
        self.found = Found()
        for _ in range(number, given.nodes, given.processes):
            self._join(self._random.uniform(0, _POLL_S))
        if number == 0:
            self._waiting = [domain.number for domain in domains]
            self._plan(0.0, self._feed)
        self._plan(given.churn_s * (1 + number / given.processes), self._churn)

    def advance(self, until_s: float) -> None:
        while self._events and self._events[0][0] < until_s:
            at, _, work = heappop(self._events)
            work(at)

    def _plan(self, at: float, work: Callable[[float], None]) -> None:
        heappush(self._events, (at, next(self._ids), work))

    def _write(self, kind: str, work: Callable[[Connection], Any]) -> Any:
        began = time.perf_counter()
        found = self._ledger.write(work)
        self.found.took_ms[kind].append((time.perf_counter() - began) * 1000)
        self.found.transactions[kind] += 1
        return found

    # --- the dispatcher, and nodes that come and go

    def _feed(self, now: float) -> None:
        """As the dispatcher does: as many jobs as wait at most, or twice those begun since the last round."""

        def feed(conn: Connection) -> list[int]:
            job_queue.lock_queue(conn)
            waiting = len(job_queue.waiting_jobs(conn))
            begun = job_queue.count_begun(conn, since=_at(now - 30))
            places = max(0, max(20, 2 * begun) - waiting)
            some = (_due_again(conn)[:places] + self._waiting)[:places]
            for number in some:
                groups, sources = [self._domains[number].group], [f"s{number}"]
                terms = {"priority": 0.0, "operator": "system", "now": _at(now)}
                job_queue.enqueue_job(conn, job_id=str(uuid4()), sources=sources, groups=groups, **terms)  # type: ignore[arg-type]
            return some

        queued = set(self._write("dispatch", feed))
        self._waiting = [number for number in self._waiting if number not in queued]
        self._plan(now + 30, self._feed)

    def _join(self, now: float) -> None:
        node = Node(f"n{self._number}x{next(self._ids)}", self._random.uniform(-120, 120))
        self._plan(now, lambda at: self._poll(node, at))

    def _churn(self, now: float) -> None:
        """One of its nodes, as events know it, is gone: whatever it was to do later does not happen."""
        self._plan(now + self._given.churn_s, self._churn)
        self._kill_next = True

    _kill_next = False

    def _poll(self, node: Node, now: float) -> None:
        if self._kill_next and node.jobs:
            self._kill_next, node.is_alive = False, False
            self.found.killed += 1
            self._join(now + 30)
            return
        terms = job_queue.ClaimTerms(_TTL_S, node.name, _LIMITS, timedelta(minutes=5))

        def claim(conn: Connection) -> QueuedJob | None:
            for lost in job_queue.recover_lost_jobs(conn, now=_at(now)):
                if lost.given_up:  # three nodes killed in turn: its alert asks a person, who orders it again
                    order = {"priority": 100.0, "operator": "manual", "now": _at(now)}
                    sources, groups = lost.given_up, lost.job.groups
                    job_queue.enqueue_job(conn, job_id=str(uuid4()), sources=sources, groups=groups, **order)  # type: ignore[arg-type]
            return job_queue.claim_job(conn, terms, node=f"{node.name}:6800", now=_at(now))

        job = None
        if len(node.jobs) < _SLOTS and self._poll_queue(terms, now):
            job = self._write("claim", claim)
        if job is not None:
            self._plan(now + 2, lambda at: self._begin(node, job, at))
            self._plan(now + 0.2, lambda at: self._poll(node, at))  # the poller goes on as long as there are jobs
        else:
            self._plan(now + _POLL_S, lambda at: self._poll(node, at))

    def _poll_queue(self, terms: job_queue.ClaimTerms, now: float) -> int:
        """As a node does, which only claims where there is something to claim."""
        return self._ledger.read(lambda conn: job_queue.count_claimable_and_lost(conn, terms, now=_at(now)))

    # --- a job

    def _begin(self, node: Node, job: QueuedJob, now: float) -> None:
        if not node.is_alive:
            return
        domain = self._domains[int(job.sources[0][1:])]
        owner, visitor = f"{node.name}:7-1-k:{job.job_id}", Visitor(domain.source(), 0, pages=domain.pages)
        try:
            self._store.check_writable()
            self._list_missing()
        except StagingError as error:
            reason, self.found.refused = str(error), self.found.refused + 1
            refuse = {"reason": reason, "now": _at(now)}
            self._write("refuse", lambda conn: job_queue.reject_claim(conn, job.job_id, **refuse))  # type: ignore[arg-type]
            return

        def begin(conn: Connection) -> tuple[Any, leases.Lease | None, list[str]]:
            job_queue.start_job(conn, job.job_id, owner=owner, host=node.name, now=_at(now), ttl_s=_TTL_S)
            permits.claim_permits(conn, owner, keep=0, wanted=1, limits=_LIMITS, now=_at(now), ttl_s=90)
            lease = leases.acquire_lease(conn, domain.group, owner=owner, now=_at(now), ttl_s=_TTL_S)
            own = _at(now + node.skew_s)  # what the node's clock says is only written down
            row = run_records.open_run(
                conn,
                source_id=job.sources[0],
                manifest_version="1",
                method="crawl",
                operator="system",
                job_id=job.job_id,
                now=own,
                resume_after=own - timedelta(days=1),
            )
            frontier.add_urls(conn, row.run_id, [FrontierUrl(row.run_id, job.sources[0], one) for one in visitor.urls])
            return row, lease, [one.url for one in frontier.stream_pending_urls(conn, row.run_id)]

        row, lease, pending = self._write("begin", begin)
        if lease is None:
            raise AssertionError(f"{domain.group} was given to {job.job_id} while another job had it")
        last = lease.last_request_at
        wait = (last - _EPOCH).total_seconds() + domain.delay_s if last is not None else now
        run = Run(row.run_id, visitor.source, Scope(visitor.source), "1", _at(now))
        node.jobs[job.job_id] = Work(job, owner, domain, run, visitor, pending, lease, max(now, wait), now)
        self._plan(max(now, wait), lambda at: self._ask(node, job.job_id, at))

    def _ask(self, node: Node, job_id: str, now: float) -> None:
        """One request; its page is recorded when the next one leaves, so that a kill loses it."""
        work = node.jobs[job_id]
        if not node.is_alive:
            return
        if now - work.renewed_at >= _RENEWAL_S:
            self._renew(work, now)
        url = work.pending.pop(0)
        self.found.requests.append((work.domain.group, now, job_id))
        self._plan(now + 0.6, lambda at: self._record(node, job_id, url, at, asked=now))

    def _record(self, node: Node, job_id: str, url: str, now: float, *, asked: float) -> None:
        if not node.is_alive:
            return
        work = node.jobs[job_id]
        try:
            self._store.put_object(url.encode())
        except StagingError:
            self._stop_unrecorded(node, work, now, asked=asked)
            return

        def record(conn: Connection) -> None:
            leases.check_lease(conn, work.domain.group, work.held.epoch)
            work.visitor.record_page(conn, work.run, url, _at(asked + node.skew_s))
            if not work.pending:
                leases.record_request(conn, work.domain.group, _at(asked))
                run_records.close_run(conn, work.run.run_id, state="complete", reason=COMPLETE, now=_at(now))
                leases.release_leases(conn, [work.held])
                permits.release_permits(conn, work.owner)
                ends = {"outcome": "complete", "reason": None, "cancelled": False, "now": _at(now)}
                job_queue.end_job(conn, job_id, owner=work.owner, **ends)  # type: ignore[arg-type]

        self._write("page", record)
        line = LogLine(work.run.run_id, url)
        try:
            self._store.index.append([line])
        except StagingError:
            self._unlisted.append(line)
            if work.pending:
                self._stop_unrecorded(node, work, now, asked=asked)
                return
        if work.pending:
            following = max(now, asked + work.domain.delay_s)
            # A delay may be longer than a lease lasts.
            for at in range(int(_RENEWAL_S), int(following - now), int(_RENEWAL_S)):
                self._plan(now + at, lambda at: self._renew(work, at) if node.is_alive else None)
            self._plan(following, lambda at: self._ask(node, job_id, at))
        else:
            del node.jobs[job_id]

    def _list_missing(self) -> None:
        if self._unlisted:
            self._store.index.append_missing(self._unlisted)
            self._unlisted.clear()

    def _stop_unrecorded(self, node: Node, work: Work, now: float, *, asked: float) -> None:
        """A page cannot be staged: the job ends, and what it has not recorded stays pending in its run."""
        job_id = work.job.job_id

        def stop(conn: Connection) -> None:
            leases.check_lease(conn, work.domain.group, work.held.epoch)
            leases.record_request(conn, work.domain.group, _at(asked))
            run_records.close_run(
                conn, work.run.run_id, state="partial", reason=Reason(ReasonCode.NOT_RECORDED), now=_at(now)
            )
            leases.release_leases(conn, [work.held])
            permits.release_permits(conn, work.owner)
            ends = {"outcome": "unrecorded", "reason": "503", "cancelled": False, "now": _at(now)}
            job_queue.end_job(conn, job_id, owner=work.owner, **ends)  # type: ignore[arg-type]

        self._write("stop", stop)
        self.found.unrecorded += 1
        del node.jobs[job_id]

    def _renew(self, work: Work, now: float) -> None:
        last = [at for group, at, _ in reversed(self.found.requests[-5000:]) if group == work.domain.group][:1]

        def renew(conn: Connection) -> set[str]:
            for at in last:
                leases.record_request(conn, work.domain.group, _at(at))
            lost = leases.renew_leases(conn, [work.held], now=_at(now), ttl_s=_TTL_S)
            permits.claim_permits(conn, work.owner, keep=1, wanted=1, limits=_LIMITS, now=_at(now), ttl_s=90)
            stop = job_queue.renew_job(conn, work.job.job_id, owner=work.owner, now=_at(now), ttl_s=_TTL_S)
            assert stop is None, stop
            return lost

        assert not self._write("renew", renew), f"the lease on {work.domain.group} was lost"
        work.renewed_at = now


def _due_again(conn: Connection) -> list[int]:
    """The domains whose jobs ended without a complete run, which no job has now: the oldest end first."""
    failed = jobs.c.outcome.in_(("refused", "unrecorded"))
    ended = conn.execute(select(jobs.c.sources).where(failed).order_by(jobs.c.ended_at)).scalars()
    done = set(conn.execute(select(runs.c.source_id).where(runs.c.state == "complete")).scalars())
    found = dict.fromkeys(source_id for sources in ended for source_id in sources)
    return [int(one[1:]) for one in found if one not in done and one not in job_queue.queued_sources(conn)]


def _domains(given: argparse.Namespace) -> list[Domain]:
    """Sizes from the manifest's sources, delays from real robots.txt files, both drawn with the seed."""
    random = Random(given.seed)  # noqa: S311
    sources = [one for one in load_packaged("fthb").manifest.sources if one.status == "active"]
    sizes = [1 if one.method == "scrape" else one.scrape_config.max_pages or 300 for one in sources]
    delays = [2.05]
    for path in sorted(Path(given.robots).glob("*.txt")) if given.robots else ():
        asked = read_robots_txt("https://d.gov", status=200, body=path.read_bytes(), at=_EPOCH).delay_s or 0.0
        if asked <= MAX_DELAY_S:  # a longer one is not collected at all
            delays.append(max(2.05, asked * 1.025))
    return [
        Domain(number, min(given.most_pages, random.choice(sizes)), random.choice(delays))
        for number in range(given.domains)
    ]


def _run_process(
    url: str, number: int, given: argparse.Namespace, domains: list[Domain], meet: Barrier, over: Any, answer: Any
) -> None:
    process = FleetProcess(url, number, given, domains)
    with patch("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0):  # waiting is left out
        for second in count(1):
            process.advance(float(second))
            meet.wait()
            if over.value:
                break
    answer.put(process.found)


def cluster_cpu_s(cluster: Cluster) -> float:
    """Of all processes of the server, those that have ended included."""
    ticks = 0
    postmaster = int((cluster.folder / "cluster" / "postmaster.pid").read_text().split()[0])
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if pid == postmaster:
            ticks += sum(map(int, rest[11:15]))
        elif int(rest[1]) == postmaster:
            ticks += sum(map(int, rest[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


class Bucket:
    """A bucket of moto's behind a proxy that fails at will; the environment of the processes to come reaches it."""

    def __init__(self, stack: ExitStack) -> None:
        port = stack.enter_context(moto())
        self._proxy = stack.enter_context(closing(Proxy(port)))
        endpoint = f"http://127.0.0.1:{self._proxy.port}"
        os.environ.update(KEYS, AWS_ENDPOINT_URL=endpoint, AWS_EC2_METADATA_DISABLED="true")
        boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}").create_bucket(Bucket=_BUCKET)

    def fail(self, *, fails: bool) -> None:
        self._proxy.always = [Fault("503")] if fails else []

    @staticmethod
    def check(pages: int) -> list[str]:
        """What it lacks, or has twice."""
        store = S3Store(f"s3://{_BUCKET}/staged")
        listed = Counter(store.index.lines())
        objects = sum(1 for _ in store.objects())
        twice = sum(number > 1 for number in listed.values())
        print(f"bucket: {objects} objects and {len(listed)} URLs in its index, {twice} of them twice; of {pages} pages")
        return [*["objects"] * (objects != pages), *["index"] * (len(listed) != pages), *["doubled"] * bool(twice)]


def _check(requests: list[tuple[str, float, str]], domains: list[Domain], cluster: Cluster, url: str) -> list[str]:
    """What was broken, in words."""
    delay_of = {domain.group: domain.delay_s for domain in domains}
    asked: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for group, at, job in requests:
        asked[group].append((at, job))
    early = mixed = 0
    for group, times in asked.items():
        times.sort()
        early += sum(later[0] - earlier[0] < delay_of[group] - 1e-6 for earlier, later in pairwise(times))
        turns = [job for at, (_, job) in enumerate(times) if at == 0 or times[at - 1][1] != job]
        mixed += len(turns) != len(set(turns))
    database = url.rpartition("?")[0].rpartition("/")[2]
    [(twice,)] = cluster.sql(
        "SELECT count(*) FROM (SELECT 1 FROM audit WHERE kind = 'page' GROUP BY url_hash HAVING count(*) > 1) AS x",
        database=database,
    )
    [(recorded,)] = cluster.sql("SELECT count(DISTINCT url_hash) FROM audit WHERE kind = 'page'", database=database)
    [(incomplete,)] = cluster.sql("SELECT count(*) FROM runs WHERE state <> 'complete'", database=database)
    [(ordered,)] = cluster.sql("SELECT count(*) FROM jobs WHERE operator = 'manual'", database=database)
    wanted = sum(domain.pages for domain in domains)
    print(f"jobs that lost three nodes in turn, and that a person ordered again: {ordered}")
    print(
        f"requests too early {early}; groups asked by two jobs in turn {mixed}; URLs lost {wanted - int(str(recorded))}"
    )
    print(
        f"URLs recorded twice {twice}; runs that are not complete {incomplete}; of {wanted} pages, {len(asked)} groups"
    )
    found = {"early": early, "mixed": mixed, "lost": wanted - int(str(recorded)), "twice": twice, "runs": incomplete}
    return [name for name, number in found.items() if number]


def main() -> int:
    """Simulate, check, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=12)
    parser.add_argument("--domains", type=int, default=300)
    parser.add_argument("--most-pages", type=int, default=20)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--robots", help="a folder of robots.txt files")
    parser.add_argument("--churn-s", type=float, default=120.0, help="virtual seconds between two kills of a process")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    domains, began = _domains(given), time.monotonic()
    context = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        cluster, bucket = stack.enter_context(closing(Cluster())), Bucket(stack)
        url = cluster.ledger()
        database = url.rpartition("?")[0].rpartition("/")[2]
        [(empty,)] = cluster.sql(f"SELECT pg_database_size('{database}')")
        over, answers = context.Value("b", 0), context.Queue()
        meet = context.Barrier(given.processes + 1)
        processes = [
            context.Process(target=_run_process, args=(url, number, given, domains, meet, over, answers), daemon=True)
            for number in range(given.processes)
        ]
        for process in processes:
            process.start()
        virtual, restarted, outage_at = 0, False, 0
        while not over.value:
            meet.wait(timeout=600)
            virtual += 1
            if virtual % 10:
                continue
            [(ended,)] = cluster.sql("SELECT count(*) FROM runs WHERE state = 'complete'", database=database)
            if not outage_at and int(str(ended)) > given.domains / 3:
                outage_at = virtual
                bucket.fail(fails=True)
            elif outage_at and virtual >= outage_at + _OUTAGE_S:
                bucket.fail(fails=False)
            if not restarted and int(str(ended)) > given.domains * 2 / 3:
                spent, restarted = cluster_cpu_s(cluster), True
                cluster.restart()
            over.value = int(ended == given.domains)
        meet.wait(timeout=600)
        found = [answers.get(timeout=60) for _ in processes]
        for process in processes:
            process.join()
        requests = [request for one in found for request in one.requests]
        cpu_s = cluster_cpu_s(cluster) + spent
        broken = _check(requests, domains, cluster, url) + bucket.check(sum(domain.pages for domain in domains))
        [(size,)] = cluster.sql(f"SELECT pg_database_size('{database}')")
    transactions = sum((one.transactions for one in found), Counter[str]())
    pages = sum(domain.pages for domain in domains)
    print(f"{given.nodes} nodes, {sum(one.killed for one in found)} killed, PostgreSQL restarted; {virtual} virtual s")
    refused, unrecorded = sum(one.refused for one in found), sum(one.unrecorded for one in found)
    print(f"bucket out for {_OUTAGE_S} virtual s: {unrecorded} jobs ended unrecorded, {refused} refused at the start")
    print(f"{time.monotonic() - began:.0f} s in all; {pages / virtual:.1f} pages a virtual s; {len(requests)} requests")
    print(f"transactions a page {transactions.total() / pages:.2f}: {dict(transactions)}")
    grown = (int(str(size)) - int(str(empty))) / pages / 1000
    print(f"CPU of PostgreSQL a page {cpu_s / pages * 1000:.1f} ms; the database grew by {grown:.1f} kB a page")
    for kind in sorted(transactions):
        cuts = quantiles([took for one in found for took in one.took_ms[kind]], n=20, method="inclusive")
        print(f"{kind:9} p50 {cuts[9]:6.1f} ms, p95 {cuts[18]:6.1f} ms")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
