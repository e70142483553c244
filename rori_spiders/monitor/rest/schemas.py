"""Base schemas of the API: models, lists, errors."""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")


class ApiModel(BaseModel):
    """Base of the answers. Times are UTC and end in Z."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


#: Why something ended as it did.
ReasonCodeName = Annotated[str | None, Field(description="One of docs/reference/reason-codes.md; null in old rows.")]


class CountedList(ApiModel, Generic[T]):
    """A list that can be counted: ask for more by ``offset`` and ``limit``."""

    items: list[T]
    total: int = Field(description="Total number.")


class CursorList(ApiModel, Generic[T]):
    """A list that is read on from where it ended."""

    items: list[T]
    next: str | None = Field(description="Value of `after` for the next page; null: no more.")


class ErrorDetail(ApiModel):
    """What was wrong."""

    code: str = Field(description="A stable code: unknown_source, invalid_input, not_signed_in, ...")
    message: str = Field(description="A message for people.")
    details: dict[str, Any]


class ErrorResponse(ApiModel):
    """What the API answers when it does not do what was asked."""

    error: ErrorDetail
