"""How all sources stand, ready to be filtered, counted and sorted; and what only the rows that are shown need."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger import alerts, changing, holding
from rori_spiders.monitor.answers.dashboard import LastRun, SourceRow
from rori_spiders.standing import standings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.standing import Memory, Standing

#: The days of the small charts.
DAYS = 30


@dataclass(frozen=True, slots=True)
class Overview:
    """All sources at one moment, in the order of the manifest."""

    at: datetime
    standings: Sequence[Standing]
    changes: Mapping[str, Sequence[int]]  # source -> texts staged on each of the days, today last; none: left out
    rows: dict[str, SourceRow] = field(default_factory=dict)  # those that a screen has shown

    def changed(self, source_id: str) -> int:
        """How many texts were staged in those days."""
        return sum(self.changes.get(source_id, ()))

    def is_due(self, one: Standing) -> bool:
        """Whether nothing pauses it, and its time has come."""
        return one.hindrance is None and (one.next_due is None or one.next_due <= self.at)


def overview(conn: Connection, catalog: Catalog, now: datetime, memory: Memory | None = None) -> Overview:
    """As the ledger has it at *now*; *memory* is that of the last one."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    since = today - timedelta(days=DAYS - 1)
    return Overview(now, standings(catalog, conn, now, memory), changing.by_day(conn, since, DAYS))


def rows(conn: Connection, whole: Overview, shown: Sequence[Standing]) -> list[SourceRow]:
    """The *shown* sources with all that the screen says of them, as of this overview; some hundreds at once."""
    if new := [one for one in shown if one.source.id not in whole.rows]:
        ids = [one.source.id for one in new]
        tiers, hashes = holding.tiers(conn, ids, whole.at), holding.hashes(conn, ids)
        open_ones = alerts.numbers_open(conn)
        for one in new:
            key = one.source.id
            whole.rows[key] = _row(whole, one, tiers.get(key), hashes.get(key), open_ones)
    return [whole.rows[one.source.id] for one in shown]


def _row(whole: Overview, one: Standing, tier: str | None, digest: str | None, alerts: Mapping[str, int]) -> SourceRow:
    source = one.source
    return SourceRow.model_construct(
        id=source.id,
        name=source.name,
        url=source.url,
        agency=source.metadata.agency,
        category=source.effective_category,
        domain=source.domain,
        jurisdiction=source.jurisdiction,
        method=source.method,
        status=one.status,
        why=one.hindrance or one.locked,
        last_run=_last_run(one),
        last_checked_at=one.state.last_checked_at if one.state else None,
        next_due=one.next_due,
        is_due=whole.is_due(one),
        tier=tier,
        pages=one.pages,
        changes=list(whole.changes.get(source.id, [0] * DAYS)),
        changed_30d=whole.changed(source.id),
        hash=digest,
        open_alerts=alerts.get(source.id, 0),
    )


def _last_run(one: Standing) -> LastRun | None:
    run = one.last_run
    if run is None:
        return None
    return LastRun(
        run_id=run.run_id, state=run.state, started_at=run.started_at, ended_at=run.finished_at, outcome=one.outcome
    )
