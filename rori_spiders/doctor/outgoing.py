"""Who is told of what: the web hook of staged envelopes, the channels of alerts. Nothing is sent to any of them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import exists, select

from rori_spiders.alerts.channels import channels
from rori_spiders.alerts.picking import OPENED, Digest
from rori_spiders.alerts.rounds import watched
from rori_spiders.announcing.hook import Hook
from rori_spiders.doctor.fetching import unreached
from rori_spiders.doctor.patient import Finding
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import announcements, deliveries, sources
from rori_spiders.ledger.tables import runs
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.reviews import AT_ONCE, EVENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from rori_spiders.doctor.patient import Patient


#: Most are sent within a minute; the digest, and messages that were put together, are later.
_LATE = timedelta(hours=1)


def web_hook(patient: Patient) -> Iterator[Finding]:
    """Its secret, whether its server takes connections, and how many envelopes it has not taken yet."""
    hook = Hook.from_settings(patient.settings.get("RORI_ON_STAGED"))
    if hook is None:
        yield Finding("web hook", "ok", "none is set (RORI_ON_STAGED)")
        return
    waiting = 0
    if patient.ledger is not None:
        with patient.ledger.connect() as conn:
            waiting = announcements.count(conn)
    found = f"{hook.place}, {waiting} envelopes wait to be announced"
    if problem := unreached(hook.url):
        do = "Is its receiver running? What waits is announced by the next job, or the dispatcher, that reaches it."
        yield Finding("web hook", "failed", f"{found}; {problem}", do)
    elif waiting and _is_quiet(patient):
        do = "The next job or dispatcher announces them; now: `scrapy staging announce`."
        yield Finding("web hook", "warning", f"{found}; it takes connections, and no job runs", do)
    else:
        yield Finding("web hook", "ok", f"{found}; it takes connections")


def alert_channels(patient: Patient) -> Iterator[Finding]:
    """How many, of which kinds; and what they were to tell and did not."""
    try:
        ways = channels(patient.settings)
        Digest.parse(str(patient.settings.get("RORI_ALERT_DIGEST")))
    except UsageError as error:
        yield Finding("alert channels", "failed", str(error), "Correct it: docs/alerts.md. Until then nobody is told.")
        return
    if not ways:
        do = "Set RORI_ALERT_EMAIL or RORI_ALERT_URLS, then `scrapy alerts test` (docs/alerts.md)."
        yield Finding("alert channels", "warning", "none: alerts stay in the ledger, and nobody is told", do)
        return
    shown = f"{len(ways)}: {', '.join(way.shown for way in ways)}; `scrapy alerts test` sends through each"
    yield Finding("alert channels", "ok", shown)
    if patient.ledger is not None:
        with patient.ledger.connect() as conn:
            yield from _untold(conn, patient, [way.name for way in ways])


def _untold(conn: Connection, patient: Patient, names: Sequence[str]) -> Iterator[Finding]:
    """Of the alerts that are open: those that a channel has given up, and those that nobody has sent for an hour."""
    catalog = patient.in_force.catalog if patient.in_force else Catalog([])
    is_watched = watched(catalog, sources.states(conn), sources.pause_of_all(conn))
    given_up, late = set(), set()
    for name in names:
        known = deliveries.of_channel(conn, name, now=patient.now)
        for row in deliveries.recent(conn, now=patient.now):
            if row["cleared_at"] is not None or not is_watched(row["source_id"]):
                continue
            tried = known.get((row["alert_id"], OPENED))
            told_at_once = row["event"] in EVENTS and EVENTS[row["event"]].sent == AT_ONCE
            if tried is not None and not tried.delivered and tried.next_try_at is None:
                given_up.add(row["alert_id"])
            elif (
                tried.is_due(patient.now - _LATE) if tried else told_at_once and row["opened_at"] < patient.now - _LATE
            ):
                late.add(row["alert_id"])
    if given_up:
        do = "`scrapy alerts NUMBER` says why; mend the channel, then `scrapy alerts test`, and read them yourself."
        yield Finding("alert messages", "warning", f"{len(given_up)} alerts were given up, after a channel's tries", do)
    if late:
        do = "Nobody sends: run `scrapy dispatch`, or `scrapy alerts send` from cron (docs/alerts.md)."
        yield Finding("alert messages", "warning", f"{len(late)} alerts should have been sent over an hour ago", do)
    if not given_up and not late:
        yield Finding("alert messages", "ok", "none is late")


def _is_quiet(patient: Patient) -> bool:
    if patient.ledger is None:
        return True
    with patient.ledger.connect() as conn:
        return not conn.execute(select(exists().where(runs.c.state == "running"))).scalar_one()
