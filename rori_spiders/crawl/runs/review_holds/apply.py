"""Apply an acceptance to the ledger: transaction B of the write order, the totals and the outcome of the run, the
reviewer, under the leases of the source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rori_spiders import reviews
from rori_spiders.crawl.runs import page_records, tombstones
from rori_spiders.crawl.runs.baseline import load_baseline
from rori_spiders.crawl.runs.outcome import start_url_outcome
from rori_spiders.crawl.runs.run import RunOutcome, judge_run
from rori_spiders.exceptions import RoriError
from rori_spiders.ledger.audit import audit_log, failure_states
from rori_spiders.ledger.operations import activity_log, source_status
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.queue.owners import owner_of
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.staging import envelope_writer
from rori_spiders.urls.canonical import normalise_url

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import PageItem
    from rori_spiders.ledger.pages.held_pages import HeldPage
    from rori_spiders.ledger.queue.leases import Lease
    from rori_spiders.ledger.runs.run_records import RunRow
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.runtime.redaction import Redactor


@dataclass(frozen=True, slots=True)
class Reviewer:
    """The person who accepts, and the reason."""

    actor: str
    reason: str


def apply_acceptance(
    conn: Connection, item: PageItem, held: HeldPage, by: Reviewer, source: Source, redact: Redactor, now: datetime
) -> list[int]:
    """Everything that changes with the acceptance of *item*, whose file is written, in the caller's transaction.

    Gives the rows of the audit that the error log is to tell: its failure is none any more.
    """
    run, fetched = run_records.get_run(conn, item.visit.run_id), item.fetched
    assert fetched is not None and item.change is not None
    at = f"{now:%Y-%m-%d %H:%M} UTC"
    item.reason = Reason(ReasonCode.ACCEPTED, at=at, actor=by.actor, note=by.reason, before=held.reason_code)
    before = outcome_from_totals(conn, run.run_id, source)
    _settle_url(conn, item, redact, now)
    if _is_latest_result(conn, item):
        is_start = item.visit.found_by == "start" or item.visit.url == normalise_url(source.url)
        reviews.note_page(conn, item, is_start=is_start, reason=item.reason.masked(redact.text), now=now)
    if item.state == "gone":
        reviews.note_gone(conn, run.source_id, item.visit.url, now=now)
    page_ids = page_records.record_pages(conn, [(item, fetched.at)], redact)  # it was seen then, not now
    audit_log.append_row(conn, _audit_row(item, held, redact))
    if item.envelope_id is not None:
        page_records.add_versions(conn, [item], page_ids)
        envelope_writer.mark_staged(conn, item.envelope_id, now=now)
    details = {"url": item.visit.url, "state": item.state, "path": item.staged_path, "held": held.reason}
    activity_log.record_action(
        conn, now=now, actor=by.actor, action="accept", target=run.run_id, reason=by.reason, details=details
    )
    recompute_run_outcome(conn, run, source, before, changed=item.change.changed, now=now)
    tombstones.clear_mass_removal_alert(conn, run.source_id, now)
    return failure_states.note_unlogged(conn, run.run_id, {item.visit.url: item.state}, {item.visit.url: "failed"})


def _settle_url(conn: Connection, item: PageItem, redact: Redactor, now: datetime) -> None:
    row = frontier.find_url(conn, item.visit.run_id, item.visit.url)
    assert row is not None
    frontier.settle_url(
        conn,
        item.visit.run_id,
        item.visit.url,
        state=item.state,
        reason=item.reason.masked(redact.url),
        tier=row.tier,
        verdict=row.verdict,
        attempts=row.attempts,
        now=now,
    )


def _is_latest_result(conn: Connection, item: PageItem) -> bool:
    """Whether no later run has met the page: what that one found is what a person must look at."""
    last = next(audit_log.query_rows(conn, source_id=item.visit.source_id, url=item.visit.url, limit=1), None)
    return last is not None and last["run_id"] == item.visit.run_id


def _audit_row(item: PageItem, held: HeldPage, redact: Redactor) -> audit_log.AuditRow:
    """The row of the same answer, as it was accepted: of the time when it came, and nothing was asked or paid again."""
    then = held.audited
    row = page_records.page_audit_row(
        item, redact, now=then["timestamp"], raw_hash=then["raw_hash"], robots_object=then["robots_object"]
    )
    return replace(row, verdict=then["verdict"], rules=then["rules"])


# How a run stands once a page that it held is accepted: its figures, its state, and what that says of its source.


def outcome_from_totals(conn: Connection, run_id: str, source: Source) -> RunOutcome:
    """The outcome that the run's sum in the ledger gives."""
    return judge_run(
        run_records.count_pages(conn, run_id),
        shared=frontier.count_urls(conn, run_id, ReasonCode.COLLECTED_BY),
        unrendered=frontier.count_urls(conn, run_id, ReasonCode.BROWSER_BUDGET_SPENT),
        start=start_url_outcome(conn, run_id, source.url),
        stopped=None,
        expect=source.scrape_config.expect,
        incomplete=frontier.why_incomplete(conn, run_id),
        beyond=frontier.why_in_part(conn, run_id),
        baseline=load_baseline(conn, source, before=run_records.get_run(conn, run_id).started_at),
    )


