"""WARC files as GNU wget writes them, and damaged ones: each record is whole, or named."""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO
from typing import IO

import pytest
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from rori_spiders.evidence.imports.records import ArchivedCapture, ArchivedRevisit, DamagedRecord, Record
from rori_spiders.evidence.imports.warc_files import WarcReader, is_warc
from tests.evidence.imports.samples import FIXTURES, HOST, MAX_BYTES, a_warc, add_response, law

PACKED, PLAIN = FIXTURES / "wget.warc.gz", FIXTURES / "wget-plain.warc"


def _read(file: IO[bytes]) -> list[Record]:
    return list(WarcReader(MAX_BYTES).read(file))


def _read_one(file: IO[bytes]) -> Record:
    [record] = _read(file)
    return record


def _captures(records: list[Record]) -> list[tuple[str, int, bytes]]:
    return [(one.url, one.status, one.body) for one in records if isinstance(one, ArchivedCapture)]


def _damage(record: Record) -> str:
    assert isinstance(record, DamagedRecord)
    return record.reason


def _offsets(data: bytes) -> list[int]:
    """Where the gzip members begin."""
    found, at = [], 0
    while at < len(data):
        found.append(at)
        stream = zlib.decompressobj(31)
        stream.decompress(data[at:])
        at = len(data) - len(stream.unused_data)
    return found


def test_read_wget_file_packed_and_plain_gives_the_same_captures() -> None:
    with PACKED.open("rb") as packed, PLAIN.open("rb") as plain:
        reader = WarcReader(MAX_BYTES)
        found = list(reader.read(packed))
        assert _captures(found) == _captures(_read(plain))
    assert reader.software == "Wget/1.21.3 (linux-gnu)"
    assert reader.skipped == {"no web address": 2, "styles, scripts, fonts, pictures": 1}
    by_url = {one.url: one for one in found if isinstance(one, ArchivedCapture)}
    chunked = by_url[f"{HOST}/rules/2.html"]
    assert (chunked.status, chunked.trust) == (200, "archived")
    assert chunked.body.startswith(b"<html>") and chunked.body.endswith(b"</html>") and b"90 days" in chunked.body
    assert by_url[f"{HOST}/gone.html"].status == 404
    assert {type(one) for one in found} == {ArchivedCapture}


def test_read_damaged_member_is_named_and_the_others_are_read() -> None:
    data = bytearray(PACKED.read_bytes())
    whole = _captures(_read(BytesIO(data)))
    offsets = _offsets(bytes(data))
    first = next(one for one in _read(BytesIO(data)) if isinstance(one, ArchivedCapture))
    at = int(first.record)
    data[offsets[offsets.index(at) + 1] - 20] ^= 0xFF
    found = _read(BytesIO(bytes(data)))
    [damaged] = [one for one in found if isinstance(one, DamagedRecord)]
    assert (damaged.record, damaged.url) == (first.record, first.url)
    assert "gzip" in damaged.reason
    assert _captures(found) == whole[1:]


def test_read_file_cut_off_names_its_last_record() -> None:
    data = PACKED.read_bytes()
    offsets = _offsets(data)
    found = _read(BytesIO(data[: offsets[4] + 30]))
    assert isinstance(found[-1], DamagedRecord)
    assert (found[-1].record, found[-1].reason) == (str(offsets[4]), "the file ends within it")
    plain = _read(BytesIO(PLAIN.read_bytes()[:2600]))
    assert _damage(plain[-1]) == "the file ends within it"


def test_read_plain_record_with_wrong_length_is_named_and_the_next_is_found() -> None:
    data = a_warc(("/a", law(1)), ("/b", law(2)), ("/c", law(3)), is_packed=False).getvalue()
    second = data.index(b"WARC/1.0", 10)
    length = data.index(b"Content-Length: ", second) + len(b"Content-Length: ")
    data = data[:length] + b"9" + data[length + 1 :]
    found = _read(BytesIO(data))
    assert [type(one) for one in found] == [ArchivedCapture, DamagedRecord, ArchivedCapture]
    assert (found[1].record, found[1].url) == (str(second), f"{HOST}/b")


def test_read_bytes_that_contradict_their_digest_are_damaged() -> None:
    data = a_warc(("/a", law(30)), is_packed=False).getvalue().replace(b"within 30 days", b"within 99 days")
    assert "WARC-Block-Digest" in _damage(_read_one(BytesIO(data)))


def test_read_payload_digest_alone_counts_as_sent_and_unpacked() -> None:
    body = law(30)
    for payload in (body, gzip.compress(body, mtime=0)):
        is_packed = payload is not body
        headers = [("Content-Encoding", "gzip")] if is_packed else []
        data = a_warc(("/a", payload), is_packed=False, headers=headers).getvalue()
        data = b"\n".join(line for line in data.split(b"\n") if not line.startswith(b"WARC-Block-Digest"))
        one = _read_one(BytesIO(data))
        assert isinstance(one, ArchivedCapture)
        assert (one.body, one.trust) == (body, "archived")


@pytest.mark.parametrize(
    ("body", "headers", "reason"),
    [
        (gzip.compress(law(1))[:-20], [("Content-Encoding", "gzip")], "truncated"),
        (law(1), [("Content-Encoding", "sdch")], "Content-Encoding"),
        (b"5\r\nhello\r\n", [("Transfer-Encoding", "chunked")], "ends before its last chunk"),
        (law(1), [("Content-Length", "99999")], "of 99999 bytes"),
        (b"x" * (MAX_BYTES + 1), [], "RORI_MAX_BYTES"),
        (gzip.compress(b"x" * (MAX_BYTES + 1)), [("Content-Encoding", "gzip")], "more than"),
    ],
)
def test_read_body_that_is_not_whole_is_damaged(body: bytes, headers: list[tuple[str, str]], reason: str) -> None:
    assert reason in _damage(_read_one(a_warc(("/a", body), headers=headers)))


def test_read_record_that_the_archive_cut_off_is_damaged() -> None:
    file = a_warc(("/a", law(1)), warc_headers={"WARC-Truncated": "length"})
    assert _damage(_read_one(file)) == "the archive holds only its beginning (length)"


def test_read_body_unpacked_by_the_archive_is_taken_as_it_is() -> None:
    one = _read_one(a_warc(("/a", law(1)), headers=[("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")]))
    assert isinstance(one, ArchivedCapture)
    assert one.body == law(1)


def test_read_file_packed_as_a_whole_gives_each_record() -> None:
    found = _read(BytesIO(gzip.compress(PLAIN.read_bytes())))
    with PLAIN.open("rb") as plain:
        assert _captures(found) == _captures(_read(plain))
    assert len({one.record for one in found}) == len(found)


def test_read_revisit_names_the_digest_that_it_repeats() -> None:
    file = BytesIO()
    writer = WARCWriter(file)
    add_response(writer, "/a", law(1))
    writer.write_record(
        writer.create_revisit_record(f"{HOST}/a", "sha1:ABC", f"{HOST}/a", "2019-03-01T08:00:00Z", warc_headers_dict={
            "WARC-Date": "2020-03-01T08:00:00Z"})
    )  # fmt: skip
    revisit = _read(file)[1]
    assert isinstance(revisit, ArchivedRevisit)
    assert (revisit.digest, revisit.captured_at.year) == ("sha1:ABC", 2020)


def test_is_warc_is_known_by_its_beginning() -> None:
    assert is_warc(PACKED) and is_warc(PLAIN)
    assert not is_warc(FIXTURES / "py-wacz.wacz")
