"""Makes envelopes: of a changed page (``build``) and of one that is gone (``deleted``).

Hashes are computed here from exactly the text that is written, so that anyone can recompute them from the file.
"""

from datetime import timedelta
from hashlib import sha256
from typing import Any, TypedDict, Unpack

from rori_spiders.content.convert import Converted
from rori_spiders.content.metadata import usage_directives
from rori_spiders.content.metadata.dates import Field, believed, doubt
from rori_spiders.envelope.log_lines import format_wire_time
from rori_spiders.envelope.models import MAX_PLACES, Envelope, build_processing, empty_processing
from rori_spiders.items import ApiMetadata, Change, Fetched, FrontierUrl
from rori_spiders.manifest.models import Source
from rori_spiders.runtime.control_characters import replace_surrogates

ENVELOPE_VERSION = "1.0"


class Origin(TypedDict):
    """The facts of an envelope about its run, independent of the page's outcome."""

    visit: FrontierUrl
    source: Source
    manifest_version: str
    fetched: Fetched
    raw_object: str | None  # hex SHA-256 under which the bytes as received are kept
    content_signal: str | None  # of the robots.txt that allowed the page
    run_id: str
    parent_crawl_id: str | None
    job_id: str
    operator: str
    environment: str
    envelope_id: str


def build_envelope(*, converted: Converted, change: Change, **origin: Unpack[Origin]) -> Envelope:
    """The envelope of a page whose text is new or changed.

    Raises pydantic's ValidationError (a ValueError) when a value is none that the format allows.
    """
    content = _content_part(converted)
    integrity = _integrity_part(content, change.change_type, change.previous_content_hash, changed=change.changed)
    return _assemble_envelope(
        origin,
        canonical_url=converted.metadata.canonical_url,
        content=content,
        integrity=integrity
        | {"converter_version": converted.converter_version, "section_hashes": _section_hashes(converted)},
        page_metadata=_page_metadata_part(converted, origin),
        processing=build_processing(converted),
    )


def build_deletion_envelope(
    *, previous_content_hash: str | None, title: str | None, **origin: Unpack[Origin]
) -> Envelope:
    """The envelope that says that a page is gone: an empty body, and the hash of its last text.

    ``fetched`` is the answer that says so, *title* the page's last one.
    """
    content = _length_fields({"format": "markdown", "body": "", "body_html": None}) | {
        "language": None,
        "encoding": None,
    }
    return _assemble_envelope(
        origin,
        canonical_url=None,
        content=content,
        integrity=_integrity_part(content, "deleted", previous_content_hash, changed=True),
        page_metadata=_empty_metadata() | {"title": title},
        processing=empty_processing(),
    )


def _assemble_envelope(origin: Origin, *, canonical_url: str | None, **parts: dict[str, Any]) -> Envelope:
    if raw := origin["raw_object"]:
        parts["content"]["raw_object"] = f"_objects/{raw[:2]}/{raw}.gz"
        parts["integrity"]["raw_hash"] = _prefixed_hash(raw)
    if picture := origin["fetched"].screenshot_hash:
        parts["content"]["screenshot_object"] = f"_objects/{picture[:2]}/{picture}.gz"
        parts["integrity"]["screenshot_hash"] = _prefixed_hash(picture)
    fields = {
        "envelope_id": origin["envelope_id"],
        "envelope_version": ENVELOPE_VERSION,
        "source": _source_part(origin, canonical_url),
        "scrape": _scrape_part(origin),
        **parts,
        "audit": {
            "scrape_run_id": origin["run_id"],
            "scheduler_job_id": origin["job_id"],
            "operator": origin["operator"],
            "environment": origin["environment"],
        },
    }
    return Envelope.model_validate(_clean_values(fields), extra="forbid")


def _source_part(origin: Origin, canonical_url: str | None) -> dict[str, Any]:
    source = origin["source"]
    return {
        "manifest_id": source.id,
        "manifest_version": origin["manifest_version"],
        "url": origin["visit"].url,
        "domain": source.domain,
        "canonical_url": canonical_url,
        "regulatory_domain": source.regulatory_domain,
        "citation": source.citation,
        "jurisdiction": source.jurisdiction,
        "source_type": str(source.source_type),
        "agency": source.metadata.agency,
    }


def _scrape_part(origin: Origin) -> dict[str, Any]:
    fetched = origin["fetched"]
    return {
        "timestamp": format_wire_time(fetched.at),
        "engine": fetched.tier,
        "engine_version": fetched.engine_version,
        "method": "scrape" if origin["source"].method == "scrape" else "crawl",
        "http_status": fetched.status,
        "response_time_ms": fetched.response_time_ms,
        "retry_count": fetched.retry_count,
        "credits_consumed": fetched.credits,
        "parent_crawl_id": origin["parent_crawl_id"],
    }


