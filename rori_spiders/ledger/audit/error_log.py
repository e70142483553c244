"""Lines of the error log, derived from audit rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, func, or_, select

from rori_spiders.ledger.audit.failure_states import RESOLVED_STATES
from rori_spiders.ledger.tables import actions, audit
from rori_spiders.reasons import ReasonCode
from rori_spiders.urls.canonical import url_hash

_COLUMNS = (
    audit.c.audit_id,
    audit.c.run_id,
    audit.c.timestamp,
    audit.c.manifest_id,
    audit.c.url,
    audit.c.state,
    audit.c.error,
    audit.c.reason,
    audit.c.reason_code,
    audit.c.reason_detail,
    audit.c.engine,
    audit.c.retry_count,
    audit.c.attempts,
)
_BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """What one says. ``engine`` is None where nothing was asked."""

    audit_id: int
    run_id: str
    at: datetime
    source_id: str
    url: str
    error: str
    retry_count: int
    engine: str | None
    resolved: bool
    reason_code: str | None = None
    reason_detail: dict[str, Any] | None = None


def load_lines(conn: Connection, audit_ids: Sequence[int]) -> list[ErrorLine]:
    """What the lines of these rows say, oldest first."""
    lines: list[ErrorLine] = []
    for start in range(0, len(audit_ids), _BATCH_SIZE):
        batch = audit_ids[start : start + _BATCH_SIZE]
        query = select(*_COLUMNS).where(audit.c.audit_id.in_(batch)).order_by(audit.c.audit_id)
        lines += _build_lines(conn, conn.execute(query))
    return lines


def load_all_lines(conn: Connection) -> Iterator[ErrorLine]:
    """What the whole log says, oldest first."""
    last = func.lag(audit.c.state).over(partition_by=(audit.c.manifest_id, audit.c.url_hash), order_by=audit.c.audit_id)
    ends = select(audit.c.audit_id, audit.c.state, last.label("before")).where(audit.c.kind == "page").subquery()
    is_reported = or_(ends.c.state == "failed", and_(ends.c.before == "failed", ends.c.state.in_(RESOLVED_STATES)))
    query: Select[Any] = (
        select(*_COLUMNS).join_from(audit, ends, ends.c.audit_id == audit.c.audit_id).where(is_reported)
    )
    yield from _build_lines(
        conn, conn.execute(query.order_by(audit.c.audit_id).execution_options(yield_per=_BATCH_SIZE))
    )


def load_page_ends(conn: Connection, source_id: str, url: str) -> Iterator[ErrorLine]:
    """What lines of the page could say: one for each of its ends, and of its acceptances."""
    here = (audit.c.manifest_id == source_id, audit.c.url_hash == url_hash(url), audit.c.kind == "page")
    yield from _build_lines(conn, conn.execute(select(*_COLUMNS).where(*here).order_by(audit.c.audit_id)))


def _build_lines(conn: Connection, rows: Iterable[Row[Any]]) -> Iterator[ErrorLine]:
    accepted: dict[str, dict[str, datetime]] = {}
    for row in rows:
        at = row.timestamp
        # The row of a page that a person accepted bears the time of the answer, not of that; old rows have no code.
        if row.state != "failed" and row.reason_code in {None, ReasonCode.ACCEPTED}:
            if row.run_id not in accepted:
                accepted[row.run_id] = _load_acceptances(conn, row.run_id)
            at = accepted[row.run_id].get(row.url, at)
        yield _line_of_row(row, at)


def _load_acceptances(conn: Connection, run_id: str) -> dict[str, datetime]:
    """When pages of the run were accepted, by URL."""
    query = select(actions.c.details, actions.c.at).where(actions.c.target == run_id, actions.c.action == "accept")
    return {row.details["url"]: row.at for row in conn.execute(query)}


def _line_of_row(row: Row[Any], at: datetime) -> ErrorLine:
    is_failed, attempts = row.state == "failed", row.attempts or ()
    if attempts:
        engine, retries = attempts[-1]["tier"], len(attempts) - 1
    else:
        engine, retries = (None, 0) if is_failed else (row.engine, row.retry_count)
    return ErrorLine(
        audit_id=row.audit_id,
        run_id=row.run_id,
        at=at,
        source_id=row.manifest_id,
        url=row.url,
        error=(row.error or "") if is_failed else "overcome",
        retry_count=retries,
        engine=engine,
        resolved=not is_failed,
        reason_code=row.reason_code,
        reason_detail=row.reason_detail,
    )
