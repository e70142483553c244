"""Texts approved or refused by a person, and the run as a whole. An approval holds until the source text changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.reviewing.turn import said
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.corpus import human_decisions, run_pages
from rori_spiders.reviews.corpus_alerts import clear_draft

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Row

    from rori_spiders.corpus.reviewing.turn import Turn

APPROVED, REJECTED = "approved", "rejected"
PUBLISHABLE, NEEDS_REVIEW, EXCLUDED = "publishable", "needs_review", "excluded"
_SHOWN = 5
#: What is said of one page, and of several, that keep a run from being approved.
_QUESTIONS = (
    ("page waits for a decision (include or exclude it)", "pages wait for a decision (include or exclude them)"),
    ("page has no text (exclude it, or run it again)", "pages have no text (exclude them, or run it again)"),
    (
        "page may not be published (exclude it, or clean it again)",
        "pages may not be published (exclude them, or clean them again)",
    ),
    ("page was rejected (clean it again, or exclude it)", "pages were rejected (clean them again, or exclude them)"),
    ("page waits for a look at its text", "pages wait for a look at their text"),
)


def approve_page(turn: Turn, page_id: str, document: str, reason: str | None = None) -> None:
    """Approve the text of a page. *document* is the hash of the one that was looked at: another is refused.

    A page that a gate holds (``needs_review``) takes a reason; one that may not be published at all is refused.
    """
    row = turn.page(page_id)
    if row.decision != "include" or row.document_object is None:
        raise UsageError(f"{row.url} has no text in this run")
    if row.document_object != document:
        raise UsageError(f"the text of {row.url} has changed since you looked at it: look again")
    if row.gate == EXCLUDED:
        raise UsageError(f"{row.url} may not be published: {_findings(row)}")
    why = said(reason or "") if row.gate == NEEDS_REVIEW else (reason or None)
    _approve(turn, row, why)
    turn.record("corpus_approve_page", reason=why, details={"url": row.url, "document": document})


def approve_publishable(turn: Turn) -> int:
    """Approve all pages that passed every gate and that nobody has looked at; how many."""
    rows = run_pages.list_pages(turn.conn, turn.run.run_id, decision="include", gate=PUBLISHABLE, review=None)
    for row in rows:
        _approve(turn, row, None)
    turn.record("corpus_approve_publishable", details={"pages": len(rows)})
    return len(rows)


def reject_page(turn: Turn, page_id: str, reason: str) -> None:
    """Refuse the text of a page: the run is not approved until it is cleaned again, or excluded."""
    row, why = turn.page(page_id), said(reason)
    if row.raw_object is not None:
        human_decisions.withdraw_approval(turn.conn, turn.run.domain, page_id, row.raw_object)
    _note_review(turn, page_id, REJECTED, why)
    turn.record("corpus_reject_page", reason=why, details={"url": row.url, "document": row.document_object})


def clean_again(turn: Turn, page_ids: Sequence[str]) -> None:
    """Clean these pages anew; what was approved of them is withdrawn."""
    for page_id in page_ids:
        row = turn.page(page_id)
        if row.raw_object is None:
            raise UsageError(f"{row.url} has no text to clean")
        human_decisions.withdraw_approval(turn.conn, turn.run.domain, page_id, row.raw_object)
    run_pages.reset_columns(turn.conn, turn.run.run_id, page_ids, run_pages.CLEANED_COLUMNS)
    turn.record("corpus_clean_again", details={"pages": list(page_ids)[:100]})
    turn.move("deterministic_preflight")


def approve_run(turn: Turn) -> None:
    """Approve the run: every included page is approved. Raises UsageError, which names what is not."""
    if problems := open_questions(run_pages.list_pages(turn.conn, turn.run.run_id)):
        raise UsageError("\n".join(["the corpus cannot be approved yet:", *problems]))
    turn.record("corpus_approve")
    turn.move("approved")
    clear_draft(turn.conn, turn.run.domain, now=turn.now)


def withdraw(turn: Turn, reason: str) -> None:
    """Take the approval of the run back; those of its pages stay."""
    turn.record("corpus_withdraw", reason=said(reason))
    turn.move("ready_for_review")


def withdraw_page(turn: Turn, row: Row[Any]) -> None:
    """Take the approval of a page back: nobody has said anything of it."""
    human_decisions.withdraw_approval(turn.conn, turn.run.domain, row.page_id, row.raw_object)
    told = dict.fromkeys(("review", "reviewed_by", "reviewed_at", "review_reason"))
    run_pages.update_page(turn.conn, turn.run.run_id, row.page_id, told)


def open_questions(rows: Sequence[Row[Any]]) -> list[str]:
    """What stands between the rows of a run and its approval, in sentences with examples."""
    included = [row for row in rows if row.decision == "include" and row.got != "gone"]
    unseen = (row for row in included if row.gate != EXCLUDED and row.review not in {APPROVED, REJECTED})
    questions = (
        [row for row in rows if row.decision == "needs_review"],
        [row for row in included if row.document_object is None],
        [row for row in included if row.gate == EXCLUDED],
        [row for row in included if row.review == REJECTED],
        [row for row in unseen if row.document_object is not None],
    )
    told = [
        f"{len(found):,} {one if len(found) == 1 else many}: {_examples(found)}"
        for (one, many), found in zip(_QUESTIONS, questions, strict=True)
        if found
    ]
    return told or ([] if any(row.decision == "include" for row in rows) else ["no page is included"])


def _approve(turn: Turn, row: Row[Any], reason: str | None) -> None:
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
    _note_review(turn, row.page_id, APPROVED, reason)


def _note_review(turn: Turn, page_id: str, review: str, reason: str | None) -> None:
    told = {"review": review, "reviewed_by": turn.by, "reviewed_at": turn.now, "review_reason": reason}
    run_pages.update_page(turn.conn, turn.run.run_id, page_id, told)


def _findings(row: Row[Any]) -> str:
    return "; ".join(one.get("says", "") for one in row.findings or ()) or "it was excluded by a gate"


def _examples(rows: Sequence[Row[Any]]) -> str:
    shown = ", ".join(row.url for row in rows[:_SHOWN])
    return shown if len(rows) <= _SHOWN else f"{shown}, ..."
