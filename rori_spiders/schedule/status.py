"""The status of each source: OK, changed, failed, suspect, pending, running, locked, paused; its last run, its pages,
when it is due next; who has leased its servers, and the delays that they are asked with. Read-only.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from sqlalchemy import Connection, func, select, text

from rori_spiders.ledger import tables
from rori_spiders.ledger.operations.source_status import CachedSourceStates, find_global_pause, load_state, load_states
from rori_spiders.ledger.queue import job_queue, leases
from rori_spiders.ledger.row_cache import RowCache
from rori_spiders.ledger.runs.run_records import RunRow, collected_sources, count_pages, find_open_run, recent_runs
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.politeness.rate_limiter import MARGIN
from rori_spiders.schedule import (
    RunProgress,
    blocked_reason,
    describe_interval,
    next_due,
    percent_done,
    plan_due_sources,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from rori_spiders.ledger.operations.source_status import SourceState
    from rori_spiders.ledger.queue.job_queue import QueuedJob
    from rori_spiders.ledger.queue.leases import Lease
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source


@dataclass(frozen=True, slots=True)
class SourceLocks:
    """The valid leases, and the last jobs that found their sources locked, at one moment."""

    now: datetime | None = None
    held: Mapping[str, Lease] = field(default_factory=dict)  # by group
    taken: frozenset[str] = frozenset()  # sources of the jobs that hold them: those wait for their turn
    refused: Mapping[str, QueuedJob] = field(default_factory=dict)  # source -> its last job that ended `locked`

    def why(self, catalog: Catalog, source: Source, state: SourceState | None, run: RunRow | None) -> str | None:
        """Why a source is locked, in a sentence; None if it is not locked, not due, or running."""
        if self.now is None or source.id in self.taken or (run is not None and run.state == "running"):
            return None
        reason = self._describe_lock(catalog, source, run)
        if reason is None:
            return None
        due = plan_due_sources([source], {source.id: state} if state else {}, self.now, rules=catalog.rules)
        return reason if due and due[0].held_until is None else None

    def _describe_lock(self, catalog: Catalog, source: Source, run: RunRow | None) -> str | None:
        for group in catalog.groups_of(source) if self.held else ():
            if (lease := self.held.get(group)) is not None:
                return leases.describe_holder(lease)
        job = self.refused.get(source.id)
        if job is None or job.ended_at is None or (run is not None and run.started_at > job.ended_at):
            return None
        return f"the last job found it locked at {job.ended_at:%Y-%m-%d %H:%M:%S} UTC: {job.reason}"


NO_LOCKS = SourceLocks()


def read_locks(conn: Connection, now: datetime) -> SourceLocks:
    """As the ledger has it at *now*."""
    held = {lease.group: lease for lease in leases.lease_holders(conn) if lease.expires_at > now}
    owners = {lease.owner.rpartition(":")[2] for lease in held.values()}
    at_work = [job for job_id in owners if (job := job_queue.find_job(conn, job_id)) is not None]
    return SourceLocks(
        now,
        held,
        frozenset(source for job in at_work for source in job.sources),
        {source: job for job in job_queue.blocked_jobs(conn) for source in job.sources},
    )


#: What ``status`` can be; S0 §4.3's badges, and what keeps a source from running.
Status = Literal[
    "OK", "changed", "failed", "suspect", "pending", "running", "partial", "locked", "paused", "proposed", "retired"
]
STATUSES: tuple[Status, ...] = get_args(Status)
_RUN_COLUMNS = tuple(field.name for field in fields(RunRow) if field.name in tables.runs.c)
_STATUS_OF_RUN_STATE = {"incomplete": "failed", "cancelled": "pending"}


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One source. Times are UTC."""

    source: Source
    status: Status
    state: SourceState | None
    next_due: datetime | None  # None: at once, or never while something pauses it
    pages: int  # captured once and not gone
    last_run: RunRow | None
    outcome: str  # of the last run, in words
    hindrance: str | None = None  # why no schedule starts it, due or not
    locked: str | None = None  # who keeps it from its servers, though it is due

    def row(self) -> dict[str, Any]:
        """As ``scrapy sources`` lists it."""
        return {
            "id": self.source.id,
            "agency": self.source.metadata.agency,
            "method": self.source.method,
            "status": self.status,
            "last_checked_at": self.state.last_checked_at if self.state else None,
            "next_due": self.next_due,
            "pages": self.pages,
            "last_run": self.outcome,
            "name": self.source.name,
            "url": self.source.url,
        }


