"""Records of parts and pages made one, and when there is nothing left to look for (S2, "Result Merging Algorithm").

In: records in the order in which they were drawn, and definitions. Out: a record; plain values; whether all are there.
"""

from __future__ import annotations

import json
from functools import reduce
from typing import TYPE_CHECKING, Any

from rori_spiders.fields.record import Conflict, Found, Record

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from rori_spiders.fields.schema import Value
    from rori_spiders.manifest.models import FieldDefinition


def merge_all(records: Iterable[Record], fields: Sequence[FieldDefinition]) -> Record:
    """All of *records* as one, in their order."""
    return reduce(lambda existing, new: merge_results(existing, new, fields), records, Record())


def merge_results(existing: Record, new: Record, fields: Sequence[FieldDefinition]) -> Record:
    """Both as one. A field with one value keeps the first; lists are united, in the order in which items were found.

    Another value for a field that has one is a conflict, kept with both proofs. What is of no field of *fields* is left
    out.
    """
    found: list[Found] = []
    conflicts = [*existing.conflicts, *new.conflicts]
    for field in fields:
        all_found = [one for one in (*existing.found, *new.found) if one.field == field.name]
        if field.is_list:
            found += _each_once(all_found)
        elif all_found:
            first, *others = all_found
            found.append(first)
            conflicts += [Conflict(field=field.name, kept=first, other=one) for one in others if _differ(first, one)]
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


def missing(values: Mapping[str, Value], fields: Sequence[FieldDefinition]) -> tuple[str, ...]:
    """The required fields that have no value; of a list: no item."""
    return tuple(field.name for field in fields if field.required and values.get(field.name) in (None, []))


def _each_once(found: Iterable[Found]) -> list[Found]:
    first: dict[Hashable, Found] = {}
    for one in found:
        first.setdefault(_key(one.value), one)
    return list(first.values())


def _key(value: Value) -> Hashable:
    """By what two items are the same: objects by their JSON with sorted keys, all else by equality."""
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def _differ(one: Found, other: Found) -> bool:
    """Whether two values contradict each other: capitals and blanks of a text do not."""
    return bool(_plain(one.value) != _plain(other.value))


def _plain(value: Value) -> Value:
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
