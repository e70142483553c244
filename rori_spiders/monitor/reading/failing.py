"""The error log: a list of failures, where it goes on, and all of it as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from rori_spiders.ledger.failed import Failure as Row
from rori_spiders.ledger.failed import Position, failures
from rori_spiders.ledger.severities import Severity
from rori_spiders.monitor.answers.failures import Failure, Failures
from rori_spiders.monitor.asked import BigNumber, Instant, further, place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.failed import Order, Wanted

_BY_AGE: TypeAdapter[tuple[Instant, BigNumber, None]] = TypeAdapter(tuple[Instant, BigNumber, None])
_BY_SEVERITY: TypeAdapter[tuple[Instant, BigNumber, Severity]] = TypeAdapter(tuple[Instant, BigNumber, Severity])
_BATCH = 500
#: What a spreadsheet takes for the beginning of a formula (https://owasp.org/www-community/attacks/CSV_Injection).
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def listed(conn: Connection, wanted: Wanted, order: Order, after: Position | None, limit: int) -> Failures:
    """Some of the failures that are *wanted*, and where the next ones begin."""
    some = failures(conn, wanted, order=order, after=after, limit=limit)
    return Failures(
        items=[_answer(one) for one in some.found],
        next=spelled(some.further) if some.further else None,
        looked_until=some.further.at if some.further else None,
    )


def _answer(one: Row) -> Failure:
    return Failure(
        audit_id=one.audit_id,
        at=one.at,
        source_id=one.source_id,
        run_id=one.run_id,
        url=one.url,
        http_status=one.http_status,
        verdict=one.verdict,
        error=one.error,
        message=one.reason,
        retries=one.retries,
        tier=one.engine,
        severity=one.severity,
        resolved=one.resolved_at is not None,
        resolved_at=one.resolved_at,
    )


def spelled(position: Position) -> str:
    """A position as the page gives it back."""
    return further(position.at, position.audit_id, position.severity)


def position(said: str, order: Order) -> Position:
    """What ``spelled`` gave for a list of this order. Refused for anything else."""
    if order == "severity":
        return Position(*place(said, _BY_SEVERITY))
    return Position(*place(said, _BY_AGE))


def as_csv(ledger: Ledger, wanted: Wanted, order: Order) -> Iterator[str]:
    """All that are *wanted*, some hundred rows at a time; no cell is a formula to a spreadsheet."""
    yield _lines([list(Failure.model_fields)])
    after: Position | None = None
    while True:
        with ledger.connect() as conn:
            some = failures(conn, wanted, order=order, after=after, limit=_BATCH)
        if some.found:
            yield _lines(
                [[_cell(value) for value in _answer(one).model_dump(mode="json").values()] for one in some.found]
            )
        if some.further is None:
            return
        after = some.further


def _lines(rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
