"""Records of extracted fields: grounded values with their quotes, conflicts, ungrounded answers; and how records of
parts and pages are merged (S2, "Result Merging Algorithm"). Frozen models.
"""

from __future__ import annotations

import json
from functools import reduce
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

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
    ``row_head``, ``column_head``: of a quote that is a table's cell alone, the heads that say what it is.
    """

    quote: str
    start: int
    end: int
    heading_path: str
    occurrences: int = 1
    url: str | None = None
    content_hash: str | None = None
    row_head: str | None = Field(None, exclude_if=lambda head: head is None)
    column_head: str | None = Field(None, exclude_if=lambda head: head is None)


class GroundedValue(RecordModel):
    """A value of a field (of a list: one item) with the quote that supports it.

    ``field``: within an object, the path (``lender.phone``). ``raw``: number, day or amount in the page's own words.
    ``parts``: of an item of a list of objects, its values, each with its own quote.
    """

    field: str
    value: Any
    proof: SourceQuote
    raw: str | None = None
    parts: tuple[GroundedValue, ...] = ()


class Conflict(RecordModel):
    """A second, different value of a single-valued field, with both quotes. The first value stays."""

    field: str
    kept: GroundedValue
    other: GroundedValue


class UngroundedValue(RecordModel):
    """An answer that the page does not support, with its reason code (docs/explanation/fields.md) and a sentence.

    ``item``: of a list of objects, which item of the model's answer it is of, from 0.
    """

    field: str
    value: Any
    quote: str | None
    reason: str
    says: str
    url: str | None = None
    item: int | None = Field(None, exclude_if=lambda number: number is None)

    @property
    def path(self) -> str:
        """The field with the item's number: ``fees[2].amount``."""
        name, dot, rest = self.field.partition(".")
        return self.field if self.item is None else f"{name}[{self.item}]{dot}{rest}"


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
    leaves = [leaf for field in fields for leaf in field.leaves]
    found: list[GroundedValue] = []
    new, others_parts = _without_other_objects(existing, new, leaves)
    conflicts = [*existing.conflicts, *new.conflicts]
    for field in leaves:
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
    unsupported = (*existing.unsupported, *new.unsupported, *others_parts)
    return Record(
        found=tuple(found),
        conflicts=tuple(one for one in conflicts if one.field.partition(".")[0] in names),
        unsupported=tuple(one for one in unsupported if one.field.partition(".")[0] in names),
    )


def _without_other_objects(
    existing: Record, new: Record, leaves: Sequence[FieldDefinition]
) -> tuple[Record, list[UngroundedValue]]:
    """*new* without values of an object that is another than that of *existing*; and these as rejected.

    The name of one lender and the telephone number of another make no third.
    """
    single = {leaf.name for leaf in leaves if "." in leaf.name and leaf.is_scalar}
    known = {one.field: one for one in existing.found if one.field in single}
    others = {
        one.field.rpartition(".")[0]: one
        for one in new.found
        if one.field in known and _contradict(known[one.field], one)
    }
    apart = [one for one in new.found if one.field.rpartition(".")[0] in others and one.field not in known]
    rejected = [
        UngroundedValue(
            field=one.field,
            value=one.value,
            quote=one.proof.quote,
            reason="apart",
            says=f"it belongs to another: {others[one.field.rpartition('.')[0]].value!r}"[:200],
            url=one.proof.url,
        )
        for one in apart
    ]
    return new.model_copy(update={"found": tuple(one for one in new.found if one not in apart)}), rejected


def values_of(record: Record, fields: Sequence[FieldDefinition]) -> dict[str, Value]:
    """Return the values by field name: None for a field without one, a list for a list.

    An object has a key for each of its fields; it is None where none of them has a value.
    """
    return nested_values(record.found, fields)


def nested_values(
    found: Iterable[GroundedValue], fields: Sequence[FieldDefinition], above: str = ""
) -> dict[str, Value]:
    """The values of *fields* among *found*; *above*: the path of the object that they belong to, with a dot."""
    by_path: dict[str, list[Value]] = {}
    for one in found:
        by_path.setdefault(one.field, []).append(one.value)

    def value_of(field: FieldDefinition, path: str) -> Value:
        if field.type == "object" and field.fields is not None:
            inside = {one.name: value_of(one, f"{path}.{one.name}") for one in field.fields}
            return inside if any(one not in (None, []) for one in inside.values()) else None
        values = by_path.get(path, [])
        return values if field.is_list else next(iter(values), None)

    return {field.name: value_of(field, f"{above}{field.name}") for field in fields}


def value_at(values: Mapping[str, Value], path: str) -> Value:
    """The value at *path* in nested *values*; None where there is none."""
    value: Value = values
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return None if value == [] else value


def is_complete(values: Mapping[str, Value], fields: Sequence[FieldDefinition]) -> bool:
    """Whether each field has its value. Never true with a list field: more items may follow (S2)."""
    leaves = [leaf for field in fields for leaf in field.leaves]
    return all(leaf.is_scalar and value_at(values, leaf.name) is not None for leaf in leaves)


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
