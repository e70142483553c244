"""A call that costs: set aside before it, settled after it, and each time a person is told how the month stands.

In one transaction with the limits, so that jobs which pay at the same time never exceed one together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ledger import costs
from rori_spiders.redaction import of_process
from rori_spiders.reviews.money import EVERYBODY, note_spending

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.costs import Call, Full, Limits


def reserve(
    conn: Connection, call: Call, *, limits: Limits, run_id: str | None, url: str | None, now: datetime
) -> int | str | Full:
    """Set aside what *call* may cost; the number to settle it by, or in words why it may not be made.

    ``Full``: nothing was done, it is asked for again when another call has ended.

    *url* is what it is about; it is kept without secrets.
    """
    why = costs.refusal(conn, call, limits=limits, now=now)
    if why is not None:
        _tell(conn, call.provider, call.unit, limits, now, wanted=call)
        return why
    if (full := costs.full(conn, limits, now)) is not None:
        return full
    return costs.reserve(
        conn,
        provider=call.provider,
        unit=call.unit,
        amount=call.amount,
        usd=call.usd,
        run_id=run_id,
        url=of_process().url(url) if url is not None else None,
        now=now,
    )


def settle(conn: Connection, cost_id: int, cost: Call, *, limits: Limits, now: datetime) -> None:
    """What the call came to: *cost*."""
    costs.settle(conn, cost_id, amount=cost.amount, usd=cost.usd, now=now)
    _tell(conn, cost.provider, cost.unit, limits, now)


def _tell(
    conn: Connection, provider: str, unit: str, limits: Limits, now: datetime, *, wanted: Call | None = None
) -> None:
    """*wanted* is a call that was refused."""
    since = costs.month_of(now)
    note_spending(
        conn,
        provider,
        gone=costs.spent(conn, provider, since=since),
        wanted=wanted.amount if wanted else 0.0,
        limit=limits.amount,
        unit=f"{unit}s",
        now=now,
    )
    note_spending(
        conn,
        EVERYBODY,
        gone=costs.spent_usd(conn, since=since),
        wanted=wanted.usd if wanted else 0.0,
        limit=limits.usd,
        unit="USD",
        now=now,
    )
