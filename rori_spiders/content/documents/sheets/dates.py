"""Dates and times as their formats show them, in English; Excel counts days from 1900 (or 1904)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel

if TYPE_CHECKING:
    from decimal import Decimal

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_RUN = re.compile(r"y+|m+|d+|h+|s+(?:\.0+)?")
_LAST_DAY = 2_958_465  # 9999-12-31


def shown(value: Decimal, section: list[tuple[str, str]], *, is_1904: bool) -> str | None:
    """The date or time that *value* stands for, by the tokens of its format; None when it stands for none."""
    if not 0 <= value <= _LAST_DAY:
        return None
    seconds = any(kind == "date" and text.lower().startswith("s") for kind, text in section)
    has_half = any(text.lower() in ("am/pm", "a/p") for _, text in section)
    moment = _moment(value, is_1904, to_seconds=seconds)
    out = []
    tokens = _told_apart(section)
    for kind, text in tokens:
        if kind == "elapsed":
            out.append(str(int(value * {"h": 24, "m": 1440, "s": 86400}[text[0]])))
        elif kind == "date":
            out.append(_part(moment, text, has_half=has_half))
        elif kind in ("literal", "sign"):
            out.append(text)
        elif kind == "place":
            return None
    return "".join(out)


def _moment(value: Decimal, is_1904: bool, *, to_seconds: bool) -> datetime:
    """The moment, rounded to what is shown: 9:00 is stored as 8:59:59.9999."""
    epoch = MAC_EPOCH if is_1904 else WINDOWS_EPOCH
    day = from_excel(int(value), epoch)
    start = day if isinstance(day, datetime) else datetime.combine(epoch.date(), datetime.min.time())
    seconds = round(float(value % 1) * 86400, 3 if to_seconds else 0)
    return start + timedelta(seconds=seconds)


def _told_apart(section: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Runs of date letters, one kind of letter each; ``m`` beside hours or seconds is ``n``, minutes."""
    split: list[tuple[str, str]] = []
    for kind, text in section:
        if kind != "date" or "/" in text:
            split.append((kind, text))
            continue
        split += [("date", run) for run in _RUN.findall(text.lower())]
    letters = [
        (at, text[0]) for at, (kind, text) in enumerate(split) if kind in ("date", "elapsed") and "/" not in text
    ]
    for place, (at, letter) in enumerate(letters):
        before = letters[place - 1][1] if place else ""
        after = letters[place + 1][1] if place + 1 < len(letters) else ""
        if letter == "m" and split[at][0] == "date" and len(split[at][1]) < 3 and (before == "h" or after == "s"):
            split[at] = ("date", "n" * len(split[at][1]))
    return split


def _part(moment: datetime, token: str, *, has_half: bool) -> str:
    if "/" in token:
        half = "PM" if moment.hour >= 12 else "AM"
        return half if len(token) > 3 else half[0]
    letter, size = token[0], len(token)
    if letter == "s":
        base = token.partition(".")
        return f"{moment.second:0{len(base[0])}}" + (f".{moment.microsecond:06}"[: 1 + len(base[2])] if base[2] else "")
    if letter == "y":
        return f"{moment.year:04}" if size > 2 else f"{moment.year % 100:02}"
    if letter == "m":
        name = _MONTHS[moment.month - 1]
        return {3: name[:3], 4: name, 5: name[0]}.get(size, f"{moment.month:0{size}}")
    if letter == "d":
        name = _DAYS[moment.weekday()]
        return {3: name[:3], 4: name}.get(size, f"{moment.day:0{min(size, 2)}}")
    hour = (moment.hour - 1) % 12 + 1 if has_half else moment.hour
    return f"{hour if letter == 'h' else moment.minute:0{min(size, 2)}}"
