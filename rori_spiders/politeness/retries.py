"""Retry rules as one table: which errors, how often, after how long (S0 §7.1).

A row's ``waits`` are seconds before the first, second, ... retry; their number is the number of retries. What is in no
row is never retried: redirects and successes; every 4xx but 429 and 408, so 403, 404, 410 and 451; what we refuse
ourselves (addresses, scope, robots, fences, caps); and what two minutes do not change: a name that does not resolve,
and a certificate that is not valid. 408 is the server's word for a timeout. Every 5xx is taken for a server in
trouble, also those that nobody has defined.

``Retry-After`` is obeyed on every answer that a row retries, when it asks for longer than the row does. On other
answers it asks for nothing that we would do (RFC 9110 §10.2.3).
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

#: Above this, a server that asks us to wait gets its wish in the next run (S0 §7.1; 15 minutes).
MAX_RETRY_AFTER_S = 900.0
#: A header must not make us forget a source: a server that asks for longer is asked again after a week.
MAX_REST_S = 7 * 86_400.0
#: So many URLs in a row, each with its retries spent on 429 and nothing else answered between, end the rest unasked.
MAX_RATE_LIMITED_IN_ROW = 3


@dataclass(frozen=True, slots=True)
class RetryRow:
    name: str
    waits: tuple[float, ...]
    reason: str  # of the failure, once the retries are spent


RATE_LIMITED = RetryRow("rate_limited", (30, 60, 120, 300, 600), "rate_limited")
UNAVAILABLE = RetryRow("unavailable", (10, 30, 60), "server_error")
TIMEOUT = RetryRow("timeout", (15, 15), "timeout")
DROPPED = RetryRow("dropped", (10, 30, 60), "connection_failed")

#: The whole of S0 §7.1 that retries: status or kind of failure -> row.
RETRY_TABLE: dict[int | str, RetryRow] = {
    429: RATE_LIMITED,
    408: TIMEOUT,
    **dict.fromkeys(range(500, 600), UNAVAILABLE),
    "timeout": TIMEOUT,
    "dropped": DROPPED,
}


def retry_row_for_status(status: int) -> RetryRow | None:
    """The row of an HTTP status; None: its answer is final."""
    return RETRY_TABLE.get(status)


def wait_before_retry(row: RetryRow, done: int, retry_after: float | None = None) -> float | None:
    """Seconds to wait before retry number *done* + 1, or None when no retry is left.

    A longer ``Retry-After`` is obeyed; beyond MAX_RETRY_AFTER_S it ends the retries.
    """
    if done >= len(row.waits) or exceeds_max_wait(retry_after):
        return None
    return max(row.waits[done], retry_after or 0)


def exceeds_max_wait(retry_after: float | None) -> bool:
    """Whether a server asks for a longer rest than a job waits."""
    return (retry_after or 0) > MAX_RETRY_AFTER_S


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
