"""Accepting the number of pages that a suspect run found: the run is complete, and its count the usual one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders import reviews
from rori_spiders.acceptance import judging
from rori_spiders.ledger import actions, runs
from rori_spiders.run import Outcome
from rori_spiders.usual import ACCEPTED

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.acceptance.settling import By

SUSPECT = "suspect"


def accept_count(conn: Connection, run_id: str, by: By, now: datetime) -> int | None:
    """Accept it, with who and why, in the caller's transaction; gives the number of good pages.

    None, and nothing is changed, where the run is not suspect: somebody else was here before.
    """
    run = runs.run(conn, run_id)
    if run.state != SUSPECT:
        return None
    counts = runs.counts(conn, run_id)
    good = counts["captured"] + counts["unchanged"]
    details = {"pages": good, "was": run.reason}
    actions.record(conn, now=now, actor=by.actor, action=ACCEPTED, target=run_id, reason=by.reason, details=details)
    ended = run.finished_at or now
    found = runs.close_run(conn, run_id, state="complete", reason=None, now=ended)
    judging.note(conn, run, Outcome("complete"), changed=bool(found["changed"]), at=ended)
    reviews.note_pages(conn, run.source_id, state="complete", reason=None, now=now)
    return good
