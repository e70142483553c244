"""Read the error log: a list with cursors, and all of it as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from rori_spiders.ledger.audit.failure_log import Failure as Row
from rori_spiders.ledger.audit.failure_log import FailurePosition, list_failures
from rori_spiders.ledger.tables.failure_severity import Severity
from rori_spiders.monitor.failures.schemas import Failure, FailureCause, Failures
from rori_spiders.monitor.rest.params import CursorBigInt, CursorTime, decode_cursor, encode_cursor
from rori_spiders.runtime.control_characters import escape_csv_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.audit.failure_causes import FailureCause as CauseRow
    from rori_spiders.ledger.audit.failure_log import FailureFilter, FailureOrder
    from rori_spiders.ledger.database import Ledger

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


def _failure_row(one: Row) -> Failure:
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
