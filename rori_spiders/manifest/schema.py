"""The manifest's JSON Schema, and the prompt by which a language model writes a manifest (S0 §4.5).

In: the models. Out: a dict; a text. Nothing here is written twice: both come from the models and ``vocabulary``.
"""

from __future__ import annotations

import json
from copy import deepcopy
from importlib.resources import files
from typing import Any

from rori_spiders.manifest.expectations import model_schema
from rori_spiders.manifest.vocabulary import MEANINGS

SCHEMA_URL = "https://rori.dev/schemas/scrape-manifest-v1.json"


def json_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a manifest file. Ids that stand twice are found on loading only."""
    schema = _without_titles(deepcopy(model_schema()))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_URL,
        "title": "RORI scrape manifest",
        **schema,
    }


def _without_titles(node: Any, *, names: bool = False) -> Any:
    """The schema without pydantic's titles, which repeat the keys; *names*: the keys of *node* are names, not words."""
    if isinstance(node, dict):
        return {
            key: _without_titles(value, names=not names and key in {"properties", "$defs"})
            for key, value in node.items()
            if names or key != "title"
        }
    return [_without_titles(item) for item in node] if isinstance(node, list) else node


def prompt(seed: str | None = None) -> str:
    """The prompt, with the current schema and the meaning of each allowed word; *seed*: the facts to work from."""
    template = (files("rori_spiders") / "manifest" / "prompt.txt").read_text(encoding="utf-8")
    return (
        template.replace("{{schema_url}}", SCHEMA_URL)
        .replace("{{meanings}}", _meanings())
        .replace("{{schema}}", json.dumps(json_schema(), ensure_ascii=False, separators=(",", ":")))
        .replace("{{seed}}", seed.strip() if seed else "[paste the seed data here]")
    )


def _meanings() -> str:
    blocks = (
        "\n".join([f"{field}:", *(f"- {word}: {what}." for word, what in words.items())])
        for field, words in MEANINGS.items()
    )
    return "\n".join(blocks)
