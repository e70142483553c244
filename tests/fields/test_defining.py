"""Fields as people define them: in Python, in one line, in a file; and what bad definitions are told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from rori_spiders.exceptions import ConfigError, ScraperError
from rori_spiders.fields.schema import define_fields, read_fields
from rori_spiders.manifest.models import FieldDefinition
from tests.manifest.examples import load, source
from tests.support.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

APR = {"name": "apr", "type": "number", "description": "annual percentage rate"}


def refused(*given: object) -> list[str]:
    with pytest.raises(ConfigError) as error:
        define_fields(given)  # type: ignore[arg-type]  # what people give
    assert error.value.exit_code == 2
    return str(error.value).splitlines()


def test_define_fields_one_line_is_a_definition() -> None:
    (field,) = define_fields(["apr:number:annual percentage rate: as printed"])
    assert (field.name, field.type, field.description) == ("apr", "number", "annual percentage rate: as printed")
    assert not field.required and field.enum is None and field.pattern is None
    assert define_fields([" forms : list[string] : Forms "])[0].type == "list[string]"


def test_define_fields_lines_dicts_and_models_are_equal() -> None:
    (field,) = define_fields([APR])
    assert define_fields(["apr:number:annual percentage rate"]) == define_fields([field]) == (field,)
    assert load(source(fields=[APR])).manifest.sources[0].fields == (field,)


def test_define_fields_result_is_frozen() -> None:
    (field,) = define_fields([APR])
    with pytest.raises(ValidationError, match="frozen"):
        field.name = "other"  # type: ignore[misc]  # it is


def test_define_fields_every_problem_names_its_place() -> None:
    problems = refused("apr:sum:rate", "apr:number", "a b:string:text", {**APR, "zip": 1})
    assert [line.split(":")[1].strip() for line in problems] == [
        "$[0].type", "$[1].description", "$[2].name", "$[3].zip", "$[1].name", "$[3].name",
    ]  # fmt: skip
    assert problems[0].endswith('list[quantity], list[object], got "sum"')
    assert problems[4].endswith("the name 'apr' is already used by fields[0]")


@cases(
    ("given", "says"),
    [
        ((), "no field is defined"),
        (("",), "$[0].name: required, but missing"),
        (("apr",), "$[0].type: required, but missing"),
        (({**APR, "enum": ["1"]},), "$[0].enum: applies to text only, but the type is number"),
        (({**APR, "pattern": "1"},), "$[0].pattern: applies to text only"),
        (({**APR, "type": "string", "enum": []},), "$[0].enum: expected a list, not empty"),
        (({**APR, "type": "string", "enum": ["a", "A"]},), "$[0].enum: each value may be named once"),
        (({**APR, "type": "string", "pattern": "["},), "$[0].pattern: expected a regular expression"),
        (({**APR, "type": "string", "pattern": "a{1000}{1000}{1000}"},), "expected a regular expression"),
        (({**APR, "type": "string", "pattern": "^b", "enum": ["a"]},), "'a' of `enum` does not match it"),
        (tuple(f"f{n}:string:text" for n in range(51)), "51 fields are too many"),
        (tuple(f"f{n}:string:{'x' * 290}" for n in range(40)), "characters together, too many for a model"),
    ],
)
def test_define_fields_invalid_definition_is_refused(given: tuple[object, ...], says: str) -> None:
    assert any(says in line for line in refused(*given))


def test_define_fields_pattern_cost_grows_linearly() -> None:
    (field,) = define_fields([{**APR, "type": "string", "pattern": "^(a+)+$"}])
    assert not field.allows("a" * 5_000 + "b")
    assert field.allows("a" * 5_000)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.json", json.dumps([APR])),
        ("f.json", json.dumps({"fields": [APR]})),
        ("f.yaml", "- name: apr\n  type: number\n  description: annual percentage rate\n"),
        ("f.yml", "fields:\n  - {name: apr, type: number, description: annual percentage rate}\n"),
    ],
)
def test_load_fields_file_is_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_fields(tmp_path / name) == define_fields([APR])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "the JSON ends too early"),
        ("7", "expected a list of fields"),
        ('{"fields": [], "more": 1}', "expected a list of fields"),
        ('{"fields": 7}', "expected a list of fields"),
        ("[]", "no field is defined"),
        ("[7]", "$[0]: expected an object with name, type, description, got 7"),
        ('[{"name": "a", "name": "b", "type": "string", "description": "x"}]', "$[0].name: duplicate key"),
        (
            '{"fields": [{"name": "a\\u0000", "type": "string", "description": "x"}]}',
            "$[0].name: contains an invalid character",
        ),
    ],
)
def test_load_fields_invalid_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read_fields(path)
    assert says in str(error.value) and str(error.value).startswith(f"{path}: ")


def test_load_fields_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_fields(tmp_path / "no.json")


def test_config_error_carries_its_details() -> None:
    error = ConfigError("no", {"url": "https://example.gov"})
    assert isinstance(error, ScraperError)
    assert (error.message, error.details, str(error)) == ("no", {"url": "https://example.gov"}, "no")
    assert ScraperError("no").details == {}


def test_field_kinds_are_classified() -> None:
    number, several = define_fields(["a:number:x", "b:list[object]:y"])
    assert number.is_scalar and not number.is_list and number.item_type == "number"
    assert several.is_list and not several.is_scalar and several.item_type == "object"
    assert FieldDefinition.model_validate(number.model_dump()) == number
