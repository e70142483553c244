"""Hints for who cuts and embeds the text (S0 §5.2 ``processing``), each by the rule that its function states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rori_spiders.content.sections import outline

if TYPE_CHECKING:
    from rori_spiders.content.hidden import Hidden

ChunkStrategy = Literal["section_aware", "paragraph", "fixed_size"]
Complexity = Literal["simple", "medium", "complex"]

_TABLE = re.compile(r"^[ >]*\|(?: *:?-{3,}:? *\|)+ *$", re.MULTILINE)
_ITEM = re.compile(r"^([ >]*)(?:[-*+]|\d{1,9}[.)]) +\S", re.MULTILINE)
_FENCED = re.compile(r"^[ >]*(`{3,})[^\n`]*\n.*?^[ >]*\1[ ]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Hints:
    """S0's ``processing``, with how the main content was found and which volatile rules fired."""

    chunk_strategy: ChunkStrategy
    has_tables: bool
    has_lists: bool
    has_code_blocks: bool
    has_embedded_pdfs: bool
    complexity: Complexity
    cross_references: tuple[str, ...]
    extraction: dict[str, str | float]
    removed: tuple[str, ...]
    hidden: Hidden | None = None


class Shape:
    """What the markdown is made of, counted once; code blocks are counted, then left out of the rest."""

    def __init__(self, markdown: str) -> None:
        self.code_blocks = len(_FENCED.findall(markdown))
        plain = _FENCED.sub("", markdown)
        self.tables = len(_TABLE.findall(plain))
        depths = [len(indent.replace(">", "")) // 2 for indent in _ITEM.findall(plain)]
        self.items = len(depths)
        self.list_depth = max(depths) + 1 if depths else 0
        sections = [section for section in outline(markdown) if section.level]
        self.sections = len(sections)
        self.levels = len({section.level for section in sections})
        self.paragraphs = sum(
            1 for block in plain.split("\n\n") if block.strip() and not block.lstrip().startswith("#")
        )
        self.words = len(plain.split())


def chunk_strategy(shape: Shape) -> ChunkStrategy:
    """``section_aware`` from two headings on; else ``paragraph`` from three blocks on; else ``fixed_size``."""
    if shape.sections >= 2:
        return "section_aware"
    return "paragraph" if shape.paragraphs >= 3 else "fixed_size"


def complexity(shape: Shape, cross_references: int) -> Complexity:
    """By points: one each for more than 1,500 and 6,000 words, for a table, for three tables, for a list two levels
    deep and four levels deep, for three levels of headings, for 5 and 25 cross-references.

    None or one: ``simple``. Two to four: ``medium``. Five or more: ``complex``.
    """
    points = sum(
        (
            shape.words > 1500,
            shape.words > 6000,
            shape.tables >= 1,
            shape.tables >= 3,
            shape.list_depth >= 2,
            shape.list_depth >= 4,
            shape.levels >= 3,
            cross_references >= 5,
            cross_references >= 25,
        )
    )
    return "simple" if points < 2 else "medium" if points < 5 else "complex"


def read_hints(
    markdown: str,
    *,
    embedded_pdfs: bool,
    cross_references: tuple[str, ...],
    extraction: dict[str, str | float],
    removed: tuple[str, ...],
    hidden: Hidden | None = None,
) -> Hints:
    """The hints of a page. Tables: a pipe table stands in the markdown; lists: an item; code: a fenced block."""
    shape = Shape(markdown)
    return Hints(
        chunk_strategy=chunk_strategy(shape),
        has_tables=shape.tables > 0,
        has_lists=shape.items > 0,
        has_code_blocks=shape.code_blocks > 0,
        has_embedded_pdfs=embedded_pdfs,
        complexity=complexity(shape, len(cross_references)),
        cross_references=cross_references,
        extraction=extraction,
        removed=removed,
        hidden=hidden,
    )
