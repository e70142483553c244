"""Field definitions: read from Python, the command line or a file; their JSON Schema; validation of values (S2's
type system).  Input: definitions, dicts, texts such as ``apr:number:annual percentage rate``, a path. Output:
frozen definitions; or one ConfigError that names every problem. The fields of a source in a manifest are
validated by the same rules.
"""

import inspect
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from rori_spiders.exceptions import ConfigError
from rori_spiders.manifest import manifest_text
from rori_spiders.manifest.json_yaml import NotationError
from rori_spiders.manifest.models import FieldDefinition, Many
from rori_spiders.manifest.problems import (
    Problem,
    field_list_problems,
    format_value,
    json_path,
    problems_from_validation,
)

Fields = tuple[FieldDefinition, ...]

_LIST: TypeAdapter[Fields] = TypeAdapter(Many[FieldDefinition])
#: JSON path of a list of fields in a manifest: the manifest's validation messages are used.
_IN_A_MANIFEST = ("sources", 0, "fields")


def define_fields(definitions: Iterable[FieldDefinition | Mapping[str, Any] | str]) -> Fields:
    """Return the fields defined by *definitions*: definitions, dicts, or texts in the form of ``--field``.

    Raises ConfigError that names every problem.
    """
    return _validate_definitions([_raw_definition(one) for one in definitions], "fields")


def fields_of_model(model: type[BaseModel]) -> Fields:
    """Return the fields of a pydantic model: names, types, descriptions and required fields are the model's.

    Types: ``str``, ``int``, ``float``, ``bool``, ``date``, ``Money``, ``Quantity``, other models, and lists of them,
    optional or not; ``Literal`` texts and enumerations of texts become an ``enum``. Raises ConfigError that names every
    problem, such as another type.
    """
    raw = _definitions_of(model)
    try:
        return define_fields(raw)
    except ConfigError as error:
        raise ConfigError(_name_fields(str(error), model.__name__, raw)) from None


def _definitions_of(model: type[BaseModel], above: tuple[type[BaseModel], ...] = ()) -> list[dict[str, Any]]:
    return [_definition_of(name, info, (*above, model)) for name, info in model.model_fields.items()]


def _definition_of(name: str, info: FieldInfo, above: tuple[type[BaseModel], ...]) -> dict[str, Any]:
    kind, allows_none = _without_none(info.annotation)
    is_list = get_origin(kind) in {list, tuple} and get_args(kind)[1:] in {(), (...,)}
    item = get_args(kind)[0] if is_list else kind
    choices = list(get_args(item)) if get_origin(item) is Literal else None
    if isinstance(item, type) and issubclass(item, Enum):
        choices = [one.value for one in item]
    is_model = isinstance(item, type) and issubclass(item, BaseModel) and item not in _NAMES
    if item in above:
        raise ConfigError(f"{above[0].__name__}: {name}: {item.__name__} contains itself, without end: leave it out")
    named = "object" if is_model else "string" if choices else _NAMES.get(item, getattr(item, "__name__", str(item)))
    definition: dict[str, Any] = {"name": name, "type": f"list[{named}]" if is_list else named}
    definition["description"] = info.description or (inspect.cleandoc(item.__doc__ or "") if is_model else "")
    definition["required"] = info.is_required() and not allows_none
    if is_model:
        definition["fields"] = _definitions_of(item, above)
    return definition | ({"enum": choices} if choices else {})


def _name_fields(problems: str, model: str, raw: Sequence[Mapping[str, Any]]) -> str:
    """The *problems* with the model's own names in the place of numbers."""

    def named(found: re.Match[str]) -> str:
        names, inside = [], raw
        for index in re.findall(r"\[(\d+)\]", found[0]):
            names.append(inside[int(index)]["name"])
            inside = inside[int(index)].get("fields", ())
        return f"{model}: {'.'.join(names)}"

    return re.sub(r"^fields: \$\[\d+\](?:\.fields\[\d+\])*", named, problems, flags=re.MULTILINE)


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """The type of a value that may be None, and whether it may."""
    if get_origin(annotation) not in {Union, UnionType}:
        return annotation, False
    kinds = [one for one in get_args(annotation) if one is not NoneType]
    return (kinds[0] if len(kinds) == 1 else annotation), NoneType in get_args(annotation)


class Money(BaseModel):
    """A value of a field of the type ``money``. ``currency``: of ISO 4217."""

    amount: Decimal
    currency: str


class Quantity(BaseModel):
    """A value of a field of the type ``quantity``. ``raw``: number and unit in the page's own words."""

    value: Decimal
    unit: str
    raw: str


_NAMES: Mapping[Any, str] = {
    str: "string", int: "integer", float: "number", Decimal: "number", bool: "boolean", date: "date", Money: "money",
    Quantity: "quantity", dict: "object",
}  # fmt: skip


def read_fields(path: str | Path) -> Fields:
    """Read fields from a file in JSON or YAML: a list, or an object with the key ``fields``. Raises ConfigError."""
    origin = manifest_text.display_name(str(path))
    try:
        parsed = manifest_text.parse_document(
            manifest_text.decode_text(manifest_text.read_limited_bytes(path)), str(path)
        )
    except NotationError as error:
        raise ConfigError(f"{origin}: {error}") from None
    raw, problems = manifest_text.clean_value(parsed)
    if isinstance(raw, dict) and set(raw) == {"fields"}:
        raw, problems = raw["fields"], [Problem(problem.path[1:], problem.message) for problem in problems]
    if not isinstance(raw, list):
        raise ConfigError(f'{origin}: expected a list of fields, or {{"fields": [...]}}, got {format_value(raw)}')
    return _validate_definitions(raw, origin, problems)


