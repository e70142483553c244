"""One round of the dispatcher: what is due, what is in the queue, which jobs are made of the rest.

Two dispatchers may be at it at once: who writes decides again behind the queue's lock, so no job is made twice.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from rori_spiders.exceptions import LedgerError
from rori_spiders.fleet.manifests import InForce
from rori_spiders.fleet.outlook import Outlook, read_outlook
from rori_spiders.inforce import existing_ledger
from rori_spiders.ledger import jobs
from rori_spiders.ledger.database import BUSY_TIMEOUT_S, open_ledger
from rori_spiders.manifest.scope import Scope
from rori_spiders.schedule.dispatching import Decision, decide
from rori_spiders.stores import open_store
from rori_spiders.stores.agreement import is_empty, without_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.places import Places
    from rori_spiders.schedule import Due
    from rori_spiders.schedule.dispatching import Planned

#: A node asks for jobs every few seconds; a queue that nobody has touched for so long has no node.
NOT_TAKEN = timedelta(minutes=15)
#: Jobs that ended are history for so long: a quarter, in which the slowest sources came three times.
KEPT = timedelta(days=90)
_PRUNES = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Queued:
    """A job that a round has put into the queue."""

    job_id: str
    planned: Planned


@dataclass(frozen=True, slots=True)
class Round:
    """What one round found and did."""

    queued: list[Queued] = field(default_factory=list)
    held: list[Due] = field(default_factory=list)
    later: list[tuple[Due, str]] = field(default_factory=list)
    outlook: Outlook = field(default_factory=Outlook)  # as it was before
    catalog: Catalog | None = None  # the sources in force

    def waits_since(self, now: datetime) -> datetime | None:
        """Since when a job waits while no job runs, where that is so long that there can be no node."""
        states = [job.state for job in self.outlook.jobs.values()]
        waiting = [job.queued_at for job in self.outlook.jobs.values() if job.state == "waiting"]
        if not waiting or len(waiting) < len(states) or min(waiting) > now - NOT_TAKEN:
            return None
        return min(waiting)


class Dispatcher:
    """Puts what is due into the queue, round by round. At most *waiting* jobs wait there at once."""

    def __init__(
        self,
        places: Places,
        *,
        tiers: Sequence[str],
        waiting: int,
        dry_run: bool = False,
        timeout_s: float = BUSY_TIMEOUT_S,
    ) -> None:
        self._places = places
        self._in_force = InForce(places, tiers, activate=not dry_run)
        self._waiting = waiting
        self._dry_run = dry_run
        self._timeout_s = timeout_s
        self._had_ledger = False
        self._pruned_at: datetime | None = None

    def round(self, now: datetime) -> Round:
        """Raises ManifestError when there never was a valid one, LedgerError when the ledger cannot be used now."""
        with self.ledger() as ledger:
            catalog = self._in_force.catalog(ledger, now)
            with ledger.connect() if ledger else nullcontext() as connection:
                found = self._decide(catalog, connection, now)
            if ledger is None or self._dry_run:
                return found
            self._prune(ledger, now)
            if not found.queued:
                return found
            with ledger.begin() as connection:
                jobs.alone(connection)
                found = self._decide(catalog, connection, now)
                for one in found.queued:
                    add(connection, one, operator="system", now=now)
        return found

    def _prune(self, ledger: Ledger, now: datetime) -> None:
        """Once an hour, so much at a time that nobody waits for it."""
        if self._pruned_at is None or abs(now - self._pruned_at) >= _PRUNES:
            with ledger.begin() as connection:
                jobs.prune(connection, before=now - KEPT)
            self._pruned_at = now

    def _decide(self, catalog: Catalog, connection: Connection | None, now: datetime) -> Round:
        outlook = read_outlook(connection)
        waiting = sum(job.state == "waiting" for job in outlook.jobs.values())
        made: Decision = decide(
            outlook.due(catalog, now),
            queued=outlook.queued,
            busy={group for job in outlook.jobs.values() for group in job.groups},
            room=max(0, self._waiting - waiting),
            groups=lambda source: groups_of(catalog, source),
        )
        new = [Queued(str(uuid4()), planned) for planned in made.jobs]
        return Round(new, made.held, made.later, outlook, catalog)

    @contextmanager
    def ledger(self) -> Iterator[Ledger | None]:
        """Opened for one round: whatever became of it since the last one is noticed. None: a dry run without one."""
        if self._dry_run:
            with existing_ledger(self._places) as ledger:
                yield ledger
            return
        if not self._places.has_ledger:
            self._refuse_to_begin_anew()
        ledger = open_ledger(self._places.database_url, timeout_s=self._timeout_s)
        self._had_ledger = True
        try:
            yield ledger
        finally:
            ledger.close()

    def _refuse_to_begin_anew(self) -> None:
        """A new ledger where one was lost would have everything collected again."""
        if self._had_ledger:
            raise LedgerError(f"The ledger at {self._places.shown_ledger} is gone.")
        store = open_store(self._places.staging)
        if not is_empty(store):
            raise without_ledger(store, self._places.shown_ledger)


def add(connection: Connection, one: Queued, *, operator: str, now: datetime) -> None:
    """Put it into the queue."""
    planned = one.planned
    jobs.add(
        connection,
        job_id=one.job_id,
        sources=[source.id for source in planned.sources],
        groups=sorted(planned.groups),
        priority=planned.priority,
        operator=operator,
        now=now,
    )


def groups_of(catalog: Catalog, source: Source) -> list[str]:
    """The politeness groups whose leases a run of *source* needs, that of its start page first."""
    first = catalog.group(source.host)
    return [first, *sorted({catalog.group(host) for host in Scope(source).hosts} - {first})]
