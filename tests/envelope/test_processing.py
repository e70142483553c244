"""The places of what is in the text, and what its dates were read from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from rori_spiders.content.chunking import Cited, parts_of
from rori_spiders.content.convert import digest
from rori_spiders.content.metadata.dates import Dated
from rori_spiders.crawl.envelope import build_envelope, page_dates
from rori_spiders.envelope import envelope_json_schema, render_envelope
from rori_spiders.envelope.models import MAX_PLACES
from rori_spiders.items import ApiMetadata
from tests.envelope.factories import SITE, a_change, a_conversion, a_fetch, an_origin

if TYPE_CHECKING:
    from rori_spiders.content.convert import Converted

DOCS = Path(__file__).parents[2] / "docs" / "reference"
PAGE = (
    "<html lang=en><body><main><h1 id=top>§ 1024.5 Coverage</h1><p>Under 12 CFR 1026.2(a), this part applies.</p>"
    "<h2>Fees</h2><p><a href='https://u:p@a.gov/'>See</a> paragraph (a) of this section.</p></main></body></html>"
)


def envelope_document(converted: Converted, **other: Any) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(
        render_envelope(build_envelope(converted=converted, change=a_change(), **an_origin(**other)))
    )
    jsonschema.validate(envelope, envelope_json_schema())
    return envelope


def dated_conversion(*dates: Dated) -> Converted:
    converted = a_conversion()
    return replace(converted, metadata=replace(converted.metadata, dates=dates))


def test_processing_offsets_point_into_body_of_same_file() -> None:
    envelope = envelope_document(digest(PAGE.encode(), url=SITE + "5/"))
    body, processing = envelope["content"]["body"], envelope["processing"]
    assert [(body[one["start"] : one["end"]], one["canonical"]) for one in processing["citations"]] == [
        ("§ 1024.5", "12 C.F.R. § 1024.5"),
        ("12 CFR 1026.2(a)", "12 C.F.R. § 1026.2(a)"),
        ("this part", "12 C.F.R. Part 1024"),
        ("paragraph (a) of this section", "12 C.F.R. § 1024.5(a)"),
    ]
    assert [(body[one["start"] : one["end"]][:6], one["anchor"]) for one in processing["outline"]] == [
        ("# § 10", "top"),
        ("## Fee", None),
    ]
    paths = [section["path"] for section in processing["outline"]]
    assert paths == [section["path"] for section in envelope["integrity"]["section_hashes"]]


def test_processing_hidden_text_is_reported() -> None:
    hidden = envelope_document(a_conversion())["processing"]["hidden_text"]
    assert hidden == {"elements": 1, "chars": 20, "begins": "Skip to main content"}
    assert "hidden_text" not in envelope_document(digest(PAGE.encode(), url=SITE))["processing"]


def test_processing_places_beyond_limit_are_counted() -> None:
    text = "# A\n\nx\n\n" * (MAX_PLACES + 3)
    many = tuple(Cited(at, at + 1, "cfr", "12 C.F.R. § 1.1", None) for at in range(MAX_PLACES + 2))
    processing = envelope_document(a_conversion(text, citations=many, outline=parts_of(text, {})))["processing"]
    assert processing["omitted"] == {"citations": 2, "outline": 3}
    assert len(processing["citations"]) == len(processing["outline"]) == MAX_PLACES


def test_page_date_after_fetch_is_doubted_and_next_is_used() -> None:
    ahead = Dated("modified_date", "2026-02-16", "meta last-modified")
    page_metadata = envelope_document(dated_conversion(ahead, Dated("modified_date", "2026-02-01", "text: x")))[
        "page_metadata"
    ]
    assert (page_metadata["modified_date"], page_metadata["published_date"]) == ("2026-02-01", None)
    assert page_metadata["date_sources"] == {"modified_date": "text: x"}
    assert page_metadata["doubted_dates"] == [
        {"field": "modified_date", "date": "2026-02-16", "source": "meta last-modified", "doubt": "future"}
    ]


@pytest.mark.parametrize(("date", "is_believed"), [("2026-02-14", True), ("2026-02-15", False), ("1899-01-01", False)])
def test_page_date_of_day_begun_in_earliest_zone_is_believed(date: str, is_believed: bool) -> None:
    """The page was fetched at noon UTC of the 13th, when it is the 14th on the Line Islands."""
    dates = page_dates(dated_conversion(Dated("published_date", date, "x")), a_fetch())
    assert (dates["published_date"] == date) is is_believed
    assert (dates["doubted_dates"] is None) is is_believed


def test_page_date_from_api_takes_precedence() -> None:
    fetched = a_fetch(tier="official", api_metadata=ApiMetadata(published_date="2026-02-17"))
    page_metadata = envelope_document(dated_conversion(Dated("published_date", "2026-01-01", "x")), fetched=fetched)[
        "page_metadata"
    ]
    assert page_metadata["published_date"] == "2026-02-17"
    assert page_metadata["date_sources"] == {"published_date": "official API"}
    assert "doubted_dates" not in page_metadata


def test_envelope_documentation_example_matches_its_html() -> None:
    example = json.loads((DOCS / "envelope.md").read_text().split("```json\n")[1].split("```")[0])
    made = envelope_document(digest(example["content"]["body_html"].encode(), url=example["source"]["url"]))
    assert made["content"]["body"] == example["content"]["body"]
    assert made["integrity"]["section_hashes"] == example["integrity"]["section_hashes"]
    for name in ("suggested_chunk_strategy", "cross_references", "outline", "citations", "estimated_complexity"):
        assert made["processing"][name] == example["processing"][name], name
