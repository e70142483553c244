"""What differs between two versions of a page: the form that ``scrapy diff --format json`` gives (docs/commands.md)."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads annotations when it runs
from typing import Literal

from pydantic import ConfigDict, Field

from rori_spiders.content.differences.difference import (
    ChangeKind,
    MarkKind,
    Op,
    SectionKind,
)
from rori_spiders.monitor.answers.base import Answer

#: A text as runs of (op, text): kept, deleted, inserted.
Words = list[tuple[Op, str]]


class _Between(Answer):
    model_config = ConfigDict(frozen=True, from_attributes=True, populate_by_name=True)


class DifferenceVersion(Answer):
    """One of the two versions."""

    url: str
    version: int = Field(description="Its number at this address.")
    version_id: str
    captured_at: datetime
    change_type: Literal["new", "modified", "deleted"]
    content_hash: str
    converter_version: str
    tier: str
    run_id: str


class MarkOf(Answer):
    """A figure, date, citation, operative word or link target that changed; null on the side that has none."""

    kind: MarkKind
    old: str | None
    new: str | None


class PlaceOf(Answer):
    """Where a block stands: its section's heading path, and the how-manieth block of it, from 1."""

    path: str
    number: int


class CellOf(Answer):
    """A cell of a table row that changed."""

    row: str = Field(description="First cell of its row.")
    column: str = Field(description="Title of its column, or `column 3`.")
    words: Words
    marks: list[MarkOf]


class ChangeOf(_Between):
    """A block that changed: a heading, paragraph, list item, table row or line of code."""

    change: ChangeKind
    what: str
    old: PlaceOf | None = Field(alias="from")
    new: PlaceOf | None = Field(alias="to")
    words: Words
    cells: list[CellOf]
    marks: list[MarkOf]
    note: str | None = Field(description="What differs though no reader sees it.")
    coarse: str | None = Field(description="How it was compared, where that was less than word by word.")
    blocks: int = Field(description="How many moved together.")


class SectionOf(Answer):
    """A section with what changed in it."""

    change: SectionKind
    path: str = Field(description="Its heading path; the old one where it was removed.")
    path_before: str | None
    stood_after: str | None = Field(
        description="Of one that moved: the section before it then; empty at the beginning."
    )
    stands_after: str | None
    sections: int = Field(description="How many moved with it.")
    changes: list[ChangeOf] = Field(description="Empty where only hashes were compared: a note says so.")


class DifferenceSummary(Answer):
    """The difference in one sentence, and counted."""

    text: str
    sections: dict[str, int]
    marks: dict[str, dict[str, int]]


class DifferenceOf(_Between):
    """All that differs, in the order of the new text."""

    source: str
    url: str
    old: DifferenceVersion = Field(alias="from")
    new: DifferenceVersion = Field(alias="to")
    notes: list[str] = Field(description="What must be known to read it: other converters, a coarse comparison, ...")
    summary: DifferenceSummary
    sections: list[SectionOf]
