"""Files as python-docx and openpyxl write them, and what Word shows of files within files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from rori_spiders.content.documents import read
from rori_spiders.content.documents.word import reader
from tests.content.documents.docx import docx, p

URL = "https://www.example.gov/limits"
FIXTURES = Path(__file__).parent / "fixtures"
CHUNK = (
    '<Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk"'
    ' Target="chunk"/></Relationships>'
)


@pytest.mark.parametrize(("kind", "name"), [("docx", "word-limits"), ("xlsx", "sheet-limits")])
def test_office_file_gives_expected_markdown(kind: str, name: str) -> None:
    folder = FIXTURES / name
    document = read(kind, (folder / f"input.{kind}").read_bytes(), url=URL)  # type: ignore[arg-type]  # one of them
    assert document.markdown == (folder / "expected.md").read_text(encoding="utf-8")


def test_office_workbook_names_links_and_omissions() -> None:
    document = read("xlsx", (FIXTURES / "sheet-limits" / "input.xlsx").read_bytes(), url=URL)
    assert document.links == ("https://www.example.gov/a.pdf",)
    assert document.removed == ("hidden_rows", "hidden_sheets")


def with_chunk(chunk: bytes) -> bytes:
    """A Word file that shows another, between two paragraphs."""
    whole = docx(p("Before") + '<w:altChunk r:id="a"/>' + p("After"), files={"word/chunk": chunk})
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as source, zipfile.ZipFile(out, "w") as written:
        for name in source.namelist():
            part = source.read(name)
            if name == "word/_rels/document.xml.rels":
                part = part.replace(b"</Relationships>", CHUNK.encode())
            written.writestr(name, part)
    return out.getvalue()


@pytest.mark.parametrize(
    ("chunk", "shown"),
    [
        (
            b"<html><body>One <b>not</b> 7%.<p hidden>Draft</p><ul><li>Two</ul></body></html>",
            "One **not** 7%.\n\n- Two",
        ),
        (b"First 5.\n\n1. Second\nline", "First 5.\n\n1\\. Second line"),
    ],
    ids=["html", "text"],
)
def test_office_embedded_file_is_read_in_its_place(chunk: bytes, shown: str) -> None:
    document = read("docx", with_chunk(chunk), url=URL)
    assert document.markdown == f"Before\n\n{shown}\n\nAfter\n"
    assert document.removed == ()


@pytest.mark.parametrize("chunk", [b"PK\x03\x04" + b"\0" * 40, b"%PDF-1.4 "])
def test_office_unreadable_embedded_file_is_reported(chunk: bytes) -> None:
    document = read("docx", with_chunk(chunk), url=URL)
    assert document.markdown == "Before\n\nAfter\n"
    assert document.removed == ("embedded_files",)


def test_office_embedded_file_too_large_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_BYTES", 3)
    assert read("docx", with_chunk(b"<p>One</p>"), url=URL).removed == ("embedded_files",)
