"""Compact the ledger: of an unchanged page in an old run, the audit's row alone remains."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.pages import held_pages
from rori_spiders.ledger.tables import audit, run_urls, runs

#: Of each source as many of its newest runs stay as they are: the next run looks at the last one's URLs.
_UNCOMPACTED_RUNS = 2


def list_compactable(conn: Connection, *, before: datetime) -> list[str]:
    """Complete runs that ended before then and hold no page, without the newest of each source."""
    newer = runs.alias("newer")
    of_source = (newer.c.source_id == runs.c.source_id) & (newer.c.started_at > runs.c.started_at)
    later = select(func.count()).select_from(newer).where(of_source).correlate(runs).scalar_subquery()
    query = select(runs.c.run_id).where(
        runs.c.state == "complete", runs.c.finished_at < before, later >= _UNCOMPACTED_RUNS, _has_unchanged_rows()
    )
    found = conn.execute(query.order_by(runs.c.started_at, runs.c.run_id)).scalars().all()
    return [run_id for run_id in found if not held_pages.list_held_urls(conn, run_id)]


def _has_unchanged_rows() -> ColumnElement[bool]:
    of_run = (run_urls.c.run_id == runs.c.run_id) & (run_urls.c.state == "unchanged") & (run_urls.c.kind == "page")
    return select(run_urls.c.url_hash).where(of_run).correlate(runs).exists()


def compact_run(conn: Connection, run_id: str) -> int:
    """Remove the rows of its unchanged pages, each of which has its row in the audit; gives how many they were."""
    of_run = (audit.c.run_id == run_id) & (audit.c.kind == "page") & (audit.c.state == "unchanged")
    has_audit_row = run_urls.c.url_hash.in_(select(audit.c.url_hash).where(of_run))  # the run's rows are read once
    unchanged = (run_urls.c.run_id == run_id) & (run_urls.c.kind == "page") & (run_urls.c.state == "unchanged")
    removed = conn.execute(delete(run_urls).where(unchanged, has_audit_row)).rowcount
    conn.execute(update(runs).where(runs.c.run_id == run_id).values(compacted=runs.c.compacted + removed))
    note_fact(conn, "run", run_id)
    return removed


def audited_alone(conn: Connection, run_id: str) -> set[str]:
    """The hashes of the run's unchanged pages that have a row in the audit, and none among its URLs."""
    of_run = (audit.c.run_id == run_id) & (audit.c.kind == "page") & (audit.c.state == "unchanged")
    there = select(run_urls.c.url_hash).where(run_urls.c.run_id == run_id, run_urls.c.url_hash == audit.c.url_hash)
    return set(conn.execute(select(audit.c.url_hash).where(of_run, ~there.correlate(audit).exists())).scalars())
