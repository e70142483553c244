"""Envelopes whose time is over are removed: the ledger says so first, then the file goes, then the ledger has it.

A crash in between leaves rows in ``pruning``, with or without their file; ``finish`` ends them, at the next prune or
the next job. Two prunes at once never take the same row, and a file that is gone already is fine.
Objects are never removed: every text and its bytes stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ledger import actions, retention

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.retention import Prunable
    from rori_spiders.stores.base import Store


def prune(ledger: Ledger, store: Store, *, confirmed_before: datetime, actor: str, now: datetime) -> Iterator[Prunable]:
    """Remove what was confirmed before then; gives each file once its removal is recorded.

    Raises StagingError or LedgerError; what was begun then is finished by the next one.
    """
    yield from finish(ledger, store, actor=actor, now=now)
    while True:
        with ledger.begin() as conn:
            batch = retention.begin_pruning(conn, before=confirmed_before, now=now)
        if not batch:
            return
        yield from _remove(ledger, store, batch, actor, now)


def finish(ledger: Ledger, store: Store, *, actor: str, now: datetime) -> Iterator[Prunable]:
    """Finish what a prune that died had begun."""
    with ledger.connect() as conn:
        left = retention.in_pruning(conn)
    if left:
        yield from _remove(ledger, store, left, actor, now)


def _remove(ledger: Ledger, store: Store, batch: list[Prunable], actor: str, now: datetime) -> list[Prunable]:
    for one in batch:
        store.remove(one.path)
    with ledger.begin() as conn:
        gone = retention.end_pruning(conn, batch)
        if gone:
            paths = [one.path for one in gone]
            actions.record(conn, now=now, actor=actor, action="prune", target="staging", details={"files": paths})
    return gone
