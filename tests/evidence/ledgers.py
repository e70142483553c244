"""A ledger with facts, for tests of heads."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rori_spiders.evidence.keys import KeyRing
from rori_spiders.evidence.signed_notes import SigningKey
from rori_spiders.ledger.operations.activity_log import record_action

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

NOW = datetime(2026, 11, 26, 8, 0, tzinfo=UTC)


def new_ring(*names: str) -> KeyRing:
    """A ring of new keys."""
    return KeyRing(tuple(SigningKey.generate(name) for name in names or ("ledger.example",)))


def add_facts(ledger: Ledger, number: int = 1) -> None:
    """Record actions, each in a transaction of its own."""
    for _ in range(number):
        with ledger.begin() as conn:
            record_action(conn, now=NOW, actor="ann", action="pause", target="a")


def minutes(number: int) -> datetime:
    """A time after NOW."""
    return NOW + timedelta(minutes=number)
