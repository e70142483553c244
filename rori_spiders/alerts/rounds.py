"""A round of the alerts: what no run can notice by itself is looked for, and what is due is sent.

Called at the end of each job, now and then while it runs, by each round of a dispatcher, and by ``scrapy alerts send``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders import reviews
from rori_spiders.alerts import delivery
from rori_spiders.alerts.channels import channels
from rori_spiders.alerts.picking import Digest
from rori_spiders.ledger import alerts, sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from rori_spiders.alerts.channels import Settings
    from rori_spiders.alerts.delivery import Sent
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.sources import SourceState
    from rori_spiders.manifest.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Round:
    """What a round sent, or tried to."""

    sent: tuple[Sent, ...]

    @property
    def failed(self) -> tuple[Sent, ...]:
        return tuple(one for one in self.sent if one.error is not None)


def round(ledger: Ledger, catalog: Catalog, settings: Settings, now: datetime) -> Round:  # noqa: A001
    """Look, and send. Takes 30 s a channel at most, all at once. Raises UsageError for settings that cannot be."""
    ways, digest = channels(settings), Digest.parse(str(settings.get("RORI_ALERT_DIGEST")))
    with ledger.connect() as conn:
        states, everything = sources.states(conn), sources.pause_of_all(conn)
    is_watched = watched(catalog, states, everything)
    look(ledger, [source.id for source in catalog.sources if is_watched(source.id)], states, settings, now)
    return Round(tuple(delivery.deliver(ledger, ways, is_watched=is_watched, digest=digest, now=now)))


def watched(
    catalog: Catalog, states: Mapping[str, SourceState], everything: SourceState | None = None
) -> Callable[[str], bool]:
    """Whether alerts of a source are of anybody's interest: not when a person or the manifest has stopped it.

    What the breaker has stopped waits for a person, so it is; and so is what concerns no single source (""), even when
    all sources are paused (*everything*).
    """
    if everything is not None:
        return lambda source_id: not source_id
    here = {source.id for source in catalog.sources if source.status == "active"}
    stopped = {source_id for source_id, state in states.items() if state.paused_by == "person"}
    return lambda source_id: not source_id or (source_id in here and source_id not in stopped)


def look(
    ledger: Ledger, source_ids: list[str], states: Mapping[str, SourceState], settings: Settings, now: datetime
) -> None:
    """Sources that have not changed for long; limits and a web hook that are no more. Writes only what is new."""
    found = reviews.unchanging(source_ids, states)
    with ledger.connect() as conn:
        opened = alerts.open_alerts(conn)
    known = {one["source_id"] for one in opened if one["event"] == reviews.NO_CHANGE}
    is_news = found.keys() - known or known.intersection(source_ids) - found.keys()
    over = [one for one in opened if _is_over(one, settings, now)]
    if not is_news and not over:
        return
    with ledger.begin() as conn:
        reviews.note_unchanging(conn, found, source_ids, now=now)
        for one in over:
            reviews.clear_over(conn, one, now=now)


def _is_over(alert: Mapping[str, Any], settings: Settings, now: datetime) -> bool:
    if alert["event"] == reviews.HOOK_DOWN:
        return not settings.get("RORI_ON_STAGED")  # nobody is told any more
    return reviews.is_over(alert, partial(_limit, settings), now)


def _limit(settings: Settings, who: str) -> float | None:
    """What *who* may spend in a month by these settings; None: they do not say."""
    given = settings.get("RORI_COST_LIMIT" if who == reviews.EVERYBODY else f"RORI_{who.upper()}_LIMIT")
    try:
        return float(given)
    except (TypeError, ValueError):
        return None
