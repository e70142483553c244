"""Definitions of fields as people give them: in Python, on the command line, in a file.

In: definitions, dicts, texts such as ``apr:number:annual percentage rate``, a path. Out: frozen definitions; or one
ConfigError that names every problem. What a manifest says of a source's fields is judged by the same rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

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

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

Fields = tuple[FieldDefinition, ...]

_LIST: TypeAdapter[Fields] = TypeAdapter(Many[FieldDefinition])
#: Where a list of fields stands in a manifest: there its rules are, and the words for them.
_IN_A_MANIFEST = ("sources", 0, "fields")


def define_fields(given: Iterable[FieldDefinition | Mapping[str, Any] | str]) -> Fields:
    """The fields that *given* defines: definitions, dicts with their keys, texts as ``--field`` has them.

    Raises ConfigError.
    """
    return _judged([_raw(one) for one in given], "fields")


def read_fields(path: str | Path) -> Fields:
    """The fields of a file in JSON or YAML: a list, or an object with the key ``fields``. Raises ConfigError."""
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
    return _judged(raw, origin, problems)


def _raw(given: FieldDefinition | Mapping[str, Any] | str) -> Any:
    if isinstance(given, str):
        name, _, rest = given.partition(":")
        kind, _, description = rest.partition(":")
        parts = {"name": name.strip(), "type": kind.strip(), "description": description.strip()}
        return {key: part for key, part in parts.items() if part}
    return given.model_dump() if isinstance(given, FieldDefinition) else dict(given)


def _judged(raw: list[Any], origin: str, problems: Iterable[Problem] = ()) -> Fields:
    found = list(problems)
    fields: Fields = ()
    try:
        fields = _LIST.validate_python(raw)
    except ValidationError as error:
        found += problems_from_validation(error, _IN_A_MANIFEST)
    found += field_list_problems(raw)
    if not raw:
        found.append(Problem((), "no field is defined: give one at least (apr:number:annual percentage rate)"))
    if found:
        raise ConfigError("\n".join(f"{origin}: {json_path(problem.path)}: {problem.message}" for problem in found))
    return fields
