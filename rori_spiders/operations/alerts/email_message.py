"""Compose the e-mail of an alert: subject and plain-text body. Other channels send the same text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from rori_spiders.reviews import EVENTS
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import name_rori
from rori_spiders.runtime.redaction import get_redactor

#: A mail is read on a telephone: beyond these, `scrapy alerts` has the rest.
_MAX_ALERTS_PER_EVENT = 20
_MAX_PAGES = 5
_MAX_CHARS = 500
_HOST = re.compile(r"https?://([^/?#@\s]+)(?=[/?#]|$)")


OPENED, CLEARED = "opened", "cleared"


@dataclass(frozen=True, slots=True)
class PendingMessage:
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


@dataclass(frozen=True, slots=True)
class AlertMessage:
    """A title of one line, a body of plain text, and for e-mail the same as HTML."""

    title: str
    body: str
    html: str | None = None


def sanitise_line(text: str) -> str:
    """*text* on one line, without control characters and direction marks, and not endless. No secret is in it."""
    text = " ".join(get_redactor().text(text[: 4 * _MAX_CHARS]).split())
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    # Chats take these for calls to everybody in the room.
    text = text.replace("@", "@\N{WORD JOINER}") if text.startswith("@") or " @" in text else text
    return f"{text[:_MAX_CHARS]} ..." if len(text) > _MAX_CHARS else text


def compose_message(pending: PendingMessage, *, where: str, now: datetime) -> AlertMessage:
    """The message for what are due on a channel; *where* names the ledger that it comes from."""
    lines: list[str] = []
    for event, rows in _group_by_event(pending.opened):
        lines += [*_event_paragraph(event, rows), ""]
    if pending.cleared:
        lines += [
            "CLEARED",
            *(f"  {_subject(row)}: {row['event']}, {_open_period(row)}" for row in pending.cleared),
            "",
        ]
    lines += [
        name_rori("Details: scrapy alerts (all open alerts), scrapy alerts show NUMBER (one alert with its pages)."),
        f"Sent {now.astimezone(UTC):%Y-%m-%d %H:%M} UTC by RORI Collector; ledger: {sanitise_line(where)}",
    ]
    return AlertMessage(_compose_title(pending), "\n".join(lines) + "\n")


def _compose_title(pending: PendingMessage) -> str:
    if not pending.opened:
        return f"[RORI] cleared: {_count_by_severity(pending.cleared)}"
    begins = "[RORI] daily digest: " if pending.is_digest else "[RORI] high: "
    return begins + _count_by_severity(pending.opened)


def _count_by_severity(rows: Sequence[Mapping[str, Any]]) -> str:
    if len(rows) == 1:
        return f"{_subject(rows[0])}: {rows[0]['event']}"
    events = [f"{event} ({len(found)})" for event, found in _group_by_event(rows)]
    return f"{format_count(len(rows), 'alert')}: {', '.join(events)}"


def _event_paragraph(event: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    kind = EVENTS[event]
    yield f"{event.upper()} ({kind.severity}): {kind.opens}"
    if (host := _common_host(rows)) is not None:
        yield f"  all {len(rows)} at {sanitise_line(host)}"
    for row in rows[:_MAX_ALERTS_PER_EVENT]:
        since = f"{row['opened_at'].astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        yield f"  {_subject(row)}, since {since} (alert {row['alert_id']})"
        yield f"    {sanitise_line(row['message'])}"
        pages = row["pages"] or ()
        yield from (f"    {sanitise_line(page)}" for page in pages[:_MAX_PAGES])
        if len(pages) > _MAX_PAGES:
            yield name_rori(f"    and {len(pages) - _MAX_PAGES} more: scrapy alerts show {row['alert_id']}")
    if len(rows) > _MAX_ALERTS_PER_EVENT:
        yield name_rori(f"  and {len(rows) - _MAX_ALERTS_PER_EVENT} more: scrapy alerts")
    only = rows[0]["source_id"] if len(rows) == 1 else ""
    yield f"  What to do: {name_rori(kind.to_do.format(id=only or 'ID', run='RUN'))}"


def _common_host(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The one host of all pages of several alerts, which then have one cause; None for several hosts."""
    found = [_HOST.match(page) for row in rows for page in row["pages"] or [""]]
    hosts = {match[1] if match else None for match in found}
    return hosts.pop() if len(rows) > 1 and len(hosts) == 1 else None


def _subject(row: Mapping[str, Any]) -> str:
    """What the alert is about: a source, else its cause, such as a machine, a corpus or the staging area."""
    return sanitise_line(row["source_id"] or row["cause"])


def _open_period(row: Mapping[str, Any]) -> str:
    opened, cleared = (row[name].astimezone(UTC) for name in ("opened_at", "cleared_at"))
    return f"open {opened:%Y-%m-%d %H:%M} to {cleared:%Y-%m-%d %H:%M} UTC (alert {row['alert_id']})"


def _group_by_event(rows: Iterable[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """In the order of EVENTS: the most urgent first."""
    order = {event: number for number, event in enumerate(EVENTS)}
    known = sorted(rows, key=lambda row: (order[row["event"]], row["alert_id"]))
    return [(event, list(found)) for event, found in groupby(known, key=lambda row: row["event"])]