class StatusCache:
    """What was read of all sources before, for who reads them again every second or two. In one thread at a time."""

    def __init__(self) -> None:
        self.states = CachedSourceStates()
        self.runs: RowCache[RunRow] = RowCache(RunRow)
        self.catalog: Catalog | None = None
        self.standings: dict[str, SourceStatus] = {}

    def of(self, catalog: Catalog) -> dict[str, SourceStatus]:
        """How the sources stood before; by another catalogue nothing is known of that."""
        return self.standings if self.catalog is catalog else {}


def source_statuses(
    catalog: Catalog, connection: Connection | None, now: datetime, memory: StatusCache | None = None
) -> list[SourceStatus]:
    """One for each source, in the order of the manifest; by *memory* the same object for one that stands as before."""
    memory = memory or StatusCache()
    known = load_states(connection, memory.states) if connection is not None else {}
    runs = _read_last_runs(connection, memory.runs) if connection is not None else {}
    pages = _count_pages(connection) if connection is not None else {}
    found = _compute_statuses(catalog, catalog.sources, connection, now, known, runs, pages, memory.of(catalog))
    memory.catalog, memory.standings = catalog, {one.source.id: one for one in found}
    return found


def source_status(catalog: Catalog, source: Source, connection: Connection | None, now: datetime) -> SourceStatus:
    """That of one source, read without the others."""
    if connection is None:
        return _compute_statuses(catalog, [source], None, now, {}, {}, {})[0]
    known, of = {source.id: load_state(connection, source.id)}, {source.id: recent_runs(connection, source.id, limit=1)}
    runs = {source_id: found[0] for source_id, found in of.items() if found}
    return _compute_statuses(catalog, [source], connection, now, known, runs, _count_pages(connection, source.id))[0]


def _compute_statuses(
    catalog: Catalog,
    sources: Sequence[Source],
    connection: Connection | None,
    now: datetime,
    known: Mapping[str, SourceState],
    runs: Mapping[str, RunRow],
    pages: Mapping[str, int],
    before: Mapping[str, SourceStatus] = MappingProxyType({}),
) -> list[SourceStatus]:
    everything = find_global_pause(connection) if connection is not None else None
    kept_from = read_locks(connection, now) if connection is not None else NO_LOCKS
    found = []
    for one in sources:
        state, run = known.get(one.id), runs.get(one.id)
        why = blocked_reason(one, state, everything)
        locked = None if why else kept_from.why(catalog, one, state, run)
        held, previous = pages.get(one.id, 0), before.get(one.id)
        if (
            previous is not None
            and (previous.state is state and previous.last_run is run)
            and (held, why, locked) == (previous.pages, previous.hindrance, previous.locked)
        ):
            found.append(previous)  # when it is due, and all words, follow from the same
            continue
        due = None if why else next_due(one, state, catalog.rules)
        status = _derive_status(one, why, locked, run)
        found.append(SourceStatus(one, status, state, due, held, run, describe_outcome(run), why, locked))
    return found


def describe_outcome(run: RunRow | None) -> str:
    """What became of a run, in words: ``complete: 14 pages, 2 changed``."""
    if run is None:
        return "none yet"
    found = run.counts or {}
    parts = [run.state]
    if found:
        pages = found.get("discovered", 0)
        numbers = [f"{pages} page" if pages == 1 else f"{pages} pages"]
        numbers += [f"{found[what]} {what}" for what in ("changed", "failed", "gone", "pending") if found.get(what)]
        parts.append(": " + ", ".join(numbers))
        if run.state in OPEN_RUN_STATES and (share := percent_done(found)) is not None:
            parts.append(f", {share} % done")
    if run.reason:
        parts.append(f" ({run.reason})")
    return "".join(parts)


#: The names of what a source's servers get, in the order of ``PolitenessStatus``.
_POLITENESS_FACTS = (
    "group",
    "delay_in_s",
    "delay_asked_in_s",
    "delay_throttled_in_s",
    "at_once",
    "last_request",
    "waits_until",
    "held_by",
    "held_until",
)
_FACT_LABELS = {"id": "ID", "url": "URL", "last_run_id": "Last run ID"}


def fact_label(key: str) -> str:
    """What people read for a key of ``source_facts``."""
    return _FACT_LABELS.get(key) or key.replace("_", " ").capitalize()


def source_facts(catalog: Catalog, one: SourceStatus, politeness_status: PolitenessStatus) -> dict[str, Any]:
    """What is known of one source, in the order in which people ask: keys and plain values."""
    source, state = one.source, one.state
    loaded = catalog.loaded_of(source.id)
    return {
        "id": source.id,
        "name": source.name,
        "url": source.url,
        "agency": source.metadata.agency,
        "jurisdiction": source.jurisdiction,
        "citation": source.citation,
        "method": source.method,
        "manifest": f"{loaded.name} {loaded.manifest.version} ({loaded.origin})",
        "priority": source.effective_priority,
        "status": one.status,
        "pause": one.hindrance,
        "locked": one.locked,
        "failures_in_a_row": state.failures_in_row if state else 0,
        "interval": describe_interval(source, state),
        "last_check": state.last_checked_at if state else None,
        "last_change": state.last_changed_at if state else None,
        "next_due": one.next_due,
        "pages": one.pages,
        "last_run": one.outcome,
        "last_run_id": one.last_run.run_id if one.last_run else None,
        **dict(zip(_POLITENESS_FACTS, astuple(politeness_status), strict=True)),
    }


