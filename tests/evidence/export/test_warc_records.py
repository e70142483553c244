"""Records of single audit rows: what each tier brought is called what it is, and nothing is invented."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from rori_spiders.evidence.export.wacz_package import render_index, surt_key
from rori_spiders.evidence.export.warc_records import RecordWriter, WrittenRecord

URL = "https://www.example.gov/rule?b=2&a=1"
BODY = b"<html><h1>Rule</h1></html>"
HASH = sha256(BODY).hexdigest()
HEADERS = {"Content-Type": ["text/html"], "Content-Encoding": ["gzip"], "Content-Length": ["9"], "X-Two": ["1", "2"]}


def audit_row(**changed: Any) -> dict[str, Any]:
    row = {
        "run_id": "run",
        "seq": 1,
        "manifest_id": "rules",
        "kind": "page",
        "url": URL,
        "final_url": None,
        "timestamp": datetime(2026, 2, 13, 14, 30, tzinfo=UTC),
        "ip_address": "192.0.2.7",
        "engine": "http",
        "http_status": 200,
        "raw_hash": HASH,
        "state": "captured",
        "response_headers": HEADERS,
        "request_headers": {"User-Agent": ["RORI-Collector/1.0"]},
    }
    return {**row, **changed}


def write(*rows: dict[str, Any], text: bytes | None = None) -> tuple[list[WrittenRecord | None], list[Any], list[str]]:
    """What was written, the records as a library reads them (type, headers, HTTP headers, payload), what is missing."""
    out = BytesIO()
    writer = RecordWriter(out, {HASH: BODY}.get)
    written = [writer.write_row(row, text) for row in rows]
    out.seek(0)
    read = [
        (one.rec_type, dict(one.rec_headers.headers), one.http_headers, one.content_stream().read())
        for one in ArchiveIterator(out, check_digests="raise", no_record_parse=False)
    ]
    return written, read, writer.missing


def origin_of(records: list[Any]) -> str:
    return str(json.loads(next(body for kind, *_, body in records if kind == "metadata"))["record"])


def test_headers_of_transfer_are_set_aside() -> None:
    (_written,), records, _ = write(audit_row(), text=b"# Rule")
    assert [kind for kind, *_ in records] == ["response", "request", "metadata", "conversion"]
    headers = records[0][2].headers
    assert ("X-Archive-Orig-Content-Encoding", "gzip") in headers
    assert ("Content-Length", str(len(BODY))) in headers
    assert [value for name, value in headers if name == "X-Two"] == ["1", "2"]
    assert records[0][1]["WARC-IP-Address"] == "192.0.2.7"
    assert ("Host", "www.example.gov") in records[1][2].headers


@pytest.mark.parametrize(
    ("engine", "words"),
    [("browser", "after its scripts had run"), ("official", "official API"), ("zyte", "the provider (zyte)")],
)
def test_records_of_other_tiers_say_what_they_are(engine: str, words: str) -> None:
    (written,), records, _ = write(audit_row(engine=engine))
    assert [kind for kind, *_ in records] == ["resource", "metadata"]
    assert records[0][3] == BODY
    assert words in origin_of(records)
    assert written is not None
    assert (written.mime, written.status) == ("text/html", 200)


def test_missing_object_is_named_and_not_made_up() -> None:
    (written,), records, missing = write(audit_row(raw_hash="0" * 64))
    assert (written, missing) == (None, ["0" * 64])
    assert "missing from the staging area" in origin_of(records)


def test_records_of_same_text_in_other_bytes_claim_none() -> None:
    (_, written), records, missing = write(audit_row(), audit_row(seq=2, state="unchanged", raw_hash="1" * 64))
    assert (written, missing) == (None, [])
    assert "only the text is kept" in str(records[-1][3])


def test_not_modified_refers_to_capture_and_stays_out_of_index() -> None:
    later = audit_row(seq=2, state="unchanged", http_status=304, raw_hash=None)
    (first, second), records, _ = write(audit_row(), later)
    assert first is not None
    assert second is not None
    revisit = next(headers for kind, headers, *_ in records if kind == "revisit")
    assert revisit["WARC-Refers-To"] == first.record_id
    assert revisit["WARC-Profile"].endswith("server-not-modified")
    assert render_index([first, second], "data.warc.gz").count(b"\n") == 1
    (alone,), records, _ = write(later)
    assert alone is None
    assert "what it confirms is not in this export" in origin_of(records)


def test_surt_key_orders_host_from_right_and_query_by_name() -> None:
    assert surt_key(URL) == "gov,example)/rule?a=1&b=2"
    assert surt_key("http://127.0.0.1:8799/A") == "1,0,0,127:8799)/a"
