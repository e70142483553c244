"""Crawl summaries: the text of each, kept before its file is written, so that a crash between the two loses nothing."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.tables import run_summaries as table
from rori_spiders.ledger.tables import runs

SUMMARIES_FOLDER = "_summaries"


def save_summary(conn: Connection, run_id: str, text: str, *, now: datetime) -> str:
    """Keep *text* as the run's newest summary; gives the path that its file will have, which no other has."""
    source_id = conn.execute(select(runs.c.source_id).where(runs.c.run_id == run_id)).scalar_one()
    last = conn.execute(select(func.max(table.c.seq)).where(table.c.run_id == run_id)).scalar()
    seq = (last or 0) + 1
    path = f"{SUMMARIES_FOLDER}/{source_id}/{run_id}{'' if seq == 1 else f'.{seq}'}.json"
    conn.execute(table.insert().values(run_id=run_id, seq=seq, path=path, text=text, made_at=now, written=False))
    note_fact(conn, "summary", run_id, seq)
    return path


def newest_summary(conn: Connection, run_id: str) -> Row[Any] | None:
    """The run's newest summary (path, text, ...); None when it has none."""
    query = select(table).where(table.c.run_id == run_id).order_by(table.c.seq.desc()).limit(1)
    return conn.execute(query).one_or_none()


def list_summaries(conn: Connection, *, unwritten: bool = False) -> list[Row[Any]]:
    """Path, run, and job of all summaries, or of those without a file, oldest first."""
    query = select(table.c.path, table.c.run_id, table.c.written, runs.c.job_id).join_from(table, runs)
    if unwritten:
        query = query.where(table.c.written.is_(False))
    return list(conn.execute(query.order_by(table.c.made_at, table.c.path)))


def summary_text(conn: Connection, path: str) -> str | None:
    return conn.execute(select(table.c.text).where(table.c.path == path)).scalar()


def mark_summary_written(conn: Connection, path: str) -> None:
    conn.execute(update(table).where(table.c.path == path).values(written=True))
