"""Review actions on a run: decide about URLs, approve or reject texts, approve, cancel or resume the run.

Every action is one transaction on the locked run (`lock_run`), refused where its state does not allow it, and
recorded with its actor. A decision about a URL is an override, which holds in this run and all later ones. An
approval holds until the source text changes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row

from rori_spiders.corpus.run_states import WORK, State, may_move
from rori_spiders.corpus.runs.page_map import new_page_row
from rori_spiders.exceptions import ActionRefused, UnknownName, UsageError
from rori_spiders.ledger.corpus import human_decisions, run_pages, run_states
from rori_spiders.ledger.corpus.page_ids import action_target, page_id_for_url
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import activity_log
from rori_spiders.reviews.corpus_alerts import clear_corpus_alert
from rori_spiders.reviews.events import CORPUS_DRAFT, CORPUS_FAILED
from rori_spiders.staging.store import Store
from rori_spiders.urls.canonical import host_of, normalise_url


@dataclass(frozen=True)
class LockedRun:
    """A run that is locked for one person's action. The review functions raise UsageError."""

    conn: Connection
    run: CorpusRun
    by: str
    now: datetime

    def page(self, page_id: str) -> Row[Any]:
        """Return a page of the run."""
        row = run_pages.find_page(self.conn, self.run.run_id, page_id)
        if row is None:
            raise ActionRefused(f"the run has no page {page_id}")
        return row

    def record(self, action: str, *, reason: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        """Record the action with its person and run."""
        details_of_run = {"run_id": self.run.run_id, **(details or {})}
        target = action_target(self.run.domain)
        activity_log.record_action(
            self.conn, now=self.now, actor=self.by, action=action, target=target, reason=reason, details=details_of_run
        )

    def move(self, to: State, *, ends: bool = False, says: str | None = None) -> None:
        """Move the run to another state."""
        if not may_move(self.run.state, to, "operator"):  # type: ignore[arg-type]  # a row's text
            raise ActionRefused(f"the run of {self.run.domain} is {self.run.state}, and cannot become {to}")
        if not run_states.move_run(self.conn, self.run, to, now=self.now, ends=ends, says=says):
            raise ActionRefused("the run changed since you loaded it; refresh and try again")


@contextmanager
def lock_run(
    ledger: Ledger, run_id: str, *, by: str, now: datetime, states: Collection[str] = ()
) -> Iterator[LockedRun]:
    """Lock a run in one of *states* for *by*, in one transaction."""
    with ledger.begin() as conn:
        run = run_states.find_run(conn, run_id)
        if run is None:
            raise UnknownName(f"unknown run {run_id}")
        if states and run.state not in states:
            raise ActionRefused(
                f"the run of {run.domain} is {run.state}: this can be done while it is {' or '.join(states)}"
            )
        yield LockedRun(conn, run, by, now)


def require_reason(reason: str) -> str:
    """Return a person's reason, in one line. Raises UsageError when it is missing."""
    text = " ".join(reason.split())
    if not text:
        raise UsageError("a reason is required")
    return text[:1000]


# Overrides: a person's decisions about URLs, for this run and all later ones.

INCLUDE, EXCLUDE = "include", "exclude"
#: States in which decisions may change. The approval of an approved run must be withdrawn first.
DECIDED_IN = (*WORK[WORK.index("page_triage") :], "ready_for_review")
_TEXT_COLUMNS = ("got", "got_reason", "got_at")


def decide_page(turn: LockedRun, page_id: str, decision: str, reason: str) -> None:
    """Record *decision* about a page: ``include`` or ``exclude``. An included page without text is fetched next."""
    row, why = turn.page(page_id), require_reason(reason)
    human_decisions.set_override(
        turn.conn, turn.run.domain, page_id, row.url, decision, reason=why, by=turn.by, now=turn.now
    )
    run_pages.update_page(turn.conn, turn.run.run_id, page_id, _override_values(decision, why, turn.by))
    turn.record(f"corpus_{decision}", reason=why, details={"url": row.url, "was": row.decision})
    if decision == INCLUDE and row.document_object is None:
        run_pages.reset_columns(turn.conn, turn.run.run_id, [page_id], _TEXT_COLUMNS)
        if turn.run.state == "ready_for_review":
            turn.move("scraping")


def clear_decision(turn: LockedRun, page_id: str, reason: str) -> None:
    """Clear an override: the rules decide again in the next run; in this one the page needs review."""
    row, why = turn.page(page_id), require_reason(reason)
    if page_id not in human_decisions.active_overrides(turn.conn, turn.run.domain):
        raise ActionRefused(f"{row.url} has no decision that could be cleared")
    human_decisions.set_override(
        turn.conn, turn.run.domain, page_id, row.url, None, reason=why, by=turn.by, now=turn.now
    )
    values = {"decision": "needs_review", "decided_by": "rule", "rule": "override cleared", "reason": why}
    run_pages.update_page(turn.conn, turn.run.run_id, page_id, values)
    turn.record("corpus_override_taken_back", reason=why, details={"url": row.url})


def add_url(turn: LockedRun, url: str, reason: str, hosts: Collection[str]) -> str:
    """Add a URL on one of *hosts* that the map does not have; return its page id. It is fetched and cleaned next."""
    why = require_reason(reason)
    try:
        address = normalise_url(url)
    except ValueError as error:
        raise UsageError(f"{url}: {error}") from error
    if host_of(address) not in hosts:
        raise UsageError(f"{host_of(address)} is not a host of this corpus: {', '.join(sorted(hosts))}")
    page_id = page_id_for_url(address)
    if run_pages.find_page(turn.conn, turn.run.run_id, page_id) is None:
        run_pages.add_pages(turn.conn, turn.run.run_id, [new_page_row(address, human_decisions.ADDED)])
    decide_page(turn, page_id, INCLUDE, why)
    return page_id


def _override_values(decision: str, reason: str, by: str) -> Mapping[str, Any]:
    values = {"decision": decision, "decided_by": "override", "rule": by, "reason": reason, "confidence": 1.0}
    return values | {"evidence": None, "review": None, "reviewed_by": None, "reviewed_at": None, "review_reason": None}


# Review of texts and approval of the run. An approval is valid until the source text changes.

APPROVED, REJECTED = "approved", "rejected"
PUBLISHABLE, NEEDS_REVIEW, EXCLUDED = "publishable", "needs_review", "excluded"
_MAX_EXAMPLES = 5
#: Open questions that block approval: code, sentence for one page, sentence for several.
_QUESTIONS = (
    (
        "undecided",
        "page has no decision (include or exclude it)",
        "pages have no decision (include or exclude them)",
    ),
    ("no_text", "page has no text (exclude it, or run it again)", "pages have no text (exclude them, or run it again)"),
    (
        "excluded_by_gate",
        "page did not pass its gate (exclude it, or clean it again)",
        "pages did not pass their gate (exclude them, or clean them again)",
    ),
    (
        "rejected",
        "page was rejected (clean it again, or exclude it)",
        "pages were rejected (clean them again, or exclude them)",
    ),
    ("unseen", "page needs its text reviewed", "pages need their texts reviewed"),
)


def approve_page(turn: LockedRun, page_id: str, document: str, reason: str | None = None) -> None:
    """Approve the text of a page. *document*: hash of the reviewed document; another one is refused.

    A page that a gate holds (``needs_review``) takes a reason; one that may not be published at all is refused.
    """
    row = turn.page(page_id)
    if row.decision != "include" or row.document_object is None:
        raise ActionRefused(f"{row.url} has no text in this run")
    if row.document_object != document:
        raise ActionRefused(f"the text of {row.url} changed since you loaded it; refresh and review it again")
    if row.gate == EXCLUDED:
        raise ActionRefused(f"{row.url} may not be published: {_summarise_findings(row)}")
    why = require_reason(reason or "") if row.gate == NEEDS_REVIEW else (reason or None)
    _approve_row(turn, row, why)
    turn.record("corpus_approve_page", reason=why, details={"url": row.url, "document": document})


def approve_publishable(turn: LockedRun) -> int:
    """Approve all pages that passed every gate and have no review; return their number."""
    rows = run_pages.list_pages(turn.conn, turn.run.run_id, decision="include", gate=PUBLISHABLE, review=None)
    for row in rows:
        _approve_row(turn, row, None)
    turn.record("corpus_approve_publishable", details={"pages": len(rows)})
    return len(rows)


def reject_page(turn: LockedRun, page_id: str, reason: str) -> None:
    """Reject the text of a page: the run cannot be approved until it is cleaned again or excluded."""
    row, why = turn.page(page_id), require_reason(reason)
    if row.raw_object is not None:
        human_decisions.withdraw_approval(turn.conn, turn.run.domain, page_id, row.raw_object)
    _record_review(turn, page_id, REJECTED, why)
    turn.record("corpus_reject_page", reason=why, details={"url": row.url, "document": row.document_object})


def clean_again(turn: LockedRun, page_ids: Sequence[str], rules: str) -> None:
    """Clean these pages again, by *rules*: the current text of the site rules, by which the run works from now on.

    An approval holds where the text comes out as it was.
    """
    for page_id in page_ids:
        row = turn.page(page_id)
        if row.raw_object is None:
            raise ActionRefused(f"{row.url} has no text to clean: resume the run, which fetches it")
    run_pages.reset_columns(turn.conn, turn.run.run_id, page_ids, run_pages.CLEANED_COLUMNS)
    again = [(page_id, {"cleaned_by": run_pages.CLEANED_AGAIN}) for page_id in page_ids]
    run_pages.update_pages(turn.conn, turn.run.run_id, again)
    run_states.change_rules(turn.conn, turn.run.run_id, rules)
    details = {"pages": list(page_ids)[:100], "number": len(page_ids), "rules_changed": rules != turn.run.rules}
    turn.record("corpus_clean_again", details=details)
    turn.move("deterministic_preflight")


def write_text(turn: LockedRun, page_id: str, text: str, reason: str, store: Store) -> None:
    """Replace the cleaned text of a page by one that a person wrote, which is then validated and reviewed like any.

    *text*: with its mark (``mark_written_text``).
    """
    row, why = turn.page(page_id), require_reason(reason)
    if row.decision != INCLUDE or row.raw_object is None:
        raise ActionRefused(f"{row.url} is not an included page with a text of its own")
    digest = store.put_object(text.encode())
    run_pages.reset_columns(turn.conn, turn.run.run_id, [page_id], run_pages.VALIDATED_COLUMNS)
    values = {"clean_object": digest, "cleaned_by": run_pages.WRITTEN, "cleaning_object": None}
    run_pages.update_page(turn.conn, turn.run.run_id, page_id, values)
    details = {"url": row.url, "was": row.clean_object, "text": digest}
    turn.record("corpus_write_text", reason=why, details=details)
    turn.move("validation_audit")


def mark_written_text(text: str, *, by: str, now: datetime, from_urls: Sequence[str]) -> str:
    """Return *text* with a line below its first heading that says whose words these are."""
    mark = f"> Written by {by} on {now:%Y-%m-%d} from {', '.join(from_urls)}. Not the publisher's own words."
    text = text.strip("\n")
    head, _, rest = text.partition("\n")
    parts = (head, mark, rest.lstrip("\n")) if head.startswith("# ") else (mark, text)
    return "\n\n".join(part for part in parts if part) + "\n"


def approve_run(turn: LockedRun) -> None:
    """Approve the run, once every included page is approved. Raises UsageError with the open questions."""
    if problems := open_questions(run_pages.list_pages(turn.conn, turn.run.run_id)):
        raise ActionRefused(
            "\n".join(
                [f"the corpus of {turn.run.domain} cannot be approved yet; decide these first:", *map(str, problems)]
            )
        )
    turn.record("corpus_approve")
    turn.move("approved")
    clear_corpus_alert(turn.conn, CORPUS_DRAFT, turn.run.domain, now=turn.now)


def withdraw_approval(turn: LockedRun, reason: str) -> None:
    """Withdraw the approval of the run; page approvals are kept."""
    turn.record("corpus_withdraw", reason=require_reason(reason))
    turn.move("ready_for_review")


def withdraw_page_approval(turn: LockedRun, row: Row[Any]) -> None:
    """Withdraw the approval of a page: it has no review then."""
    human_decisions.withdraw_approval(turn.conn, turn.run.domain, row.page_id, row.raw_object)
    run_pages.reset_columns(turn.conn, turn.run.run_id, [row.page_id], run_pages.REVIEW_COLUMNS)


class OpenQuestion(NamedTuple):
    """A question that blocks approval: its kind (of _QUESTIONS, or ``no_page``), the number of pages, and examples."""

    code: str
    pages: int
    summary: str
    examples: str = ""

    def __str__(self) -> str:
        return f"{self.summary}: {self.examples}" if self.examples else self.summary


def open_questions(rows: Sequence[Row[Any]]) -> list[OpenQuestion]:
    """Return the open questions that block approval."""
    included = [row for row in rows if row.decision == "include" and row.got != "gone"]
    unseen = (row for row in included if row.gate != EXCLUDED and row.review not in {APPROVED, REJECTED})
    questions = (
        [row for row in rows if row.decision == "needs_review"],
        [row for row in included if row.document_object is None],
        [row for row in included if row.gate == EXCLUDED],
        [row for row in included if row.review == REJECTED],
        [row for row in unseen if row.document_object is not None],
    )
    unanswered = [
        OpenQuestion(code, len(found), f"{len(found):,} {one if len(found) == 1 else many}", _list_examples(found))
        for (code, one, many), found in zip(_QUESTIONS, questions, strict=True)
        if found
    ]
    if unanswered or any(row.decision == "include" for row in rows):
        return unanswered
    return [OpenQuestion("no_page", 0, "no page is included")]


def _approve_row(turn: LockedRun, row: Row[Any], reason: str | None) -> None:
    human_decisions.approve_text(
        turn.conn,
        turn.run.domain,
        row.page_id,
        raw=row.raw_object,
        clean=row.clean_object,
        title=row.title,
        by=turn.by,
        now=turn.now,
        reason=reason,
    )
    _record_review(turn, row.page_id, APPROVED, reason)


def _record_review(turn: LockedRun, page_id: str, review: str, reason: str | None) -> None:
    values = {"review": review, "reviewed_by": turn.by, "reviewed_at": turn.now, "review_reason": reason}
    run_pages.update_page(turn.conn, turn.run.run_id, page_id, values)


def _summarise_findings(row: Row[Any]) -> str:
    return "; ".join(one.get("says", "") for one in row.findings or ()) or "excluded by a gate"


def _list_examples(rows: Sequence[Row[Any]]) -> str:
    shown = ", ".join(row.url for row in rows[:_MAX_EXAMPLES])
    return shown if len(rows) <= _MAX_EXAMPLES else f"{shown}, ..."


# Cancelling and resuming a run.


def cancel_run(turn: LockedRun, reason: str) -> None:
    """Cancel the run and free its domain. Decisions and approvals are kept; its worker ends."""
    why = require_reason(reason)
    turn.record("corpus_cancel", reason=why)
    turn.move("cancelled", ends=True, says=why)
    clear_corpus_alert(turn.conn, CORPUS_FAILED, turn.run.domain, now=turn.now)
    clear_corpus_alert(turn.conn, CORPUS_DRAFT, turn.run.domain, now=turn.now)


def resume_run(turn: LockedRun) -> None:
    """Resume a failed run in the state where it stopped."""
    run = turn.run
    if not may_move("failed", run.stopped_in, "operator") or run.state != "failed":  # type: ignore[arg-type]  # a row's
        raise ActionRefused(f"the run is {run.state}; only a failed run can be resumed")
    if (other := run_states.resume_run(turn.conn, run, now=turn.now)) is not None:
        raise ActionRefused(f"{run.domain} has another run, started by {other.requested_by}: {other.state}")
    turn.record("corpus_resume")
