"""One field: a value that a language model draws from pages, as S2 types it.

In: what a manifest, a file or a person says of a value. Out: a frozen definition.
"""

from typing import Annotated

from pydantic import Field, StringConstraints, TypeAdapter, ValidationInfo, field_validator
from pydantic_core import SchemaError

from rori_spiders.manifest.part import Part
from rori_spiders.manifest.scraping import Many
from rori_spiders.manifest.texts import Line
from rori_spiders.manifest.vocabulary import FieldType

#: A choice among more is no choice that a model makes well, and each stands in every question.
MAX_CHOICES = 100


class FieldDefinition(Part):
    """One value that a language model draws from the source's pages (`scrapy fields`)."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64)] = Field(
        description="Name of the value", examples=["rate_type"]
    )
    type: FieldType = Field(description="Kind of the value", examples=["string"])
    description: Line = Field(description="What it is, for the model", examples=["Whether the rate is fixed"])
    required: bool = Field(False, description="Whether a page without it is incomplete")
    enum: Annotated[Many[Line], Field(min_length=1, max_length=MAX_CHOICES)] | None = Field(
        None, description="The only texts allowed; for `string` and `list[string]`", examples=[["fixed", "variable"]]
    )
    pattern: Line | None = Field(
        None,
        description="Regular expression that a text must match somewhere, without look-around and back-references;"
        " for `string` and `list[string]`",
        examples=["^[a-z]+$"],
    )

    @field_validator("enum", "pattern")
    @classmethod
    def _of_texts(cls, given: object, info: ValidationInfo) -> object:
        kind = info.data.get("type", "string")
        if given is not None and kind not in {"string", "list[string]"}:
            raise ValueError(f"it is for texts, and the type is {kind}: leave it out, or make the type string")
        return given

    @field_validator("enum")
    @classmethod
    def _each_choice_once(cls, choices: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if choices is not None and len({choice.casefold() for choice in choices}) < len(choices):
            raise ValueError("each value may be named once; capitals make no difference")
        return choices

    @field_validator("pattern")
    @classmethod
    def _a_pattern(cls, pattern: str | None, info: ValidationInfo) -> str | None:
        if pattern is None:
            return None
        try:
            matcher = matching(pattern)
        except SchemaError:
            raise ValueError(
                "expected a regular expression without look-around and back-references (^[0-9]{4}$)"
            ) from None
        for choice in info.data.get("enum") or ():
            if not _matches(matcher, choice):
                raise ValueError(f"{choice!r} of `enum` does not match it: no value could ever be right")
        return pattern

    @property
    def is_list(self) -> bool:
        """Whether it has any number of values: never complete (S2)."""
        return self.type.startswith("list[")

    @property
    def is_scalar(self) -> bool:
        """Whether it has one value."""
        return not self.is_list

    @property
    def item_type(self) -> str:
        """The kind of one value: of a list, the kind of its items."""
        return self.type.removeprefix("list[").removesuffix("]")

    def allows(self, text: str) -> bool:
        """Whether *text* is among `enum` and matches `pattern`."""
        if self.enum is not None and text not in self.enum:
            return False
        return self.pattern is None or _matches(matching(self.pattern), text)


def matching(pattern: str) -> TypeAdapter[str]:
    """A matcher in linear time, whatever the pattern: a manifest is no place from which to hang a run.

    Raises SchemaError for what it does not know.
    """
    return TypeAdapter(Annotated[str, StringConstraints(strict=True, pattern=pattern)])


def _matches(matcher: TypeAdapter[str], text: str) -> bool:
    try:
        matcher.validate_python(text)
    except ValueError:
        return False
    return True
