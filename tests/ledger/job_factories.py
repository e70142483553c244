"""Jobs in the queue, and the terms under which they are claimed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger.queue import job_queue
from rori_spiders.ledger.queue.permits import PermitLimits
from tests.ledger.factories import at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.queue.job_queue import QueuedJob

TERMS = job_queue.ClaimTerms(60, "n1", PermitLimits(5), timedelta(minutes=5))
OWNER = "n1:77:a"


def ident(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def queued(
    conn: Connection,
    number: int | str,
    *,
    sources: Sequence[str] = ("reg-x",),
    groups: Sequence[str] = ("cfpb.gov",),
    priority: float = 0,
    minutes: float = 0,
) -> str:
    """The id of a job that a schedule has put into the queue."""
    job_id = ident(number) if isinstance(number, int) else number
    job_queue.enqueue_job(
        conn, job_id=job_id, sources=sources, groups=groups, priority=priority, operator="system", now=at(minutes)
    )
    return job_id


def claimed(conn: Connection, node: str = "n1:6800", minutes: float = 0) -> QueuedJob:
    """The first job of the queue, given to a node."""
    job = job_queue.claim_job(conn, TERMS, node=node, now=at(minutes))
    assert job is not None
    return job
