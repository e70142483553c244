"""The error log: a list of failures, where it goes on, and all of it as CSV."""

from __future__ import annotations

import base64
import binascii
import csv
import io
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rori_spiders.ledger.failed import Failure as Row
from rori_spiders.ledger.failed import Position, failures
from rori_spiders.ledger.severities import SEVERITIES
from rori_spiders.monitor.answers.failures import Failure, Failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.failed import Order, Wanted

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
    told = json.dumps([position.at.isoformat(), position.audit_id, position.severity]).encode()
    return base64.urlsafe_b64encode(told).decode().rstrip("=")


def position(said: str, order: Order) -> Position:
    """What ``spelled`` gave for a list of this order. Raises ValueError for anything else."""
    try:
        read = json.loads(base64.b64decode(said + "=" * (-len(said) % 4), altchars=b"-_", validate=True))
        at, audit_id, severity = read
        found = Position(datetime.fromisoformat(at), audit_id, severity)
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise ValueError("not a place in this list") from error
    fits = severity in SEVERITIES if order == "severity" else severity is None
    if not fits or type(audit_id) is not int or found.at.tzinfo is None or not 0 <= audit_id < 1 << 63:
        raise ValueError("not a place in this list")
    return found


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
