"""What waits in the ledger is announced, batch by batch, in the order of staging. A step: it waits for the receiver."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger import announcements

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.announcing.hook import Hook
    from rori_spiders.ledger.database import Ledger

#: Envelopes in one request: some 30 KiB.
BATCH = 100
#: Longer than one request can take: who dies in one leaves the turn to others after it.
_TURN_S = 60.0


def now() -> datetime:
    return datetime.now(UTC)


def deliver(
    ledger: Ledger, hook: Hook, owner: str, *, clock: Callable[[], datetime] = now, goes_on: Callable[[], bool]
) -> int:
    """Announce what waits, for as long as *goes_on*; how many were. Nothing when another process announces.

    Raises HookFailed when a batch was not taken: it and all that follow it wait. Raises LedgerError.
    """
    sent = 0
    try:
        while goes_on():
            with ledger.connect() as conn:
                batch = announcements.waiting(conn, limit=BATCH)
            if not batch:
                break
            with ledger.begin() as conn:
                if not announcements.hold(conn, owner, now=clock(), ttl_s=_TURN_S):
                    break
                batch = announcements.waiting(conn, limit=BATCH)  # another may have had its turn since
            if batch:
                hook.post(batch, clock())
                with ledger.begin() as conn:
                    announcements.mark(conn, batch, now=clock())
                sent += len(batch)
    finally:
        with suppress(LedgerError), ledger.begin() as conn:
            announcements.release(conn, owner)
    return sent
