"""The envelope as pydantic models, in the order in which fields are written; its bytes, and its JSON Schema.

Names of classes are part of the schema (`$defs`): they do not change.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

if TYPE_CHECKING:
    from rori_spiders.content.convert import Converted


Sha256 = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]


class StrictModel(BaseModel):
    """A section of an envelope, or a part of one. Unknown keys are those of later versions."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


def optional_field(description: str) -> Any:
    """An addition of ours: left out of the file when there is nothing to say."""
    return Field(default=None, description=description, exclude_if=lambda value: value is None)


# The envelope's ``processing``: hints for splitting and indexing the text, and the places of what is in it.

#: Citations and sections of one page, at most: an entry takes some 300 bytes where its citation takes 15. The largest
#: real document (a Federal Register issue, 1.8 MB) has 2,800; the rest is counted in ``omitted``.
MAX_PLACES = 10_000


class Extraction(StrictModel):
    """How the main text was found in the page."""

    way: str = Field(description="Name of the way that won.")
    kept_share: float = Field(description="Share of the page's visible characters that `content.body` keeps, 0 to 1.")


class HiddenText(StrictModel):
    """Text of the page that it does not show, and that `content.body` leaves out."""

    elements: Count = Field(description="How many elements of the page hide text.")
    chars: Count = Field(description="How many characters they hide.")
    begins: str = Field(description="The first words of the longest.")


class OcrPage(StrictModel):
    """A page of a PDF that the collector's own OCR read."""

    page: Count = Field(description="Its number.")
    confidence: float = Field(description="Mean confidence of its words, 0 to 1, as the OCR program gives it.")


class CitationPlace(StrictModel):
    """A citation where it stands in the text."""

    start: Count = Field(description="Offset of its first character in `content.body`.")
    end: Count = Field(description="Offset behind its last character.")
    kind: str = Field(description="cfr, usc, fr, publ, relative, ...")
    canonical: str = Field(description="Its one spelling, as in `cross_references`.")
    target: str | None = Field(description="Where the publisher keeps what is cited; null where nothing follows.")


class OutlinePart(StrictModel):
    """A section of the text: a heading with what follows up to the next one."""

    path: str = Field(description="Its name: the headings that lead to it, joined by ' > '.")
    level: Count = Field(description="1 to 6; 0 for what stands before the first heading.")
    anchor: str | None = Field(description="The id by which the page's address leads to it.")
    start: Count = Field(description="Offset of its first character in `content.body`.")
    end: Count = Field(description="Offset behind its last character.")


class Omitted(StrictModel):
    """What is too much to list."""

    citations: Count = Field(description="Citations behind the last one listed.")
    outline: Count = Field(description="Sections behind the last one listed.")


class ProcessingPart(StrictModel):
    """Hints for splitting and indexing the text."""

    suggested_chunk_strategy: Literal["section_aware", "paragraph", "fixed_size"] = Field(
        description="How to split `content.body`."
    )
    has_tables: bool = Field(description="Whether the text holds tables.")
    has_lists: bool = Field(description="Whether the text holds lists.")
    has_code_blocks: bool = Field(description="Whether the text holds code blocks.")
    has_embedded_pdfs: bool = Field(description="Whether the page embeds PDFs.")
    cross_references: list[str] = Field(description="Citations of other law found in the text.")
    estimated_complexity: Literal["simple", "medium", "complex"] = Field(description="How hard the text is to split.")
    extraction: Extraction | None = optional_field("How the main text was found.")
    removed: list[str] | None = optional_field("Rules that removed boilerplate such as clocks before hashing.")
    hidden_text: HiddenText | None = optional_field("What the page hides from its readers, and the text leaves out.")
    unread_pages: list[Count] | None = optional_field(
        "Pages of a PDF that are pictures, with no text but a stamp: what they say is not in `content.body`."
    )
    recognised_pages: list[Count] | None = optional_field(
        "Pages of a PDF whose text an OCR program put under a picture: it may hold errors."
    )
    ocr_pages: list[OcrPage] | None = optional_field(
        "Pages of a PDF that are pictures and that the collector's OCR read: their words and digits may be wrong."
    )
    outline: list[OutlinePart] | None = optional_field(
        "The sections of `content.body`, in order; together they are all of it."
    )
    citations: list[CitationPlace] | None = optional_field("Each citation in `content.body`, in order.")
    omitted: Omitted | None = optional_field("How many citations and sections are too many to list.")


def build_processing(converted: Converted) -> dict[str, Any]:
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
        "unread_pages": list(hints.unread_pages) or None,
        "recognised_pages": list(hints.recognised_pages) or None,
        "ocr_pages": [{"page": page, "confidence": sure} for page, sure in hints.ocr_pages] or None,
        "outline": [
            {name: value for name, value in part._asdict().items() if name != "hash"}  # which stands in ``integrity``
            for part in converted.outline[:MAX_PLACES]
        ],
        "citations": [citation._asdict() for citation in converted.citations[:MAX_PLACES]],
        "omitted": _count_omitted(len(converted.citations), len(converted.outline)),
    }


