"""What every answer of the API is made of."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")


class Answer(BaseModel):
    """Base of the answers. Times are UTC and end in Z."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Listed(Answer, Generic[T]):
    """A list that can be counted: ask for more by ``offset`` and ``limit``."""

    items: list[T]
    total: int = Field(description="How many there are in all.")


class Followed(Answer, Generic[T]):
    """A list that is read on from where it ended."""

    items: list[T]
    next: str | None = Field(description="What to give as `after` for those that follow; null: these were the last.")


class Fault(Answer):
    """What was wrong."""

    code: str = Field(description="A stable word: unknown_source, invalid_input, not_signed_in, ...")
    message: str = Field(description="A sentence for a person.")
    details: dict[str, Any]


class Refusal(Answer):
    """What the API answers when it does not do what was asked."""

    error: Fault
