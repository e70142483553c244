"""Sources, queue, leases, alerts, envelopes: how things stand now."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rori_spiders.ledger import announcements
from rori_spiders.ledger.sources import EVERYTHING, states
from rori_spiders.ledger.tables import alert_deliveries, alerts, envelopes, jobs, leases, runs
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.metrics import families

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from prometheus_client import Metric
    from sqlalchemy import Connection, Table

    from rori_spiders.manifest.catalog import Catalog

_JOBS = ("waiting", "leased", "running")


def of_sources(conn: Connection, catalog: Catalog) -> Iterator[Metric]:
    """Bounded by the manifest: a label a source, for those that are active."""
    known = states(conn)
    open_runs = dict(
        conn.execute(select(runs.c.source_id, runs.c.state).where(runs.c.state.in_(OPEN_RUN_STATES))).all()
    )
    last = [state.last_run_id for state in known.values() if state.last_run_id]
    outcomes = dict(conn.execute(select(runs.c.run_id, runs.c.state).where(runs.c.run_id.in_(last))).all())
    all_paused = EVERYTHING in known and known[EVERYTHING].paused_by is not None
    found: Counter[tuple[str, ...]] = Counter()
    for source in catalog.sources:
        state = known.get(source.id)
        if source.status != "active":
            found[(source.status,)] += 1
        elif all_paused or (state is not None and state.paused_by):
            found[("paused",)] += 1
        elif source.id in open_runs:
            found[(open_runs[source.id],)] += 1
        else:
            found[(outcomes.get(state.last_run_id or "", "pending") if state else "pending",)] += 1
    yield families.SOURCES.of(found)
    checked = {source.id: known[source.id].last_checked_at for source in catalog.sources if source.id in known}
    yield families.LAST_SUCCESS.of({(one,): at.timestamp() for one, at in checked.items() if at is not None})


def of_queue(conn: Connection, now: datetime) -> Iterator[Metric]:
    yield families.JOBS.of(_by(conn, jobs, "state", _JOBS))
    oldest = conn.execute(select(func.min(jobs.c.queued_at)).where(jobs.c.state == "waiting")).scalar_one()
    yield families.OLDEST_JOB.of({(): (now - oldest).total_seconds() if oldest is not None else 0})


def of_leases(conn: Connection, now: datetime) -> Iterator[Metric]:
    query = select(leases.c.expires_at, leases.c.last_request_at).where(leases.c.owner.is_not(None))
    held = conn.execute(query).all()
    live = [row for row in held if row.expires_at > now]
    yield families.LEASES.of({("live",): len(live), ("stale",): len(held) - len(live)})
    idle = [(now - row.last_request_at).total_seconds() for row in live if row.last_request_at is not None]
    yield families.LEASE_IDLE.of({(): max(idle, default=0)})


def of_alerts(conn: Connection) -> Iterator[Metric]:
    query = select(alerts.c.severity, func.count()).where(alerts.c.cleared_at.is_(None)).group_by(alerts.c.severity)
    yield families.ALERTS.of({(severity,): number for severity, number in conn.execute(query)})


def of_messages(conn: Connection) -> Iterator[Metric]:
    """What people and the web hook were to be told, and were not."""
    given_up = alert_deliveries.c.next_try_at.is_(None)
    query = (
        select(given_up, func.count())
        .join(alerts, alerts.c.alert_id == alert_deliveries.c.alert_id)
        .where(alerts.c.cleared_at.is_(None), alert_deliveries.c.delivered.is_(False))
        .group_by(given_up)
    )
    found = {bool(row[0]): row[1] for row in conn.execute(query)}
    yield families.DELIVERIES.of({("waiting",): found.get(False, 0), ("given_up",): found.get(True, 0)})
    yield families.ANNOUNCEMENTS.of({(): announcements.count(conn)})


def of_envelopes(conn: Connection) -> Iterator[Metric]:
    """By their indexes: those confirmed are counted, the others are what is left."""
    by_state = _by(conn, envelopes, "state", ("reserved", "staged", "indexed", "pruned"))
    yield families.ENVELOPES.of(by_state)
    confirmed = conn.execute(select(func.count()).where(envelopes.c.confirmed_at.is_not(None))).scalar_one()
    announced = by_state[("indexed",)] + by_state[("pruned",)]
    yield families.UNCONFIRMED.of({(): max(0, announced - confirmed)})


def _by(conn: Connection, table: Table, column: str, words: tuple[str, ...]) -> dict[tuple[str, ...], float]:
    """How many rows have each of *words*; none is a number too."""
    query = select(table.c[column], func.count()).where(table.c[column].in_(words)).group_by(table.c[column])
    found = {row[0]: row[1] for row in conn.execute(query)}
    return {(word,): found.get(word, 0) for word in words}
