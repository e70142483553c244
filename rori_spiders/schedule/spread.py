"""Each source has a moment of its own in its interval, so that the sources of one interval do not all come at once.

In: a source's id, its interval, when it was last checked. Out: when it is next checked. No state and no chance: the
moment is a hash of the id. Five hundred sources that were first collected on the same night come to their own nights
within a few rounds, and go back to them after an outage, or after a run by hand.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256

#: Shorter intervals are not spread: a daily source comes each day anyhow.
SHORTEST = timedelta(days=7)
#: A check comes earlier by at most a third of the interval: after a first night the monthly sources are spread over ten
#: days, and each is on its own after four rounds at most. All that comes earlier is together less than one interval.
SHARE = 3
_DAY = timedelta(days=1)
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def next_at(
    source_id: str, interval: timedelta, checked_at: datetime, *, early: timedelta = timedelta(), has_hours: bool
) -> datetime:
    """When a source is checked again that was last checked at *checked_at* (UTC): at its own moment, if that lies in
    the last third of *interval*; else somewhat earlier than a whole interval, and so nearer to its moment.

    Never later than a whole interval and *early*, by which it is taken before it is due. A source that *has_hours* may
    have been taken in those before its moment: it is then in its place already.
    """
    if interval < SHORTEST:
        return checked_at + interval
    latest = checked_at + interval + early
    past = latest - EPOCH - own_moment(source_id, interval)
    past -= _times(interval, past.days // interval.days)
    if past <= _share(interval):
        return latest - past
    if has_hours and past >= interval - _DAY:
        return checked_at + interval
    return latest - early - past / SHARE


def own_moment(source_id: str, interval: timedelta) -> timedelta:
    """The place of a source in each interval (of whole days), to the minute, counted from the beginning of 2026."""
    number = int.from_bytes(sha256(source_id.encode()).digest()[:8])
    days, minute = divmod(number % (interval.days * 1440), 1440)
    return timedelta(days, minute * 60)


# A plan divides 100,000 spans of time by their interval. To remember the few multiples of so few intervals takes a
# fifth of the time of that arithmetic.
@lru_cache(maxsize=4096)
def _times(interval: timedelta, number: int) -> timedelta:
    return interval * number


@lru_cache(maxsize=64)
def _share(interval: timedelta) -> timedelta:
    return interval / SHARE
