"""Actions of operators on sources, schedule and jobs, each recorded in ``actions``; for commands and the monitor."""

from datetime import datetime

from sqlalchemy import Connection

from rori_spiders import reviews
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.operations import activity_log, source_status
from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.ledger.queue import job_queue
from rori_spiders.ledger.queue.job_queue import QueuedJob


def pause_source(conn: Connection, target: str, *, reason: str, actor: str, now: datetime) -> None:
    """Pause the source *target*, or all (``ALL_SOURCES``): the schedule skips it until it is resumed."""
    source_status.pause_source(conn, target, by="person", reason=reason, now=now)
    activity_log.record_action(conn, now=now, actor=actor, action="pause", target=target, reason=reason)


def resume_source(conn: Connection, target: str, *, actor: str, now: datetime) -> SourceState:
    """End a pause by a person or the breaker, or that of all; return the new status of *target*."""
    source_status.resume_source(conn, target)
    reviews.note_resumed(conn, target, now=now)
    activity_log.record_action(conn, now=now, actor=actor, action="resume", target=target)
    return source_status.load_state(conn, target)


def cancel_job(conn: Connection, job_id: str, *, actor: str, now: datetime) -> QueuedJob | None:
    """Cancel a queued job, or ask a running one to stop; return its previous state, None when unknown.

    What has ended stays as it is, and no action is recorded.
    """
    now = lease_clock(conn, now)
    before = job_queue.cancel_job(conn, job_id, by=actor, now=now)
    if before is not None and before.state in job_queue.OPEN_STATES:
        what = {"sources": list(before.sources)}
        activity_log.record_action(conn, now=now, actor=actor, action="cancel_job", target=before.job_id, details=what)
    return before


def set_next_run(conn: Connection, source_id: str, at: datetime | None, *, actor: str, now: datetime) -> None:
    """Set the source's next due time to *at*, once; None: follow the schedule."""
    source_status.set_next_run(conn, source_id, at)
    details = {"at": at.isoformat()} if at is not None else None
    activity_log.record_action(conn, now=now, actor=actor, action="next_run", target=source_id, details=details)
