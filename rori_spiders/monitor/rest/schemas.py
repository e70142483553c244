"""Base schemas of the API: models, lists, errors."""

from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")


class ApiModel(BaseModel):
    """Base of all responses. Times are UTC and end in Z."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


#: Why something ended as it did.
ReasonCodeName = Annotated[str | None, Field(description="One of docs/reference/reason-codes.md; null in old rows.")]


class CountedList(ApiModel, Generic[T]):
    """A list with a total; paged by ``offset`` and ``limit``."""

    items: list[T]
    total: int = Field(description="Total number.")


class CursorList(ApiModel, Generic[T]):
    """A list paged by a cursor."""

    items: list[T]
    next: str | None = Field(description="Value of `after` for the next page; null: no more.")


class ErrorDetail(ApiModel):
    """An error."""

    code: str = Field(description="A stable code: unknown_source, invalid_input, not_signed_in, ...")
    message: str = Field(description="A message for people.")
    details: dict[str, Any]


class ErrorResponse(ApiModel):
    """The body of every error response."""

    error: ErrorDetail
