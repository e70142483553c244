"""PDF: text by page, what the file says of itself, and the files that must not pass for a page."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader, PdfWriter

from rori_spiders.content.convert import convert
from rori_spiders.content.documents import read
from rori_spiders.content.documents.pdf import file, reader
from rori_spiders.exceptions import UnreadableDocument
from tests.content.documents import pdfs
from tests.support.cases import cases

URL = "https://www.example.gov/handbook.pdf"


def locked(body: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(body)))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_pdf_pages_are_in_order_behind_their_marks() -> None:
    document = read("pdf", pdfs.pdf(["Chapter 1", "Chapter 2"]), url=URL)
    assert document.format == "pdf_text"
    assert document.markdown == "<!-- page 1 -->\n\nChapter 1\n\n<!-- page 2 -->\n\nChapter 2\n"


def test_pdf_metadata_comes_from_file() -> None:
    about = {"Title": "Handbook", "Author": "An Agency", "CreationDate": "D:20240131120000Z", "ModDate": "D:20240202"}
    document = read("pdf", pdfs.pdf(["x"], about), url=URL)
    assert document.title == "Handbook"
    assert document.metadata["author"] == "An Agency"
    assert document.metadata["published_date"] == "2024-01-31T12:00:00+00:00"
    assert document.metadata["modified_date"].startswith("2024-02-02")
    assert document.metadata["pages"] == "1"


@pytest.mark.parametrize("title", ["Microsoft Word - ML2024-01.docx", "final_v3.doc", "untitled"])
def test_pdf_file_name_is_not_used_as_title(title: str) -> None:
    assert read("pdf", pdfs.pdf(["x"], {"Title": title}), url=URL).title is None


def test_pdf_malformed_date_is_left_out() -> None:
    assert "published_date" not in read("pdf", pdfs.pdf(["x"], {"CreationDate": "last May"}), url=URL).metadata


@cases(
    ("stated", "published"),
    [
        ("D:2014", "2014"),
        ("D:201412", "2014-12"),
        ("D:20141229", "2014-12-29"),
        ("D:2014122910", "2014-12-29"),
        ("D:20141229103000", "2014-12-29T10:30:00"),
        ("D:20141229103000-05'00'", "2014-12-29T10:30:00-05:00"),
        ("D:20141329", None),
        ("D:0000", None),
    ],
)
def test_pdf_date_is_cut_to_its_stated_day(stated: str, published: str | None) -> None:
    assert read("pdf", pdfs.pdf(["x"], {"CreationDate": stated}), url=URL).metadata.get("published_date") == published


@pytest.mark.parametrize("stated", ["D:2014", "D:201412"])
def test_pdf_date_without_day_is_left_out(stated: str) -> None:
    page = convert(pdfs.pdf(["x"], {"CreationDate": stated, "ModDate": stated}), url=URL)
    assert page.metadata.dates == ()


def test_pdf_pages_without_text_are_named() -> None:
    document = read("pdf", pdfs.pdf(["Front", "", "Back"]), url=URL)
    assert document.metadata["empty_pages"] == "2"
    assert "<!-- page 2 -->\n\n<!-- page 3 -->" in document.markdown


def test_pdf_scanned_file_is_unreadable() -> None:
    with pytest.raises(UnreadableDocument, match="empty_text_layer") as caught:
        read("pdf", pdfs.pdf(["", ""]), url=URL)
    assert URL in str(caught.value)


def test_pdf_empty_password_opens() -> None:
    assert "Open to all" in read("pdf", locked(pdfs.pdf(["Open to all"]), ""), url=URL).markdown


def test_pdf_password_is_not_guessed() -> None:
    with pytest.raises(UnreadableDocument, match="needs a password"):
        read("pdf", locked(pdfs.pdf(["Closed"]), "secret"), url=URL)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9])
def test_pdf_truncated_file_is_unreadable_or_complete(share: float) -> None:
    """The reader mends what it can: either the whole text is there, or the file is unreadable."""
    whole = pdfs.pdf(["One", "Two", "Three"])
    try:
        document = read("pdf", whole[: int(len(whole) * share)], url=URL)
    except UnreadableDocument as error:
        assert URL in str(error)  # noqa: PT017 - either outcome is right
    else:
        assert all(word in document.markdown for word in ("One", "Two", "Three"))


def test_pdf_garbage_after_header_is_unreadable() -> None:
    with pytest.raises(UnreadableDocument):
        read("pdf", b"%PDF-1.7\n" + bytes(range(256)) * 40, url=URL)


def test_pdf_too_many_pages_are_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MAX_PAGES", 2)
    with pytest.raises(UnreadableDocument, match="3 pages; at most 2"):
        read("pdf", pdfs.pdf(["a", "b", "c"]), url=URL)


def test_pdf_too_much_text_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_LAID_OUT", 3)
    monkeypatch.setattr(reader, "MAX_CHARS", 5)
    with pytest.raises(UnreadableDocument, match="more than 5 characters"):
        read("pdf", pdfs.pdf(["abcd", "efgh"]), url=URL)


def test_pdf_same_bytes_give_same_text() -> None:
    body = pdfs.pdf(["Same"], {"Title": "Same"})
    assert read("pdf", body, url=URL) == read("pdf", body, url=URL)
