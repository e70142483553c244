"""The fields of an envelope, in the order in which they are written.

The first fields of each section are the specification's; what this program adds comes after them, and may be absent.
Readers must ignore keys that they do not know: later versions only ever add optional ones.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from rori_spiders.envelope.part import Count, Part, Sha256, optional
from rori_spiders.envelope.processing import ProcessingPart  # noqa: TC001  # pydantic reads annotations when it runs

Uuid = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]
Timestamp = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$")]


class SourcePart(Part):
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


class ScrapePart(Part):
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


class ContentPart(Part):
    """The text, and what it was made from."""

    format: Literal["markdown", "html", "pdf_text", "raw"] = Field(description="What `body` is.")
    body: str = Field(description="The text. Empty when the page is deleted.")
    body_html: str | None = Field(description="The response as text, as received; null for a PDF.")
    body_length_chars: Count = Field(description="Length of `body` in characters (Unicode code points).")
    body_length_tokens_approx: Count = Field(description="Rough count of tokens: a quarter of the characters.")
    language: str | None = Field(description="Language of the page: as it declares it, else as it is written.")
    encoding: str | None = Field(description="The character set that the response was decoded from.")
    raw_object: str | None = optional("Path, inside the staging area, of the gzipped bytes as received.")
    language_source: Literal["document", "text"] | None = optional(
        "Whether the document declares `language`, or its text is written in it."
    )


class SectionHash(Part):
    """The hash of one section of `content.body`, in the order of `processing.outline`."""

    path: str = Field(description="The section's name: the headings that lead to it.")
    hash: Sha256 = Field(description="SHA-256 of the UTF-8 bytes of the section's text.")


class IntegrityPart(Part):
    """What proves the text, and says whether it changed."""

    content_hash: Sha256 = Field(description="SHA-256 of the UTF-8 bytes of `content.body`.")
    html_hash: Sha256 | None = Field(description="SHA-256 of the UTF-8 bytes of `content.body_html`.")
    previous_content_hash: Sha256 | None = Field(description="The page's last content hash; null at the first time.")
    content_changed: bool = Field(description="Whether the text differs from the last one. Always true when staged.")
    change_type: Literal["new", "modified", "unchanged", "deleted"] = Field(description="What happened to the page.")
    raw_hash: Sha256 | None = optional("SHA-256 of the bytes as received, which `content.raw_object` holds.")
    converter_version: str | None = optional("Version of the conversion that made `content.body`.")
    section_hashes: list[SectionHash] | None = optional("The hash of each section of `content.body`, in order.")


class UsageSignal(Part):
    """What the publisher asks of those who use the page."""

    signal: str = Field(description="Its name: noindex, noarchive, noai, content-signal, tdm-reservation, ...")
    value: str | None = Field(description="Its value as written; null for a bare word such as noai.")
    source: Literal["robots.txt", "header", "meta"] = Field(description="Where it stands.")


class DateSources(Part):
    """What the dates of a page were read from."""

    published_date: str | None = optional("What `published_date` was read from.")
    modified_date: str | None = optional("What `modified_date` was read from.")


class DoubtedDate(Part):
    """A date that the page gives and that is not believed."""

    field: Literal["published_date", "modified_date"] = Field(description="The field that it would be.")
    date: str = Field(description="The date, YYYY-MM-DD.")
    source: str = Field(description="What it was read from.")
    doubt: Literal["future", "before_1900"] = Field(description="Why it is not believed.")


class PageMetadataPart(Part):
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
    x_robots_tag: str | None = optional("Its X-Robots-Tag headers as received, each on a line, for whatever robot.")
    usage_signals: list[UsageSignal] | None = optional(
        "What the publisher asks of those who use the page, as far as it is meant for us."
    )
    categories: list[str] | None = optional("The categories that its wiki shows it in.")
    revision_id: Count | None = optional("The revision of a wiki's page that `content.body` was made from.")
    disambiguation: bool | None = optional("True: a wiki's page that only tells apart what its title may mean.")
    date_sources: DateSources | None = optional("What `published_date` and `modified_date` were read from.")
    doubted_dates: list[DoubtedDate] | None = optional("Dates that the page gives and that are not believed.")


class AuditPart(Part):
    """Which run made this envelope."""

    scrape_run_id: Uuid = Field(description="Id of the run.")
    scheduler_job_id: Uuid = Field(description="Id of the job that performed the run.")
    operator: Literal["system", "manual"] = Field(description="manual: started by a person.")
    environment: Literal["production", "staging", "development"] = Field(description="RORI_ENVIRONMENT of the job.")


class Envelope(Part):
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