def empty_processing() -> dict[str, Any]:
    """The section of a page that is gone."""
    absent = dict.fromkeys(("has_tables", "has_lists", "has_code_blocks", "has_embedded_pdfs"), False)
    return {
        "suggested_chunk_strategy": "paragraph",
        **absent,
        "cross_references": [],
        "estimated_complexity": "simple",
    }


def _count_omitted(citations: int, sections: int) -> dict[str, int] | None:
    over = {"citations": max(0, citations - MAX_PLACES), "outline": max(0, sections - MAX_PLACES)}
    return over if any(over.values()) else None


# The fields of an envelope, in the order in which they are written. The first fields of each section are the
# specification's; what this program adds comes after them, and may be absent. Readers must ignore keys that they do
# not know: later versions only ever add optional ones.

Uuid = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]
Timestamp = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$")]


class SourcePart(StrictModel):
    """Where the page comes from."""

    manifest_id: str = Field(description="Id of the source in the manifest.")
    manifest_version: str = Field(description="Version of the manifest that this run used.")
    url: str = Field(description="The page's own URL, in its one spelling.")
    domain: str = Field(description="The source's domain, as in the manifest.")
    canonical_url: str | None = Field(description="The URL that the page declares as canonical.")
    regulatory_domain: str | None = Field(description="Field of regulation, e.g. RESPA; from the manifest.")
    citation: str | None = Field(description="Citation of the source; from the manifest.")
    jurisdiction: str = Field(description="federal, national, state:XX or local:...; from the manifest.")
    source_type: str = Field(description="regulation, guidance, guide, ...; from the manifest.")
    agency: str | None = Field(description="The publisher; from the manifest.")


class ScrapePart(StrictModel):
    """How the page was fetched, by the tier that won."""

    timestamp: Timestamp = Field(description="When the page was fetched, UTC.")
    engine: str = Field(description="The tier that fetched it: official, mediawiki, http, browser, or a provider.")
    engine_version: str = Field(description="Version of the software behind the tier.")
    method: Literal["scrape", "crawl"] = Field(description="scrape: one page; crawl: a site or a wiki.")
    http_status: int | None = Field(description="Status of the final response.")
    response_time_ms: Count = Field(description="Milliseconds from request to the whole response.")
    retry_count: Count = Field(description="Tries of the winning tier before the one that succeeded.")
    credits_consumed: Count = Field(description="Credits that the tier charged; 0 for tiers that are free.")
    parent_crawl_id: Uuid | None = Field(description="The run's id for a crawl, null for a single page.")


class ContentPart(StrictModel):
    """The text, and what it was made from."""

    format: Literal["markdown", "html", "pdf_text", "raw"] = Field(description="What `body` is.")
    body: str = Field(description="The text. Empty when the page is deleted.")
    body_html: str | None = Field(description="The response as text, as received; null for a PDF.")
    body_length_chars: Count = Field(description="Length of `body` in characters (Unicode code points).")
    body_length_tokens_approx: Count = Field(description="Rough count of tokens: a quarter of the characters.")
    language: str | None = Field(description="Language of the page: as it declares it, else as it is written.")
    encoding: str | None = Field(description="The character set that the response was decoded from.")
    raw_object: str | None = optional_field("Path, inside the staging area, of the gzipped bytes as received.")
    screenshot_object: str | None = optional_field(
        "Path, inside the staging area, of the gzipped picture (JPEG) of the page as the browser read it."
    )
    language_source: Literal["document", "text"] | None = optional_field(
        "Whether the document declares `language`, or its text is written in it."
    )


class SectionHash(StrictModel):
    """The hash of one section of `content.body`, in the order of `processing.outline`."""

    path: str = Field(description="The section's name: the headings that lead to it.")
    hash: Sha256 = Field(description="SHA-256 of the UTF-8 bytes of the section's text.")


class IntegrityPart(StrictModel):
    """What proves the text, and says whether it changed."""

    content_hash: Sha256 = Field(description="SHA-256 of the UTF-8 bytes of `content.body`.")
    html_hash: Sha256 | None = Field(description="SHA-256 of the UTF-8 bytes of `content.body_html`.")
    previous_content_hash: Sha256 | None = Field(description="The page's last content hash; null at the first time.")
    content_changed: bool = Field(description="Whether the text differs from the last one. Always true when staged.")
    change_type: Literal["new", "modified", "unchanged", "deleted"] = Field(description="What happened to the page.")
    raw_hash: Sha256 | None = optional_field("SHA-256 of the bytes as received, which `content.raw_object` holds.")
    screenshot_hash: Sha256 | None = optional_field(
        "SHA-256 of the picture of the page, which `content.screenshot_object` holds."
    )
    converter_version: str | None = optional_field("Version of the conversion that made `content.body`.")
    section_hashes: list[SectionHash] | None = optional_field("The hash of each section of `content.body`, in order.")


