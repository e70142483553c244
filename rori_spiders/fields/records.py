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
    """Base of what a record holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CachedAnswer(RecordModel):
    """What a model is asked for once: under ``key``, and never again where it did not fail."""

    key: str

    @property
    def failed(self) -> bool:
        """Whether it is no answer, and to be asked for again."""
        return False


class SourceQuote(RecordModel):
    """Where a value stands: ``quote`` is the page's own text, ``body[start:end]``, offsets in characters.

    ``heading_path`` is the path of headings that leads there, as in the ledger's sections ("A > B"); ``occurrences``
    counts how often the same words stand in the part of the page that was asked about: with more than one, the first
    is meant. ``url`` and ``content_hash`` name the page, once it is known.
    """

    quote: str
    start: int
    end: int
    heading_path: str
    occurrences: int = 1
    url: str | None = None
    content_hash: str | None = None


class GroundedValue(RecordModel):
    """A value of a field (of a list: one item), and what it rests on."""

    field: str
    value: Any
    proof: SourceQuote


class Conflict(RecordModel):
    """Another value for a field that has one: both with their proofs. The first stays."""

    field: str
    kept: GroundedValue
    other: GroundedValue


class UngroundedValue(RecordModel):
    """What was answered and is no value: with the reason (docs/explanation/fields.md) and a sentence."""

    field: str
    value: Any
    quote: str | None
    reason: str
    says: str
    url: str | None = None


class Record(RecordModel):
    """Everything about a schema's fields: of a part of a page, of a page, or of many merged."""

    found: tuple[GroundedValue, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unsupported: tuple[UngroundedValue, ...] = ()


# Records of parts and pages made one, and when there is nothing left to look for (S2, "Result Merging Algorithm").
# In: records in the order in which they were drawn, and definitions. Out: a record; plain values; whether all are
# there.


def merge_records(records: Iterable[Record], fields: Sequence[FieldDefinition]) -> Record:
    """All of *records* as one, in their order."""
    return reduce(lambda existing, new: merge_results(existing, new, fields), records, Record())


def merge_results(existing: Record, new: Record, fields: Sequence[FieldDefinition]) -> Record:
    """Both as one. A field with one value keeps the first; lists are united, in the order in which items were found.

    Another value for a field that has one is a conflict, kept with both proofs. What is of no field of *fields* is left
    out.
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
    """The plain values: None for a field without one, a list, empty or not, for a list."""
    values: dict[str, Any] = {field.name: [] if field.is_list else None for field in fields}
    for one in record.found:
        if isinstance(values[one.field], list):
            values[one.field].append(one.value)
        else:
            values[one.field] = one.value
    return values


def is_complete(values: Mapping[str, Value], fields: Sequence[FieldDefinition]) -> bool:
    """Whether nothing is left to look for: never with a list, of which nobody knows the end (S2)."""
    if any(field.is_list for field in fields):
        return False
    return all(values.get(field.name) is not None for field in fields if field.is_scalar)


def _unique_items(found: Iterable[GroundedValue]) -> list[GroundedValue]:
    first: dict[Hashable, GroundedValue] = {}
    for one in found:
        first.setdefault(_item_key(one.value), one)
    return list(first.values())


def _item_key(value: Value) -> Hashable:
    """By what two items are the same: objects by their JSON with sorted keys, all else by equality."""
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def _contradict(one: GroundedValue, other: GroundedValue) -> bool:
    """Whether two values contradict each other: capitals and blanks of a text do not."""
    return bool(_comparable_value(one.value) != _comparable_value(other.value))


def _comparable_value(value: Value) -> Value:
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
