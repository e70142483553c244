"""Office files that nobody may open: bombs, locks, macros, and those of before 2007. Each is refused in a sentence."""

from __future__ import annotations

import io
import zipfile

import pytest

from rori_spiders.content.documents import office_package, read
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.exceptions import UnreadableDocument
from tests.content.documents.docx import docx, p, zipped
from tests.support.cases import cases

URL = "https://www.example.gov/form"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


def ole(stream: str) -> bytes:
    return OLE + stream.encode("utf-16-le") + bytes(200)


@cases(
    ("body", "sentence"),
    [
        (ole("WordDocument"), r"Word file of before 2007 \(\.doc\)"),
        (ole("Workbook"), r"Excel file of before 2007 \(\.xls\)"),
        (ole("EncryptedPackage"), "encrypted and needs a password"),
        (OLE, "OLE2 file .* of an unsupported type"),
        (docx(p("x"), files={"word/vbaProject.bin": b"macro"}), "holds macros"),
        (docx(p("x"), files={"word/big.xml": b" " * (office_package.MAX_UNPACKED + 1)}), "unpacks to"),
    ],
    ids=["doc", "xls", "locked", "other", "macros", "bomb"],
)
def test_package_unreadable_file_is_refused_with_reason(body: bytes, sentence: str) -> None:
    with pytest.raises(UnreadableDocument, match=sentence) as caught:
        read(kind_of(body, "text/html"), body, url=URL)
    assert str(caught.value).startswith(URL)


def test_package_locked_zip_is_refused() -> None:
    body = bytearray(docx(p("x")))
    at = body.find(b"PK\x01\x02")
    body[at + 8] |= 1  # the flag by which a directory says so
    with pytest.raises(UnreadableDocument, match="needs a password"):
        read("docx", bytes(body), url=URL)


def test_package_part_larger_than_declared_is_broken() -> None:
    """The sum of what the directory says is the bound: no part may unpack to more."""
    body = bytearray(docx(p("x" * 5000)))
    at = body.find(b"word/document.xml", body.find(b"PK\x01\x02")) - 46
    assert body[at : at + 4] == b"PK\x01\x02"
    body[at + 24 : at + 28] = (100).to_bytes(4, "little")
    with pytest.raises(UnreadableDocument, match="broken"):
        read("docx", bytes(body), url=URL)


def test_package_directory_is_read_without_opening_parts() -> None:
    body = zipped({"a.xml": b"x" * 70_000, "b.png": b"y"})
    assert office_package.directory(body) == {"a.xml": 70_000, "b.png": 1}
    assert office_package.directory(b"before it" + body) == {"a.xml": 70_000, "b.png": 1}
    assert office_package.unpacked_bytes(body) == 70_000
    assert office_package.directory(body[:-5]) == {}
    assert office_package.unpacked_bytes(b"<html>") == 0


@cases(
    "body",
    [
        zipped({"readme.txt": b"word/document.xml"}),
        zipped({"inner.docx": docx(p("x"))}),
        zipped({}),
        b"PK\x05\x06" + bytes(18),
    ],
    ids=["name in a text", "within a zip", "empty", "only an end"],
)
def test_package_other_archives_are_not_documents(body: bytes) -> None:
    assert kind_of(body, "application/vnd.openxmlformats-officedocument.wordprocessingml.document") == "binary"


def test_package_directory_with_wrong_offset_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("word/document.xml", "<x/>")
    body = bytearray(out.getvalue())
    body[-6:-2] = (2**31).to_bytes(4, "little")
    assert kind_of(bytes(body)) == "docx"
    with pytest.raises(UnreadableDocument):
        read("docx", bytes(body), url=URL)