class UsageSignal(StrictModel):
    """What the publisher asks of those who use the page."""

    signal: str = Field(description="Its name: noindex, noarchive, noai, content-signal, tdm-reservation, ...")
    value: str | None = Field(description="Its value as written; null for a bare word such as noai.")
    source: Literal["robots.txt", "header", "meta"] = Field(description="Where it stands.")


class DateSources(StrictModel):
    """What the dates of a page were read from."""

    published_date: str | None = optional_field("What `published_date` was read from.")
    modified_date: str | None = optional_field("What `modified_date` was read from.")


class DoubtedDate(StrictModel):
    """A date that the page gives and that is not believed."""

    field: Literal["published_date", "modified_date"] = Field(description="The field that it would be.")
    date: str = Field(description="The date, YYYY-MM-DD.")
    source: str = Field(description="What it was read from.")
    doubt: Literal["future", "before_1900"] = Field(description="Why it is not believed.")


class PageMetadataPart(StrictModel):
    """What the page says of itself."""

    title: str | None = Field(description="Title of the page.")
    description: str | None = Field(description="Its meta description.")
    keywords: list[str] = Field(description="Its meta keywords.")
    author: str | None = Field(description="Its author.")
    published_date: str | None = Field(description="When the publisher says it was published.")
    modified_date: str | None = Field(description="When the publisher says it was last changed.")
    og_title: str | None = Field(description="OpenGraph title.")
    og_description: str | None = Field(description="OpenGraph description.")
    og_image: str | None = Field(description="OpenGraph image.")
    robots: str | None = Field(description="Its robots meta element.")
    links_outbound: list[str] = Field(description="Absolute links to other hosts.")
    links_internal: list[str] = Field(description="Links to the same host, from its root.")
    x_robots_tag: str | None = optional_field(
        "Its X-Robots-Tag headers as received, each on a line, for whatever robot."
    )
    usage_signals: list[UsageSignal] | None = optional_field(
        "What the publisher asks of those who use the page, as far as it is meant for us."
    )
    categories: list[str] | None = optional_field("The categories that its wiki shows it in.")
    revision_id: Count | None = optional_field("The revision of a wiki's page that `content.body` was made from.")
    disambiguation: bool | None = optional_field("True: a wiki's page that only tells apart what its title may mean.")
    citation: str | None = optional_field("How its publisher cites it: `12 CFR 1024.5`, `79 FR 65299`.")
    effective_date: str | None = optional_field("When it takes or took effect, by its publisher's API.")
    issue_date: str | None = optional_field("The issue of the eCFR that brought this text.")
    document_number: str | None = optional_field("Its number in the Federal Register.")
    document_type: str | None = optional_field("Rule, Proposed Rule, Notice or Presidential Document.")
    agencies: list[str] | None = optional_field("The agencies that published it.")
    cfr_references: list[str] | None = optional_field("The parts of the CFR that it touches.")
    docket_ids: list[str] | None = optional_field("Its dockets.")
    corrects: str | None = optional_field("The number of the document that it corrects.")
    date_sources: DateSources | None = optional_field("What `published_date` and `modified_date` were read from.")
    doubted_dates: list[DoubtedDate] | None = optional_field("Dates that the page gives and that are not believed.")


class AuditPart(StrictModel):
    """Which run made this envelope."""

    scrape_run_id: Uuid = Field(description="Id of the run.")
    scheduler_job_id: Uuid = Field(description="Id of the job that performed the run.")
    operator: Literal["system", "manual"] = Field(description="manual: started by a person.")
    environment: Literal["production", "staging", "development"] = Field(description="RORI_ENVIRONMENT of the job.")


class Envelope(StrictModel):
    """One changed page, with everything that is needed to use it and to prove where it came from."""

    envelope_id: Uuid = Field(description="Unique id of this envelope (uuid4).")
    envelope_version: Literal["1.0"] = Field(description="Version of this format.")
    source: SourcePart
    scrape: ScrapePart
    content: ContentPart
    integrity: IntegrityPart
    page_metadata: PageMetadataPart
    processing: ProcessingPart
    audit: AuditPart


# Envelopes as bytes, and back: the same envelope always gives the same bytes.


_ENVELOPE = TypeAdapter(Envelope)


def render_envelope(envelope: Envelope) -> bytes:
    """UTF-8 JSON, two spaces of indentation, keys in the order of the model, one newline at the end."""
    return _ENVELOPE.dump_json(envelope, indent=2) + b"\n"  # as bytes at once: `model_dump_json` makes two more copies


def parse_envelope(data: bytes) -> Envelope:
    """The envelope of a file. Raises pydantic's ValidationError (a ValueError) for what is not one."""
    return Envelope.model_validate_json(data)


# The JSON Schema of the envelope, exported from its models, for readers in other languages.

SCHEMA_ID = "https://rori.dev/schemas/envelope-v1.json"


def envelope_json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one envelope. Unknown keys are allowed: later versions may add some."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **Envelope.model_json_schema(),
    }


def render_schema() -> str:
    """The text of ``docs/reference/envelope.schema.json``."""
    return json.dumps(envelope_json_schema(), indent=2, ensure_ascii=False) + "\n"
