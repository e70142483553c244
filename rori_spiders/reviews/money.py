"""Limits of a month: told at 80 %, and when nothing more may be spent. Specification §7.3: "> 80% of plan limit".

An alert stands for one limit in one month. With another limit, or in another month, it is over; a new one may open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.ledger import alerts
from rori_spiders.reviews.events import CREDITS, CREDITS_SPENT, EVENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

ALERT_AT = 0.8
#: Whom the limit in USD concerns.
EVERYBODY = "all providers"
#: Sums of many small amounts are not exact.
_ROUNDING = 1e-9


def note_spending(
    conn: Connection, who: str, *, gone: float, wanted: float, limit: float, unit: str, now: datetime
) -> None:
    """Take in that *who*, a provider or EVERYBODY, has spent *gone* of *limit* this month, in *unit*.

    *wanted* is what a call that was refused would have cost; 0, where none was. A limit of 0 allows nothing on purpose.
    """
    cause = _cause(who, limit, now)
    for event in (CREDITS, CREDITS_SPENT):
        alerts.clear_others(conn, event=event, beginning=f"{who} ", cause=cause, now=now)
    if limit <= 0:
        return
    said = f"{who}: {gone:.6g} of {limit:g} {unit} of this month are spent ({gone / limit:.0%})"
    if gone >= limit * ALERT_AT:
        _raise(conn, CREDITS, cause, said, now)
    if gone >= limit - _ROUNDING or gone + wanted > limit + _ROUNDING:
        more = f"; a call for {wanted:g} more was refused" if wanted else ""
        _raise(conn, CREDITS_SPENT, cause, said + more, now)


def is_over(alert: Mapping[str, Any], limit_of: Callable[[str], float | None], now: datetime) -> bool:
    """Whether an open *alert* of a limit stands for one of another month, or for one that was changed since.

    *limit_of* gives the limit in force; None: it is not known here.
    """
    if alert["event"] not in {CREDITS, CREDITS_SPENT}:
        return False
    month, limit = f"{now:%Y-%m}", alert["cause"].rpartition(" of ")[2]
    who, found, _ = alert["cause"].partition(f" {month}")
    now_in_force = limit_of(who)
    return not found or (now_in_force is not None and limit != f"{now_in_force:g}")


def clear_over(conn: Connection, alert: Mapping[str, Any], *, now: datetime) -> None:
    """Close the *alert* of a limit that no longer is one."""
    alerts.clear_alert(conn, source_id=alert["source_id"], event=alert["event"], cause=alert["cause"], now=now)


def _cause(who: str, limit: float, now: datetime) -> str:
    return f"{who} {now:%Y-%m} of {limit:g}"


def _raise(conn: Connection, event: str, cause: str, message: str, now: datetime) -> None:
    severity = EVENTS[event].severity
    alerts.raise_once(conn, source_id="", event=event, cause=cause, severity=severity, message=message, now=now)
