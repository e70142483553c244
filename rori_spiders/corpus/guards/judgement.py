"""What the guards say of a cleaned text: every refusal with its place in both texts, what was removed, and figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Why a cleaned text is refused: code -> what it means.
CODES = {
    "words_changed": "words of a block differ",
    "number_changed": "a number differs",
    "amount_changed": "an amount of money differs",
    "percentage_changed": "a percentage differs",
    "date_changed": "a date differs",
    "citation_changed": "a citation differs",
    "operative_changed": "a word that binds, permits or denies differs",
    "label_changed": "the label of a paragraph or item differs",
    "link_changed": "a link leads elsewhere, has other words, came or went",
    "markup_changed": "text was struck out, made code or HTML, or the reverse",
    "kind_changed": "a block became another kind of block",
    "moved": "a block stands elsewhere in the order",
    "added": "a block that the draft does not have",
    "heading_changed": "a heading says something that neither title nor heading path say",
    "heading_dropped": "a heading is gone, and what stands below it remains",
    "subject_changed": "a block stands below other headings than before",
    "nesting_changed": "a list item stands below another item than before",
    "table_changed": "a table's header, rows or cells differ, or are told otherwise",
    "lead_dropped": "a line that leads to a list or table is gone, and these remain",
    "removed_number": "what was removed holds a number, a date or an amount",
    "removed_citation": "what was removed holds a citation",
    "removed_negation": "what was removed denies or excepts something",
    "removed_obligation": "what was removed binds or permits",
    "removed_status": "what was removed says whether something is in force",
    "removed_definition": "what was removed defines a term, or holds a defined one",
    "removed_document": "what was removed leads to a document",
    "removed_substance": "what was removed is no boilerplate",
    "removed_source": "the address of the source is gone",
    "too_much_removed": "more than half of the words are gone",
    "too_long": "the text is far longer than the draft",
    "figures_differ": "numbers, words of denial or addresses, counted over the whole text, differ",
    "hidden_text": "text that no reader sees: comments, front matter, invisible characters",
}


@dataclass(frozen=True, slots=True)
class Place:
    """``text[start:end]`` of the draft or the cleaned text, in characters; ``quote`` its first 200."""

    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason to refuse. ``code`` is one of CODES; ``says`` is for people."""

    code: str
    says: str
    draft: Place | None = None
    cleaned: Place | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """``refusals`` is empty for a text that passes. ``removed`` are blocks of the draft, for a person to look at."""

    refusals: tuple[Refusal, ...]
    removed: tuple[Place, ...] = ()
    figures: Mapping[str, int] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return not self.refusals
