"""The envelope's ``processing``: hints for whoever splits and indexes the text, and the places of what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from rori_spiders.envelope.part import Count, Part, optional

if TYPE_CHECKING:
    from rori_spiders.content.convert import Converted

#: Citations and sections of one page, at most: an entry takes some 300 bytes where its citation takes 15. The largest
#: real document (a Federal Register issue, 1.8 MB) has 2,800; the rest is counted in ``omitted``.
MOST_PLACES = 10_000


class Extraction(Part):
    """How the main text was found in the page."""

    way: str = Field(description="Name of the way that won.")
    kept_share: float = Field(description="Share of the page's visible characters that `content.body` keeps, 0 to 1.")


class HiddenText(Part):
    """Text of the page that it does not show, and that `content.body` leaves out."""

    elements: Count = Field(description="How many elements of the page hide text.")
    chars: Count = Field(description="How many characters they hide.")
    begins: str = Field(description="The first words of the longest.")


class CitationPlace(Part):
    """A citation where it stands in the text."""

    start: Count = Field(description="Offset of its first character in `content.body`.")
    end: Count = Field(description="Offset behind its last character.")
    kind: str = Field(description="cfr, usc, fr, publ, relative, ...")
    canonical: str = Field(description="Its one spelling, as in `cross_references`.")
    target: str | None = Field(description="Where the publisher keeps what is cited; null where nothing follows.")


class OutlinePart(Part):
    """A section of the text: a heading with what follows up to the next one."""

    path: str = Field(description="Its name: the headings that lead to it, joined by ' > '.")
    level: Count = Field(description="1 to 6; 0 for what stands before the first heading.")
    anchor: str | None = Field(description="The id by which the page's address leads to it.")
    start: Count = Field(description="Offset of its first character in `content.body`.")
    end: Count = Field(description="Offset behind its last character.")


class Omitted(Part):
    """What is too much to list."""

    citations: Count = Field(description="Citations behind the last one listed.")
    outline: Count = Field(description="Sections behind the last one listed.")


class ProcessingPart(Part):
    """Hints for whoever splits and indexes the text."""

    suggested_chunk_strategy: Literal["section_aware", "paragraph", "fixed_size"] = Field(
        description="How to split `content.body`."
    )
    has_tables: bool = Field(description="Whether the text holds tables.")
    has_lists: bool = Field(description="Whether the text holds lists.")
    has_code_blocks: bool = Field(description="Whether the text holds code blocks.")
    has_embedded_pdfs: bool = Field(description="Whether the page embeds PDFs.")
    cross_references: list[str] = Field(description="Citations of other law found in the text.")
    estimated_complexity: Literal["simple", "medium", "complex"] = Field(description="How hard the text is to split.")
    extraction: Extraction | None = optional("How the main text was found.")
    removed: list[str] | None = optional("Rules that removed furniture such as clocks before hashing.")
    hidden_text: HiddenText | None = optional("What the page hides from its readers, and the text leaves out.")
    outline: list[OutlinePart] | None = optional(
        "The sections of `content.body`, in order; together they are all of it."
    )
    citations: list[CitationPlace] | None = optional("Each citation in `content.body`, in order.")
    omitted: Omitted | None = optional("How many citations and sections are too many to list.")


def processing(converted: Converted) -> dict[str, Any]:
    """The section of a page with text."""
    hints = converted.hints
    return {
        "suggested_chunk_strategy": hints.chunk_strategy,
        "has_tables": hints.has_tables,
        "has_lists": hints.has_lists,
        "has_code_blocks": hints.has_code_blocks,
        "has_embedded_pdfs": hints.has_embedded_pdfs,
        "cross_references": list(hints.cross_references),
        "estimated_complexity": hints.complexity,
        "extraction": hints.extraction,
        "removed": list(hints.removed),
        "hidden_text": hints.hidden._asdict() if hints.hidden else None,
        "outline": [_section(part._asdict()) for part in converted.outline[:MOST_PLACES]],
        "citations": [citation._asdict() for citation in converted.citations[:MOST_PLACES]],
        "omitted": _omitted(len(converted.citations), len(converted.outline)),
    }


def nothing_to_split() -> dict[str, Any]:
    """The section of a page that is gone."""
    absent = dict.fromkeys(("has_tables", "has_lists", "has_code_blocks", "has_embedded_pdfs"), False)
    return {
        "suggested_chunk_strategy": "paragraph",
        **absent,
        "cross_references": [],
        "estimated_complexity": "simple",
    }


def _section(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name != "hash"}  # which stands in ``integrity``


def _omitted(citations: int, sections: int) -> dict[str, int] | None:
    over = {"citations": max(0, citations - MOST_PLACES), "outline": max(0, sections - MOST_PLACES)}
    return over if any(over.values()) else None
