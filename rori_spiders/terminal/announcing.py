"""``scrapy staging announce``: what the web hook has not taken yet, without a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.alerts.hook import announce as announced
from rori_spiders.announcing.delivering import now as by_clock
from rori_spiders.announcing.hook import Hook, HookFailed
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import announcements

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.ledger.database import Ledger


def announce(ledger: Ledger, url: str, owner: str, now: datetime) -> int:
    """Announce what waits, and say how many; 1 when some still wait. UsageError without a hook."""
    hook = Hook.from_settings(url)
    if hook is None:
        raise UsageError("RORI_ON_STAGED is not set: there is nobody to announce to")
    with ledger.begin() as conn:
        announcements.begin(conn, now=now)
    why = "another process announces just now"
    sent = 0
    try:
        sent = announced(ledger, hook, owner, clock=by_clock, goes_on=lambda: True)
    except HookFailed as error:
        why = str(error)
    with ledger.connect() as conn:
        left = announcements.count(conn)
    if left:
        print(f"{left} still wait to be announced to {hook.place}: {why}.")
        return 1
    print(f"{sent} announced to {hook.place}, none waits.")
    return 0
