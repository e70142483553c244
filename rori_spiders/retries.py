"""What is retried, how often, and after how long: S0 §7.1 as one table.

A row's ``waits`` are seconds before the first, second, ... retry; their number is the number of retries. What is in no
row (403, 404, 410, 451, refused addresses, robots, caps) is never retried.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

#: Above this, a server that asks us to wait gets its wish in the next run (S0 §7.1; 15 minutes).
MAX_RETRY_AFTER_S = 900.0


@dataclass(frozen=True, slots=True)
class RetryRow:
    name: str
    waits: tuple[float, ...]
    reason: str  # of the failure, once the retries are spent


RATE_LIMITED = RetryRow("rate_limited", (30, 60, 120, 300, 600), "rate_limited")
UNAVAILABLE = RetryRow("unavailable", (10, 30, 60), "server_error")
TIMEOUT = RetryRow("timeout", (15, 15), "timeout")
DROPPED = RetryRow("dropped", (10, 30, 60), "connection_failed")

_BY_STATUS = {
    429: RATE_LIMITED,
    408: TIMEOUT,
    **dict.fromkeys((500, 502, 503, 504, 520, 521, 522, 523, 524), UNAVAILABLE),
}


def row_for_status(status: int) -> RetryRow | None:
    """The row of an HTTP status; None: its answer is final."""
    return _BY_STATUS.get(status)


def wait_before(row: RetryRow, done: int, retry_after: float | None = None) -> float | None:
    """Seconds to wait before retry number *done* + 1, or None when no retry is left.

    A longer ``Retry-After`` is obeyed; beyond MAX_RETRY_AFTER_S it ends the retries.
    """
    if done >= len(row.waits) or (retry_after or 0) > MAX_RETRY_AFTER_S:
        return None
    return max(row.waits[done], retry_after or 0)


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds that a ``Retry-After`` header asks for (RFC 9110 §10.2.3: seconds or a date); None for nothing."""
    if not value:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())
