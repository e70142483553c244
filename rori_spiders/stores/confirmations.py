"""What the ingestion side confirms in the staging area: lines that it appends, taken into the ledger in their order.

In: lines ``{"envelope_id": "..."}``, of any writer. Out: rows of the ledger that are confirmed, and what was wrong with
the lines. How far they were read is kept in the transaction that confirms them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.ledger import cursors, retention
from rori_spiders.ledger.retention import Confirmed

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.stores.base import Store

#: What is shown of a line that is none.
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Taken:
    """What new lines came to; *wrong* are the beginnings of those that confirm nothing."""

    confirmed: Confirmed = field(default_factory=Confirmed)
    wrong: tuple[str, ...] = ()


def take_in(ledger: Ledger, store: Store, now: datetime) -> Taken:
    """Read the confirmations that are new. Can be repeated, and interrupted. Raises StagingError, LedgerError."""
    name = cursors.confirmations_of(store.location)
    with ledger.connect() as conn:
        position = cursors.position(conn, name)
    taken = Taken()
    for lines, after in store.confirmations(position):
        read = [(line, _envelope_id(line)) for line in lines if line.strip()]
        ids = [envelope_id for _, envelope_id in read if envelope_id is not None]
        with ledger.begin() as conn:
            done = retention.confirm(conn, ids, now=now)
            cursors.move(conn, name, after)
        wrong = tuple(line[:_SHOWN] for line, envelope_id in read if envelope_id is None)
        taken = Taken(taken.confirmed + done, taken.wrong + wrong)
    return taken


def _envelope_id(line: str) -> str | None:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = fields.get("envelope_id") if isinstance(fields, dict) else None
    return found if isinstance(found, str) else None
