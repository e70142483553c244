"""What was drawn: values with their proofs, conflicts, and what was answered but not proven. Frozen models."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Kept(BaseModel):
    """Base of what a record holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class AskedOnce(Kept):
    """What a model is asked for once: under ``key``, and never again where it did not fail."""

    key: str

    @property
    def failed(self) -> bool:
        """Whether it is no answer, and to be asked for again."""
        return False


class Proof(Kept):
    """Where a value stands: ``quote`` is the page's own text, ``body[start:end]``, offsets in characters.

    ``heading_path`` is the path of headings that leads there, as in the ledger's sections ("A > B"); ``occurrences``
    counts how often the same words stand in the part of the page that was asked about: with more than one, the first
    is meant. ``url`` and ``content_hash`` name the page, once it is known.
    """

    quote: str
    start: int
    end: int
    heading_path: str
    occurrences: int = 1
    url: str | None = None
    content_hash: str | None = None


class Found(Kept):
    """A value of a field (of a list: one item), and what it rests on."""

    field: str
    value: Any
    proof: Proof


class Conflict(Kept):
    """Another value for a field that has one: both with their proofs. The first stays."""

    field: str
    kept: Found
    other: Found


class Unsupported(Kept):
    """What was answered and is no value: as it was answered, with the word for why (docs/fields.md) and a sentence."""

    field: str
    value: Any
    quote: str | None
    reason: str
    says: str
    url: str | None = None


class Record(Kept):
    """Everything about a schema's fields: of a part of a page, of a page, or of many merged."""

    found: tuple[Found, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()
