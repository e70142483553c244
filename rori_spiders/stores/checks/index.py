"""The index against the ledger: each line known and as written, each staged envelope with one line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger.tables import envelopes
from rori_spiders.stores.checks.finding import Finding

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import Row

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.stores.base import Store


def check_index(ledger: Ledger, store: Store, now: datetime, counts: Counter[str]) -> Iterator[Finding]:
    """Every line of the index, and the lines that are missing."""
    seen: set[str] = set()
    for where, line in store.index_places():
        counts["index_lines"] += 1
        envelope_id = _envelope_id(line)
        if envelope_id is None:
            yield Finding("index_line", where, "is not a line of the index")
        elif envelope_id in seen:
            yield Finding("index_line_twice", where, f"envelope {envelope_id} has a line already")
        else:
            seen.add(envelope_id)
            yield from _check_line(ledger, where, envelope_id, line)
    for row in _indexed(ledger, now):
        if row.envelope_id not in seen:
            yield Finding("index_line_missing", row.path, "has no line in the index", repairable=True)


def missing_lines(ledger: Ledger, store: Store, now: datetime) -> list[Row[Any]]:
    """The rows of indexed envelopes whose lines the index does not hold."""
    seen = {_envelope_id(line) for line in store.index_lines()}
    return [row for row in _indexed(ledger, now) if row.envelope_id not in seen]


def _check_line(ledger: Ledger, where: str, envelope_id: str, line: str) -> Iterator[Finding]:
    with ledger.connect() as conn:
        written = conn.execute(select(envelopes.c.index_line).where(envelopes.c.envelope_id == envelope_id)).scalar()
    if written is None:
        yield Finding("index_line_without_row", where, f"the ledger does not know envelope {envelope_id}")
    elif written != line:
        yield Finding("index_line_differs", where, f"is not the line that was written for envelope {envelope_id}")


def _indexed(ledger: Ledger, now: datetime) -> Iterator[Row[Any]]:
    """Rows that say that their line was written. Those of after *now* may have been, after the index was read."""
    wanted = select(envelopes).where(
        envelopes.c.state.in_(("indexed", "pruning", "pruned")), envelopes.c.staged_at <= now
    )
    with ledger.connect() as conn:
        yield from conn.execute(wanted.order_by(envelopes.c.path).execution_options(yield_per=500))


def _envelope_id(line: str) -> str | None:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    found = fields.get("envelope_id") if isinstance(fields, dict) else None
    return found if isinstance(found, str) else None
