"""S2's type system: its table, row by row; and what a value of each type must be."""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from rori_spiders.exceptions import ConfigError
from rori_spiders.fields.schema import (
    InvalidValue,
    Money,
    define_fields,
    fields_of_model,
    item_schema,
    validate_item,
)
from rori_spiders.fields.scraper import ScrapeResult
from tests.support.cases import cases

DAY: dict[str, Any] = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
MONEY: dict[str, Any] = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "currency": {"type": "string", "pattern": "^[A-Z]{3}$"}},
    "required": ["amount", "currency"],
    "additionalProperties": False,
}
QUANTITY: dict[str, Any] = {
    "type": "object",
    "properties": {"value": {"type": "number"}, "unit": {"type": "string"}},
    "required": ["value", "unit"],
    "additionalProperties": False,
}
#: S2, "Field Type System", and more.
TABLE: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "date": DAY,
    "money": MONEY,
    "list[string]": {"type": "array", "items": {"type": "string"}},
    "list[number]": {"type": "array", "items": {"type": "number"}},
    "list[boolean]": {"type": "array", "items": {"type": "boolean"}},
    "list[date]": {"type": "array", "items": DAY},
    "list[money]": {"type": "array", "items": MONEY},
    "list[object]": {"type": "array", "items": {"type": "object"}},
    "list[integer]": {"type": "array", "items": {"type": "integer"}},
    "quantity": QUANTITY,
    "list[quantity]": {"type": "array", "items": QUANTITY},
    "object": {"type": "object"},
}


@cases("kind", TABLE)
def test_field_schema_of_each_type(kind: str) -> None:
    (field,) = define_fields([f"a:{kind}:what it is"])
    schema = item_schema(field)
    assert ({"type": "array", "items": schema} if field.is_list else schema) == TABLE[kind]


def test_field_schema_table_in_docs_is_current() -> None:
    document = (Path(__file__).parents[2] / "docs" / "explanation" / "fields.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w\[\]]+)` \| `(\{.+\})` \| ", document, re.MULTILINE)
    assert {kind: json.loads(schema) for kind, schema in rows} == TABLE


@cases(
    ("kind", "given", "value"),
    [
        ("string", " a text ", "a text"),
        ("number", 5.25, 5.25),
        ("number", 5, 5),
        ("integer", 5.0, 5),
        ("boolean", False, False),
        ("date", "2026-11-27", "2026-11-27"),
        ("money", {"amount": 450, "currency": "USD"}, {"amount": 450, "currency": "USD"}),
        ("list[number]", 5, 5),
        ("list[object]", {"a": 1}, {"a": 1}),
    ],
)
def test_validate_item_value_of_its_type_is_accepted(kind: str, given: object, value: object) -> None:
    (field,) = define_fields([f"a:{kind}:x"])
    read = validate_item(field, given)
    assert read == value and type(read) is type(value)


@cases(
    ("kind", "given", "says"),
    [
        ("string", 5, "expected a text, got a number"),
        ("string", "  ", "got an empty text"),
        ("string", ["a"], "got a list"),
        ("number", "5.25", "expected a number, got a text"),
        ("number", True, "got a boolean"),
        ("number", float("nan"), "a finite number"),
        ("number", float("inf"), "a finite number"),
        ("integer", 5.5, "expected a whole number, got 5.5"),
        ("boolean", 1, "expected true or false, got a number"),
        ("boolean", "true", "expected true or false, got a text"),
        ("date", "November 27, 2026", "expected a day as YYYY-MM-DD"),
        ("date", "2026-02-30", "expected a day as YYYY-MM-DD"),
        ("date", "20261127", "expected a day as YYYY-MM-DD"),
        ("money", {"amount": 450}, 'expected {"amount": 450'),
        ("money", {"amount": "450", "currency": "USD"}, "expected a number"),
        ("money", {"amount": 450, "currency": "$"}, "three letters"),
        ("quantity", {"value": 30}, 'expected {"value": 30'),
        ("quantity", {"value": 30, "unit": ""}, "an empty text"),
        ("list[object]", {}, "got an empty object"),
        ("list[object]", None, "got null"),
    ],
)
def test_validate_item_value_of_other_type_is_refused(kind: str, given: object, says: str) -> None:
    (field,) = define_fields([f"a:{kind}:x"])
    with pytest.raises(InvalidValue, match=says):
        validate_item(field, given)


