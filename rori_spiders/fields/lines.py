"""The lines of ``_fields.jsonl``: a source's merged record, whenever it is another, and what it was before.

In: what was drawn, and the source's last line. Out: one line, JSON in ASCII, without its newline; None when there is
nothing to tell. Each line holds the whole record, so that the last one of a source is what holds now.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.envelope.log_lines import format_wire_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from sqlalchemy import Row

    from rori_spiders.fields.record import Record
    from rori_spiders.ledger.pages.field_history import ExtractedRecord

#: Of a field that is not in the manifest any more; other words are those of the ledger's ``field_values``.
WITHDRAWN = "withdrawn"


def next_line(
    last: str | None,
    source_id: str,
    drawn: ExtractedRecord,
    record: Record,
    rows: Mapping[str, Row[Any]],
    *,
    now: datetime,
) -> tuple[int, str] | None:
    """Number and text of the source's next line. *rows*: the newest value of each field (``ledger.fields.current``).

    None when values and conflicts are those of the *last* line: a proof that moved with its page is no change.
    """
    before: dict[str, Any] = json.loads(last or '{"seq": 0, "fields": {}, "conflicts": []}')
    fields = {name: _field(rows.get(name)) for name in drawn.values}
    conflicts = [one.model_dump(mode="json") for one in record.conflicts]
    changed = list(_changed(before["fields"], fields, rows))
    if not changed and _disputed(conflicts) == _disputed(before["conflicts"]):
        return None
    seq = before["seq"] + 1
    told = {
        "timestamp": format_wire_time(now),  # first: S3's segments find the day of a line by it
        "manifest_id": source_id,
        "seq": seq,
        "pages": drawn.pages,
        "complete": drawn.complete,
        "schema_hash": drawn.schema_hash,
        "model": drawn.model,
        "prompt_version": drawn.prompt_version,
        "changed": changed,
        "fields": fields,
        "conflicts": conflicts,
    }
    return seq, json.dumps(told, separators=(",", ":"))


def _field(row: Row[Any] | None) -> dict[str, Any]:
    if row is None:
        return {"value": None, "since": None, "found": []}
    found = [{"value": one["value"], "proof": one["proof"]} for one in row.found]
    return {"value": row.value, "since": format_wire_time(row.since), "found": found}


def _changed(
    before: Mapping[str, Any], fields: Mapping[str, Any], rows: Mapping[str, Row[Any]]
) -> Iterator[dict[str, Any]]:
    """Of each field whose value is another than *before*, and of each that had one and is defined no more."""
    nothing = {"value": None, "since": None}
    for name in (*fields, *(one for one in before if one not in fields)):
        old, new = before.get(name, nothing), fields.get(name, nothing)
        if _plain(old["value"]) != _plain(new["value"]):
            because = rows[name].because if name in fields else WITHDRAWN
            told = {"old": old["value"], "old_since": old["since"], "new": new["value"]}
            yield {"field": name, "because": because, **told}


def _disputed(conflicts: list[dict[str, Any]]) -> set[str]:
    return {_plain([one["field"], one["kept"]["value"], one["other"]["value"]]) for one in conflicts}


def _plain(value: Any) -> str:
    """By what two values are the same: 1 is not true."""
    return json.dumps(value, sort_keys=True)
