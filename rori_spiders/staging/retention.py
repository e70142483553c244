"""Retention of envelopes: import confirmations of the ingestion side into the ledger, and prune confirmed envelopes
after their retention period.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.staged_envelopes import ConfirmationCounts, PrunableEnvelope
from rori_spiders.staging.store import Store

#: Characters shown of an invalid line.
_MAX_SHOWN_CHARS = 80


@dataclass(frozen=True, slots=True)
class ConfirmationReport:
    """Result of an import; *wrong*: the beginnings of invalid lines."""

    confirmed: ConfirmationCounts = field(default_factory=ConfirmationCounts)
    wrong: tuple[str, ...] = ()


def import_confirmations(ledger: Ledger, store: Store, now: datetime) -> ConfirmationReport:
    """Import new confirmations. Repeatable and interruptible. Raises StagingError, LedgerError."""
    name = staged_envelopes.confirmations_cursor(store.location)
    with ledger.connect() as conn:
        position = staged_envelopes.read_cursor(conn, name)
    taken = ConfirmationReport()
    for lines, after in store.confirmations(position):
        read = [(line, _envelope_id(line)) for line in lines if line.strip()]
        ids = [envelope_id for _, envelope_id in read if envelope_id is not None]
        with ledger.begin() as conn:
            done = staged_envelopes.confirm_envelopes(conn, ids, now=now)
            staged_envelopes.move_cursor(conn, name, after)
        wrong = tuple(line[:_MAX_SHOWN_CHARS] for line, envelope_id in read if envelope_id is None)
        taken = ConfirmationReport(taken.confirmed + done, taken.wrong + wrong)
    return taken


def _envelope_id(line: str) -> str | None:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = fields.get("envelope_id") if isinstance(fields, dict) else None
    return found if isinstance(found, str) else None


# Envelopes whose time is over are removed: the ledger says so first, then the file goes, then the ledger has it. A
# crash in between leaves rows in ``pruning``, with or without their file; ``finish`` ends them, at the next prune or
# the next job. Two prunes at once never take the same row, and a file that is gone already is fine. Objects are never
# removed: every text and its bytes stay.


def prune_envelopes(
    ledger: Ledger, store: Store, *, confirmed_before: datetime, actor: str, now: datetime
) -> Iterator[PrunableEnvelope]:
    """Remove envelopes confirmed before then; yield each file once its removal is recorded.

    Raises StagingError or LedgerError; what was begun then is finished by the next one.
    """
    yield from finish_pruning(ledger, store, actor=actor, now=now)
    while True:
        with ledger.begin() as conn:
            batch = staged_envelopes.begin_pruning(conn, before=confirmed_before, now=now)
        if not batch:
            return
        yield from _remove_files(ledger, store, batch, actor, now)


def finish_pruning(ledger: Ledger, store: Store, *, actor: str, now: datetime) -> Iterator[PrunableEnvelope]:
    """Complete an interrupted prune."""
    with ledger.connect() as conn:
        left = staged_envelopes.list_in_pruning(conn)
    if left:
        yield from _remove_files(ledger, store, left, actor, now)


def _remove_files(
    ledger: Ledger, store: Store, batch: list[PrunableEnvelope], actor: str, now: datetime
) -> list[PrunableEnvelope]:
    for one in batch:
        store.remove(one.path)
    with ledger.begin() as conn:
        gone = staged_envelopes.end_pruning(conn, batch)
        if gone:
            paths = [one.path for one in gone]
            activity_log.record_action(
                conn, now=now, actor=actor, action="prune", target="staging", details={"files": paths}
            )
    return gone
