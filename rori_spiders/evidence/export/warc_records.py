"""WARC 1.1 records of audit rows: what was asked, what came, what was made of it.

What the audit has of an exchange is rebuilt, and nothing else: status, headers, bytes. The bytes are kept without
their Content-Encoding, so headers that describe the transfer get the prefix that web archives use for them.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256
from http import HTTPStatus
from io import BytesIO
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from rori_spiders import BUILD
from rori_spiders.ledger.audit.audit_log import recorded_content_type
from rori_spiders.ledger.tables.base import format_utc

#: Headers of the bytes over the wire: those that are kept are unpacked and joined.
_OF_TRANSFER = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_ORIGINAL = "X-Archive-Orig-"
_PROFILES = "http://netpreserve.org/warc/1.1/revisit/"
#: What the bytes of a record are, by the tier that brought them; other tiers are providers.
_ORIGINS = {
    "http": "response: the bytes of the server's answer, without their Content-Encoding",
    "browser": (
        "resource: the document as the browser held it after its scripts had run; anything but HTML is as received"
    ),
    "official": "resource: the part of the official API's answer that holds this page",
    "mediawiki": "resource: the part of the wiki API's answer that holds this page",
}
_ORIGIN_OF_PROVIDER = "resource: the page as the provider ({engine}) delivered it"


class WrittenRecord(NamedTuple):
    """A record with a payload, as an index names it. *offset* and *length* are those of its gzip member."""

    record_id: str
    url: str
    at: datetime
    mime: str
    status: int
    digest: str  # sha256:{hex}
    offset: int
    length: int


class RecordWriter:
    """Writes records into a ``.warc.gz``. *load* gives the bytes of an object, None for one that is not there."""

    def __init__(self, out: IO[bytes], load: Callable[[str], bytes | None]) -> None:
        self.missing: list[str] = []  # hashes of objects that the staging area does not have
        self._out = out
        self._load = load
        self._warc = WARCWriter(out, gzip=True, warc_version="WARC/1.1")
        self._held: dict[tuple[str, str], WrittenRecord] = {}  # by source and URL: the newest with its bytes

    def write_info(self, name: str, about: str, made_at: datetime) -> None:
        """The record that a file begins with."""
        fields = {
            "software": BUILD,
            "format": "WARC File Format 1.1",
            "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
            "description": about,
        }
        body = "".join(f"{key}: {value}\r\n" for key, value in fields.items()).encode()
        record_id = _record_id(f"{name} {made_at.isoformat()}", "warcinfo")
        headers = {"WARC-Record-ID": record_id, "WARC-Date": format_utc(made_at), "WARC-Filename": name}
        self._write("", "warcinfo", body, "application/warc-fields", headers)

    def write_row(self, row: Mapping[Any, Any], text: bytes | None) -> WrittenRecord | None:
        """The records of one audit row with whole values. *text*: the markdown that was made of its bytes.

        Gives the record to replay; None when the row has no bytes and confirms none that were written before.
        """
        key = f"{row['run_id']}/{row['seq']}"
        url = row["final_url"] or row["url"]
        dated = {"WARC-Date": format_utc(row["timestamp"])}
        if row["ip_address"]:
            dated["WARC-IP-Address"] = row["ip_address"]
        written, origin = self._write_bytes(row, key, url, dated)
        concurrent = {"WARC-Concurrent-To": written.record_id} if written else {}
        if row["engine"] == "http" and row["http_status"] is not None and row["request_headers"]:
            self._write_request(row, key, url, dated | concurrent)
        about = json.dumps({"record": origin, "audit": row}, ensure_ascii=False, indent=1, default=_as_text).encode()
        headers = {**dated, **concurrent, "WARC-Record-ID": _record_id(key, "metadata")}
        self._write(url, "metadata", about, "application/json", headers)
        if text is not None and written is not None:
            headers = {**dated, "WARC-Refers-To": written.record_id, "WARC-Record-ID": _record_id(key, "conversion")}
            self._write(url, "conversion", text, "text/markdown; charset=utf-8", headers)
        return written

    def _write_bytes(
        self, row: Mapping[Any, Any], key: str, url: str, dated: dict[str, str]
    ) -> tuple[WrittenRecord | None, str]:
        """The record of what came, and in a sentence what it is."""
        page = (row["manifest_id"], row["url"])
        held = self._held.get(page)
        if row["http_status"] == 304:
            if held is None:
                return None, "none: not modified (HTTP 304), and what it confirms is not in this export"
            return self._write_revisit(row, key, url, dated, held, "server-not-modified"), "revisit: HTTP 304"
        if row["raw_hash"] is None:
            return None, "none: there was no answer, or no request"
        if row["state"] == "unchanged" and held is not None and held.digest == f"sha256:{row['raw_hash']}":
            sentence = "revisit: the same bytes again"
            return self._write_revisit(row, key, url, dated, held, "identical-payload-digest"), sentence
        body = self._load(row["raw_hash"])
        if body is None and row["state"] == "unchanged":
            return None, f"none: other bytes (SHA-256 {row['raw_hash']}) with the same text; only the text is kept"
        if body is None:
            self.missing.append(row["raw_hash"])
            return None, f"none: the object {row['raw_hash']} is missing from the staging area, or damaged"
        mime = _mime_of(row)
        headers = {
            **dated,
            "WARC-Record-ID": _record_id(key, "bytes"),
            "WARC-Payload-Digest": f"sha256:{row['raw_hash']}",
        }
        if row["engine"] == "http":
            kind, status, http = "response", row["http_status"] or 200, _response_head(row, len(body))
            place = self._write(url, kind, body, "application/http; msgtype=response", headers, http)
        else:
            kind, status = "resource", 200
            place = self._write(url, kind, body, mime, headers)
        record = WrittenRecord(
            headers["WARC-Record-ID"], url, row["timestamp"], mime.partition(";")[0].strip().lower(), status,
            headers["WARC-Payload-Digest"], *place,
        )  # fmt: skip
        self._held[page] = record
        return record, _ORIGINS.get(row["engine"], _ORIGIN_OF_PROVIDER.format(engine=row["engine"]))

    def _write_revisit(
        self, row: Mapping[Any, Any], key: str, url: str, dated: dict[str, str], held: WrittenRecord, profile: str
    ) -> WrittenRecord:
        headers = {
            **dated,
            "WARC-Record-ID": _record_id(key, "bytes"),
            "WARC-Profile": _PROFILES + profile,
            "WARC-Refers-To": held.record_id,
            "WARC-Refers-To-Target-URI": held.url,
            "WARC-Refers-To-Date": format_utc(held.at),
            "WARC-Payload-Digest": held.digest,
        }
        http = _response_head(row, None)
        place = self._write(url, "revisit", b"", "application/http; msgtype=response", headers, http)
        return WrittenRecord(
            headers["WARC-Record-ID"], url, row["timestamp"], "warc/revisit", row["http_status"], held.digest, *place
        )

    def _write_request(self, row: Mapping[Any, Any], key: str, url: str, headers: dict[str, str]) -> None:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        http = StatusAndHeaders(
            f"GET {target} HTTP/1.1", [("Host", parts.netloc), *_pairs(row["request_headers"])], is_http_request=True
        )
        headers = {name: value for name, value in headers.items() if name != "WARC-IP-Address"}
        headers["WARC-Record-ID"] = _record_id(key, "request")
        self._write(url, "request", b"", "application/http; msgtype=request", headers, http)

    def _write(
        self, url: str, kind: str, body: bytes, mime: str, headers: dict[str, str], http: StatusAndHeaders | None = None
    ) -> tuple[int, int]:
        offset = self._out.tell()
        if kind != "warcinfo":  # else the library adds one of its own, SHA-1
            headers = {"WARC-Payload-Digest": f"sha256:{sha256(body).hexdigest()}"} | headers
        record = self._warc.create_warc_record(
            url,
            kind,
            payload=BytesIO(body),
            length=len(body),
            warc_content_type=mime,
            warc_headers_dict=headers,
            http_headers=http,
        )
        self._warc.write_record(record)
        return offset, self._out.tell() - offset


def _record_id(key: str, kind: str) -> str:
    """The same record has the same id in each export."""
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, f'rori-collector:{kind}:{key}')}>"


def _response_head(row: Mapping[Any, Any], length: int | None) -> StatusAndHeaders:
    status = row["http_status"] or 200
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
    pairs = [
        (f"{_ORIGINAL}{name}" if name.lower() in _OF_TRANSFER else name, value)
        for name, value in _pairs(row["response_headers"])
    ]
    if length is not None:
        pairs.append(("Content-Length", str(length)))
    return StatusAndHeaders(f"{status} {phrase}".rstrip(), pairs, protocol="HTTP/1.1")


def _pairs(headers: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """One pair a value, on one line."""
    every = (headers or {}).items()
    return [
        (name, " ".join(str(value).split()))
        for name, values in every
        for value in (values if isinstance(values, list) else [values])
    ]


def _mime_of(row: Mapping[Any, Any]) -> str:
    recorded = recorded_content_type(row["response_headers"])
    return recorded or ("text/html; charset=utf-8" if row["engine"] == "browser" else "application/octet-stream")


def _as_text(value: object) -> str:
    return format_utc(value) if isinstance(value, datetime) else str(value)
