"""What a model is to answer, as a JSON Schema; and what it did answer, read strictly.

In: definitions; an answer's text. Out: the schema; values with their quotes; or BadAnswer with all that is wrong.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from rori_spiders.fields.schema import NotThat, item_of, item_schema
from rori_spiders.manifest.manifest_text import strip_code_fence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic_core import ErrorDetails

    from rori_spiders.fields.schema import Value
    from rori_spiders.manifest.models import FieldDefinition


M = TypeVar("M", bound=BaseModel)


class BadAnswer(ValueError):
    """Raised for an answer that is not of the form that was asked for; ``problems`` says what is wrong."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


def read_as(kind: type[M], text: str) -> M:
    """An answer as *kind*: one JSON object, at most in a code fence. Raises BadAnswer."""
    inside = strip_code_fence(text)
    try:
        return kind.model_validate_json(inside.text if inside else text)
    except ValidationError as error:
        raise BadAnswer([f"{_place(one)}: {one['msg']}" for one in error.errors(include_input=False)[:10]]) from None


def _place(error: ErrorDetails) -> str:
    return ".".join(map(str, error["loc"]))[:100] or "answer"


class Claim(NamedTuple):
    """A value of a field (of a list: one item) as the model gave it, and its quote. Nothing of it is proven."""

    field: FieldDefinition
    value: Value
    quote: Any


def answer_schema(fields: Sequence[FieldDefinition]) -> dict[str, Any]:
    """JSON Schema of an answer: each field null, or a quote and a value; the quote first, to be found before it."""
    return {
        "type": "object",
        "properties": {field.name: _entry(field) for field in fields},
        "required": [field.name for field in fields],
        "additionalProperties": False,
    }


def _entry(field: FieldDefinition) -> dict[str, Any]:
    one = {
        "type": "object" if field.is_list else ["object", "null"],
        "properties": {"quote": {"type": "string"}, "value": item_schema(field)},
        "required": ["quote", "value"],
        "additionalProperties": False,
    }
    return {"type": "array", "items": one} if field.is_list else one


def read_answer(text: str, fields: Sequence[FieldDefinition]) -> list[Claim]:
    """The claims of an answer: JSON and nothing else, at most in a code fence. Raises BadAnswer.

    A field that is left out, an empty text and an empty object say the same as null. A value of a wrong type makes a
    bad answer; one that its ``enum`` or ``pattern`` does not allow is a claim like others, and will not be proven.
    """
    answer = _parsed(text)
    named = {field.name: field for field in fields}
    problems = [f"{name[:64]!r} is no field" for name in answer if name not in named]
    claims: list[Claim] = []
    for name, field in named.items():
        for entry in _entries(field, answer.get(name), problems):
            if (problem := _problem(field, entry)) is not None:
                problems.append(problem)
            elif not _says_nothing(entry["value"]):
                claims.append(Claim(field, entry["value"], entry.get("quote")))
    if problems:
        raise BadAnswer(problems)
    return claims


def _parsed(text: str) -> dict[str, Any]:
    inside = strip_code_fence(text)
    try:
        answer = json.loads(inside.text if inside else text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BadAnswer([f"no JSON: {error}"]) from None
    if not isinstance(answer, dict):
        raise BadAnswer(["no JSON object"])
    return answer


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _entries(field: FieldDefinition, given: Any, problems: list[str]) -> Iterator[Any]:
    if given is None:
        return
    if not field.is_list:
        yield given
    elif isinstance(given, list):
        yield from (entry for entry in given if entry is not None)
    else:
        problems.append(f"{field.name}: expected a list")


def _says_nothing(value: Any) -> bool:
    """Whether it is null, or what models write in its place."""
    return value is None or value == {} or (isinstance(value, str) and not value.strip())


def _problem(field: FieldDefinition, entry: Any) -> str | None:
    if not isinstance(entry, dict) or "value" not in entry or set(entry) - {"quote", "value"}:
        return f'{field.name}: expected {{"quote": ..., "value": ...}}'
    if _says_nothing(entry["value"]):
        return None
    try:
        item_of(field, entry["value"])
    except NotThat as error:
        return f"{field.name}: {error}" if error.word == "wrong_type" else None
    return None
