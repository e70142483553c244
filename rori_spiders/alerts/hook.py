"""The web hook of staged envelopes: an alert while it stays down. A job announces, a dispatcher, or a person."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from rori_spiders.announcing.delivering import deliver
from rori_spiders.announcing.hook import HookFailed
from rori_spiders.ledger import alerts, announcements
from rori_spiders.reviews import EVENTS, HOOK_DOWN
from rori_spiders.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from rori_spiders.announcing.hook import Hook
    from rori_spiders.ledger.database import Ledger

#: A receiver that is started anew is back sooner. Alerts themselves are gathered for as long (docs/alerts.md).
STAYS_DOWN = timedelta(minutes=15)
_ALERT = {"source_id": "", "event": HOOK_DOWN, "cause": "web hook"}


def note_hook(ledger: Ledger, hook: Hook, failure: HookFailed | None, *, gave_up: bool = False, now: datetime) -> None:
    """Take in that *hook* has taken what it was sent, or why not (*failure*).

    Raises the alert when something waits for it since STAYS_DOWN, or when a job *gave_up*.
    """
    with ledger.connect() as conn:
        is_open = alerts.is_open(conn, **_ALERT)
        since, number = announcements.since(conn), announcements.count(conn)
    if failure is None:
        if is_open:
            with ledger.begin() as conn:
                alerts.clear_alert(conn, now=now, **_ALERT)
    elif since is not None and (gave_up or now - since >= STAYS_DOWN):
        said = f"{hook.place} takes nothing: {failure}; {counted(number, 'envelope')} wait since {since:%Y-%m-%d %H:%M}"
        with ledger.begin() as conn:
            alerts.raise_alert(conn, severity=EVENTS[HOOK_DOWN].severity, message=f"{said} UTC", now=now, **_ALERT)


def announce(
    ledger: Ledger, hook: Hook, owner: str, *, clock: Callable[[], datetime], goes_on: Callable[[], bool]
) -> int:
    """As ``deliver``, and what came of it noted. Raises HookFailed, LedgerError."""
    try:
        sent = deliver(ledger, hook, owner, clock=clock, goes_on=goes_on)
    except HookFailed as error:
        note_hook(ledger, hook, error, now=clock())
        raise
    with ledger.connect() as conn:
        none_waits = not announcements.count(conn)
    if sent or none_waits:
        note_hook(ledger, hook, None, now=clock())
    return sent
