"""The fields of a source: extracted from its staged texts, merged, and stored with their history.

Input: a store, an extractor, a source. Output: the outcome. When a page failed, nothing is stored for the source: a
value that was not looked for everywhere has neither changed nor ended. Each change is one line of
``_fields.jsonl``, stored with the values in one transaction; it holds the whole record, so the last line of a
source is its current state.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from rori_spiders import reviews
from rori_spiders.envelope.log_lines import format_wire_time
from rori_spiders.exceptions import StagingError
from rori_spiders.fields.extraction.extractor import Extractor
from rori_spiders.fields.extraction.page_extraction import ExtractionResult
from rori_spiders.fields.grounding.page import Page
from rori_spiders.fields.records import Record, is_complete, merge_records, values_of
from rori_spiders.ledger.pages import field_history
from rori_spiders.ledger.pages.field_history import ExtractedRecord, FieldChange
from rori_spiders.llm.client import MAX_CONCURRENT_QUESTIONS
from rori_spiders.manifest.models import Source
from rori_spiders.staging.ledger_logs import log_pending_fields
from rori_spiders.staging.store import Store


@dataclass(frozen=True, slots=True)
class SourceFieldsOutcome:
    """Outcome of a source's extraction: page results, the merged record, changes since the last extraction."""

    source_id: str
    results: tuple[ExtractionResult, ...]
    record: Record
    changed: tuple[FieldChange, ...] = ()

    @property
    def failed(self) -> tuple[ExtractionResult, ...]:
        return tuple(one for one in self.results if one.state == "failed")


class SourceExtraction:
    """Extract the fields of sources, one source after the other."""

    def __init__(self, store: Store, asker: Extractor) -> None:
        self._store = store
        self._asker = asker
        self._ledger = asker.ledger

    async def finish_left(self) -> int:
        """Append the lines that earlier runs stored but did not write; return their number. Raises StagingError."""
        return await asyncio.to_thread(log_pending_fields, self._ledger, self._store)

    async def of_source(self, source: Source, now: datetime) -> SourceFieldsOutcome:
        """Extract the fields of *source* from the newest staged text of each page. Raises StagingError, ConfigError."""
        pages = await asyncio.to_thread(self._pages, source.id)
        room = asyncio.Semaphore(MAX_CONCURRENT_QUESTIONS)

        async def extracted(url: str, body_object: str, title: str | None) -> ExtractionResult:
            async with room:
                body = await asyncio.to_thread(self._body, url, body_object)
                return await self._asker.extract_page(Page(body, url, title), source.fields)

        results = tuple(await asyncio.gather(*(extracted(*page) for page in pages)))
        record = merge_records((one.record for one in results), source.fields)
        outcome = SourceFieldsOutcome(source.id, results, record)
        if not results or outcome.failed:
            return outcome
        changed = await asyncio.to_thread(
            self._ledger.write, lambda conn: _store_record(conn, source, results, record, now)
        )
        await asyncio.to_thread(log_pending_fields, self._ledger, self._store, source.id)
        return SourceFieldsOutcome(source.id, results, record, tuple(changed))

    def _pages(self, source_id: str) -> list[tuple[str, str, str | None]]:
        with self._ledger.connect() as conn:
            return field_history.list_source_texts(conn, source_id)

    def _body(self, url: str, body_object: str) -> str:
        try:
            return self._store.get_object(body_object).decode("utf-8", "replace")
        except FileNotFoundError:
            raise StagingError(
                f"{self._store.location}: the text of {url}, object {body_object}, is missing. Restore it from a"
                " backup, or name the right staging area with RORI_STAGING."
            ) from None


