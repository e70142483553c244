"""Files whose text comes from rows of the ledger: the error log, the log of fields, and crawl summaries. Each line
is appended once, and each step can be repeated.
"""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from rori_spiders.envelope import render_error_line
from rori_spiders.exceptions import StagingError
from rori_spiders.ledger.audit import error_log, failure_states
from rori_spiders.ledger.pages import field_history
from rori_spiders.ledger.runs import crawl_summaries
from rori_spiders.staging.envelope_writer import BATCH_SIZE
from rori_spiders.staging.store import LogLine

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.audit.error_log import ErrorLine
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.pages.field_history import FieldLineKey
    from rori_spiders.staging.store import Store


def log_errors(ledger: Ledger, store: Store, audit_ids: Sequence[int]) -> None:
    """Append the lines of rows that ``failures.note`` has just given, and mark them. Raises WriteError."""
    if not audit_ids:
        return

    def still_due(conn: Connection) -> list[ErrorLine]:
        # Not those that another job took for left behind, because this one was suspended.
        due = {audit_id for audit_id, _ in failure_states.list_unlogged(conn)}
        return error_log.load_lines(conn, [audit_id for audit_id in audit_ids if audit_id in due])

    store.errors.append([render_line(one) for one in ledger.read(still_due)])
    ledger.write(lambda conn: failure_states.mark_rows_logged(conn, audit_ids))


def log_pending_errors(ledger: Ledger, store: Store, live: Collection[str]) -> int:
    """Append the lines that dead jobs owe, where they are missing; how many were. Jobs in *live* write their own."""
    unlogged = ledger.read(failure_states.list_unlogged)
    audit_ids = [audit_id for audit_id, job_id in unlogged if job_id not in live]
    if not audit_ids:
        return 0
    lines = ledger.read(lambda conn: error_log.load_lines(conn, audit_ids))
    missing = store.errors.append_missing([render_line(one) for one in lines])
    ledger.write(lambda conn: failure_states.mark_rows_logged(conn, audit_ids))
    return missing


def render_line(line: ErrorLine) -> LogLine:
    text = render_error_line(
        timestamp=line.at,
        manifest_id=line.source_id,
        url=line.url,
        error=line.error,
        retry_count=line.retry_count,
        engine=line.engine,
        resolved=line.resolved,
        reason_code=line.reason_code,
        reason_detail=line.reason_detail,
    )
    return LogLine(line.run_id, text)


def line_digest(line: str) -> bytes:
    """SHA-256 of a line, by which lines are compared without holding their texts."""
    return sha256(line.encode(errors="surrogatepass")).digest()


# The lines of the log of fields: from their rows in the ledger into the staging area, once. It can be repeated.


def log_pending_fields(ledger: Ledger, store: Store, source_id: str | None = None) -> int:
    """Append the lines that are still to be appended, of one source or of all; how many were not there.

    Also those that another process is about to append: the second process finds them there. Raises StagingError.
    """
    due = ledger.read(partial(field_history.list_lines, unlogged=True, source_id=source_id))
    return append_missing_fields(ledger, store, due)


def append_missing_fields(ledger: Ledger, store: Store, keys: Sequence[FieldLineKey]) -> int:
    """Append those lines of *keys* that are not there, and mark them all; how many were not there."""
    missing = 0
    for start in range(0, len(keys), BATCH_SIZE):
        batch = keys[start : start + BATCH_SIZE]
        texts = [(key[0], ledger.read(partial(field_history.line_text, key=key))) for key in batch]
        missing += store.fields.append_missing([LogLine(source_id, text) for source_id, text in texts if text])
        ledger.write(partial(field_history.mark_lines_logged, keys=batch))
    return missing


# The files of crawl summaries: written from their rows, never twice with other bytes. Each step can be repeated.


def write_pending_summaries(ledger: Ledger, store: Store, *, every: bool = False) -> int:
    """Write the files that their rows still wait for, or with *every* each that is not there; how many.

    Raises StagingError when the staging area cannot be written, or holds another file of that name.
    """
    rows = ledger.read(lambda conn: crawl_summaries.list_summaries(conn, unwritten=not every))
    written = 0
    for row in rows:
        text = ledger.read(partial(crawl_summaries.summary_text, path=row.path))
        assert text is not None
        try:
            written += store.write_summary(row.path, text.encode())
        except FileExistsError as error:
            raise StagingError(f"{error}. To find its origin, run: scrapy verify") from error
        if not row.written:
            ledger.write(partial(crawl_summaries.mark_summary_written, path=row.path))
    return written
