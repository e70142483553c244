"""The log of fields against the ledger: each line known and as written, each row with one line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rori_spiders.ledger import field_lines
from rori_spiders.stores.checks.finding import Finding

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.field_lines import Key
    from rori_spiders.stores.base import Store


def check_fields(ledger: Ledger, store: Store, counts: Counter[str]) -> Iterator[Finding]:
    """Every line of the log of fields, and the lines that are missing."""
    with ledger.connect() as conn:
        due, unlogged = field_lines.every(conn), set(field_lines.every(conn, unlogged=True))
    seen: set[Key] = set()
    for where, line in store.field_places():
        counts["field_lines"] += 1
        key = _key(line)
        if key is None:
            yield Finding("field_line", where, "is not a line of the log of fields")
        elif key in seen:
            yield Finding("field_line_twice", where, f"change {key[1]} of {key[0]} has a line already")
        else:
            seen.add(key)
            yield from _check_line(ledger, where, key, line)
    with ledger.connect() as conn:  # what `scrapy fields run` has appended since then was not missing
        now_logged = unlogged - set(field_lines.every(conn, unlogged=True))
    for source_id, seq in due:
        if (source_id, seq) not in seen | now_logged:
            what = f"change {seq} of its fields has no line in the log of fields"
            yield Finding("field_line_missing", source_id, what, repairable=True)


def missing_fields(ledger: Ledger, store: Store) -> list[Key]:
    """The lines that the log of fields lacks, oldest first."""
    seen = {_key(line) for line in store.field_lines()}
    with ledger.connect() as conn:
        return [key for key in field_lines.every(conn) if key not in seen]


def _check_line(ledger: Ledger, where: str, key: Key, line: str) -> Iterator[Finding]:
    with ledger.connect() as conn:
        written = field_lines.text_of(conn, key)
    if written is None:
        yield Finding("field_line_without_row", where, f"the ledger does not know change {key[1]} of {key[0]}")
    elif written != line:
        yield Finding("field_line_differs", where, f"is not the line that was written of change {key[1]} of {key[0]}")


def _key(line: str) -> Key | None:
    try:
        fields = json.loads(line)
        source_id, seq = fields["manifest_id"], fields["seq"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return (source_id, seq) if isinstance(source_id, str) and type(seq) is int else None
