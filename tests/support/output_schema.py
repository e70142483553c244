"""What a command printed as JSON, compared with docs/reference/command-output.schema.json."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

from tests.house.code import REPOSITORY

_DOCUMENT: dict[str, Any] = json.loads(
    (REPOSITORY / "docs" / "reference" / "command-output.schema.json").read_text(encoding="utf-8")
)
SCHEMAS: dict[str, dict[str, Any]] = _DOCUMENT["$defs"]


def find_problems(name: str, document: Any) -> list[str]:
    """What of *document* is not as the schema of this *name* has it."""
    schema = {**_DOCUMENT, "$ref": f"#/$defs/{name}"}  # as others refer to it, not the part by itself
    problems = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [f"{name}: {list(one.absolute_path)}: {one.message[:200]}" for one in problems]
