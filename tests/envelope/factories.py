"""What the tests of envelopes and stores put in: a source, an answer, a converted page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from rori_spiders.content.chunking import Cited, Hints, parts_of
from rori_spiders.content.convert import Converted
from rori_spiders.content.html.hidden import Hidden
from rori_spiders.content.metadata.dates import Dated
from rori_spiders.content.metadata.html_metadata import PageMetadata
from rori_spiders.items import Change, Fetched, FrontierUrl
from rori_spiders.manifest.models import Source

if TYPE_CHECKING:
    from rori_spiders.crawl.envelope import Origin

RUN = "11111111-1111-4111-8111-111111111111"
JOB = "33333333-3333-4333-8333-333333333333"
NOON = datetime(2026, 2, 13, 12, 0, 30, 123456, tzinfo=UTC)
TITLE = "§ 1024.5 Coverage of RESPA"
ECFR = "https://www.ecfr.gov/current/title-12/"
SITE = "https://www.consumerfinance.gov/rules-policy/regulations/1024/"


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def an_id(number: int) -> str:
    """A uuid4 that is the same in every run of the tests."""
    return str(UUID(int=number << 96 | number, version=4))


def a_source(**other: Any) -> Source:
    fields = {
        "id": "cfpb-reg-x",
        "name": "CFPB Regulation X (RESPA)",
        "url": SITE,
        "domain": "consumerfinance.gov",
        "regulatory_domain": "RESPA",
        "citation": "12 C.F.R. Part 1024",
        "jurisdiction": "federal",
        "source_type": "regulation",
        "method": "crawl",
        "status": "active",
        "metadata": {"agency": "CFPB"},
    }
    return Source.model_validate(fields | other)


def a_fetch(url: str = SITE + "5/", body: bytes = b"<html>", **other: Any) -> Fetched:
    fields: dict[str, Any] = {
        "url": url,
        "final_url": url,
        "status": 200,
        "headers": {"Content-Type": ["text/html"]},
        "body": body,
        "at": NOON,
        "tier": "http",
        "engine_version": "scrapy 2.19.0",
        "response_time_ms": 2340,
        "retry_count": 1,
    }
    return Fetched(**fields | other)


def a_conversion(
    markdown: str = "# § 1024.5 Coverage of RESPA\n", *, meta_title: str | None = TITLE, **other: Any
) -> Converted:
    """A page that says something in every field that pages can fill."""
    metadata = PageMetadata(
        title=meta_title,
        description="Coverage requirements",
        keywords=("RESPA", "settlement"),
        dates=(Dated("modified_date", "2024-09-15", "meta last-modified"),),
        og_title="Coverage",
        robots="index, follow",
        canonical_url=SITE + "5/",
    )
    hints = Hints(
        chunk_strategy="section_aware",
        has_tables=True,
        has_lists=True,
        has_code_blocks=False,
        has_embedded_pdfs=False,
        complexity="medium",
        cross_references=("12 C.F.R. § 1024.2", "Regulation Z"),
        extraction={"way": "main", "kept_share": 0.81},
        removed=("clock",),
        hidden=Hidden(1, 20, "Skip to main content"),
        unread_pages=(2,),
        recognised_pages=(3,),
        ocr_pages=((4, 0.93),),
    )
    fields: dict[str, Any] = {
        "markdown": markdown,
        "format": "markdown",
        "title": "Coverage of RESPA",
        "language": "en",
        "language_source": "document",
        "encoding": "utf-8",
        "html": "<html>§</html>",
        "metadata": metadata,
        "links_outbound": ("https://www.ecfr.gov/current/title-12/part-1024",),
        "links_internal": ("/rules-policy/regulations/1024/4/",),
        "hints": hints,
        "citations": (Cited(2, 10, "relative", "12 C.F.R. § 1024.5", ECFR + "section-1024.5"),),
        "outline": parts_of(markdown, {}),
    }
    return Converted(**fields | other)


def a_change(change_type: str = "modified", previous: str | None = "e" * 64) -> Change:
    return Change(change_type=change_type, content_hash="", previous_content_hash=previous)


def an_origin(url: str = SITE + "5/", **other: Any) -> Origin:
    fields: dict[str, Any] = {
        "visit": FrontierUrl(RUN, "cfpb-reg-x", url),
        "source": a_source(),
        "manifest_version": "1.0.0",
        "fetched": a_fetch(url),
        "raw_object": "f" * 64,
        "content_signal": None,
        "run_id": RUN,
        "parent_crawl_id": RUN,
        "job_id": JOB,
        "operator": "system",
        "environment": "development",
        "envelope_id": an_id(1),
    }
    return cast("Origin", fields | other)
