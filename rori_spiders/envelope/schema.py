"""The JSON Schema of the envelope, exported from its models, for readers in other languages."""

from __future__ import annotations

import json
from typing import Any

from rori_spiders.envelope.models import Envelope

SCHEMA_ID = "https://rori.dev/schemas/envelope-v1.json"


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one envelope. Unknown keys are allowed: later versions may add some."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **Envelope.model_json_schema(),
    }


def schema_text() -> str:
    """The text of ``docs/envelope.schema.json``."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