def _content_part(converted: Converted) -> dict[str, Any]:
    content = {"format": converted.format, "body": replace_surrogates(converted.markdown), "body_html": None}
    if converted.html is not None:
        content["body_html"] = replace_surrogates(converted.html)
    return _length_fields(content) | {
        "language": converted.language,
        "encoding": converted.encoding,
        "language_source": converted.language_source,
    }


def _length_fields(content: dict[str, Any]) -> dict[str, Any]:
    chars = len(content["body"])
    return content | {"body_length_chars": chars, "body_length_tokens_approx": chars // 4}


def _integrity_part(
    content: dict[str, Any], change_type: str, previous: str | None, *, changed: bool
) -> dict[str, Any]:
    html = content["body_html"]
    return {
        "content_hash": _prefixed_hash(sha256(content["body"].encode()).hexdigest()),
        "html_hash": None if html is None else _prefixed_hash(sha256(html.encode()).hexdigest()),
        "previous_content_hash": _prefixed_hash(previous) if previous else None,
        "content_changed": changed,
        "change_type": change_type,
    }


def _section_hashes(converted: Converted) -> list[dict[str, str]]:
    return [{"path": part.path, "hash": _prefixed_hash(part.hash)} for part in converted.outline[:MAX_PLACES]]


def _page_metadata_part(converted: Converted, origin: Origin) -> dict[str, Any]:
    fetched = origin["fetched"]
    metadata = {name: getattr(converted.metadata, name) for name in _METADATA_FIELDS}
    return {
        **metadata,
        "title": metadata["title"] or converted.title,
        "keywords": list(metadata["keywords"] or ()),
        "links_outbound": list(converted.links_outbound),
        "links_internal": list(converted.links_internal),
        **page_dates(converted, fetched),
        **_metadata_from_api(fetched.api_metadata),
        **_usage_signals(converted, origin),
    }


def _metadata_from_api(api_metadata: ApiMetadata) -> dict[str, Any]:
    """What the publisher's API says of the page: it knows better than the text shows."""
    fields: dict[str, Any] = {
        name: getattr(api_metadata, name) for name in ("description", "author", "revision_id", "disambiguation")
    }
    fields |= {
        name: getattr(api_metadata, name) for name in ("citation", "document_number", "document_type", "corrects")
    }
    fields |= {"effective_date": api_metadata.effective, "issue_date": api_metadata.issued}
    lists = ("keywords", "categories", "agencies", "cfr_references", "docket_ids")
    fields |= {name: list(getattr(api_metadata, name)) for name in lists}
    return {name: value for name, value in fields.items() if value}


def _usage_signals(converted: Converted, origin: Origin) -> dict[str, Any]:
    """What is asked of those who use the page: of the whole site, of this answer, in the page."""
    headers = origin["fetched"].headers
    signals = (
        *usage_directives.in_robots(origin["content_signal"]),
        *usage_directives.in_headers(headers),
        *converted.metadata.signals,
    )
    return {
        "x_robots_tag": usage_directives.x_robots_tag(headers),
        "usage_signals": [signal._asdict() for signal in signals] or None,
    }


_METADATA_FIELDS = (
    "title",
    "description",
    "keywords",
    "author",
    "published_date",
    "modified_date",
    "og_title",
    "og_description",
    "og_image",
    "robots",
)


def _empty_metadata() -> dict[str, Any]:
    return dict.fromkeys(_METADATA_FIELDS) | {"keywords": [], "links_outbound": [], "links_internal": []}


def _prefixed_hash(digest: str) -> str:
    return digest if digest.startswith("sha256:") else f"sha256:{digest}"


def _clean_values(value: Any) -> Any:
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {key: _clean_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean_values(item) for item in value]
    return value


# When a page was published and last changed, as its envelope and the ledger say it.

_DATE_FIELDS: tuple[Field, ...] = ("published_date", "modified_date")
# When a day begins somewhere, it is still 14 hours to go in UTC.
_EARLIEST_ZONE = timedelta(hours=14)


def page_dates(converted: Converted, fetched: Fetched) -> dict[str, Any]:
    """The date fields of ``page_metadata``, with what they were read from and what was doubted.

    What the publisher's API says is believed, whatever the day: the Federal Register shows the documents of tomorrow.
    """
    dates, today = converted.metadata.dates, (fetched.at + _EARLIEST_ZONE).date().isoformat()
    days: dict[str, str | None] = {}
    sources: dict[str, str] = {}
    for name in _DATE_FIELDS:
        best, from_api = believed(dates, name, today), getattr(fetched.api_metadata, name)
        days[name] = from_api or (best.date if best else None)
        if from_api or best:
            sources[name] = f"{fetched.tier} API" if from_api or best is None else best.source
    doubted = [one._asdict() | {"doubt": why} for one in dates if (why := doubt(one.date, today))]
    return days | {"date_sources": sources or None, "doubted_dates": doubted or None}
