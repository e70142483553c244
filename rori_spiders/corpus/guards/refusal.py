"""Why a cleaned text is refused: the codes, and where in both texts."""

from dataclasses import dataclass

#: Codes of refusals and their meanings.
CODES = {
    "words_changed": "words of a block differ",
    "number_changed": "a number differs",
    "amount_changed": "an amount of money differs",
    "percentage_changed": "a percentage differs",
    "date_changed": "a date differs",
    "citation_changed": "a citation differs",
    "operative_changed": "a word of obligation, permission or denial differs",
    "label_changed": "the label of a paragraph or item differs",
    "link_changed": "a link was added, removed, retargeted or reworded",
    "markup_changed": "strike-through, code or HTML was added or removed",
    "kind_changed": "the kind of a block changed",
    "moved": "a block was moved",
    "added": "a block is not in the draft",
    "heading_changed": "a heading has words that are neither in the title nor in the heading path",
    "heading_dropped": "a heading was removed, but not the text below it",
    "subject_changed": "a block is below different headings",
    "nesting_changed": "a list item is below a different item",
    "table_changed": "a table's header, rows or cells differ",
    "lead_dropped": "the line that introduces a list or table was removed, but not the list or table",
    "removed_number": "the removed text has a number, a date or an amount",
    "removed_citation": "the removed text has a citation",
    "removed_negation": "the removed text has a denial or an exception",
    "removed_obligation": "the removed text has an obligation or a permission",
    "removed_status": "the removed text states whether something is in effect",
    "removed_definition": "the removed text defines a term or has a defined one",
    "removed_document": "the removed text links to a document",
    "removed_substance": "the removed text is not boilerplate",
    "removed_source": "the URL of the source was removed",
    "too_much_removed": "more than half of the words were removed",
    "too_long": "the text is much longer than the draft",
    "figures_differ": "the counts of numbers, words of denial or URLs in the whole text differ",
    "hidden_text": "hidden text: comments, front matter or invisible characters",
}


@dataclass(frozen=True, slots=True)
class Place:
    """``text[start:end]`` of the draft or the cleaned text, in characters; ``quote`` its first 200."""

    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason to refuse a cleaned text. ``code``: one of CODES; ``says``: a sentence for people."""

    code: str
    says: str
    draft: Place | None = None
    cleaned: Place | None = None
