"""Records of extracted fields: grounded values with their quotes, conflicts, ungrounded answers; and how records of
parts and pages are merged (S2, "Result Merging Algorithm"). Frozen models.
"""

from __future__ import annotations

import json
from functools import reduce
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from rori_spiders.fields.schema import Value
    from rori_spiders.manifest.models import FieldDefinition


class RecordModel(BaseModel):
    """Base of the models in a record."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CachedAnswer(RecordModel):
    """A cached answer of a model, stored under ``key``; only a failed one is asked for again."""

    key: str

    @property
    def failed(self) -> bool:
        """Whether the model gave no usable answer, so that it is asked again."""
        return False


class SourceQuote(RecordModel):
    """The text that supports a value: ``quote`` is ``body[start:end]`` of the page, offsets in characters.

    ``heading_path``: the headings above it, as in the ledger's sections ("A > B"). ``occurrences``: how often the same
    words occur in the part that the model was shown; the quote is the first. ``url``, ``content_hash``: the page's.
    """

    quote: str
    start: int
    end: int
    heading_path: str
    occurrences: int = 1
    url: str | None = None
    content_hash: str | None = None


class GroundedValue(RecordModel):
    """A value of a field (of a list: one item) with the quote that supports it."""

    field: str
    value: Any
    proof: SourceQuote


class Conflict(RecordModel):
    """A second, different value of a single-valued field, with both quotes. The first value stays."""

    field: str
    kept: GroundedValue
    other: GroundedValue


class UngroundedValue(RecordModel):
    """An answer that the page does not support, with its reason code (docs/explanation/fields.md) and a sentence."""

    field: str
    value: Any
    quote: str | None
    reason: str
    says: str
    url: str | None = None


class Record(RecordModel):
    """The values, conflicts and ungrounded answers of a chunk, of a page, or of several pages merged."""

    found: tuple[GroundedValue, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unsupported: tuple[UngroundedValue, ...] = ()


# Merging of records (S2, "Result Merging Algorithm").


def merge_records(records: Iterable[Record], fields: Sequence[FieldDefinition]) -> Record:
    """Merge *records* in their order."""
    return reduce(lambda existing, new: merge_results(existing, new, fields), records, Record())


def merge_results(existing: Record, new: Record, fields: Sequence[FieldDefinition]) -> Record:
    """Merge two records. A single-valued field keeps the first value; lists are united, in the order of discovery.

    A different second value of a single-valued field becomes a conflict with both quotes. Fields that are not in
    *fields* are dropped.
    """
    found: list[GroundedValue] = []
    conflicts = [*existing.conflicts, *new.conflicts]
    for field in fields:
        all_found = [one for one in (*existing.found, *new.found) if one.field == field.name]
        if field.is_list:
            found += _unique_items(all_found)
        elif all_found:
            first, *others = all_found
            found.append(first)
            conflicts += [
                Conflict(field=field.name, kept=first, other=one) for one in others if _contradict(first, one)
            ]
    names = {field.name for field in fields}
    return Record(
        found=tuple(found),
        conflicts=tuple(one for one in conflicts if one.field in names),
        unsupported=tuple(one for one in (*existing.unsupported, *new.unsupported) if one.field in names),
    )


def values_of(record: Record, fields: Sequence[FieldDefinition]) -> dict[str, Value]:
    """Return the values by field name: None for a field without one, a list for a list."""
    values: dict[str, Any] = {field.name: [] if field.is_list else None for field in fields}
    for one in record.found:
        if isinstance(values[one.field], list):
            values[one.field].append(one.value)
        else:
            values[one.field] = one.value
    return values


def is_complete(values: Mapping[str, Value], fields: Sequence[FieldDefinition]) -> bool:
    """Whether each field has its value. Never true with a list field: more items may follow (S2)."""
    if any(field.is_list for field in fields):
        return False
    return all(values.get(field.name) is not None for field in fields if field.is_scalar)


def _unique_items(found: Iterable[GroundedValue]) -> list[GroundedValue]:
    first: dict[Hashable, GroundedValue] = {}
    for one in found:
        first.setdefault(_item_key(one.value), one)
    return list(first.values())


def _item_key(value: Value) -> Hashable:
    """Return the key by which items are compared: the JSON of an object with sorted keys, else the value itself."""
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def _contradict(one: GroundedValue, other: GroundedValue) -> bool:
    """Whether two values differ, apart from upper case and white space in texts."""
    return bool(_comparable_value(one.value) != _comparable_value(other.value))


def _comparable_value(value: Value) -> Value:
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
