"""Accepting the number of pages that a suspect run found: the run is complete, and its count the usual one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from rori_spiders import reviews, summaries
from rori_spiders.acceptance import judging
from rori_spiders.exceptions import StagingError
from rori_spiders.ledger import actions, runs
from rori_spiders.ledger import summaries as kept
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.run import Outcome
from rori_spiders.stores.summaries import write_left

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.acceptance.accepting import Desk
    from rori_spiders.acceptance.settling import By

SUSPECT = "suspect"


def renew_summary(desk: Desk, run_id: str) -> None:
    """Give the run a summary that knows what was accepted, beside the one of its end. None for a single page."""
    with desk.ledger.connect() as conn:
        run = runs.run(conn, run_id)
        if run.method not in summaries.METHODS or run.state in OPEN_RUN_STATES:
            return
        sitemaps = summaries.Coverage("sitemap", run_id)
        for url, named in _named(desk, summaries.sitemaps_of(conn, run_id)):
            sitemaps.add(conn, named, url)
    source = desk.catalog.source(run.source_id)
    with desk.ledger.begin() as conn:
        now = desk.clock()
        note = summaries.found_nothing(conn, run_id, source)
        kept.keep(conn, run_id, summaries.make(conn, run_id, source, sitemaps, note, now=now), now=now)
    write_left(desk.ledger, desk.store)


def _named(desk: Desk, read: Iterable[tuple[str, str]]) -> Iterator[tuple[str, dict[str, str]]]:
    for url, digest in read:
        with suppress(ValueError, OSError, StagingError):  # it was no sitemap, or its bytes are not there any more
            yield url, summaries.pages_in(desk.store.get_object(digest), url)


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
    actions.record(
        conn, now=now, actor=by.actor, action=actions.ACCEPT_RUN, target=run_id, reason=by.reason, details=details
    )
    ended = run.finished_at or now
    found = runs.close_run(conn, run_id, state="complete", reason=None, now=ended)
    judging.note(conn, run, Outcome("complete"), changed=bool(found["changed"]), at=ended)
    reviews.note_pages(conn, run.source_id, state="complete", reason=None, now=now)
    return good
