"""The end of an accepted page: transaction B of the order of writing, with the run's figures and who accepted it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rori_spiders import removal, reviews
from rori_spiders.acceptance import judging
from rori_spiders.ledger import actions, audit, error_log, failures, frontier, runs
from rori_spiders.recording import pages, rows
from rori_spiders.stores import staging
from rori_spiders.urls import normalise

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import PageItem
    from rori_spiders.ledger.holds import Held
    from rori_spiders.manifest.models import Source
    from rori_spiders.redaction import Redactor


@dataclass(frozen=True, slots=True)
class By:
    """Who accepts, and why."""

    actor: str
    reason: str


def settle(
    conn: Connection, item: PageItem, held: Held, by: By, source: Source, redact: Redactor, now: datetime
) -> list[int]:
    """Everything that changes with the acceptance of *item*, whose file is written, in the caller's transaction.

    Gives the rows of the audit that the error log is to tell: its failure is none any more.
    """
    run, fetched = runs.run(conn, item.visit.run_id), item.fetched
    assert fetched is not None and item.change is not None
    was = held.reason.partition(";")[0]
    item.reason = f"{error_log.ACCEPTED} {now:%Y-%m-%d %H:%M} UTC by {by.actor}: {by.reason} (was {was})"
    before = judging.of_sum(conn, run.run_id, source)
    _settle_url(conn, item, redact, now)
    if _is_last_end(conn, item):
        is_start = item.visit.found_by == "start" or item.visit.url == normalise(source.url)
        reviews.note_page(conn, item, is_start=is_start, reason=redact.text(item.reason), now=now)
    if item.state == "gone":
        reviews.note_gone(conn, run.source_id, item.visit.url, now=now)
    page_id = pages.note(conn, item, redact, fetched.at)  # it was seen then, not now
    audit.append(conn, _audit_row(item, held, redact))
    if item.envelope_id is not None:
        pages.add_version(conn, item, page_id, now)
        staging.mark_staged(conn, item.envelope_id, now=now)
    details = {"url": item.visit.url, "state": item.state, "path": item.staged_path, "held": held.reason}
    actions.record(conn, now=now, actor=by.actor, action="accept", target=run.run_id, reason=by.reason, details=details)
    judging.close_again(conn, run, source, before, changed=item.change.changed, now=now)
    removal.note_end(conn, run.source_id, now)
    return failures.note(conn, run.run_id, {item.visit.url: item.state}, {item.visit.url: "failed"})


def _settle_url(conn: Connection, item: PageItem, redact: Redactor, now: datetime) -> None:
    row = frontier.url(conn, item.visit.run_id, item.visit.url)
    assert row is not None
    frontier.settle(
        conn,
        item.visit.run_id,
        item.visit.url,
        state=item.state,
        reason=redact.url(item.reason),
        tier=row.tier,
        verdict=row.verdict,
        attempts=row.attempts,
        now=now,
    )


def _is_last_end(conn: Connection, item: PageItem) -> bool:
    """Whether no later run has met the page: what that one found is what a person must look at."""
    last = next(audit.query(conn, source_id=item.visit.source_id, url=item.visit.url, limit=1), None)
    return last is not None and last["run_id"] == item.visit.run_id


def _audit_row(item: PageItem, held: Held, redact: Redactor) -> audit.AuditRow:
    """The row of the same answer, as it was accepted: of the time when it came, and nothing was asked or paid again."""
    then = held.audited
    row = rows.of_page(
        item, redact, now=then["timestamp"], raw_hash=then["raw_hash"], robots_object=then["robots_object"]
    )
    return replace(row, verdict=then["verdict"], rules=then["rules"])
