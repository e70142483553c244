"""Which ends of pages the error log is to tell: failures, and what was captured, unchanged or gone after one.

What the log lacks still is noted in the transaction that records an end, until its line is on the disk: a crash between
the two loses none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select

from rori_spiders.ledger.tables import audit, runs, unlogged_errors
from rori_spiders.urls import url_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

#: How a page may end after it had failed before, so that its failure is none any more.
OVERCOME = ("captured", "unchanged", "gone")
_BATCH = 500


def note(conn: Connection, run_id: str, states: Mapping[str, str], before: Mapping[str, str]) -> list[int]:
    """Of pages of the run that have just ended (URL -> state): those that the log is to tell, as numbers of audit rows.

    *before* is how pages had ended last (``audit.last_states``). After their rows were appended, in their transaction;
    at most some hundreds at once.
    """
    told = [url for url, state in states.items() if _is_told(state, before.get(url))]
    if not told:
        return []
    of_urls = (audit.c.url_hash.in_([url_hash(url) for url in told]), audit.c.run_id == run_id, audit.c.kind == "page")
    newest = select(func.max(audit.c.audit_id)).where(*of_urls).group_by(audit.c.url_hash)
    audit_ids = sorted(conn.execute(newest).scalars())
    conn.execute(insert(unlogged_errors), [{"audit_id": audit_id} for audit_id in audit_ids])
    return audit_ids


def _is_told(state: str, before: str | None) -> bool:
    return state == "failed" or (before == "failed" and state in OVERCOME)


def unlogged(conn: Connection) -> list[tuple[int, str]]:
    """Rows whose lines are due, oldest first, each with the job that worked on its run last."""
    query = select(audit.c.audit_id, runs.c.job_id).select_from(unlogged_errors.join(audit).join(runs))
    return [(row.audit_id, row.job_id) for row in conn.execute(query.order_by(audit.c.audit_id))]


def mark_logged(conn: Connection, audit_ids: Sequence[int]) -> None:
    """Their lines are on the disk."""
    for start in range(0, len(audit_ids), _BATCH):
        batch = audit_ids[start : start + _BATCH]
        conn.execute(delete(unlogged_errors).where(unlogged_errors.c.audit_id.in_(batch)))
