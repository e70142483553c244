"""Decisions of reviewers that hold over runs: overrides of page decisions, approvals of texts."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.tables import corpus_approvals as approvals
from rori_spiders.ledger.tables import corpus_overrides as overrides
from rori_spiders.ledger.tables import corpus_pages as pages
from rori_spiders.ledger.tables import corpus_runs as runs

#: How a page was found that a person added, and the decision that keeps it.
ADDED, INCLUDE = "person", "include"


def set_override(
    conn: Connection,
    domain: str,
    page_id: str,
    url: str,
    decision: str | None,
    *,
    reason: str,
    by: str,
    now: datetime,
) -> None:
    """From now on *decision* holds for this URL, in later runs too; None: the rules decide again."""
    lock_for_writing(conn, overrides, domain)
    its = (overrides.c.domain == domain) & (overrides.c.page_id == page_id)
    last = conn.execute(select(func.max(overrides.c.seq)).where(its)).scalar_one() or 0
    row = {"domain": domain, "page_id": page_id, "seq": last + 1, "url": url, "decision": decision}
    conn.execute(overrides.insert().values(**row, reason=reason, created_by=by, created_at=now))
    note_fact(conn, "corpus_override", domain, page_id, last + 1)


def active_overrides(conn: Connection, domain: str) -> dict[str, Row[Any]]:
    """Page id -> the override that holds."""
    query = select(overrides).where(overrides.c.domain == domain).order_by(overrides.c.page_id, overrides.c.seq)
    newest = {row.page_id: row for row in conn.execute(query)}
    return {page_id: row for page_id, row in newest.items() if row.decision is not None}


def added_urls(conn: Connection, domain: str) -> list[str]:
    """URLs that a person has added to some run of *domain*, and that are still to belong to it."""
    theirs = (
        select(pages.c.page_id)
        .join_from(pages, runs, pages.c.run_id == runs.c.run_id)
        .where(runs.c.domain == domain, pages.c.found_by == ADDED)
        .distinct()
    )
    its = set(conn.execute(theirs).scalars())
    return sorted(
        row.url for row in active_overrides(conn, domain).values() if row.page_id in its and row.decision == INCLUDE
    )


def list_overrides(conn: Connection, domain: str, page_id: str) -> list[Row[Any]]:
    """All that was ever said of this URL, oldest first."""
    query = select(overrides).where(overrides.c.domain == domain, overrides.c.page_id == page_id)
    return list(conn.execute(query.order_by(overrides.c.seq)))


def approve_text(
    conn: Connection,
    domain: str,
    page_id: str,
    *,
    raw: str,
    clean: str,
    title: str | None,
    by: str,
    now: datetime,
    reason: str | None = None,
) -> None:
    """The text *clean*, made of the source text *raw* (hashes of objects), is approved until that text changes."""
    row = {"domain": domain, "page_id": page_id, "raw_object": raw, "clean_object": clean, "title": title}
    upsert(conn, approvals, [{**row, "approved_by": by, "approved_at": now, "reason": reason}])
    note_fact(conn, "corpus_approval", domain, page_id, raw)


def withdraw_approval(conn: Connection, domain: str, page_id: str, raw: str) -> None:
    """That approval holds no longer."""
    its = (approvals.c.domain == domain, approvals.c.page_id == page_id, approvals.c.raw_object == raw)
    conn.execute(approvals.delete().where(*its))
    note_fact(conn, "corpus_approval", domain, page_id, raw)


def withdraw_approvals_between(conn: Connection, domain: str, after: datetime, before: datetime) -> list[str]:
    """Approvals of texts that were given *after* that time, and *before* the other, hold no longer; their page ids."""
    since = (approvals.c.domain == domain) & (approvals.c.approved_at > after) & (approvals.c.approved_at < before)
    found = list(conn.execute(select(approvals.c.page_id, approvals.c.raw_object).where(since)))
    for row in found:
        withdraw_approval(conn, domain, row.page_id, row.raw_object)
    return sorted({row.page_id for row in found})


def list_approvals(conn: Connection, domain: str) -> dict[tuple[str, str], Row[Any]]:
    """(Page id, hash of the source text) -> approval."""
    query = select(approvals).where(approvals.c.domain == domain)
    return {(row.page_id, row.raw_object): row for row in conn.execute(query)}


def approved_drafts(conn: Connection, domain: str) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    """(Page id, hash of the source text) -> draft and model of the last run that made the approved text.

    Texts that a person wrote are left out, and those whose run is not there any more.
    """
    is_its = (pages.c.page_id == approvals.c.page_id) & (pages.c.raw_object == approvals.c.raw_object)
    is_its &= pages.c.clean_object == approvals.c.clean_object
    query = (
        select(approvals.c.page_id, approvals.c.raw_object, pages.c.draft_object, pages.c.cleaned_by, runs.c.model)
        .join_from(approvals, pages, is_its)
        .join(runs, runs.c.run_id == pages.c.run_id)
        .where(approvals.c.domain == domain, runs.c.domain == domain, pages.c.cleaned_by.in_(("draft", "model")))
        .order_by(runs.c.started_at)
    )
    return {(row.page_id, row.raw_object): (row.draft_object, row.model) for row in conn.execute(query)}
