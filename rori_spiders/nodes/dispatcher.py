"""Put due sources into the queue that all nodes share: what `scrapy dispatch` does. No Scrapy import.
`Dispatcher.round` decides once, `run_dispatcher` does so again and again, `enqueue_now` queues sources for a
person.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from rori_spiders.configuration.active_manifest import activate_and_load_catalog, load_catalog
from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.configuration.locations import Locations
from rori_spiders.exceptions import LedgerError, ManifestError, WriteError
from rori_spiders.ledger.database import BUSY_TIMEOUT_S, Ledger, open_ledger
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.operations import activity_log, source_status
from rori_spiders.ledger.operations.manifest_history import active_hashes
from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.ledger.queue import job_queue
from rori_spiders.ledger.queue.job_queue import QueuedJob
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.schedule import DueSource, blocked_reason, plan_due_sources
from rori_spiders.schedule.plan import JobPlan, PlannedJob, plan_jobs, plan_manual_jobs
from rori_spiders.staging.consistency import describe_missing_ledger, is_store_empty
from rori_spiders.staging.store_factory import open_store

logger = logging.getLogger(__name__)


# The active sources over many rounds: read again after a change; the previous ones stay if that fails.


class ActiveManifestWatcher:
    """The manifests of ``RORI_MANIFEST``, activated when they change; else those that are active in the ledger."""

    def __init__(self, places: Locations, tiers: Sequence[str], *, activate: bool) -> None:
        self._places = places
        self._tiers = tiers
        self._activate = activate
        self._seen: object = None
        self._catalog: Catalog | None = None
        self._reported: str | None = None

    def catalog(self, ledger: Ledger | None, now: datetime) -> Catalog:
        """Return the active sources. Raises ManifestError for an invalid first manifest; later ones only warn."""
        seen = self._look(ledger)
        if self._catalog is not None and seen == self._seen:
            return self._catalog
        try:
            self._catalog = self._read(ledger, now)
        except ManifestError as error:
            if self._catalog is None:
                raise
            self._report_error(error)
            return self._catalog
        if self._seen is not None:
            number = len(self._catalog.sources)
            logger.info("The manifest changed; it now has %(number)d sources", {"number": number})
        self._seen, self._reported = self._look(ledger), None
        return self._catalog

    def _report_error(self, error: ManifestError) -> None:
        if str(error) != self._reported:
            logger.error(
                "The changed manifest is invalid; the previous sources stay active: %(error)s",
                {"error": error},
            )
        self._reported = str(error)

    def _look(self, ledger: Ledger | None) -> object:
        if self._places.manifests:
            return [_file_stamp(path) for path in self._places.manifests]
        if ledger is None:
            return []
        with ledger.connect() as connection:
            return active_hashes(connection)

    def _read(self, ledger: Ledger | None, now: datetime) -> Catalog:
        manifests, allowed = self._places.manifests, self._places.allowed_addresses
        if ledger is None or not self._activate:
            return load_catalog(manifests, ledger, allowed_addresses=allowed)
        return activate_and_load_catalog(
            manifests, ledger, actor="system", now=now, allowed_addresses=allowed, tiers=self._tiers
        )


def _file_stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


# The part of the ledger that scheduling needs, read at once: status of sources, pauses, jobs.


@dataclass(frozen=True, slots=True)
class QueueSnapshot:
    """The state of the queue; empty without a ledger."""

    states: dict[str, SourceState] = field(default_factory=dict)
    everything: SourceState | None = None  # the pause of all sources
    queued: dict[str, str] = field(default_factory=dict)  # source -> its job
    jobs: dict[str, QueuedJob] = field(default_factory=dict)  # that wait, are leased, or run

    def due(self, catalog: Catalog, now: datetime, *, of: Iterable[Source] | None = None) -> list[DueSource]:
        """Return the due sources of the catalog, or of some of them, including those already in a job."""
        chosen = catalog.sources if of is None else of
        return plan_due_sources(chosen, self.states, now, rules=catalog.rules, everything=self.everything)

    def job_of(self, source_id: str) -> str | None:
        """Return a sentence that names the job of the source, or None."""
        job_id = self.queued.get(source_id)
        if job_id is None:
            return None
        job = self.jobs.get(job_id)
        if job is None:
            again = f"scrapy dispatch --prioritize {source_id}"
            return f"Job {job_id} was lost and will not be retried automatically. To run it: `{again}`."
        if job.state == "waiting":
            return (
                f"It is queued in job {job_id}, which has waited for a node since {job.queued_at:%Y-%m-%d %H:%M} UTC."
            )
        return f"Job {job_id} on node {job.node} is collecting it; no other job starts it until that job ends."


def read_queue_snapshot(connection: Connection | None) -> QueueSnapshot:
    """Read the current queue; empty without a ledger (*connection* is None)."""
    if connection is None:
        return QueueSnapshot()
    still = {job.job_id: job for job in job_queue.list_jobs(connection, ended=0)}
    return QueueSnapshot(
        source_status.load_states(connection),
        source_status.find_global_pause(connection),
        job_queue.queued_sources(connection),
        still,
    )


# One round of the dispatcher: jobs for due sources that are not queued. Several dispatchers may run: each decides again
# under the queue's lock, so no job is created twice.

#: Ended jobs are kept for a quarter, in which even monthly sources run three times.
ENDED_JOBS_KEPT = timedelta(days=90)
_PRUNE_INTERVAL = timedelta(hours=1)
_PRUNE_BATCH = 500
#: The first round counts the jobs that began in so long, each later one those since the round before.
_FIRST_LOOK_BACK = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class EnqueuedJob:
    """A job that a round queued."""

    job_id: str
    planned: PlannedJob


@dataclass(frozen=True, slots=True)
class DispatchRound:
    """The findings and actions of one round."""

    queued: list[EnqueuedJob] = field(default_factory=list)
    held: list[DueSource] = field(default_factory=list)
    later: list[tuple[DueSource, str]] = field(default_factory=list)
    snapshot: QueueSnapshot = field(default_factory=QueueSnapshot)  # as it was before
    catalog: Catalog | None = None  # the active sources

    def waits_since(self, now: datetime) -> datetime | None:
        """Return since when a job waits, if that is long enough to conclude that there is no node; else None."""
        states = [job.state for job in self.snapshot.jobs.values()]
        waiting = [job.queued_at for job in self.snapshot.jobs.values() if job.state == "waiting"]
        if not waiting or len(waiting) < len(states) or min(waiting) > now - job_queue.UNCLAIMED_AFTER:
            return None
        return min(waiting)


class Dispatcher:
    """Queue due sources, round by round. At most *waiting* jobs are queued at once, or twice those begun in a round."""

    def __init__(
        self,
        places: Locations,
        *,
        tiers: Sequence[str],
        waiting: int,
        dry_run: bool = False,
        timeout_s: float = BUSY_TIMEOUT_S,
    ) -> None:
        self._places = places
        self._manifest_watcher = ActiveManifestWatcher(places, tiers, activate=not dry_run)
        self._waiting = waiting
        self._dry_run = dry_run
        self._timeout_s = timeout_s
        self._had_ledger = False
        self._decided_at: datetime | None = None
        self._pruned_at: datetime | None = None

    def round(self, now: datetime) -> DispatchRound:
        """Run one round. Raises ManifestError without a valid manifest, LedgerError when the ledger is unavailable."""
        with self.ledger() as ledger:
            catalog = self._manifest_watcher.catalog(ledger, now)
            with ledger.connect() if ledger else nullcontext() as connection:
                found = self._decide(catalog, connection, now)
            if ledger is None or self._dry_run:
                return found
            self._prune(ledger, now)
            if found.queued:
                with ledger.begin() as connection:
                    job_queue.lock_queue(connection)
                    found = self._decide(catalog, connection, now)
                    for one in found.queued:
                        enqueue_job(connection, one, operator="system", now=now)
            self._decided_at = now
        return found

    def _prune(self, ledger: Ledger, now: datetime) -> None:
        """Delete old jobs once an hour, in small batches."""
        if self._pruned_at is None or abs(now - self._pruned_at) >= _PRUNE_INTERVAL:
            deleted = _PRUNE_BATCH
            while deleted == _PRUNE_BATCH:
                with ledger.begin() as connection:
                    deleted = job_queue.prune_jobs(connection, before=now - ENDED_JOBS_KEPT, limit=_PRUNE_BATCH)
            self._pruned_at = now

    def _decide(self, catalog: Catalog, connection: Connection | None, now: datetime) -> DispatchRound:
        snapshot = read_queue_snapshot(connection)
        waiting = sum(job.state == "waiting" for job in snapshot.jobs.values())
        most = max(self._waiting, 2 * self._count_begun(connection, now))
        made: JobPlan = plan_jobs(
            snapshot.due(catalog, now),
            queued=snapshot.queued,
            busy={group for job in snapshot.jobs.values() for group in job.groups},
            room=max(0, most - waiting),
            groups=lambda source: groups_start_first(catalog, source),
        )
        new = [EnqueuedJob(str(uuid4()), planned) for planned in made.jobs]
        return DispatchRound(new, made.held, made.later, snapshot, catalog)

    def _count_begun(self, connection: Connection | None, now: datetime) -> int:
        """How many jobs the nodes began since the last round: the queue must not be empty before the next one."""
        if connection is None:
            return 0
        passed = abs(now - self._decided_at) if self._decided_at is not None else _FIRST_LOOK_BACK
        return job_queue.count_begun(connection, since=lease_clock(connection, now) - passed)

    @contextmanager
    def ledger(self) -> Iterator[Ledger | None]:
        """Open the ledger for one round, so that each round notices a removed one. None: a dry run without a ledger."""
        if self._dry_run:
            with open_existing_ledger(self._places) as ledger:
                yield ledger
            return
        if not self._places.has_ledger:
            # A new ledger in place of a lost one would collect everything again.
            if self._had_ledger:
                raise LedgerError(f"The ledger at {self._places.shown_ledger} no longer exists.")
            store = open_store(self._places.staging)
            if not is_store_empty(store):
                raise describe_missing_ledger(store, self._places.shown_ledger)
        with open_ledger(self._places.database_url, timeout_s=self._timeout_s) as ledger:
            self._had_ledger = True
            yield ledger


def enqueue_job(connection: Connection, one: EnqueuedJob, *, operator: str, now: datetime) -> None:
    """Put a job into the queue."""
    planned = one.planned
    job_queue.enqueue_job(
        connection,
        job_id=one.job_id,
        sources=[source.id for source in planned.sources],
        groups=sorted(planned.groups),
        priority=planned.priority,
        operator=operator,
        now=now,
    )


def groups_start_first(catalog: Catalog, source: Source) -> list[str]:
    """Return the politeness groups whose leases a run of *source* needs, that of its start page first."""
    first = catalog.group(source.host)
    return [first, *sorted({catalog.group(host) for host in source.hosts} - {first})]


# Manual runs: sources are queued ahead of all others, whatever their intervals and crawl windows.


def enqueue_now(
    connection: Connection, catalog: Catalog, chosen: Sequence[Source], *, actor: str, now: datetime
) -> tuple[list[EnqueuedJob], dict[str, str]]:
    """Queue jobs for *chosen*; return them, and the reasons by id of sources that were not queued.

    What is paused stays so, and what a node has already gets no second job; out of a schedule's that waits it is taken.
    A job that was lost for good is replaced.
    """
    job_queue.lock_queue(connection)
    snapshot = read_queue_snapshot(connection)
    refused = {}
    for source in chosen:
        why = blocked_reason(source, snapshot.states.get(source.id), snapshot.everything)
        if why is None and not _release_waiting_job(connection, snapshot, source, actor, now):
            why = snapshot.job_of(source.id)
        if why is not None:
            refused[source.id] = why
    wanted = [source for source in chosen if source.id not in refused]
    made = [
        EnqueuedJob(str(uuid4()), planned)
        for planned in plan_manual_jobs(wanted, groups=lambda source: groups_start_first(catalog, source))
    ]
    for one in made:
        enqueue_job(connection, one, operator="manual", now=now)
        for source in one.planned.sources:
            job = {"job_id": one.job_id}
            activity_log.record_action(
                connection, now=now, actor=actor, action="run_now", target=source.id, details=job
            )
    return made, refused


def _release_waiting_job(
    connection: Connection, snapshot: QueueSnapshot, source: Source, actor: str, now: datetime
) -> bool:
    """Remove the source from a queued scheduled job; return whether no job has it then."""
    job_id = snapshot.queued.get(source.id)
    if job_id is None or job_id not in snapshot.jobs:
        return True
    if snapshot.jobs[job_id].operator == "manual":
        return False  # it is in front already
    return job_queue.remove_source(connection, job_id, source.id, by=actor, now=now)


# The loop of rounds. Clock and waiting are passed in: nothing here reads the time by itself.


#: Tolerated difference between the clock and the elapsed time of a round: NTP's steps are smaller.
MAX_CLOCK_STEP = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Clock:
    """``now``: aware calendar time; ``monotonic``: seconds of a monotonic clock; ``wait``: returns True to stop."""

    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    wait: Callable[[float], bool]


def run_dispatcher(
    dispatcher: Dispatcher,
    clock: Clock,
    *,
    every_s: float,
    after: Callable[[DispatchRound, datetime], None] | None = None,
) -> None:
    """Run rounds every *every_s* seconds until ``clock.wait`` returns True. Raises what the first round raises.

    *after* is called with each round that succeeded, and its time; it must come back at once.

    Afterwards a round that fails is reported, once for each reason, and the next one tries again.
    """
    loop = _DispatchLoop(dispatcher, clock, after)
    loop.round()
    logger.info("Queueing due sources every %(seconds)g s", {"seconds": every_s})
    while not clock.wait(every_s):
        loop.watch_clock()
        try:
            loop.round()
        except (WriteError, DBAPIError) as error:
            loop.failed(error)


class _DispatchLoop:
    def __init__(
        self, dispatcher: Dispatcher, clock: Clock, after: Callable[[DispatchRound, datetime], None] | None
    ) -> None:
        self._dispatcher = dispatcher
        self._after = after
        self._clock = clock
        self._seen = clock.now(), clock.monotonic()
        self._failure: str | None = None
        self._not_taken = False
        self._held = 0

    def round(self) -> None:
        now = self._clock.now()
        found = self._dispatcher.round(now)
        if self._failure is not None:
            logger.info("The ledger is available again")
            self._failure = None
        for one in found.queued:
            ids = ", ".join(source.id for source in one.planned.sources)
            logger.info("Queued job %(job)s: %(sources)s", {"job": one.job_id, "sources": ids})
        if len(found.held) != self._held:
            self._held = len(found.held)
            logger.info("%(number)d sources are due and waiting for their crawl window", {"number": self._held})
        self._watch_queue(found, now)
        if self._after is not None:
            self._after(found, now)

    def failed(self, error: WriteError | DBAPIError) -> None:
        message = get_redactor().text(str(error.orig) if isinstance(error, DBAPIError) else str(error))
        if message != self._failure:
            logger.error("Jobs cannot be queued; the next rounds retry: %(error)s", {"error": message})
        self._failure = message

    def watch_clock(self) -> None:
        now, passed = self._clock.now(), self._clock.monotonic()
        jumped = (now - self._seen[0]) - timedelta(seconds=passed - self._seen[1])
        self._seen = now, passed
        if abs(jumped) > MAX_CLOCK_STEP:
            logger.warning(
                "The clock jumped by %(minutes)s min, to %(now)s UTC; schedules follow the new time",
                {"minutes": f"{round(jumped.total_seconds() / 60):+d}", "now": f"{now:%Y-%m-%d %H:%M}"},
            )

    def _watch_queue(self, found: DispatchRound, now: datetime) -> None:
        since = found.waits_since(now)
        if since is not None and not self._not_taken:
            logger.warning(
                (
                    "Jobs have been queued since %(since)s UTC and none is running: no node takes jobs "
                    "(docs/how-to/operations.md)"
                ),
                {"since": f"{since:%Y-%m-%d %H:%M}"},
            )
        self._not_taken = since is not None
