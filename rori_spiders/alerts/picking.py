"""Which alerts a channel is owed now. Pure functions of rows, deliveries and a clock that is given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from rori_spiders.exceptions import UsageError
from rori_spiders.reviews import AT_ONCE, DAILY, EVENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rori_spiders.ledger.deliveries import Delivery

OPENED, CLEARED = "opened", "cleared"
#: After a message, what comes next waits so long: forty sources that meet the same wall within minutes are two
#: messages, not forty.
GAP = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Digest:
    """When the digest goes out: *at* this time of day in *zone*."""

    at: time
    zone: ZoneInfo

    @classmethod
    def parse(cls, text: str) -> Digest:
        """``07:00 America/New_York``; UTC without a zone. Raises UsageError."""
        hour, _, zone = text.strip().partition(" ")
        try:
            return cls(time.fromisoformat(hour), ZoneInfo(zone.strip() or "UTC"))
        except (ValueError, OSError, KeyError):
            raise UsageError(
                f"RORI_ALERT_DIGEST is {text!r}; it must be a time of day and a time zone: 07:00 America/New_York"
            ) from None

    def last(self, now: datetime) -> datetime:
        """The last time that it was to go out, *now* included (UTC)."""
        local = now.astimezone(self.zone)
        today = datetime.combine(local.date(), self.at, self.zone).astimezone(UTC)
        if today <= now:
            return today
        return datetime.combine(local.date() - timedelta(days=1), self.at, self.zone).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Owed:
    """What one message tells: alerts that opened, and alerts that cleared. Rows of ``alerts``."""

    opened: tuple[Mapping[str, Any], ...] = ()
    cleared: tuple[Mapping[str, Any], ...] = ()
    is_digest: bool = False

    def __bool__(self) -> bool:
        return bool(self.opened or self.cleared)

    @property
    def keys(self) -> list[tuple[int, str]]:
        """(alert, what) of each."""
        return [(one["alert_id"], OPENED) for one in self.opened] + [(one["alert_id"], CLEARED) for one in self.cleared]


def owed(
    rows: Sequence[Mapping[str, Any]],
    known: Mapping[tuple[int, str], Delivery],
    *,
    is_watched: Callable[[str], bool],
    digest: Digest,
    sent_at: datetime | None,
    now: datetime,
) -> list[Owed]:
    """The messages that a channel is owed: what is told at once, then the digest. Both are rare; most often none.

    *rows* are alerts, *known* their deliveries through the channel; *sent_at* is when it was last used.
    """
    mine = [row for row in rows if is_watched(row["source_id"]) and row["event"] in EVENTS]
    found = []
    if sent_at is None or not timedelta(0) <= now - sent_at < GAP:
        opened = _unsent(_told(mine, AT_ONCE), known, OPENED, now)
        cleared = _unsent(_cleared(mine, known), known, CLEARED, now)
        found.append(Owed(tuple(opened), tuple(cleared)))
    daily = [row for row in _told(mine, DAILY) if row["opened_at"] <= digest.last(now)]
    found.append(Owed(tuple(_unsent(daily, known, OPENED, now)), is_digest=True))
    return [one for one in found if one]


def _told(rows: Iterable[Mapping[str, Any]], how: str) -> list[Mapping[str, Any]]:
    """The open alerts that are sent so."""
    return [row for row in rows if row["cleared_at"] is None and EVENTS[row["event"]].sent == how]


def _cleared(rows: Iterable[Mapping[str, Any]], known: Mapping[tuple[int, str], Delivery]) -> list[Mapping[str, Any]]:
    """Those that have cleared, of which the channel was told at once that they had opened."""
    found = []
    for row in rows:
        told = known.get((row["alert_id"], OPENED))
        was_told = told is not None and told.delivered and EVENTS[row["event"]].sent == AT_ONCE
        if row["cleared_at"] is not None and was_told:
            found.append(row)
    return found


def _unsent(
    rows: Iterable[Mapping[str, Any]], known: Mapping[tuple[int, str], Delivery], what: str, now: datetime
) -> list[Mapping[str, Any]]:
    found = []
    for row in rows:
        before = known.get((row["alert_id"], what))
        if before is None or before.is_due(now):
            found.append(row)
    return found