def reason_not_to_start(catalog: Catalog, source: Source, connection: Connection, now: datetime) -> str | None:
    """Why a scheduled job that reaches *source* now does not begin it, in words; None: it does.

    The job was planned some time ago: meanwhile somebody may have paused it, or collected it, or its hours may be over.
    """
    known, everything = {source.id: load_state(connection, source.id)}, find_global_pause(connection)
    if (why := blocked_reason(source, known[source.id], everything)) is not None:
        return why
    due = plan_due_sources([source], known, now, rules=catalog.rules)
    if not due:
        return "collected in the meantime; no longer due"
    opens = due[0].held_until
    return f"until {opens:%Y-%m-%d %H:%M} UTC, its next hours" if opens is not None else None


def cooling_down_until(catalog: Catalog, source: Source, connection: Connection | None) -> datetime | None:
    """Until when the source's servers are cooling down, as last known; it may be over."""
    return None if connection is None else leases.paused_until(connection, catalog.group(source.host))


def run_progress(catalog: Catalog, source: Source, connection: Connection | None) -> RunProgress | None:
    """How far the source's open run has come; None when it has none."""
    run = find_open_run(connection, source.id) if connection is not None else None
    if connection is None or run is None:
        return None
    found = count_pages(connection, run.run_id)
    every_s = catalog.rules_of_group(catalog.group(source.host)).delay_s * MARGIN
    return RunProgress(run.started_at, found["discovered"] - found["pending"], found["discovered"], every_s)


def _derive_status(source: Source, hindered: str | None, locked: str | None, run: RunRow | None) -> Status:
    if source.status != "active":
        return source.status
    if hindered is not None:
        return "paused"
    if locked is not None:
        return "locked"
    if run is None:
        return "pending"
    if run.state != "complete":
        return cast("Status", _STATUS_OF_RUN_STATE.get(run.state, run.state))
    return "changed" if (run.counts or {}).get("changed") else "OK"


def _read_last_runs(connection: Connection, remembered: RowCache[RunRow]) -> dict[str, RunRow]:
    runs = tables.runs
    ids, of_source = collected_sources(), runs.alias()
    last = select(func.max(of_source.c.started_at)).where(of_source.c.source_id == ids.c.source_id).scalar_subquery()
    newest = select(ids.c.source_id, last.label("at")).subquery()
    same = (runs.c.source_id == newest.c.source_id) & (runs.c.started_at == newest.c.at)
    newest_rows = remembered.read(
        connection, select(*(runs.c[name] for name in _RUN_COLUMNS)).join_from(runs, newest, same)
    )
    return {row.source_id: row for row in newest_rows}


def _count_pages(connection: Connection, source_id: str | None = None) -> dict[str, int]:
    pages = tables.pages
    counted = select(pages.c.source_id, func.count()).where(text(tables.HELD)).group_by(pages.c.source_id)
    if source_id is not None:
        counted = counted.where(pages.c.source_id == source_id)
    return {row[0]: row[1] for row in connection.execute(counted)}


@dataclass(frozen=True, slots=True)
class PolitenessStatus:
    """Of one group. Delays are seconds between two requests, times are UTC."""

    group: str
    delay_s: float
    delay_asked_s: float | None  # by robots.txt
    delay_throttled_s: float | None  # found because the server was slow
    at_once: int
    last_request_at: datetime | None
    waits_until: datetime | None
    held_by: str | None
    held_until: datetime | None


def politeness_status(catalog: Catalog, source: Source, connection: Connection | None) -> PolitenessStatus:
    """That of the source's own host; without a connection as nothing was ever asked."""
    group = catalog.group(source.host)
    rules = catalog.rules_of_group(group)
    query = select(tables.leases).where(tables.leases.c.group == group)
    row = connection.execute(query).mappings().one_or_none() if connection is not None else None
    learnt: dict[str, Any] = dict(row) if row else {}
    return PolitenessStatus(
        group=group,
        delay_s=rules.delay_s,
        delay_asked_s=learnt.get("delay_s"),
        delay_throttled_s=learnt.get("throttle_s"),
        at_once=rules.concurrency,
        last_request_at=learnt.get("last_request_at"),
        waits_until=learnt.get("paused_until"),
        held_by=learnt.get("owner"),
        held_until=learnt.get("expires_at"),
    )