def test_validate_item_value_outside_enum_or_pattern_is_refused() -> None:
    chosen = {"name": "a", "type": "string", "description": "x", "enum": ["fixed"]}
    matched = {"name": "b", "type": "list[string]", "description": "x", "pattern": "^[0-9]+$"}
    one, several = define_fields([chosen, matched])
    assert validate_item(one, "fixed") == "fixed" and validate_item(several, "12") == "12"
    for field, given in ((one, "variable"), (one, "Fixed"), (several, "a12")):
        with pytest.raises(InvalidValue, match="not an allowed value"):
            validate_item(field, given)


def test_fields_of_model_follow_its_annotations() -> None:
    class Loan(BaseModel):
        apr: float = Field(description="annual percentage rate")
        fee: Money | None = Field(None, description="application fee")
        forms: list[str] = Field(default=[], description="numbers of forms")
        kind: Literal["fixed", "variable"] = Field(description="kind of rate")
        since: date | None = Field(description="effective date")

    assert [(one.name, one.type, one.required, one.enum) for one in fields_of_model(Loan)] == [
        ("apr", "number", True, None), ("fee", "money", False, None), ("forms", "list[string]", False, None),
        ("kind", "string", True, ("fixed", "variable")), ("since", "date", False, None),
    ]  # fmt: skip
    data = {"apr": 5.25, "fee": {"amount": 450, "currency": "USD"}, "forms": [], "kind": "fixed", "since": "2026-01-02"}
    loan = ScrapeResult(url="https://x.gov/", success=True, data=data).to_model(Loan)
    assert loan.fee == Money(amount=Decimal(450), currency="USD") and loan.since == date(2026, 1, 2)


def test_fields_of_model_names_each_problem() -> None:
    class Loan(BaseModel):
        apr: float
        lender: bytes = Field(description="who lends")

    with pytest.raises(ConfigError) as told:
        fields_of_model(Loan)
    assert "Loan: apr.description: expected" in str(told.value)
    assert "Loan: lender.type: expected" in str(told.value) and 'got "bytes"' in str(told.value)


class Tree(BaseModel):
    name: str = Field(description="name of the unit")
    units: list[Tree] = Field(description="units below it")


class Step(BaseModel):
    day: bytes = Field(description="day of the step")


class Plan(BaseModel):
    """A plan of steps."""

    name: str = Field(description="name of the plan")
    steps: list[Step]


class Plans(BaseModel):
    plans: list[Plan]


def test_fields_of_model_names_what_no_value_can_be_grounded_for() -> None:
    with pytest.raises(ConfigError, match="Tree: units: Tree contains itself, without end"):
        fields_of_model(Tree)
    with pytest.raises(ConfigError) as told:
        fields_of_model(Plan)
    lines = str(told.value).splitlines()
    assert [line.partition(": expected")[0] for line in lines] == ["Plan: steps.description", "Plan: steps.day.type"]
    step = {"name": "steps", "type": "list[object]", "description": "steps"}
    step["fields"] = [{"name": "day", "type": "date", "description": "day of the step"}]  # type: ignore[assignment]
    plan = {"name": "plans", "type": "list[object]", "description": "plans", "fields": [step]}
    with pytest.raises(ConfigError, match=r"\$\[0\].fields: 'plans.steps' is a list of objects inside a list"):
        define_fields([plan])
    for given, says in (
        ({**plan, "type": "string"}, "applies to objects only, but the type is string"),
        ({**step, "fields": [*step["fields"], *step["fields"]]}, "the name 'day' is used twice in 'steps'"),
        ({**step, "fields": []}, "expected a list, not empty"),
    ):
        with pytest.raises(ConfigError, match=says):
            define_fields([given])


def test_fields_of_model_enumeration_is_a_choice() -> None:
    class Kind(Enum):
        FIXED = "fixed"
        VARIABLE = "variable"

    class Loan(BaseModel):
        kind: Kind = Field(description="kind of rate")
        terms: list[int] = Field(description="terms in months")

    assert [(one.type, one.enum) for one in fields_of_model(Loan)] == [
        ("string", ("fixed", "variable")), ("list[integer]", None),
    ]  # fmt: skip
