"""The alerts that are open, as the dashboard has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.ledger import alerts
from rori_spiders.monitor.answers.dashboard import Alert
from rori_spiders.reviews import to_do
from rori_spiders.reviews.events import EVENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

_WORST = {"high": 0, "warning": 1, "info": 2}


def open_alerts(conn: Connection) -> list[Alert]:
    """The worst first, then the oldest."""
    found = sorted(alerts.open_alerts(conn), key=lambda one: (_WORST.get(one["severity"], 1), one["opened_at"]))
    return [_alert(conn, one) for one in found]


def _alert(conn: Connection, one: Mapping[str, Any]) -> Alert:
    return Alert(
        alert_id=one["alert_id"],
        source_id=one["source_id"] or None,
        event=one["event"],
        severity=one["severity"],
        message=one["message"],
        opened_at=one["opened_at"],
        pages=one["pages"] or [],
        what_to_do=_to_do(conn, one),
    )


def _to_do(conn: Connection, one: Mapping[str, Any]) -> str | None:
    kind = EVENTS.get(one["event"])
    if kind is None:  # of another version of this program
        return None
    named = "{run}" in kind.to_do  # only then is the run looked for
    return to_do(conn, one, ()) if named else kind.to_do.format(id=one["source_id"] or "ID", run="RUN")
