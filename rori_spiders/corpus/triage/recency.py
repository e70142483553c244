"""How old a page of news is: by its publisher's date, else by the date in its address."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

_PATH = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})(?:[/-](\d{1,2}))?(?=[/-]|$)|/((?:19|20)\d\d)/")
_FIRST = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")


def dated(said: str | None, path: str) -> date | None:
    """The day of *said* (ISO 8601, or its beginning), else that in *path*; of a month or year its last day."""
    if said and (found := _FIRST.match(said)):
        return _last_day(found[1], found[2], found[3])
    if found := _PATH.search(path):
        return _last_day(found[4], None, None) if found[4] else _last_day(found[1], found[2], found[3])
    return None


def _last_day(year: str, month: str | None, day: str | None) -> date | None:
    try:
        if day:
            return date(int(year), int(month or 0), int(day))
        following = date(int(year) + (month in {None, "12"}), int(month or 12) % 12 + 1, 1)
    except ValueError:
        return None
    return date.fromordinal(following.toordinal() - 1)


def months_old(day: date, now: datetime) -> int:
    """Whole months from *day* to *now*; nothing for a day to come."""
    today = now.astimezone(UTC).date()
    months = (today.year - day.year) * 12 + today.month - day.month - (today.day < day.day)
    return max(0, months)