def _raw_definition(definition: FieldDefinition | Mapping[str, Any] | str) -> Any:
    if isinstance(definition, str):
        name, _, rest = definition.partition(":")
        kind, _, description = rest.partition(":")
        parts = {"name": name.strip(), "type": kind.strip(), "description": description.strip()}
        return {key: part for key, part in parts.items() if part}
    return definition.model_dump() if isinstance(definition, FieldDefinition) else dict(definition)


def _validate_definitions(raw: list[Any], origin: str, problems: Iterable[Problem] = ()) -> Fields:
    found = list(problems)
    fields: Fields = ()
    try:
        fields = _LIST.validate_python(raw)
    except ValidationError as error:
        found += problems_from_validation(error, _IN_A_MANIFEST)
    found += field_list_problems(raw)
    if not raw:
        found.append(Problem((), "no field is defined; define at least one (apr:number:annual percentage rate)"))
    if found:
        raise ConfigError("\n".join(f"{origin}: {json_path(problem.path)}: {problem.message}" for problem in found))
    return fields


# Types of fields (S2): their JSON Schema, and the validation of values.

#: A text, a number, a truth value, a day, an amount of money, an object; lists of them.
Value = Any
#: Schemas of the types that JSON Schema has no word for. A server need not know ``format``, so days have a pattern.
_SCHEMAS: dict[str, dict[str, Any]] = {
    "date": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
    "money": {
        "type": "object",
        "properties": {"amount": {"type": "number"}, "currency": {"type": "string", "pattern": "^[A-Z]{3}$"}},
        "required": ["amount", "currency"],
        "additionalProperties": False,
    },
    "quantity": {
        "type": "object",
        "properties": {"value": {"type": "number"}, "unit": {"type": "string"}},
        "required": ["value", "unit"],
        "additionalProperties": False,
    },
}


def item_schema(field: FieldDefinition) -> dict[str, Any]:
    """Return the JSON Schema of one value of *field* (of a list: one item)."""
    if field.item_type in _SCHEMAS:
        return dict(_SCHEMAS[field.item_type])
    schema: dict[str, Any] = {"type": field.item_type}
    if field.enum is not None:
        schema["enum"] = list(field.enum)
    if field.pattern is not None:
        schema["pattern"] = field.pattern
    return schema


class InvalidValue(ValueError):  # always caught: an invalid value never fails a page
    """Raised for a value of the wrong type, or one that is not allowed; ``word`` is the reason code."""

    def __init__(self, says: str, word: str = "wrong_type") -> None:
        super().__init__(says)
        self.word = word


def validate_item(field: FieldDefinition, raw: object) -> Value:
    """Validate *raw* as one value of *field* (of a list: one item). Raises InvalidValue.

    Nothing is converted: "5" is not a number, and 1 is not true. A whole number may be written 5.0, as JSON allows.
    """
    value = _READERS[field.item_type](raw)
    if isinstance(value, str) and not field.allows(value):
        raise InvalidValue(f"{value[:80]!r} is not an allowed value", "not_allowed")
    return value


def _require_text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidValue(f"expected a text, got {_kind_name(value)}")
    if not value.strip():
        raise InvalidValue("expected a text, got an empty text")
    return value.strip()


def _require_number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidValue(f"expected a number, got {_kind_name(value)}")
    if not math.isfinite(value):
        raise InvalidValue("expected a finite number")
    return value


def _require_integer(value: object) -> int:
    number = _require_number(value)
    if number != int(number):
        raise InvalidValue(f"expected a whole number, got {number}")
    return int(number)


def _require_boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue(f"expected true or false, got {_kind_name(value)}")
    return value


def _require_object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict) or not value:
        raise InvalidValue(f"expected an object, got {_kind_name(value)}")
    return value


def _require_day(value: object) -> str:
    text = _require_text(value)
    try:
        day = date.fromisoformat(text).isoformat()
    except ValueError:
        day = ""
    if day != text:
        raise InvalidValue(f"expected a day as YYYY-MM-DD, got {text[:80]!r}")
    return text


def _require_money(value: object) -> dict[str, Any]:
    amount = _require_object(value)
    if set(amount) != {"amount", "currency"}:
        raise InvalidValue('expected {"amount": 450, "currency": "USD"}')
    currency = _require_text(amount["currency"])
    if not _CURRENCY.fullmatch(currency):
        raise InvalidValue(f"expected a currency of three letters (ISO 4217), got {currency[:80]!r}")
    return {"amount": _require_number(amount["amount"]), "currency": currency}


def _require_quantity(value: object) -> dict[str, Any]:
    quantity = _require_object(value)
    if set(quantity) != {"value", "unit"}:
        raise InvalidValue('expected {"value": 30, "unit": "day"}')
    return {"value": _require_number(quantity["value"]), "unit": _require_text(quantity["unit"])}


_CURRENCY = re.compile("[A-Z]{3}")
_READERS = {
    "string": _require_text,
    "number": _require_number,
    "integer": _require_integer,
    "boolean": _require_boolean,
    "date": _require_day,
    "money": _require_money,
    "quantity": _require_quantity,
    "object": _require_object,
}
_KINDS = {str: "a text", bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "an object"}


def _kind_name(value: object) -> str:
    if value == {}:
        return "an empty object"
    return _KINDS.get(type(value), "null")
