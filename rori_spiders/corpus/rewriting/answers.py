"""What a model is to answer about a part, and what it did answer, read strictly.

In: an answer's text. Out: a ``Said``; or BadAnswer with all that is wrong.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from rori_spiders.fields.answers import read_as


class Said(BaseModel):
    """A cleaned part, and what the model says of it. Nothing of that is believed."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    cleaned_markdown: str
    changed_sections: list[str]
    removed_boilerplate_examples: list[str]
    quality_flags: list[str]
    confidence: float = Field(ge=0, le=1)


def answer_schema() -> dict[str, Any]:
    """JSON Schema of an answer."""
    return Said.model_json_schema()


def read_answer(text: str) -> Said:
    """An answer: one JSON object, at most in a code fence. Raises BadAnswer."""
    return read_as(Said, text)
