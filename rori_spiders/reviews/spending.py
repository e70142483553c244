"""Reserve and settle what a paid call costs, and keep the alerts of the month's limits up to date, in one
transaction with the limits.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rori_spiders.ledger.operations import alerts, costs
from rori_spiders.ledger.operations.costs import CallSlotsFull, CostLimits, PaidCall
from rori_spiders.reviews.events import CREDITS, CREDITS_SPENT, EVENTS
from rori_spiders.runtime.redaction import get_redactor

ALERT_AT = 0.8
#: Whom the limit in USD concerns. It stands in the causes of alerts, as they are stored: do not reword it.
ALL_PROVIDERS = "all providers"
#: Sums of many small amounts are not exact.
_ROUNDING = 1e-9


def note_spending(
    conn: Connection, who: str, *, gone: float, wanted: float, limit: float, unit: str, now: datetime
) -> None:
    """Take in that *who*, a provider or EVERYBODY, has spent *gone* of *limit* this month, in *unit*.

    *wanted* is what a call that was refused would have cost; 0, where none was. A limit of 0 allows nothing on purpose.
    """
    cause = _limit_cause(who, now, limit)
    for event in (CREDITS, CREDITS_SPENT):
        alerts.clear_other_alerts(conn, event=event, beginning=f"{who} ", cause=cause, now=now)
    if limit <= 0:
        return
    message = f"{who}: {gone:.6g} of {limit:g} {unit} of this month's limit are spent ({gone / limit:.0%})"
    if gone >= limit * ALERT_AT:
        _raise_limit_alert(conn, CREDITS, cause, message, now)
    if gone >= limit - _ROUNDING or gone + wanted > limit + _ROUNDING:
        more = f"; a call for {wanted:g} more was refused" if wanted else ""
        _raise_limit_alert(conn, CREDITS_SPENT, cause, message + more, now)


def is_limit_obsolete(alert: Mapping[str, Any], limit_of: Callable[[str], float | None], now: datetime) -> bool:
    """Whether an open *alert* belongs to another month, or to a limit that has changed since.

    *limit_of* gives the current limit; None: it is not known here.
    """
    if alert["event"] not in {CREDITS, CREDITS_SPENT}:
        return False
    who = alert["cause"].rsplit(" ", 3)[0]
    current_limit = limit_of(who)
    if current_limit is None:
        return f" {now:%Y-%m} " not in alert["cause"]
    return bool(alert["cause"] != _limit_cause(who, now, current_limit))


def _limit_cause(who: str, now: datetime, limit: float) -> str:
    """The key of a limit's alert: whose limit, which month, how much. The last three words are one each."""
    return " ".join((who, f"{now:%Y-%m}", "of", f"{limit:g}"))


def clear_limit_alert(conn: Connection, alert: Mapping[str, Any], *, now: datetime) -> None:
    """Close the *alert* of a limit that no longer is one."""
    alerts.clear_alert(conn, source_id=alert["source_id"], event=alert["event"], cause=alert["cause"], now=now)


def _raise_limit_alert(conn: Connection, event: str, cause: str, message: str, now: datetime) -> None:
    severity = EVENTS[event].severity
    alerts.raise_alert_once(conn, source_id="", event=event, cause=cause, severity=severity, message=message, now=now)


@dataclass(frozen=True, slots=True)
class PaidBudget:
    """What calls of *provider* may cost, counted in *unit* in the ledger that all jobs share.

    A call is reserved before it is made and settled after it, each in one transaction with the limits: jobs that pay
    at the same time never exceed one together.
    """

    provider: str
    unit: str
    limits: CostLimits

    def reserve(
        self, conn: Connection, amount: float, usd: float, *, run_id: str | None, url: str | None, now: datetime
    ) -> int | str | CallSlotsFull:
        """Reserve what a call about *url* may cost; the number to settle it by, or in words why it may not be made.

        ``CallSlotsFull``: nothing was done, it is asked for again when another call has ended.
        """
        call = costs.PaidCall(self.provider, self.unit, amount, usd)
        why = costs.refusal_reason(conn, call, limits=self.limits, now=now)
        if why is not None:
            self._update_alerts(conn, now, wanted=call)
            return why
        if (full := costs.check_call_slots(conn, self.limits, now)) is not None:
            return full
        clean = get_redactor().url(url) if url is not None else None
        return costs.reserve_cost(conn, **asdict(call), run_id=run_id, url=clean, now=now)

    def settle(self, conn: Connection, cost_id: int, amount: float, usd: float, *, now: datetime) -> None:
        """Record what the call cost."""
        costs.settle_cost(conn, cost_id, amount=amount, usd=usd, now=now)
        self._update_alerts(conn, now)

    def _update_alerts(self, conn: Connection, now: datetime, wanted: PaidCall | None = None) -> None:
        """*wanted* is a call that was refused."""
        since = costs.month_start(now)
        gone, usd = costs.spent_amount(conn, self.provider, since=since), costs.spent_usd(conn, since=since)
        more, more_usd = (wanted.amount, wanted.usd) if wanted else (0.0, 0.0)
        note_spending(
            conn, self.provider, gone=gone, wanted=more, limit=self.limits.amount, unit=f"{self.unit}s", now=now
        )
        note_spending(conn, ALL_PROVIDERS, gone=usd, wanted=more_usd, limit=self.limits.usd, unit="USD", now=now)
