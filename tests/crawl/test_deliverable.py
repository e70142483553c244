"""S0's deliverable 10: manifest -> due -> collect -> staged -> verified, by plain code that is none of ours."""

from __future__ import annotations

import gzip
import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "reference" / "envelope.schema.json").read_bytes())
_XML = '<?xml version="1.0"?><DIV8 N="1024.5" TYPE="SECTION"><HEAD>§ 1024.5 Coverage.</HEAD><P>{}</P></DIV8>'
_FIGURES = "<table><tr><th>Loan</th><th>Limit</th></tr><tr><td>One unit</td><td>$498,257</td></tr></table>"


def test_collection_from_manifest_gives_verifiable_envelopes(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    serve(site)
    project.manifest(
        [source("reg-x", site.at("/reg/"), "crawl"), source("limits", site.at("/limits"), priority="high")],
        delay_s=0.05,
    )
    due = json.loads(project.scrapy("due", "--format", "json").stdout)
    assert [one["id"] for one in due] == ["limits", "reg-x"]

    collected = project.scrapy("collect")
    assert collected.returncode == 0, collected.stderr
    assert "5 pages new or changed, 0 unchanged, 1 excluded, 0 failed, 0 gone (6 of 6 URLs" in collected.stdout
    crawl_output.assert_sums()
    written = [path for path in (project.folder / "collect").rglob("*") if path.exists()]
    assert not [path for path in written if path.stat().st_mode & 0o077], "closed to other users of the machine"
    assert sum(run["requests"] for run in crawl_output.runs()) == len(site.log.hits())

    audit = json.loads(project.scrapy("audit", "--format", "json").stdout)
    rows = {row["url"]: row for row in audit if row["state"] == "captured"}
    index = crawl_output.index()
    assert {line["path"] for line in index} == crawl_output.files()
    assert {line["url"] for line in index} == rows.keys()
    assert {path_of(line["url"]) for line in index} == {"/reg/", "/reg/1", "/reg/2", "/reg/xml", "/limits"}
    for line in index:
        verify(project.staging, line, rows[line["url"]])
    assert not crawl_output.errors()

    assert json.loads(project.scrapy("due", "--format", "json").stdout) == []


def serve(site: Site) -> None:
    site.robots("User-agent: *\nDisallow: /reg/drafts/\n")
    site.page("/reg/", page("Regulation X", "1", "2", "xml", "drafts/3"), validators=True)
    site.page("/reg/1", page("§ 1024.1 Authority", "https://example.org/elsewhere", text="See 12 U.S.C. 2601 et seq."))
    site.page("/reg/2", page("§ 1024.2 Definitions “as received” — naïve"))
    site.page("/reg/xml", _XML.format("This part applies to any mortgage loan. " * 20), content_type="application/xml")
    site.page("/limits", page("Mortgage limits", text=_FIGURES))


def verify(staging: Path, line: dict[str, Any], row: dict[str, Any]) -> None:
    """File, schema, index line, audit row and raw bytes of one page say the same."""
    file = staging / line["path"]
    envelope = json.loads(file.read_bytes())
    jsonschema.validate(envelope, _SCHEMA, format_checker=jsonschema.FormatChecker())
    content, integrity, scrape = envelope["content"], envelope["integrity"], envelope["scrape"]

    digest = hashlib.sha256(content["body"].encode()).hexdigest()
    assert integrity["content_hash"] == f"sha256:{digest}"
    assert file.stem.split("__")[-1] == digest[:8]
    assert envelope["page_metadata"]["title"] or row["url"].endswith("xml")

    assert line["envelope_id"] == envelope["envelope_id"]
    assert line["manifest_id"] == envelope["source"]["manifest_id"] == row["manifest_id"]
    assert line["url"] == envelope["source"]["url"] == row["url"]
    assert line["content_changed"] is integrity["content_changed"] is row["content_changed"] is True

    assert row["content_hash"].removeprefix("sha256:") == digest
    assert row["staged_path"] == line["path"]
    assert (row["http_status"], row["engine"]) == (scrape["http_status"], scrape["engine"]) == (200, "http")
    assert row["response_time_ms"] == scrape["response_time_ms"]
    folder, day, _ = line["path"].split("/")
    assert folder == envelope["source"]["domain"]
    assert day == datetime.fromisoformat(scrape["timestamp"]).date().isoformat()

    raw_hash = integrity["raw_hash"].removeprefix("sha256:")
    raw = gzip.decompress((staging / "_objects" / raw_hash[:2] / f"{raw_hash}.gz").read_bytes())
    assert hashlib.sha256(raw).hexdigest() == raw_hash == row["raw_hash"].removeprefix("sha256:")
    assert content["body_html"] == raw.decode()
