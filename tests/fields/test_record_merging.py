"""S2's tables of merging and completion, and what S2 leaves open: conflicts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.fields.records import (
    Record,
    UngroundedValue,
    is_complete,
    merge_records,
    merge_results,
    values_of,
)
from rori_spiders.fields.schema import define_fields
from tests.fields.examples import record
from tests.support.cases import cases

if TYPE_CHECKING:
    from rori_spiders.fields.schema import Value

SCALARS = ["string", "number", "boolean", "integer"]
LISTS = ["list[string]", "list[number]", "list[boolean]", "list[object]"]


# --- S2, "Result Merging Algorithm" --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [("string", "a", "b"), ("number", 0.0, 2.5), ("boolean", False, True), ("integer", 0, 9)],
)
def test_merge_records_first_non_null_scalar_wins(kind: str, first: Value, second: Value) -> None:
    """0 and false are values; null is what is not there."""
    fields = define_fields([f"a:{kind}:x"])
    merged = merge_records([Record(), record(a=first), record(a=second), Record()], fields)
    assert values_of(merged, fields) == {"a": first}


@cases(
    ("kind", "pages", "united"),
    [
        ("list[string]", [["b", "a"], ["a", "c"], []], ["b", "a", "c"]),
        ("list[number]", [[1, 2.5], [2.5, 1.0, 3]], [1, 2.5, 3]),
        ("list[boolean]", [[True], [False, True]], [True, False]),
        (
            "list[object]",
            [[{"name": "A", "role": 1}], [{"role": 1, "name": "A"}, {"name": "B", "role": 1}]],
            [{"name": "A", "role": 1}, {"name": "B", "role": 1}],
        ),
        ("list[object]", [[{"a": {"b": 1, "c": [1, 2]}}], [{"a": {"c": [1, 2], "b": 1}}, {"a": {"c": [2, 1], "b": 1}}]],
         [{"a": {"b": 1, "c": [1, 2]}}, {"a": {"c": [2, 1], "b": 1}}]),
    ],
)  # fmt: skip
def test_merge_records_lists_are_united_in_order_without_repeats(
    kind: str, pages: list[list[Value]], united: list[Value]
) -> None:
    fields = define_fields([f"a:{kind}:x"])
    assert values_of(merge_records([record(a=page) for page in pages], fields), fields) == {"a": united}


def test_merge_records_item_keeps_first_quote() -> None:
    fields = define_fields(["a:list[string]:x"])
    merged = merge_results(record("https://one.gov/", a=["x"]), record("https://two.gov/", a=["x", "y"]), fields)
    assert [(one.value, one.proof.url) for one in merged.found] == [
        ("x", "https://one.gov/"),
        ("y", "https://two.gov/"),
    ]
    assert merged.conflicts == ()


# --- S2, "Completion Detection Algorithm" --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LISTS)
def test_record_with_list_field_is_never_complete(kind: str) -> None:
    fields = define_fields(["a:number:x", f"b:{kind}:y"])
    assert not is_complete({"a": 1, "b": ["all", "of", "them"]}, fields)


@cases(
    ("values", "complete"),
    [
        ({"a": "x", "b": 1, "c": True, "d": 2}, True),
        ({"a": "", "b": 0, "c": False, "d": 0}, True),  # null alone is nothing
        ({"a": "x", "b": 1, "c": None, "d": 2}, False),
        ({"a": "x", "b": 1, "c": True}, False),
        ({}, False),
    ],
)
def test_record_without_list_field_is_complete_when_no_scalar_is_null(values: dict[str, Value], complete: bool) -> None:
    fields = define_fields([f"{name}:{kind}:x" for name, kind in zip("abcd", SCALARS, strict=True)])
    assert is_complete(values, fields) is complete


# --- ours ----------------------------------------------------------------------------------------------------------


def test_merge_records_different_value_is_a_conflict_with_both_quotes() -> None:
    fields = define_fields(["apr:number:rate", "kind:string:kind"])
    pages = [
        record("https://one.gov/", apr=5.25, kind="Fixed  rate"),
        record("https://two.gov/", apr=5.25, kind="fixed rate"),
        record("https://three.gov/", apr=6),
    ]
    merged = merge_records(pages, fields)
    assert values_of(merged, fields) == {"apr": 5.25, "kind": "Fixed  rate"}
    (conflict,) = merged.conflicts
    assert (conflict.field, conflict.kept.value, conflict.other.value) == ("apr", 5.25, 6)
    assert (conflict.kept.proof.url, conflict.other.proof.url) == ("https://one.gov/", "https://three.gov/")


def test_merge_records_conflicts_survive_further_merges() -> None:
    fields = define_fields(["apr:number:rate"])
    merged = merge_results(record(apr=1), record(apr=2), fields)
    merged = merge_results(merged, record(apr=3), fields)
    assert [one.other.value for one in merged.conflicts] == [2, 3]


def test_merge_records_ungrounded_answer_is_stored_without_value() -> None:
    fields = define_fields(["apr:number:rate"])
    refused = UngroundedValue(field="apr", value=9, quote="no", reason="quote_not_found", says="x")
    merged = merge_results(Record(unsupported=(refused,)), record(apr=5), fields)
    assert merged.unsupported == (refused,) and merged.conflicts == ()
    assert values_of(merged, fields) == {"apr": 5}


def test_merge_records_undefined_fields_are_dropped() -> None:
    fields = define_fields(["apr:number:rate"])
    assert merge_results(record(apr=1, other=2), record(other=3), fields) == record(apr=1)


def test_record_is_frozen_and_round_trips_through_json() -> None:
    whole = record(a=1, b=["x", {"y": 2}])
    assert Record.model_validate_json(json.dumps(whole.model_dump(mode="json"))) == whole
    with pytest.raises(ValueError, match="frozen"):
        whole.found = ()  # type: ignore[misc]  # it is
