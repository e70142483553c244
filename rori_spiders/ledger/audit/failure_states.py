"""Failures of pages and their resolutions: which ends of pages the error log must report, and when a failure was
resolved.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select

from rori_spiders.ledger.tables import audit, runs, unlogged_errors
from rori_spiders.urls.canonical import url_hash

#: How a page may end after it had failed before, so that its failure is none any more.
RESOLVED_STATES = ("captured", "unchanged", "gone")
_BATCH_SIZE = 500


def note_unlogged(conn: Connection, run_id: str, states: Mapping[str, str], before: Mapping[str, str]) -> list[int]:
    """Of pages of the run that have just ended (URL -> state): those that the log is to tell, as numbers of audit rows.

    *before* is how pages had ended last (``audit_log.find_last_states``). After their rows were appended, in their
    transaction; at most some hundreds at once.
    """
    logged = [url for url, state in states.items() if _is_logged_end(state, before.get(url))]
    if not logged:
        return []
    of_urls = (
        audit.c.url_hash.in_([url_hash(url) for url in logged]),
        audit.c.run_id == run_id,
        audit.c.kind == "page",
    )
    newest = select(func.max(audit.c.audit_id)).where(*of_urls).group_by(audit.c.url_hash)
    audit_ids = sorted(conn.execute(newest).scalars())
    conn.execute(insert(unlogged_errors), [{"audit_id": audit_id} for audit_id in audit_ids])
    return audit_ids


def _is_logged_end(state: str, before: str | None) -> bool:
    return state == "failed" or (before == "failed" and state in RESOLVED_STATES)


def list_unlogged(conn: Connection) -> list[tuple[int, str]]:
    """Rows whose lines are due, oldest first, each with the job that worked on its run last."""
    query = select(audit.c.audit_id, runs.c.job_id).select_from(unlogged_errors.join(audit).join(runs))
    return [(row.audit_id, row.job_id) for row in conn.execute(query.order_by(audit.c.audit_id))]


def mark_rows_logged(conn: Connection, audit_ids: Sequence[int]) -> None:
    """Their lines are on the disk."""
    for start in range(0, len(audit_ids), _BATCH_SIZE):
        batch = audit_ids[start : start + _BATCH_SIZE]
        conn.execute(delete(unlogged_errors).where(unlogged_errors.c.audit_id.in_(batch)))


# When failures of pages were overcome: the first later end of the same URL, of the same source, that was none.


def resolved_at(conn: Connection, rows: Iterable[Row[Any]]) -> dict[int, datetime]:
    """Number of a row of the audit -> when its page was captured, unchanged or gone afterwards; others are left out.

    Some hundreds of rows at once. A page that a person accepted later bears the time of its answer.
    """
    later = audit.alias("later")
    first = (
        select(later.c.timestamp)
        .where(
            later.c.url_hash == audit.c.url_hash,
            later.c.timestamp >= audit.c.timestamp,
            later.c.audit_id > audit.c.audit_id,
            later.c.manifest_id == audit.c.manifest_id,
            later.c.kind == "page",
            later.c.state.in_(RESOLVED_STATES),
        )
        .order_by(later.c.timestamp)
        .limit(1)
        .scalar_subquery()
    )
    query = select(audit.c.audit_id, first).where(audit.c.audit_id.in_([row.audit_id for row in rows]))
    return {audit_id: at for audit_id, at in conn.execute(query) if at is not None}
