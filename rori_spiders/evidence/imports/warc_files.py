"""Records of a WARC file, one after the other, each whole or named as damaged.

A ``.warc.gz`` is read one gzip member at a time, so that the checksum of each is known before its record is believed,
and a damaged one costs no other. A member with several records, and a plain ``.warc``, are split by the records' own
lengths; behind a record that does not end where it says, the next one is searched for.
"""

import hashlib
import re
import zlib
from base64 import b32decode
from binascii import unhexlify
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, NamedTuple

from warcio.recordloader import ArcWarcRecord, ArcWarcRecordLoader  # type: ignore[import-untyped]

from rori_spiders.crawl.tiers.http.content_encoding import decode_body, parse_content_encoding
from rori_spiders.evidence.imports.records import ArchivedCapture, ArchivedRevisit, DamagedRecord, Record, name_record
from rori_spiders.urls.canonical import normalise_url

_GZIP = b"\x1f\x8b\x08"
_READ = 64 * 1024
#: A larger record is damaged, or no page: it is named and passed over.
_MAX_RECORD_BYTES = 2**30
#: Of a record, before its content; a larger head is damage.
_MAX_HEAD_BYTES = 64 * 1024
#: Of a record in memory; a larger one lies on the disk while it is read.
_IN_MEMORY_BYTES = 8 * 2**20
_VERSION = re.compile(rb"WARC/\d\.\d+\r?\n")
_NEXT = re.compile(rb"(?<=\n)WARC/[01]\.\d+\r?\n")
_LENGTH = re.compile(rb"^content-length:\s*(\d+)\s*$", re.IGNORECASE | re.MULTILINE)
_FIELDS = {
    "url": re.compile(rb"^warc-target-uri:\s*<?([^\s>]+)", re.IGNORECASE | re.MULTILINE),
    "date": re.compile(rb"^warc-date:\s*(\S+)", re.IGNORECASE | re.MULTILINE),
}
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,16})[ \t]{0,8}(?:;[^\r\n]{0,200})?\r?\n")
_NO_PAGE = re.compile(r"(?:image|video|audio|font)/|text/css|.*(?:javascript|ecmascript|font)", re.IGNORECASE)
_REVISIT_DIGEST_ONLY = "refers to a record by no digest"


class _Damage(Exception):
    """Why a record is not believed."""


