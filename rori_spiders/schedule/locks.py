"""List due sources that cannot start because another job has leased their servers. Read-only.

In: an open connection, the time. Out: ``SourceLocks``, which says of a source who is in its way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.ledger.queue import job_queue, leases
from rori_spiders.schedule import plan_due_sources

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.operations.source_status import SourceState
    from rori_spiders.ledger.queue.job_queue import QueuedJob
    from rori_spiders.ledger.queue.leases import Lease
    from rori_spiders.ledger.runs.run_records import RunRow
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
