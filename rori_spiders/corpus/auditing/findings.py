"""The findings of an audit and its report, ``reports/audit.json``.

``CODES`` is the table of codes: what each means for publishing, and the flag that a page gets. The same documents
give the same report; its JSON Schema is ``AuditReport.model_json_schema()``.
"""

from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["blocks", "review", "note"]
Gate = Literal["publishable", "needs_review", "excluded"]
Flag = Literal[
    "front_matter",
    "thin",
    "duplicate",
    "near_duplicate",
    "missing_h2",
    "structure",
    "pipe_table",
    "sensitive_marker",
    "contact_details",
    "form_or_error",
    "non_english",
    "boilerplate",
    "tombstone",
    "references",
]
Code = Literal[
    "not_a_document",
    "other_url",
    "other_doc_id",
    "other_run",
    "other_hash",
    "no_title",
    "no_description",
    "no_language",
    "other_language",
    "empty",
    "thin",
    "no_h1",
    "several_h1",
    "missing_h2",
    "lone_heading",
    "giant_section",
    "table_without_titles",
    "table_for_prose",
    "error_page",
    "form_page",
    "non_english",
    "credential",
    "social_security_number",
    "contact_details",
    "boilerplate_back",
    "boilerplate",
    "duplicate",
    "near_duplicate",
    "dangling_reference",
    "doc_id_twice",
    "page_twice",
    "tombstone_missing",
    "tombstone_of_page",
]


class Meaning(NamedTuple):
    """The meaning of a finding code."""

    flag: Flag
    severity: Severity
    means: str


CODES: dict[Code, Meaning] = {
    "not_a_document": Meaning("front_matter", "blocks", "the front matter cannot be read"),
    "other_url": Meaning("front_matter", "blocks", "`source_url` or `page_id` belongs to another page"),
    "other_doc_id": Meaning("front_matter", "blocks", "`doc_id` differs from the page's id"),
    "other_run": Meaning("front_matter", "blocks", "`run_id` names another run"),
    "other_hash": Meaning("front_matter", "blocks", "`content_hash` does not match the file"),
    "no_title": Meaning("front_matter", "review", "no title"),
    "no_description": Meaning("front_matter", "note", "no description"),
    "no_language": Meaning("front_matter", "note", "the language is unknown"),
    "other_language": Meaning("front_matter", "review", "the text's language differs from `language`"),
    "empty": Meaning("thin", "blocks", "no text except headings"),
    "thin": Meaning("thin", "review", "fewer than 200 characters of text"),
    "no_h1": Meaning("structure", "review", "no heading of level 1"),
    "several_h1": Meaning("structure", "review", "several headings of level 1"),
    "missing_h2": Meaning("missing_h2", "review", "chunks without a heading of level 2 or 3; a note up to 8 of them"),
    "lone_heading": Meaning("structure", "note", "headings without text, which fill a chunk alone"),
    "giant_section": Meaning("structure", "note", "a section of more than 8 chunks without a heading of level 1 to 3"),
    "table_without_titles": Meaning("pipe_table", "review", "a table without column titles"),
    "table_for_prose": Meaning("pipe_table", "note", "a table of two columns, of one row, or of sentences"),
    "error_page": Meaning("form_or_error", "blocks", "an error page, a block page or a shell; `review` by one rule"),
    "form_page": Meaning("form_or_error", "review", "most of the text is form labels"),
    "non_english": Meaning("non_english", "review", "the text is not in English"),
    "credential": Meaning("sensitive_marker", "blocks", "a credential: a key, a token or a password"),
    "social_security_number": Meaning("sensitive_marker", "blocks", "a possible social security number"),
    "contact_details": Meaning("contact_details", "note", "e-mail addresses and telephone numbers"),
    "boilerplate_back": Meaning("boilerplate", "review", "text that cleaning removed on other pages of its host"),
    "boilerplate": Meaning("boilerplate", "note", "sentences that occur in many documents"),
    "duplicate": Meaning("duplicate", "blocks", "another document has the same text and is published instead"),
    "near_duplicate": Meaning("near_duplicate", "review", "another document has nearly the same text and facts"),
    "dangling_reference": Meaning("references", "note", "a citation of a paragraph or section that its text has not"),
    "doc_id_twice": Meaning("front_matter", "blocks", "two documents of the set have the same `doc_id`"),
    "page_twice": Meaning("front_matter", "blocks", "two documents of the set belong to the same page"),
    "tombstone_missing": Meaning("tombstone", "blocks", "a published page is missing, without a tombstone"),
    "tombstone_of_page": Meaning("tombstone", "blocks", "a tombstone for a page that is published"),
}  # fmt: skip


class Finding(BaseModel):
    """A finding with its location: "line 12" of the file, a key of the front matter, or "" for the document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: Code
    severity: Severity
    where: str
    says: str

    @property
    def flag(self) -> Flag:
        return CODES[self.code].flag


def make_finding(code: Code, where: str | int, says: str, severity: Severity | None = None) -> Finding:
    """Create a finding of *code*, with the table's severity by default. *where*: a line number, or words."""
    place = f"line {where}" if isinstance(where, int) else where
    return Finding(code=code, severity=severity or CODES[code].severity, where=place, says=says)


def gate_for(findings: list[Finding]) -> Gate:
    """Return the gate of a page: a blocking finding excludes it, a review finding holds it for a person."""
    severities = {one.severity for one in findings}
    if "blocks" in severities:
        return "excluded"
    return "needs_review" if "review" in severities else "publishable"


def flags_for(findings: list[Finding]) -> list[Flag]:
    """Return the distinct flags of a page, in the order of the table."""
    raised = {one.flag for one in findings}
    return [flag for flag in dict.fromkeys(meaning.flag for meaning in CODES.values()) if flag in raised]


# The report: findings by page and of the set, and the gates.


class _ReportModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Chunking(_ReportModel):
    """Figures of the loader's chunks."""

    chunks: int
    tokens: int = Field(description="Tokens of all chunks, overlaps included")
    largest: int = Field(description="Tokens of the largest chunk")


class PageReport(_ReportModel):
    """One document."""

    page_id: str
    doc_id: str
    url: str
    gate: Gate
    flags: list[Flag]
    chunking: Chunking
    findings: list[Finding]


class Totals(_ReportModel):
    """Numbers of pages, in all and by gate, flag and code; zeros are omitted."""

    pages: int
    chunks: int
    tokens: int
    gates: dict[Gate, int]
    flags: dict[Flag, int]
    codes: dict[Code, int]


class AuditReport(_ReportModel):
    """The whole report, with pages by URL.

    ``gate`` of the set: `publishable` when every page that is not excluded is; `needs_review` when one of them is for a
    person; `excluded` when something of the set itself blocks, or no page is left: no version can be made of it.
    """

    form: Literal[1] = 1
    domain: str
    run_id: str
    gate: Gate
    totals: Totals
    findings: list[Finding] = Field(description="Findings of the set as a whole")
    pages: list[PageReport]
