"""The lines of the error log: made of rows of the audit, appended once. Each step can be repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.envelope import error_line
from rori_spiders.ledger import error_log, failures
from rori_spiders.stores.base import LogLine

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.error_log import Line
    from rori_spiders.stores.base import Store


def log_errors(ledger: Ledger, store: Store, audit_ids: Sequence[int]) -> None:
    """Append the lines of rows that ``failures.note`` has just given, and mark them. Raises WriteError."""
    if not audit_ids:
        return

    def still_due(conn: Connection) -> list[Line]:
        # Not those that another job took for left behind, because this one was suspended.
        due = {audit_id for audit_id, _ in failures.unlogged(conn)}
        return error_log.lines_of(conn, [audit_id for audit_id in audit_ids if audit_id in due])

    store.append_errors([line_of(one) for one in ledger.read(still_due)])
    ledger.write(lambda conn: failures.mark_logged(conn, audit_ids))


def log_left(ledger: Ledger, store: Store, live: Collection[str]) -> int:
    """Append the lines that dead jobs owe, where they are missing; how many were. Jobs in *live* write their own."""
    unlogged = ledger.read(failures.unlogged)
    audit_ids = [audit_id for audit_id, job_id in unlogged if job_id not in live]
    if not audit_ids:
        return 0
    lines = ledger.read(lambda conn: error_log.lines_of(conn, audit_ids))
    missing = store.append_missing_errors([line_of(one) for one in lines])
    ledger.write(lambda conn: failures.mark_logged(conn, audit_ids))
    return missing


def line_of(line: Line) -> LogLine:
    text = error_line(
        timestamp=line.at,
        manifest_id=line.source_id,
        url=line.url,
        error=line.error,
        retry_count=line.retry_count,
        engine=line.engine,
        resolved=line.resolved,
    )
    return LogLine(line.run_id, text)
