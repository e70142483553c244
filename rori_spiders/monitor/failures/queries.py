"""Read the error log, a list with cursors or all of it as CSV; and one row of the audit: request, attempts, response,
cost.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, select

from rori_spiders.ledger.audit import audit_log, failure_states
from rori_spiders.ledger.audit.failure_causes import FailureCause as CauseRow
from rori_spiders.ledger.audit.failure_log import Failure as FailureRow
from rori_spiders.ledger.audit.failure_log import FailureFilter, FailureOrder, FailurePosition, list_failures
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import costs
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import audit
from rori_spiders.ledger.tables.audit_trail import Severity, severity_of
from rori_spiders.monitor.failures.schemas import Attempt, Failure, FailureCause, FailureDetail, Failures, HeaderOf, Hop
from rori_spiders.monitor.pages.queries import steps_of
from rori_spiders.monitor.pages.schemas import StoredFileState
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.rest.params import CursorBigInt, CursorTime, decode_cursor, encode_cursor
from rori_spiders.monitor.sources.schemas import PaidCall
from rori_spiders.runtime.control_characters import escape_csv_cell
from rori_spiders.staging.store import Store

_BY_AGE: TypeAdapter[tuple[CursorTime, CursorBigInt, None]] = TypeAdapter(tuple[CursorTime, CursorBigInt, None])
_BY_SEVERITY: TypeAdapter[tuple[CursorTime, CursorBigInt, Severity]] = TypeAdapter(
    tuple[CursorTime, CursorBigInt, Severity]
)
_BATCH_ROWS = 500


def read_failures(
    conn: Connection, wanted: FailureFilter, order: FailureOrder, after: FailurePosition | None, limit: int
) -> Failures:
    """Read a page of the failures matching *wanted*, and the position of the next page."""
    some = list_failures(conn, wanted, order=order, after=after, limit=limit)
    return Failures(
        items=[_failure_row(one) for one in some.found],
        next=encode_position(some.further) if some.further else None,
        looked_until=some.further.at if some.further else None,
    )


def _failure_row(one: FailureRow) -> Failure:
    named = {"message": one.reason, "tier": one.engine, "severity": one.severity}
    return Failure.model_validate({**one._asdict(), **named, "resolved": one.resolved_at is not None})


def failure_cause(one: CauseRow) -> FailureCause:
    """Return a cause as the API shows it."""
    found = {name: getattr(one, name) for name in FailureCause.model_fields if name != "message"}
    return FailureCause(**found, message=one.reason)


def encode_position(position: FailurePosition) -> str:
    """Encode a position as a cursor."""
    return encode_cursor(position.at, position.audit_id, position.severity)


def decode_position(cursor: str, order: FailureOrder) -> FailurePosition:
    """Decode the cursor of a list in this order. Raises ApiError for any other."""
    if order == "severity":
        return FailurePosition(*decode_cursor(cursor, _BY_SEVERITY))
    return FailurePosition(*decode_cursor(cursor, _BY_AGE))


def iter_csv(ledger: Ledger, wanted: FailureFilter, order: FailureOrder) -> Iterator[str]:
    """Yield all failures matching *wanted* as CSV, in chunks of rows; no cell is a formula to a spreadsheet."""
    yield _csv_lines([list(Failure.model_fields)])
    after: FailurePosition | None = None
    while True:
        with ledger.connect() as conn:
            some = list_failures(conn, wanted, order=order, after=after, limit=_BATCH_ROWS)
        if some.found:
            yield _csv_lines(
                [
                    [_format_cell(value) for value in _failure_row(one).model_dump(mode="json").values()]
                    for one in some.found
                ]
            )
        if some.further is None:
            return
        after = some.further


def _csv_lines(rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def _format_cell(value: object) -> object:
    return escape_csv_cell(value) if isinstance(value, str) else value


def get_audit_row(conn: Connection, audit_id: int) -> Row[Any]:
    """Read an audit row by its number. Raises ApiError 404."""
    found = conn.execute(select(audit).where(audit.c.audit_id == audit_id)).one_or_none()
    if found is None:
        raise ApiError(404, "unknown_failure", f"Audit row {audit_id} not found.")
    return found


def failure_detail(conn: Connection, store: Store, one: Row[Any]) -> FailureDetail:
    """Return the row with its attempts, paid calls, and the state of its response."""
    is_failure = one.state == "failed" and one.kind == "page"
    resolved_at = failure_states.resolved_at(conn, [one]).get(one.audit_id) if is_failure else None
    page = page_history.find_page(conn, one.manifest_id, one.url)
    names = ("audit_id", "run_id", "url", "kind", "state", "error", "http_status", "verdict", "ip_address", "build")
    return FailureDetail(
        **{name: getattr(one, name) for name in (*names, "final_url")},
        at=one.timestamp,
        source_id=one.manifest_id,
        page_id=page and page.page_id,
        reason=one.reason or None,
        reason_code=one.reason_code,
        reason_detail=one.reason_detail,
        rules=list(one.rules or ()),
        tier=one.engine,
        retries=one.retry_count,
        credits=one.credits_consumed,
        ms=one.response_time_ms,
        redirects=[Hop(status=status, url=url) for status, url in one.redirects or ()],
        request_headers=list(_header_rows(one.request_headers)),
        response_headers=list(_header_rows(one.response_headers)),
        attempts=[_attempt_row(each) for each in one.attempts or ()],
        paid=[PaidCall.model_validate(each) for each in costs.paid_calls_of_url(conn, one.run_id, one.url)],
        response=response_state(store, one),
        severity=severity_of(one.verdict) if is_failure else None,
        resolved=resolved_at is not None,
        resolved_at=resolved_at,
    )


def response_state(store: Store, one: Row[Any]) -> StoredFileState:
    """Return whether the body of the response is stored."""
    if one.raw_hash is None:
        return StoredFileState(state="none", why="The server sent no body or did not respond.")
    kind = audit_log.recorded_content_type(one.response_headers)
    if store.has_object(one.raw_hash):
        return StoredFileState(state="stored", content_type=kind)
    why = "Not stored: the text matched the previous version, or the bytes were removed."
    return StoredFileState(state="missing", content_type=kind, why=why)


def _attempt_row(each: Mapping[str, Any]) -> Attempt:
    return Attempt(
        tier=each["tier"],
        at=each.get("at"),
        status=each.get("status"),
        verdict=each.get("verdict"),
        reason=each.get("reason") or None,
        reason_code=each.get("reason_code"),
        ms=each.get("ms"),
        credits=each.get("credits") or 0,
        steps=steps_of([each]),
    )


def _header_rows(headers: Mapping[str, Any] | None) -> Iterator[HeaderOf]:
    for name, values in (headers or {}).items():
        for value in values if isinstance(values, list) else [values]:
            yield HeaderOf(name=name, value=str(value))