def recompute_run_outcome(
    conn: Connection, run: RunRow, source: Source, before: RunOutcome, *, changed: bool, now: datetime
) -> str:
    """Write the run's figures anew; gives the state that it is in now.

    A run that failed by its sum (*before*, what that gave until now) is judged by its new sum. One that failed for
    another reason, or was not finished, stays what it is. When it ended stays as it was.
    """
    ended = run.finished_at or now
    state, reason = run.state, None
    if run.state not in OPEN_RUN_STATES and (run.state, run.reason_code) == (before.state, before.reason.code):
        outcome = outcome_from_totals(conn, run.run_id, source)
        state, reason = outcome.state, outcome.reason
    elif state == "complete":
        reason = frontier.why_in_part(conn, run.run_id)
    run_records.close_run(conn, run.run_id, state=state, reason=reason, now=ended)
    update_source_check(conn, run, state, changed=changed, at=ended)
    return state


def update_source_check(conn: Connection, run: RunRow, ended: str, *, changed: bool, at: datetime) -> None:
    """Its source was checked, and changed, when the run ended; a later run has said more of it than this one."""
    if source_status.load_state(conn, run.source_id).last_run_id != run.run_id:
        return
    # Where it was complete before, or is not yet, only the change is news: `partial` counts neither way.
    state = "complete" if ended == "complete" != run.state else "partial"
    source_status.record_outcome(
        conn, run.source_id, run_id=run.run_id, state=state, operator=run.operator, changed=changed, now=at
    )


# The source's leases while its pages are accepted: no job collects the source meanwhile, none takes our files back.


class SourceLocked(RoriError):
    """Raised when a job works on the source."""


class SourceLock:
    """The leases of a run's groups of hosts. No request is made under them.

    Their owner bears the id of the run's job: what is reserved in its name counts as live, and no recovery drops it.
    """

    def __init__(self, catalog: Catalog, run: RunRow) -> None:
        source = catalog.source(run.source_id)
        self._groups = sorted({catalog.group(host) for host in source.hosts})
        self._owner = owner_of(run.job_id)
        self._held: dict[str, Lease] = {}

    def take(self, conn: Connection, now: datetime) -> None:
        """Take them, or keep them for another minute. Raises Locked."""
        for group in self._groups:
            lease = leases.acquire_lease(conn, group, owner=self._owner, now=now)
            if lease is None:
                why = leases.refusal_reason(conn, group, now=now) or f"{group} is held by another job"
                raise SourceLocked(f"{why}. Try again once it has ended.")
            self._held[group] = lease

    def check(self, conn: Connection) -> None:
        """Raise LeaseLost unless they are still ours; first in a transaction."""
        for group, lease in self._held.items():
            leases.check_lease(conn, group, lease.epoch)

    def give_back(self, conn: Connection) -> None:
        leases.release_leases(conn, self._held.values())
        self._held = {}