def _store_record(
    conn: Connection, source: Source, results: Sequence[ExtractionResult], record: Record, now: datetime
) -> list[FieldChange]:
    values = values_of(record, source.fields)
    by_field = {
        field.name: [one.model_dump(mode="json") for one in record.found if one.field.partition(".")[0] == field.name]
        for field in source.fields
    }
    first = results[0]
    extracted = field_history.ExtractedRecord(
        values=values,
        found=by_field,
        record=record.model_dump_json(),
        pages=len(results),
        complete=is_complete(values, source.fields),
        schema_hash=first.schema_hash,
        model=first.model,
        prompt_version=first.prompt_version,
    )
    changed = field_history.save_record(conn, source.id, extracted, now=now)
    line = next_line(
        field_history.newest_line(conn, source.id),
        source.id,
        extracted,
        record,
        field_history.current_values(conn, source.id),
        now=now,
    )
    if line is not None:
        seq, text = line
        field_history.add_line(conn, (source.id, seq), text, now=now)
    reviews.note_fields(conn, source.id, [one.field for one in changed if one.because == field_history.PAGE], now=now)
    return changed


# Lines of ``_fields.jsonl``, JSON in ASCII: a source's merged record, with the values before.

#: State of a field that the manifest no longer has; the other states are those of the ledger's ``field_values``.
WITHDRAWN = "withdrawn"


def next_line(
    last: str | None,
    source_id: str,
    extracted: ExtractedRecord,
    record: Record,
    rows: Mapping[str, Row[Any]],
    *,
    now: datetime,
) -> tuple[int, str] | None:
    """Return number and text of the source's next line; None when values and conflicts equal the *last* line's.

    *rows*: the newest value of each field (``ledger.fields.current``). A quote that only moved is not a change.
    """
    before: dict[str, Any] = json.loads(last or '{"seq": 0, "fields": {}, "conflicts": []}')
    fields = {name: _field_entry(rows.get(name)) for name in extracted.values}
    conflicts = [one.model_dump(mode="json") for one in record.conflicts]
    changed = list(_changed_fields(before["fields"], fields, rows))
    if not changed and _fields_in_conflict(conflicts) == _fields_in_conflict(before["conflicts"]):
        return None
    seq = before["seq"] + 1
    line = {
        "timestamp": format_wire_time(now),  # the first key: S3's segments read a line's day from it
        "manifest_id": source_id,
        "seq": seq,
        "pages": extracted.pages,
        "complete": extracted.complete,
        "schema_hash": extracted.schema_hash,
        "model": extracted.model,
        "prompt_version": extracted.prompt_version,
        "changed": changed,
        "fields": fields,
        "conflicts": conflicts,
    }
    return seq, json.dumps(line, separators=(",", ":"))


def _field_entry(row: Row[Any] | None) -> dict[str, Any]:
    if row is None:
        return {"value": None, "since": None, "found": []}
    found = [
        {"value": part["value"], "proof": part["proof"]} | ({"field": part["field"]} if "." in part["field"] else {})
        for part in field_history.found_values(row)
    ]
    return {"value": row.value, "since": format_wire_time(row.since), "found": found}


def _changed_fields(
    before: Mapping[str, Any], fields: Mapping[str, Any], rows: Mapping[str, Row[Any]]
) -> Iterator[dict[str, Any]]:
    """Return the fields whose value differs from *before*, and those that had one and are no longer defined."""
    nothing = {"value": None, "since": None}
    for name in (*fields, *(one for one in before if one not in fields)):
        old, new = before.get(name, nothing), fields.get(name, nothing)
        if _canonical_json(old["value"]) != _canonical_json(new["value"]):
            because = rows[name].because if name in fields else WITHDRAWN
            change = {"old": old["value"], "old_since": old["since"], "new": new["value"]}
            yield {"field": name, "because": because, **change}


def _fields_in_conflict(conflicts: list[dict[str, Any]]) -> set[str]:
    return {_canonical_json([one["field"], one["kept"]["value"], one["other"]["value"]]) for one in conflicts}


def _canonical_json(value: Any) -> str:
    """Return the JSON by which values are compared; it keeps 1 and true apart."""
    return json.dumps(value, sort_keys=True)
