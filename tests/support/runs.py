"""Runs of tests that need no job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ledger.runs import run_records

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.runs.run_records import RunRow

JOB_ID = "7f1de0aa-0000-4000-8000-000000000000"


def opened(
    conn: Connection, source_id: str, at: datetime, *, method: str = "crawl", resume_after: datetime | None = None
) -> RunRow:
    """The run of the source that a schedule's job begins at that time, or goes on with if it was left since."""
    return run_records.open_run(
        conn,
        source_id=source_id,
        manifest_version="1.0.0",
        method=method,
        operator="system",
        job_id=JOB_ID,
        now=at,
        resume_after=resume_after or at,
    )
