"""The message that tells alerts: plain text, for whoever reads it at night. Pure functions of rows.

What came from the web (URLs, reasons with a page's words in them) is shown on one line and without control characters,
so that it can neither forge a header nor a paragraph of ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rori_spiders.redaction import of_process
from rori_spiders.reviews import EVENTS
from rori_spiders.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from rori_spiders.alerts.picking import Owed

#: A mail is read on a telephone: beyond these, `scrapy alerts` has the rest.
_MOST_OF_EVENT = 20
_MOST_PAGES = 5
_MOST_CHARS = 500
_HOST = re.compile(r"https?://([^/?#@\s]+)(?=[/?#]|$)")


@dataclass(frozen=True, slots=True)
class Message:
    """A title of one line, and a body of plain text."""

    title: str
    body: str


def harmless(text: str) -> str:
    """*text* on one line, without control characters and direction marks, and not endless. No secret is in it."""
    text = " ".join(of_process().text(text[: 4 * _MOST_CHARS]).split())
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    # Chats take these for calls to everybody in the room.
    text = text.replace("@", "@\N{WORD JOINER}") if text.startswith("@") or " @" in text else text
    return f"{text[:_MOST_CHARS]} ..." if len(text) > _MOST_CHARS else text


def compose(owed: Owed, *, where: str, now: datetime) -> Message:
    """The message for what a channel is owed; *where* names the ledger that it comes from."""
    lines: list[str] = []
    for event, rows in _by_event(owed.opened):
        lines += [*_of_event(event, rows), ""]
    if owed.cleared:
        lines += ["CLEARED", *(f"  {_who(row)}: {row['event']}, {_span(row)}" for row in owed.cleared), ""]
    lines += [
        "Look closer: scrapy alerts (all that is open), scrapy alerts NUMBER (one, with its pages).",
        f"Sent {now.astimezone(UTC):%Y-%m-%d %H:%M} UTC by RORI Collector; ledger: {harmless(where)}",
    ]
    return Message(_title(owed), "\n".join(lines) + "\n")


def _title(owed: Owed) -> str:
    if not owed.opened:
        return f"[RORI] cleared: {_things(owed.cleared)}"
    begins = "[RORI] daily digest: " if owed.is_digest else "[RORI] high: "
    return begins + _things(owed.opened)


def _things(rows: Sequence[Mapping[str, Any]]) -> str:
    if len(rows) == 1:
        return f"{_who(rows[0])}: {rows[0]['event']}"
    events = [f"{event} ({len(found)})" for event, found in _by_event(rows)]
    return f"{counted(len(rows), 'alert')}: {', '.join(events)}"


def _of_event(event: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    kind = EVENTS[event]
    yield f"{event.upper()} ({kind.severity}): {kind.opens}"
    if (host := _only_host(rows)) is not None:
        yield f"  all {len(rows)} at {harmless(host)}"
    for row in rows[:_MOST_OF_EVENT]:
        since = f"{row['opened_at'].astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        yield f"  {_who(row)}, since {since} (alert {row['alert_id']})"
        yield f"    {harmless(row['message'])}"
        pages = row["pages"] or ()
        yield from (f"    {harmless(page)}" for page in pages[:_MOST_PAGES])
        if len(pages) > _MOST_PAGES:
            yield f"    and {len(pages) - _MOST_PAGES} more: scrapy alerts {row['alert_id']}"
    if len(rows) > _MOST_OF_EVENT:
        yield f"  and {len(rows) - _MOST_OF_EVENT} more: scrapy alerts"
    only = rows[0]["source_id"] if len(rows) == 1 else ""
    yield f"  What to do: {kind.to_do.format(id=only or 'ID', run='RUN')}"


def _only_host(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The host of which all pages of several alerts are: then it is one cause, and one thing to mend."""
    found = [_HOST.match(page) for row in rows for page in row["pages"] or [""]]
    hosts = {match[1] if match else None for match in found}
    return hosts.pop() if len(rows) > 1 and len(hosts) == 1 else None


def _who(row: Mapping[str, Any]) -> str:
    return harmless(row["source_id"]) or "all sources"


def _span(row: Mapping[str, Any]) -> str:
    opened, cleared = (row[name].astimezone(UTC) for name in ("opened_at", "cleared_at"))
    return f"open {opened:%Y-%m-%d %H:%M} to {cleared:%Y-%m-%d %H:%M} UTC (alert {row['alert_id']})"


def _by_event(rows: Iterable[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """In the order of EVENTS: the most urgent first."""
    order = {event: number for number, event in enumerate(EVENTS)}
    known = sorted(rows, key=lambda row: (order[row["event"]], row["alert_id"]))
    return [(event, list(found)) for event, found in groupby(known, key=lambda row: row["event"])]
