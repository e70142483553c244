"""What a person does to sources, schedule and jobs, each with its row in ``actions``: for commands and the monitor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders import reviews
from rori_spiders.ledger import actions, claims, jobs, sources
from rori_spiders.ledger.dialects import clock

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.jobs import QueuedJob
    from rori_spiders.ledger.sources import SourceState


def pause(conn: Connection, target: str, *, reason: str, actor: str, now: datetime) -> None:
    """No schedule starts the source *target*, or any (``sources.EVERYTHING``), until somebody resumes it."""
    sources.pause(conn, target, by="person", reason=reason, now=now)
    actions.record(conn, now=now, actor=actor, action="pause", target=target, reason=reason)


def resume(conn: Connection, target: str, *, actor: str, now: datetime) -> SourceState:
    """Take back a pause by a person or the breaker, or that of all; gives how *target* stands then."""
    sources.resume(conn, target)
    reviews.note_resumed(conn, target, now=now)
    actions.record(conn, now=now, actor=actor, action="resume", target=target)
    return sources.state_of(conn, target)


def cancel(conn: Connection, job_id: str, *, actor: str, now: datetime) -> QueuedJob | None:
    """Take a job out of the queue, or ask its process to stop; gives it as it was, None when there is none.

    What has ended stays as it is, and is no action.
    """
    now = clock(conn, now)
    before = claims.cancel(conn, job_id, by=actor, now=now)
    if before is not None and before.state in jobs.OPEN_STATES:
        what = {"sources": list(before.sources)}
        actions.record(conn, now=now, actor=actor, action="cancel_job", target=before.job_id, details=what)
    return before


def set_next_run(conn: Connection, source_id: str, at: datetime | None, *, actor: str, now: datetime) -> None:
    """The source's next run is due at *at*, whatever its interval says, once; None: as its schedule has it."""
    sources.set_next_run(conn, source_id, at)
    details = {"at": at.isoformat()} if at is not None else None
    actions.record(conn, now=now, actor=actor, action="next_run", target=source_id, details=details)
