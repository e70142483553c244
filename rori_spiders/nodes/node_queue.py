"""A node's access to the shared queue: each call is one transaction of the ledger, from any thread.

In: settings, the node's name. Out: jobs. Every error of the ledger is raised; who calls says it.
"""

from __future__ import annotations

import socket
import threading
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.project import get_project_settings

from rori_spiders.configuration.active_manifest import load_active_catalog
from rori_spiders.configuration.locations import Locations
from rori_spiders.crawl.job.leases import claim_terms
from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.queue import job_queue
from rori_spiders.ledger.queue.job_queue import OFFLINE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy.settings import Settings
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.queue.job_queue import ClaimTerms, LostJob, QueuedJob

#: Pause after a job that could not start: else a broken node would empty the queue.
EMPTY_QUEUE_PAUSE_S = 60.0
#: After a job that stopped because this machine is offline: each one before it is back would stop as well.
OFFLINE_PAUSE_S = 300.0
#: The spiders that take `sources` as an argument; every other spider is a source.
GENERIC_SPIDERS = frozenset({"sources", "page", "site", "mediawiki"})


def load_node_settings() -> Settings:
    """The settings of the project in whose folder Scrapyd runs; without one (projects that come as eggs), ours."""
    settings = get_project_settings()
    if "RORI_UMASK" not in settings:
        settings.setmodule("rori_spiders.settings", priority="default")
    return settings


class NodeQueue:
    """A node's access to the queue; opens the ledger on first use, and again after it was unavailable."""

    def __init__(self, places: Locations, node: str, terms: ClaimTerms) -> None:
        self.places = places
        self.node = node
        self._terms = terms
        self._opening = threading.Lock()
        self._opened: Ledger | None = None
        self._rests_until = 0.0  # on the monotonic clock

    @classmethod
    def of_project(cls, node: str) -> NodeQueue:
        """Open the queue of the project in whose folder Scrapyd runs. Raises as ``Locations.from_settings``."""
        settings = load_node_settings()
        return cls(Locations.from_settings(settings, closest_scrapy_cfg()), node, claim_terms(settings))

    def claimable(self) -> int:
        """Return the number of jobs that this node could claim now."""
        if self.rests:
            return 0
        with self._ledger().connect() as conn:
            return job_queue.count_claimable_and_lost(conn, self._terms, now=_database_now(conn))

    def claim(self) -> tuple[QueuedJob | None, list[LostJob]]:
        """Claim the next job; return it with the jobs that were found lost."""
        if self.rests:
            return None, []
        ledger = self._ledger()
        with ledger.begin() as conn:
            lost = job_queue.recover_lost_jobs(conn, now=_database_now(conn))
        with ledger.begin() as conn:
            if ledger.place.is_sqlite:
                self._only_machine(conn)
            return job_queue.claim_job(conn, self._terms, node=self.node, now=_database_now(conn)), lost

    def process_ended(self, job_id: str) -> str | None:
        """Return why a job whose process ended never started; None if it had. This node then pauses for a minute.

        What keeps one job from beginning mostly keeps all: the manifest, the ledger's version, the staging area.
        """
        with self._ledger().begin() as conn:
            job = job_queue.reject_claim(
                conn, job_id, reason=f"the process on {self.node} ended; see its log", now=_database_now(conn)
            )
        if job is not None and job.outcome == OFFLINE:
            self._rests_until = monotonic() + OFFLINE_PAUSE_S  # the log of the job has the reason
        if job is None or job.outcome != "refused" or job.started_at is not None:
            return None
        self._rests_until = monotonic() + EMPTY_QUEUE_PAUSE_S
        return job.reason

    @property
    def rests(self) -> bool:
        """Return whether this node pauses because a job could not start."""
        return monotonic() < self._rests_until

    def waiting(self) -> list[QueuedJob]:
        with self._ledger().connect() as conn:
            return job_queue.waiting_jobs(conn)

    def add(
        self, job_id: str, spider: str, sources: Sequence[str], priority: float, arguments: Mapping[str, Any]
    ) -> None:
        """Queue a manual job. Raises UsageError for sources that are not active."""
        ledger = self._ledger()
        groups = self._groups(ledger, spider, sources)
        with ledger.begin() as conn:
            job_queue.enqueue_job(
                conn,
                job_id=job_id,
                spider=spider,
                sources=sources,
                groups=groups,
                priority=priority,
                operator="manual",
                arguments=arguments,
                now=_database_now(conn),
            )

    def cancel(self, chosen: Callable[[QueuedJob], bool], by: str, *, running: bool = False) -> int:
        """Cancel the waiting jobs that *chosen* selects; return their number.

        *running*: also those of this node, whose processes get a signal from Scrapyd; else they would be queued again.
        """
        with self._ledger().begin() as conn:
            number = 0
            for job in filter(chosen, job_queue.list_jobs(conn, ended=0)):
                if job.state != "waiting" and not (running and job.node == self.node):
                    continue
                before = job_queue.cancel_job(conn, job.job_id, by=by, now=_database_now(conn))
                if before is None:
                    continue
                number += before.state == "waiting"
                activity_log.record_action(
                    conn, now=_database_now(conn), actor=by, action="cancel_job", target=job.job_id
                )
            return number

    def close(self) -> None:
        """Close the ledger; the next call opens it again."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _groups(self, ledger: Ledger, spider: str, sources: Sequence[str]) -> list[str]:
        if not sources:
            raise UsageError(f"name the sources: -d spider={spider} -d sources=ID,ID")
        catalog = load_active_catalog(self.places, ledger)
        known = {source.id: source for source in catalog.sources}
        if missing := [one for one in sources if one not in known]:
            raise UsageError(f"the active manifest has no source with the ID {', '.join(missing)}")
        return sorted({group for one in sources for group in catalog.groups_of(known[one])})

    def _only_machine(self, conn: Connection) -> None:
        """Refuse jobs of other machines on SQLite: concurrent writes over a network corrupt the file."""
        own = socket.gethostname()
        for job in job_queue.list_jobs(conn, ended=0):
            if job.owner is not None and job.state == "running" and job.owner.rsplit(":", 2)[0] != own:
                raise LedgerError(
                    f"{job.owner} is running a job on the same SQLite file, which only the nodes of one machine "
                    "can share. Use PostgreSQL (docs/how-to/nodes.md)"
                )

    def _ledger(self) -> Ledger:
        with self._opening:
            if self._opened is None:
                self._opened = open_ledger(self.places.database_url)
            return self._opened


def _database_now(conn: Connection) -> datetime:
    return lease_clock(conn, datetime.now(UTC))
