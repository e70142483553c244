"""How long a site asks robots to wait between requests: the values of `Crawl-delay` and `Request-rate`.

Neither is in RFC 9309. What cannot be read says nothing.
"""

from __future__ import annotations

import math
import re

_NUMBER = r"[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+"
_DELAY = re.compile(rf"({_NUMBER})\s*([a-z]*)", re.IGNORECASE)
# `1/10`, `1/10s`, `30/1h`; hours of the day may follow: `1/10 0600-0845`.
_RATE = re.compile(
    rf"([0-9]+)\s*/\s*({_NUMBER})\s?([a-z]*)(?:\s+[0-9]{{3,4}}\s*-\s*[0-9]{{3,4}}\s*[a-z]*)?", re.IGNORECASE
)
_UNITS = {
    1: ("", "s", "sec", "secs", "second", "seconds"),
    60: ("m", "min", "mins", "minute", "minutes"),
    3600: ("h", "hour", "hours"),
    86400: ("d", "day", "days"),
}
_SECONDS = {unit: seconds for seconds, units in _UNITS.items() for unit in units}
_LONGEST = 60  # characters: no pace needs more, and none of these patterns is tried on a line of 500 KB


def crawl_delay(value: str) -> float | None:
    """Seconds between requests. A comma is a decimal point, as half the world writes it: `0,5` is half a second."""
    found = _DELAY.fullmatch(value) if len(value) <= _LONGEST else None
    return _seconds(found[1], found[2]) if found else None


def request_rate(value: str) -> float | None:
    """Seconds between requests: `2/10s` is one in five.

    A rate for some hours of the day holds all day: a run may last into them, and slower is never rude.
    """
    found = _RATE.fullmatch(value) if len(value) <= _LONGEST else None
    if found is None or not (requests := float(found[1])):
        return None
    seconds = _seconds(found[2], found[3])
    return seconds / requests if seconds else None


def _seconds(number: str, unit: str) -> float | None:
    if unit.lower() not in _SECONDS:
        return None
    seconds = float(number.replace(",", ".")) * _SECONDS[unit.lower()]
    return seconds if math.isfinite(seconds) else None