@dataclass(slots=True)
class WarcReader:
    """Reads files; *skipped* counts records that are not pages, by reason, *software* wrote the last file."""

    max_body_bytes: int
    skipped: Counter[str] = field(default_factory=Counter)
    software: str | None = None

    def read(self, file: IO[bytes], name: str = "") -> Iterator[Record]:
        """The records of *file*, which can seek. *name* is that of a member of a package, and begins their names."""
        file.seek(0)
        is_packed = file.read(len(_GZIP)) == _GZIP
        for blob in _split_gzip(file) if is_packed else _split_plain(file, 0, is_member=False):
            record = name_record(*filter(None, (name, blob.place)))
            if blob.damage is not None:
                yield _name_damage(record, blob.damage, blob.content)
            elif (found := self._read_record(blob.content, record)) is not None:
                yield found

    def _read_record(self, content: IO[bytes], record: str) -> Record | None:
        """One record; None if it is not a page."""
        content.seek(0)
        try:
            parsed = ArcWarcRecordLoader(verify_http=False).parse_record_stream(content, check_digests=True)
        except Exception as error:  # of whatever another program wrote
            return _name_damage(record, f"its headers cannot be read: {error}", content)
        if parsed.rec_type == "warcinfo":
            self._note_software(parsed)
            return None
        if parsed.rec_type not in {"response", "resource", "revisit"}:
            return None
        if why := self._why_no_page(parsed):
            self.skipped[why] += 1
            return None
        url, at = _header(parsed, "WARC-Target-URI").strip("<>"), None
        try:
            at = parse_warc_date(_header(parsed, "WARC-Date"))
            if parsed.rec_type == "revisit":
                return self._read_revisit(parsed, record, url, at)
            return self._read_capture(parsed, record, url, at)
        except _Damage as damage:
            return DamagedRecord(record, str(damage), _normalised(url), at)

    def _note_software(self, parsed: ArcWarcRecord) -> None:
        for line in parsed.raw_stream.read(_MAX_HEAD_BYTES).decode("utf-8", "replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip().lower() == "software":
                self.software = value.strip()

    def _why_no_page(self, parsed: ArcWarcRecord) -> str | None:
        url = _header(parsed, "WARC-Target-URI").strip("<>")
        if not url.lower().startswith(("http://", "https://")):
            return "no web address"
        if parsed.rec_type == "response" and parsed.http_headers is None:
            return "no HTTP"
        if "__wb_method=" in url:
            return "answers to other methods than GET"
        headers = parsed.http_headers
        mime = (headers.get_header("Content-Type") if headers else None) or ""
        if parsed.rec_type == "resource":
            mime = _header(parsed, "Content-Type")
        return "styles, scripts, fonts, pictures" if is_no_page(mime) else None

    def _read_revisit(self, parsed: ArcWarcRecord, record: str, url: str, at: datetime) -> Record:
        digest = _header(parsed, "WARC-Payload-Digest")
        if not digest:
            raise _Damage(_REVISIT_DIGEST_ONLY)
        # What it says are times and a digest alone: there is nothing that a digest of its own would prove.
        return ArchivedRevisit(record, _require_url(url), at, digest, "stated")

    def _read_capture(self, parsed: ArcWarcRecord, record: str, url: str, at: datetime) -> Record:
        if cut := _header(parsed, "WARC-Truncated"):
            raise _Damage(f"the archive holds only its beginning ({cut})")
        length = parsed.payload_length if parsed.http_headers is not None else parsed.length
        if length is not None and length > self.max_body_bytes:
            raise _Damage(f"its body has {length} bytes, more than RORI_MAX_BYTES")
        raw = parsed.raw_stream.read()
        if parsed.http_headers is None:
            status, headers, body = 200, {"Content-Type": _header(parsed, "Content-Type")}, raw
        else:
            status, headers = _status_of(parsed), _join_headers(parsed.http_headers.headers)
            body = _decode_payload(raw, headers, self.max_body_bytes)
        is_proved = _check_digests(parsed, raw, body)
        digest = _header(parsed, "WARC-Payload-Digest") or None
        trust = "archived" if is_proved else "stated"
        return ArchivedCapture(record, _require_url(url), at, status, headers, body, trust, digest)  # type: ignore[arg-type]


def is_no_page(mime: str) -> bool:
    """Whether a Content-Type is that of styles, scripts, fonts or pictures."""
    return _NO_PAGE.match(mime.strip()) is not None


def is_warc(path: Path) -> bool:
    """Whether the file begins as a WARC file does, packed or not."""
    with path.open("rb") as file:
        return _VERSION.match(file.read(64)) is not None or _begins_record(file, 0)


def parse_warc_date(text: str) -> datetime:
    """A WARC-Date in UTC. Raises for what is none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise _Damage(f"its date is {text[:40]!r}") from None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _header(parsed: ArcWarcRecord, name: str) -> str:
    return str(parsed.rec_headers.get_header(name) or "").strip()


def _require_url(url: str) -> str:
    normalised = _normalised(url)
    if normalised is None:
        raise _Damage(f"its address is not a valid URL: {url[:200]!r}")
    return normalised


def _normalised(url: str) -> str | None:
    try:
        return normalise_url(url)
    except ValueError:
        return None


def _status_of(parsed: ArcWarcRecord) -> int:
    code = parsed.http_headers.get_statuscode()
    if not code.isdecimal() or len(code) != len("200"):
        raise _Damage(f"its HTTP status is {code[:20]!r}")
    return int(code)


def _join_headers(pairs: list[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        same = next((one for one in joined if one.lower() == name.lower()), name)
        # Of two types the first counts, as for pages of our own.
        if same not in joined:
            joined[same] = value
        elif same.lower() != "content-type":
            joined[same] += f", {value}"
    return joined


# The payload: joined, unpacked, and compared with what the record says of it.


def _decode_payload(raw: bytes, headers: dict[str, str], max_bytes: int) -> bytes:
    named = {name.lower(): value for name, value in headers.items()}
    body = raw
    if "chunked" in named.get("transfer-encoding", "").lower() and _CHUNK.match(raw):
        body = _join_chunks(raw)
    elif named.get("content-length", "").strip().isdecimal() and len(raw) < int(named["content-length"]):
        raise _Damage(f"its body has {len(raw)} of {named['content-length'].strip()} bytes")
    try:
        codings = parse_content_encoding([named.get("content-encoding", "").encode("latin-1", "replace")])
        # An archive that unpacked the body may have left the header as it was.
        if codings[-1:] == ("gzip",) and not body.startswith(_GZIP[:2]):
            return body
        return decode_body(body, codings, max_bytes)
    except Exception as error:  # of Scrapy's and ours
        raise _Damage(str(error)) from error


def _join_chunks(raw: bytes) -> bytes:
    """What is in the chunks, up to the last one."""
    pieces, at = list[bytes](), 0
    while head := _CHUNK.match(raw, at):
        size = int(head[1], 16)
        if size == 0:
            return b"".join(pieces)
        piece = raw[head.end() : head.end() + size]
        pieces.append(piece)
        at = head.end() + size
        if len(piece) < size:
            break
        at += 2 if raw.startswith(b"\r\n", at) else 1
    raise _Damage("its body ends before its last chunk")


def _check_digests(parsed: ArcWarcRecord, raw: bytes, body: bytes) -> bool:
    """Whether a digest of the record proves its bytes. Raises for one that contradicts them.

    Of which bytes a payload's digest is, programs do not agree: as sent, joined, or unpacked. A block's is clear.
    """
    checker = parsed.digest_checker
    if any("block digest failed" in one for one in checker.problems):
        raise _Damage("its bytes do not match its digest (WARC-Block-Digest)")
    has_block = _parse_digest(_header(parsed, "WARC-Block-Digest")) is not None
    payload = _header(parsed, "WARC-Payload-Digest")
    if has_block or not payload:
        return has_block
    expected = _parse_digest(payload)
    if expected is None:
        return False
    algorithm, wanted = expected
    if wanted not in {hashlib.new(algorithm, one).digest() for one in (raw, body)}:
        raise _Damage("its bytes do not match its digest (WARC-Payload-Digest)")
    return True


def _parse_digest(text: str) -> tuple[str, bytes] | None:
    """Algorithm and bytes of ``sha1:BASE32`` or ``sha256:hex``; None where they cannot be read."""
    algorithm, _, value = text.partition(":")
    algorithm = algorithm.lower().replace("-", "")
    if algorithm not in {"md5", "sha1", "sha256", "sha512"}:
        return None
    size = hashlib.new(algorithm).digest_size
    with suppress(ValueError):
        digest = unhexlify(value) if len(value) == 2 * size else b32decode(value.upper() + "=" * (-len(value) % 8))
        if len(digest) == size:
            return algorithm, digest
    return None


# The file: split into records.


class _Blob(NamedTuple):
    """One record as bytes, until the next one is asked for; with *damage* its beginning, as far as there is one."""

    place: str  # its offset; within a member with several records also the one there
    content: IO[bytes]
    damage: str | None = None


def _split_gzip(file: IO[bytes]) -> Iterator[_Blob]:
    offset = 0
    while True:
        file.seek(offset)
        start = file.read(len(_GZIP))
        if not start.strip(b"\0"):  # the end, or what pads it
            return
        file.seek(offset)
        with SpooledTemporaryFile(_IN_MEMORY_BYTES) as member:
            damage, end = _unpack_member(file, member)
            if damage is None:
                yield from _split_plain(member, offset, is_member=True)
            else:
                _unpack_beginning(file, offset, member)
                yield _Blob(str(offset), member, damage)
                end = _find_member(file, offset + 1) or file.seek(0, 2)
        offset = end


def _unpack_member(file: IO[bytes], out: IO[bytes]) -> tuple[str | None, int]:
    """Unpack the gzip member that begins here; what is wrong with it, and where the next one begins."""
    stream, size, offset = zlib.decompressobj(zlib.MAX_WBITS | 16), 0, file.tell()
    while not stream.eof:
        piece = stream.unconsumed_tail or file.read(_READ)
        if not piece:
            return "the file ends within it", file.tell()
        try:
            data = stream.decompress(piece, 16 * _READ)
        except zlib.error as error:
            return f"its gzip member is damaged ({error})", offset
        size += len(data)
        if size > _MAX_RECORD_BYTES:
            return f"it unpacks to more than {_MAX_RECORD_BYTES} bytes", offset
        out.write(data)
    return None, file.tell() - len(stream.unused_data)


def _unpack_beginning(file: IO[bytes], offset: int, out: IO[bytes]) -> None:
    """What a damaged gzip member gives before the damage, as far as the head of a record reaches."""
    file.seek(offset)
    out.seek(0)
    out.truncate()
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    with suppress(zlib.error):
        while out.tell() < _MAX_HEAD_BYTES and not stream.eof and (piece := file.read(64)):
            out.write(stream.decompress(piece))


def _find_member(file: IO[bytes], offset: int) -> int | None:
    """Where the next gzip member with a record begins, from *offset* on."""
    rest = b""
    file.seek(offset)
    while piece := file.read(_READ):
        data, base = rest + piece, file.tell() - len(rest) - len(piece)
        at = data.find(_GZIP)
        while at >= 0:
            if _begins_record(file, base + at):
                return base + at
            at = data.find(_GZIP, at + 1)
        file.seek(base + len(data))
        rest = data[-len(_GZIP) + 1 :]
    return None


def _begins_record(file: IO[bytes], offset: int) -> bool:
    file.seek(offset)
    try:
        start = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(file.read(_READ), 64)
    except zlib.error:
        return False
    return _VERSION.match(start) is not None


def _split_plain(file: IO[bytes], base: int, *, is_member: bool) -> Iterator[_Blob]:
    """The records of a plain file, or of an unpacked *member* at *base* of its file."""
    size, offset = file.seek(0, 2), 0
    while offset < size:
        file.seek(offset)
        head = file.read(_MAX_HEAD_BYTES)
        blank = len(head) - len(head.lstrip(b"\r\n\0"))
        if blank:
            offset += blank
            continue
        place = f"{base}+{offset}" if is_member and offset else str(base + offset)
        end, damage = _measure_record(file, head, offset, size)
        with SpooledTemporaryFile(_IN_MEMORY_BYTES) as content:
            _copy(file, content, offset, min(end, size) - offset)
            yield _Blob(place, content, damage)
        offset = end if damage is None else _find_record(file, offset + 1, size)


def _measure_record(file: IO[bytes], head: bytes, offset: int, size: int) -> tuple[int, str | None]:
    """Where the record ends that begins with *head*, and what is wrong with it."""
    stop = min(found) if (found := [at for mark in (b"\r\n\r\n", b"\n\n") if (at := head.find(mark)) >= 0]) else -1
    length = _LENGTH.search(head[:stop].replace(b"\r\n", b"\n")) if stop >= 0 else None
    if not _VERSION.match(head):
        return offset + len(head), "no WARC record begins here"
    if length is None:
        if offset + len(head) == size:
            return size, "the file ends within it"
        return offset + len(head), "its head has no end, or no Content-Length"
    end = offset + stop + (4 if head.startswith(b"\r\n\r\n", stop) else 2) + int(length[1])
    if end > size:
        return size, "the file ends within it"
    if int(length[1]) > _MAX_RECORD_BYTES:
        return offset + len(head), f"it has more than {_MAX_RECORD_BYTES} bytes"
    file.seek(end)
    following = file.read(_READ).lstrip(b"\r\n\0")
    if following and not _VERSION.match(following):
        return end, "it does not end where its Content-Length says"
    return end, None


def _find_record(file: IO[bytes], offset: int, size: int) -> int:
    """Where the next record begins, from *offset* on; *size* where none does."""
    while offset < size:
        file.seek(offset - 1)
        if found := _NEXT.search(file.read(_READ + 16)):
            return offset - 1 + found.start()
        offset += _READ
    return size


def _copy(file: IO[bytes], out: IO[bytes], offset: int, length: int) -> None:
    file.seek(offset)
    while length > 0 and (piece := file.read(min(length, _READ))):
        out.write(piece)
        length -= len(piece)


def _name_damage(record: str, damage: str, content: IO[bytes]) -> DamagedRecord:
    """A damaged record, with the URL and the time that its head still names."""
    content.seek(0)
    head = content.read(_MAX_HEAD_BYTES).replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    found = {name: pattern.search(head) for name, pattern in _FIELDS.items()}
    url = _normalised(found["url"][1].decode("latin-1")) if found["url"] else None
    at = None
    if found["date"]:
        with suppress(_Damage):
            at = parse_warc_date(found["date"][1].decode("latin-1"))
    return DamagedRecord(record, damage, url, at)
