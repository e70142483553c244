"""What all models of the manifest share: strict, frozen, no unknown keys, and `null` says nothing.

In: what was read from JSON or YAML. Out: the same without the nulls of optional keys, so that a key that is null and
a key that is absent mean the same everywhere; and a JSON Schema that says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, model_validator

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema


class Part(BaseModel):
    """Base of the manifest's models."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _null_says_nothing(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        optional = {field.alias or name for name, field in cls.model_fields.items() if not field.is_required()}
        return {key: value for key, value in given.items() if value is not None or key not in optional}

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        reference = handler(core)
        schema = handler.resolve_ref_schema(reference)
        required = schema.get("required", [])
        for key, rule in schema.get("properties", {}).items():
            if key not in required:
                schema["properties"][key] = _or_null(rule)
        return reference


def _or_null(rule: dict[str, Any]) -> dict[str, Any]:
    if rule.get("type") == "null" or {"type": "null"} in rule.get("anyOf", ()):
        return rule
    spoken: dict[str, Any] = {key: rule[key] for key in ("description", "default", "examples") if key in rule}
    bare = {key: value for key, value in rule.items() if key not in {*spoken, "title"}}
    branches = bare["anyOf"] if set(bare) == {"anyOf"} else [bare]
    return {"anyOf": [*branches, {"type": "null"}], **spoken}
