"""The alerts that are open, as dashboard and source have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger import alerts
from rori_spiders.ledger.tables import runs
from rori_spiders.monitor.answers.dashboard import Alert
from rori_spiders.reviews import to_do
from rori_spiders.reviews.events import EVENTS, MASS_REMOVAL

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import Connection

_WORST = {"high": 0, "warning": 1, "info": 2}


def open_alerts(conn: Connection, source_id: str | None = None) -> list[Alert]:
    """The worst first, then the oldest; of one source, or of all."""
    found = sorted(
        alerts.open_alerts(conn, source_id), key=lambda one: (_WORST.get(one["severity"], 1), one["opened_at"])
    )
    suspect = _last_suspect(conn, {one["source_id"] for one in found if _names_a_run(one["event"])})
    return [_alert(conn, one, suspect) for one in found]


def _alert(conn: Connection, one: Mapping[str, Any], suspect: Mapping[str, str]) -> Alert:
    return Alert(
        alert_id=one["alert_id"],
        source_id=one["source_id"] or None,
        event=one["event"],
        severity=one["severity"],
        message=one["message"],
        opened_at=one["opened_at"],
        pages=one["pages"] or [],
        what_to_do=_to_do(conn, one, suspect),
    )


def _to_do(conn: Connection, one: Mapping[str, Any], suspect: Mapping[str, str]) -> str | None:
    kind = EVENTS.get(one["event"])
    if kind is None:  # of another version of this program
        return None
    if one["event"] == MASS_REMOVAL:
        return to_do(conn, one, ())
    return kind.to_do.format(id=one["source_id"] or "ID", run=suspect.get(one["source_id"], "RUN"))


def _names_a_run(event: str) -> bool:
    return event in EVENTS and "{run}" in EVENTS[event].to_do


def _last_suspect(conn: Connection, source_ids: Collection[str]) -> dict[str, str]:
    """Source -> its last run that is suspect: what a person may accept."""
    its = runs.c
    query = select(its.source_id, its.run_id).where(its.source_id.in_(source_ids), its.state == "suspect")
    return {row.source_id: row.run_id for row in conn.execute(query.order_by(its.started_at))}
