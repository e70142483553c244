"""The ledger against the store and itself: rows with files, versions and audit; chains; the sums of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, select

from rori_spiders.ledger.audit import audit_log as chain
from rori_spiders.ledger.runs import run_records as run_counts
from rori_spiders.ledger.tables import audit, envelopes, pages, runs, versions
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.staging.recovery import find_left_behind, find_live_jobs
from rori_spiders.staging.verification.finding import Finding

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import Connection, Row, Select

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store

_RECORDED_STATES = ("staged", "indexed", "pruning", "pruned")
#: Its file may be gone, and the next job or prune sees that it is; or it is gone.
_REMOVED_STATES = ("pruning", "pruned")


def check_left_behind(ledger: Ledger, now: datetime) -> Iterator[Finding]:
    """What dead jobs left between two steps: the next job, or a repair, finishes it."""
    for row in find_left_behind(ledger, "reserved", now):
        sentence = "was reserved by a job that died before it was recorded"
        yield Finding("left_reserved", row.path, sentence, repairable=True)
    for row in find_left_behind(ledger, "staged", now):
        yield Finding("left_staged", row.path, "was staged by a job that died before the index was", repairable=True)


def check_rows(ledger: Ledger, store: Store, counts: Counter[str]) -> Iterator[Finding]:
    """Every envelope's row: its file, its version, its audit row; and the reverse of the last two."""
    with ledger.connect() as conn:
        for row in _stream_rows(conn, _envelopes_query()):
            counts["envelopes"] += 1
            if row.state not in _REMOVED_STATES and not store.exists(row.path) and not _is_removed(ledger, row.path):
                yield Finding("file_missing", row.path, f"its file is missing; it was staged from {row.url}")
            if row.page_id is None:
                yield Finding("version_missing", row.path, "its page has no version with this text from this run")
            if row.audit_id is None:
                yield Finding("audit_missing", row.path, "no audit row of its run names this file")
            elif row.audited_hash != row.content_hash or not row.content_changed:
                yield Finding("audit_differs", row.path, "its audit row names another content hash, or no change")
        for row in _stream_rows(conn, _orphan_versions_query()):
            where = f"{row.url} (version {row.seq})"
            yield Finding("version_without_envelope", where, f"run {row.run_id} staged no envelope for it")
        for row in _stream_rows(conn, _orphan_audit_query()):
            yield Finding("audit_without_envelope", row.staged_path, f"audited for {row.url}, but never staged")


def _is_removed(ledger: Ledger, path: str) -> bool:
    """Whether a prune took it since its row was read."""
    with ledger.connect() as conn:
        return conn.execute(select(envelopes.c.state).where(envelopes.c.path == path)).scalar() in _REMOVED_STATES


def _stream_rows(conn: Connection, query: Select[Any]) -> Iterator[Row[Any]]:
    yield from conn.execute(query.execution_options(yield_per=500))


def _envelopes_query() -> Select[Any]:
    """Envelopes with their version and audit row, where there are any."""
    of_page = and_(pages.c.source_id == envelopes.c.source_id, pages.c.url_hash == envelopes.c.url_hash)
    of_version = and_(
        versions.c.page_id == pages.c.page_id,
        versions.c.run_id == envelopes.c.run_id,
        versions.c.content_hash == envelopes.c.content_hash,
    )
    of_audit = and_(
        audit.c.run_id == envelopes.c.run_id,
        audit.c.url_hash == envelopes.c.url_hash,
        audit.c.kind == "page",
        audit.c.staged_path == envelopes.c.path,
    )
    return (
        select(
            envelopes.c.path,
            envelopes.c.url,
            envelopes.c.state,
            envelopes.c.content_hash,
            versions.c.page_id,
            audit.c.audit_id,
            audit.c.content_hash.label("audited_hash"),
            audit.c.content_changed,
        )
        .select_from(envelopes.outerjoin(pages, of_page).outerjoin(versions, of_version).outerjoin(audit, of_audit))
        .where(envelopes.c.state.in_(_RECORDED_STATES))
        .order_by(envelopes.c.path)
    )


def _orphan_versions_query() -> Select[Any]:
    of_version = and_(envelopes.c.run_id == versions.c.run_id, envelopes.c.url_hash == pages.c.url_hash)
    return (
        select(pages.c.url, versions.c.seq, versions.c.run_id)
        .select_from(versions.join(pages).outerjoin(envelopes, of_version))
        .where(envelopes.c.envelope_id.is_(None))
    )


def _orphan_audit_query() -> Select[Any]:
    of_path = envelopes.c.path == audit.c.staged_path
    return (
        select(audit.c.staged_path, audit.c.url)
        .select_from(audit.outerjoin(envelopes, of_path))
        .where(audit.c.staged_path.is_not(None), envelopes.c.envelope_id.is_(None))
    )


def check_runs(ledger: Ledger, now: datetime, counts: Counter[str]) -> Iterator[Finding]:
    """Every run: its audit chain, and whether its pages add up to what it said when it was closed."""
    with ledger.connect() as conn:
        live = find_live_jobs(conn, now)
        found = conn.execute(select(runs.c.run_id, runs.c.state, runs.c.job_id, runs.c.counts)).all()
    for run in found:
        counts["runs"] += 1
        with ledger.connect() as conn:
            for sentence in chain.verify_chain(conn, run.run_id):
                yield Finding("audit_chain", run.run_id, sentence)
            if run.state not in OPEN_RUN_STATES and run.job_id not in live:
                yield from _check_sum(conn, run)


def _check_sum(conn: Connection, run: Row[*tuple[Any, ...]]) -> Iterator[Finding]:
    now, then = run_counts.count_pages(conn, run.run_id), run.counts or {}
    moved = [f"{name} {then[name]} -> {now[name]}" for name in now if name in then and then[name] != now[name]]
    if moved:
        yield Finding("run_sum", run.run_id, f"its pages changed after it was closed: {', '.join(moved)}")
    if run.state == "complete" and now["pending"]:
        yield Finding("run_sum", run.run_id, f"is complete, but {now['pending']} of its pages have no final state")
