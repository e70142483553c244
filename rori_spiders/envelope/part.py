"""What the sections of an envelope have in common."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Sha256 = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]


class Part(BaseModel):
    """A section of an envelope, or a part of one. Unknown keys are those of later versions."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


def optional(description: str) -> Any:
    """An addition of ours: left out of the file when there is nothing to say."""
    return Field(default=None, description=description, exclude_if=lambda value: value is None)
