"""Envelopes: every field of the specification, in its order, with a real value; hashes that anyone recomputes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from pydantic import ValidationError

from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.content.metadata.usage_directives import Signal
from rori_spiders.crawl.envelope import build_deletion_envelope, build_envelope
from rori_spiders.envelope import envelope_json_schema, parse_envelope, render_envelope, render_schema
from rori_spiders.runtime.control_characters import replace_surrogates
from tests.envelope.factories import RUN, SITE, a_change, a_conversion, a_fetch, a_source, an_origin
from tests.support.cases import cases

if TYPE_CHECKING:
    from rori_spiders.content.convert import Converted
    from rori_spiders.items import Change

DOCS = Path(__file__).parents[2] / "docs" / "reference"
#: The specification's envelope (§5.2): its keys and their order.
SPECIFIED = {
    "envelope_id": None,
    "envelope_version": None,
    "source": "manifest_id manifest_version url domain canonical_url regulatory_domain citation jurisdiction "
    "source_type agency",
    "scrape": "timestamp engine engine_version method http_status response_time_ms retry_count credits_consumed "
    "parent_crawl_id",
    "content": "format body body_html body_length_chars body_length_tokens_approx language encoding",
    "integrity": "content_hash html_hash previous_content_hash content_changed change_type",
    "page_metadata": "title description keywords author published_date modified_date og_title og_description og_image "
    "robots links_outbound links_internal",
    "processing": "suggested_chunk_strategy has_tables has_lists has_code_blocks has_embedded_pdfs cross_references "
    "estimated_complexity",
    "audit": "scrape_run_id scheduler_job_id operator environment",
}


def envelope_document(converted: Converted | None = None, change: Change | None = None) -> dict[str, Any]:
    """The envelope of a page, as read back from its file by somebody else."""
    envelope = build_envelope(converted=converted or a_conversion(), change=change or a_change(), **an_origin())
    found = json.loads(render_envelope(envelope))
    assert isinstance(found, dict)
    return found


def test_envelope_keys_are_those_of_specification_in_order() -> None:
    envelope = envelope_document()
    assert list(envelope) == list(SPECIFIED)
    for section, names in SPECIFIED.items():
        if names is not None:
            assert list(envelope[section])[: len(names.split())] == names.split()


def test_envelope_fields_hold_values_of_page() -> None:
    envelope = envelope_document()
    body = "# § 1024.5 Coverage of RESPA\n"
    assert envelope["source"] == {
        "manifest_id": "cfpb-reg-x",
        "manifest_version": "1.0.0",
        "url": SITE + "5/",
        "domain": "consumerfinance.gov",
        "canonical_url": SITE + "5/",
        "regulatory_domain": "RESPA",
        "citation": "12 C.F.R. Part 1024",
        "jurisdiction": "federal",
        "source_type": "regulation",
        "agency": "CFPB",
    }
    assert envelope["scrape"] == {
        "timestamp": "2026-02-13T12:00:30Z",
        "engine": "http",
        "engine_version": "scrapy 2.19.0",
        "method": "crawl",
        "http_status": 200,
        "response_time_ms": 2340,
        "retry_count": 1,
        "credits_consumed": 0,
        "parent_crawl_id": RUN,
    }
    assert envelope["content"] == {
        "format": "markdown",
        "body": body,
        "body_html": "<html>§</html>",
        "body_length_chars": 29,
        "body_length_tokens_approx": 7,
        "language": "en",
        "encoding": "utf-8",
        "raw_object": f"_objects/ff/{'f' * 64}.gz",
        "language_source": "document",
    }
    assert envelope["integrity"] == {
        "content_hash": "sha256:" + sha256(body.encode()).hexdigest(),
        "html_hash": "sha256:" + sha256("<html>§</html>".encode()).hexdigest(),
        "previous_content_hash": "sha256:" + "e" * 64,
        "content_changed": True,
        "change_type": "modified",
        "raw_hash": "sha256:" + "f" * 64,
        "converter_version": CONVERTER_VERSION,
        "section_hashes": [
            {"path": "§ 1024.5 Coverage of RESPA", "hash": "sha256:" + sha256(body.encode()).hexdigest()}
        ],
    }
    assert envelope["page_metadata"]["keywords"] == ["RESPA", "settlement"]
    assert envelope["page_metadata"]["links_internal"] == ["/rules-policy/regulations/1024/4/"]
    assert envelope["processing"]["cross_references"] == ["12 C.F.R. § 1024.2", "Regulation Z"]
    assert envelope["processing"]["extraction"] == {"way": "main", "kept_share": 0.81}
    assert envelope["processing"]["removed"] == ["clock"]


@pytest.mark.parametrize(("method", "expected"), [("scrape", "scrape"), ("crawl", "crawl"), ("mediawiki", "crawl")])
def test_envelope_method_of_wiki_is_crawl(method: str, expected: str) -> None:
    origin = an_origin(source=a_source(method=method))
    assert build_envelope(converted=a_conversion(), change=a_change(), **origin).scrape.method == expected


def test_envelope_pdf_has_no_html() -> None:
    envelope = envelope_document(converted=a_conversion(format="pdf_text", html=None))
    assert envelope["content"]["body_html"] is None
    assert envelope["integrity"]["html_hash"] is None


def test_envelope_new_page_has_no_previous_hash() -> None:
    integrity = envelope_document(change=a_change("new", previous=None))["integrity"]
    assert (integrity["change_type"], integrity["previous_content_hash"]) == ("new", None)


def test_envelope_without_raw_bytes_has_no_raw_fields() -> None:
    envelope = json.loads(
        render_envelope(build_envelope(converted=a_conversion(), change=a_change(), **an_origin(raw_object=None)))
    )
    assert "raw_object" not in envelope["content"]
    assert "raw_hash" not in envelope["integrity"]


def test_envelope_without_meta_title_has_title_of_text() -> None:
    converted = a_conversion(meta_title=None)
    assert envelope_document(converted=converted)["page_metadata"]["title"] == "Coverage of RESPA"


def test_deletion_envelope_body_is_empty() -> None:
    origin = an_origin(fetched=a_fetch(status=410))
    envelope = json.loads(
        render_envelope(build_deletion_envelope(previous_content_hash="e" * 64, title="Coverage", **origin))
    )
    assert list(envelope) == list(SPECIFIED)
    assert envelope["content"]["body"] == ""
    assert envelope["integrity"]["content_hash"] == "sha256:" + sha256(b"").hexdigest()
    assert envelope["integrity"]["previous_content_hash"] == "sha256:" + "e" * 64
    assert envelope["integrity"]["change_type"] == "deleted"
    assert envelope["integrity"]["content_changed"] is True
    assert envelope["scrape"]["http_status"] == 410
    assert envelope["page_metadata"]["title"] == "Coverage"
    jsonschema.validate(envelope, envelope_json_schema())


HOSTILE = [
    "a\0b",
    "\ud800",
    "x\udfffy\ud83d",
    "\ud83d\ude00",
    "\ufeffa",
    "\u2028\u2029\x85",
    '\\u0041 " \\',
    "é̂",
    "\r\n\t",
]


@cases("text", HOSTILE)
def test_envelope_hash_of_hostile_text_is_that_of_file(text: str) -> None:
    converted = a_conversion(text, meta_title=text, html=text, links_outbound=(text,), encoding=text)
    data = render_envelope(build_envelope(converted=converted, change=a_change(), **an_origin()))
    envelope = json.loads(data.decode("utf-8", "strict"))
    body, html = envelope["content"]["body"], envelope["content"]["body_html"]
    assert envelope["integrity"]["content_hash"] == "sha256:" + sha256(body.encode("utf-8", "strict")).hexdigest()
    assert envelope["integrity"]["html_hash"] == "sha256:" + sha256(html.encode("utf-8", "strict")).hexdigest()
    assert parse_envelope(data) == build_envelope(converted=converted, change=a_change(), **an_origin())


@cases("text", ["plain", "a\0b", "§ 1024.5", "\U0001f600", "\ufeff"])
def test_clean_text_of_valid_utf8_is_unchanged(text: str) -> None:
    assert replace_surrogates(text) == text


def test_clean_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert replace_surrogates("a\ud800b") == "a\ufffdb"
    assert replace_surrogates("\ud83d\ude00\udfff") == "\U0001f600\ufffd"


@pytest.mark.parametrize("text", ["plain", "§ 1 \U0001f600\n", "a\0b\ud800c", '\\ " \u2028 \r'])
def test_documented_shell_command_recomputes_content_hash(tmp_path: Path, text: str) -> None:
    (tmp_path / "e.json").write_bytes(
        render_envelope(build_envelope(converted=a_conversion(text), change=a_change(), **an_origin()))
    )
    line = next(line for line in (DOCS / "envelope.md").read_text().splitlines() if line.startswith("python3 -c"))
    command = line.replace("python3", sys.executable, 1).replace("FILE", "e.json")
    output = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert output.strip() == parse_envelope((tmp_path / "e.json").read_bytes()).integrity.content_hash


def test_envelope_rendered_twice_has_same_bytes() -> None:
    first, second = (
        render_envelope(build_envelope(converted=a_conversion(), change=a_change(), **an_origin())) for _ in range(2)
    )
    assert first == second
    assert render_envelope(parse_envelope(first)) == first
    assert first.endswith(b"\n}\n")
    assert "§ 1024.5".encode() in first


@cases(
    ("name", "value"),
    [("envelope_id", "1"), ("job_id", "a-job"), ("operator", "me"), ("environment", "prod"), ("raw_object", "xyz")],
)
def test_envelope_invalid_value_is_rejected(name: str, value: str) -> None:
    with pytest.raises(ValidationError):
        build_envelope(converted=a_conversion(), change=a_change(), **an_origin(**{name: value}))


def test_envelope_parser_accepts_keys_of_later_versions() -> None:
    envelope = envelope_document()
    envelope["content"]["added_later"] = 1
    assert parse_envelope(json.dumps(envelope).encode()).content.body
    jsonschema.validate(envelope, envelope_json_schema())


def test_envelope_schema_rejects_missing_required_keys() -> None:
    envelope = envelope_document()
    jsonschema.validate(envelope, envelope_json_schema())
    for section, name in (("source", "url"), ("integrity", "content_hash"), ("audit", "operator")):
        broken = json.loads(json.dumps(envelope))
        del broken[section][name]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, envelope_json_schema())


def test_envelope_schema_file_is_current() -> None:
    """`python -c 'from rori_spiders.envelope import schema_text; print(schema_text(), end="")'` makes it anew."""
    assert (DOCS / "envelope.schema.json").read_text() == render_schema()


def test_schemas_have_no_format_that_tests_leave_unchecked() -> None:
    """tests/conftest.py keeps `jsonschema` from importing what checks IRIs: it takes long."""
    schemas = list(DOCS.glob("*.schema.json"))
    assert "envelope.schema.json" in {path.name for path in schemas}
    assert [path.name for path in schemas if '"iri' in path.read_text()] == []


def test_envelope_documentation_explains_every_field() -> None:
    text = (DOCS / "envelope.md").read_text()
    for definition in (envelope_json_schema(), *envelope_json_schema()["$defs"].values()):
        for name, field in definition["properties"].items():
            assert f"`{name}`" in text, f"{name} is missing"
            assert "$ref" in field or field.get("description"), name


def test_envelope_documentation_example_has_correct_hashes() -> None:
    blocks = (DOCS / "envelope.md").read_text().split("```json\n")
    example = json.loads(blocks[1].split("```")[0])
    jsonschema.validate(example, envelope_json_schema())
    envelope = parse_envelope(json.dumps(example).encode())
    body, html = envelope.content.body, envelope.content.body_html or ""
    assert envelope.integrity.content_hash == "sha256:" + sha256(body.encode()).hexdigest()
    assert envelope.integrity.html_hash == "sha256:" + sha256(html.encode()).hexdigest()
    assert envelope.content.body_length_chars == len(body)
    line = json.loads(blocks[2].split("```")[0])
    assert line["envelope_id"] == envelope.envelope_id
    assert line["path"].endswith(f"__{envelope.integrity.content_hash[7:15]}.json")
    assert list(example) == list(SPECIFIED)


def test_envelope_usage_signals_follow_page_metadata() -> None:
    converted = a_conversion()
    metadata = replace(converted.metadata, signals=(Signal("noai", None, "meta"),))
    headers = {"Content-Type": ["text/html"], "X-Robots-Tag": ["noindex", "otherbot: noai"], "tdm-reservation": ["1"]}
    origin = an_origin(fetched=a_fetch(headers=headers), content_signal="ai-train=no")
    envelope = json.loads(
        render_envelope(build_envelope(converted=replace(converted, metadata=metadata), change=a_change(), **origin))
    )
    page_metadata = envelope["page_metadata"]
    assert list(page_metadata)[-3:] == ["x_robots_tag", "usage_signals", "date_sources"]
    assert page_metadata["x_robots_tag"] == "noindex\notherbot: noai"
    assert [tuple(signal.values()) for signal in page_metadata["usage_signals"]] == [
        ("content-signal", "ai-train=no", "robots.txt"),
        ("noindex", None, "header"),
        ("tdm-reservation", "1", "header"),
        ("noai", None, "meta"),
    ]
    assert envelope["integrity"]["content_hash"] == envelope_document()["integrity"]["content_hash"]
    jsonschema.validate(envelope, envelope_json_schema())


def test_envelope_without_usage_signals_has_no_such_keys() -> None:
    assert {"x_robots_tag", "usage_signals"}.isdisjoint(envelope_document()["page_metadata"])
