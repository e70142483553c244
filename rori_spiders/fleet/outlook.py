"""What a schedule must know of the ledger, read in one go: how sources stand, what is paused, what is in a job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.ledger import jobs, sources
from rori_spiders.schedule import plan

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.jobs import QueuedJob
    from rori_spiders.ledger.sources import SourceState
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule import Due


@dataclass(frozen=True, slots=True)
class Outlook:
    """Empty, where there is no ledger yet."""

    states: dict[str, SourceState] = field(default_factory=dict)
    everything: SourceState | None = None  # the pause of all sources
    queued: dict[str, str] = field(default_factory=dict)  # source -> its job
    jobs: dict[str, QueuedJob] = field(default_factory=dict)  # that wait, are leased, or run

    def due(self, catalog: Catalog, now: datetime, *, of: Iterable[Source] | None = None) -> list[Due]:
        """What is due of the catalogue, or of some of its sources, in a job already or not."""
        chosen = catalog.sources if of is None else of
        return plan(chosen, self.states, now, rules=catalog.rules, everything=self.everything)

    def job_of(self, source_id: str) -> str | None:
        """In a sentence, which job has the source; None: none has."""
        job_id = self.queued.get(source_id)
        if job_id is None:
            return None
        job = self.jobs.get(job_id)
        if job is None:
            return f"Its job {job_id} was lost, and is not tried again by itself: `scrapy dispatch --now {source_id}`."
        if job.state == "waiting":
            return f"It is in the job {job_id}, which waits for a node since {job.queued_at:%Y-%m-%d %H:%M} UTC."
        return f"It is in the job {job_id}, on the node {job.node}; no other job takes it until that one has ended."


def read_outlook(connection: Connection | None) -> Outlook:
    """As of now; None: there is no ledger."""
    if connection is None:
        return Outlook()
    still = {job.job_id: job for job in jobs.listed(connection, ended=0)}
    return Outlook(sources.states(connection), sources.pause_of_all(connection), jobs.queued_sources(connection), still)
