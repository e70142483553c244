"""PDF: scanned pages that OCR reads are marked as such, with their confidence; what it is not sure of stays unread."""

from __future__ import annotations

import ctypes
import re
import zlib
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pytest

from rori_spiders.content import CONVERTER_VERSION, converter_version
from rori_spiders.content.convert import digest
from rori_spiders.content.documents import read
from rori_spiders.content.documents.pdf import ocr
from rori_spiders.content.documents.pdf.page_marks import find_unread
from rori_spiders.content.options import Options
from rori_spiders.envelope.models import build_processing
from rori_spiders.exceptions import UnreadableDocument
from rori_spiders.operations.doctor.system_checks import check_ocr
from tests.content.documents.drawn import Sheet, drawn, prose

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://www.example.gov/docket.pdf"
STAMP = "Case 1:23-cv-00045-AB Document 7 Filed 05/06/24"
SCANNED = (
    "The servicer shall answer each notice of error within 30 days of its receipt.",
    "No fee over $1,250.75 may be charged under section 1024.35(h) before June 14, 2027.",
)
COLUMNS = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"


@pytest.fixture(autouse=True)
def _switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RORI_OCR", "eng")
    assert ocr.find_engine() is not None, "make tesseract"


@pytest.fixture
def recognising(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, float], None]:
    """Make Tesseract answer one line of words of that confidence."""

    def answer(words: str, confidence: float) -> None:
        rows = [f"5\t1\t1\t1\t1\t{n}\t0\t0\t1\t1\t{confidence}\t{word}" for n, word in enumerate(words.split(), 1)]
        monkeypatch.setattr(ocr, "_run", lambda *_: "\n".join([COLUMNS, *rows]))

    return answer


def scan(*paragraphs: str, stamp: str = "") -> Sheet:
    """A page that is a picture of these paragraphs."""
    print_ = Sheet()
    for at, paragraph in enumerate(paragraphs):
        print_.lines(72, 680 - 90 * at, prose(paragraph, 70), size=12, font="F1")
    if stamp:
        print_.text(120, 770, stamp)
    with (
        closing(pypdfium2.PdfDocument(drawn(print_))) as document,
        closing(document[0].render(scale=150 / 72, grayscale=True)) as bitmap,
    ):
        rows = ctypes.string_at(bitmap.buffer, bitmap.stride * bitmap.height)
        pixels = b"".join(rows[at : at + bitmap.width] for at in range(0, len(rows), bitmap.stride))
        packed = zlib.compress(pixels).hex()
        image = f"BI /W {bitmap.width} /H {bitmap.height} /BPC 8 /CS /G /F [/AHx /Fl] ID {packed}> EI"
    page = Sheet(orders=[f"q 612 0 0 792 0 0 cm {image} Q"])
    if stamp:
        page.text(120, 770, stamp)
    return page


def text_page() -> Sheet:
    page = Sheet()
    page.lines(72, 700, prose("A borrower may ask for a copy of each record. " * 8, 70))
    return page


def test_ocr_scanned_page_is_read_and_marked() -> None:
    converted = digest(drawn(text_page(), scan(*SCANNED, stamp=STAMP)), url=URL)
    page = converted.markdown.split("<!-- page 2 -->")[1]
    assert page.count(STAMP) == 1, "the document's own text, and no second time as OCR's"
    paragraphs = [block for block in page.strip().split("\n\n") if not block.startswith("<!--") and block != STAMP]
    assert [" ".join(paragraph.split()) for paragraph in paragraphs] == [f"[OCR] {paragraph}" for paragraph in SCANNED]
    assert re.search(r"<!-- recognised by OCR \(tesseract [\d.]+, eng\), confidence 0\.9\d: words and digits", page)
    processing = build_processing(converted)
    assert processing["unread_pages"] is None
    [one] = processing["ocr_pages"]
    assert one["page"] == 2 and one["confidence"] >= ocr.LEAST_CONFIDENCE
    assert converted.converter_version == converter_version() != CONVERTER_VERSION


def test_ocr_switched_off_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RORI_OCR")
    document = read("pdf", drawn(text_page(), scan(*SCANNED)), url=URL)
    assert document.metadata["unread_pages"] == "2"
    assert "[OCR]" not in document.markdown
    assert converter_version() == CONVERTER_VERSION


def test_ocr_of_source_decides_whatever_setting_says(monkeypatch: pytest.MonkeyPatch) -> None:
    body = drawn(text_page(), scan(*SCANNED))
    off = digest(body, url=URL, options=Options(ocr="off"))
    assert (off.hints.unread_pages, off.converter_version) == ((2,), CONVERTER_VERSION)
    by_setting = digest(body, url=URL)
    monkeypatch.delenv("RORI_OCR")
    by_source = digest(body, url=URL, options=Options(ocr="eng"))
    assert by_source == by_setting
    assert by_source.converter_version == converter_version("eng") != converter_version()
    assert digest(body, url=URL).hints.unread_pages == (2,)


def test_ocr_unsure_page_stays_unread(recognising: Callable[[str, float], None]) -> None:
    recognising("The fee is $1,2S0", 89)
    document = read("pdf", drawn(text_page(), scan()), url=URL)
    assert find_unread(document.markdown) == (2,)
    assert "OCR is not sure of it (confidence 0.89)" in document.markdown
    assert "fee" not in document.markdown
    assert "ocr_pages" not in document.metadata


def test_ocr_document_of_scans_alone_is_read_unless_unsure(recognising: Callable[[str, float], None]) -> None:
    recognising("The fee is $1,250", 96)
    document = read("pdf", drawn(scan(stamp=STAMP), scan()), url=URL)
    assert document.metadata["ocr_pages"] == "1=0.96, 2=0.96"
    assert "empty_pages" not in document.metadata
    recognising("The fee is $1,250", 50)
    with pytest.raises(UnreadableDocument, match="probably scanned"):
        read("pdf", drawn(scan(stamp=STAMP), scan()), url=URL)


def test_ocr_pages_beyond_limit_stay_unread(
    monkeypatch: pytest.MonkeyPatch, recognising: Callable[[str, float], None]
) -> None:
    recognising("1986. The fee is $1,250 * 2", 96)
    monkeypatch.setenv("RORI_OCR_PAGES", "2")
    document = read("pdf", drawn(scan(), scan(), scan(), text_page()), url=URL)
    assert document.metadata["unread_pages"] == "3"
    assert document.markdown.count("[OCR] 1986. The fee is $1,250 \\* 2") == 2


def test_ocr_program_that_fails_leaves_page_unread() -> None:
    engine = ocr.find_engine()
    assert engine is not None
    with closing(pypdfium2.PdfDocument(drawn(scan(*SCANNED)))) as document:
        assert ocr.recognise(document[0], replace(engine, program="/bin/false")).paragraphs == ()


def test_ocr_table_read_by_columns_stays_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(second: tuple[str, ...], left: int) -> None:
        rows = [COLUMNS]
        for block, (at, words) in enumerate(((100, ("County", "Kent", "Bristol", "Newport")), (left, second)), 1):
            rows.append(f"2\t1\t{block}\t0\t0\t0\t{at}\t100\t200\t400\t-1\t")
            for line, word in enumerate(words, 1):
                rows.append(f"4\t1\t{block}\t1\t{line}\t0\t{at}\t{100 * line}\t200\t40\t-1\t")
                rows.append(f"5\t1\t{block}\t1\t{line}\t1\t{at}\t{100 * line}\t200\t40\t96\t{word}")
        monkeypatch.setattr(ocr, "_run", lambda *_: "\n".join(rows))

    body = drawn(text_page(), scan())
    answer(("Limit", "$123,400", "$98,500", "$77,000"), 400)
    document = read("pdf", body, url=URL)
    assert document.metadata["unread_pages"] == "2"
    assert "OCR tore the rows of its table apart" in document.markdown
    answer(("Two", "columns", "of", "prose"), 400)
    assert "ocr_pages" in read("pdf", body, url=URL).metadata, "a column of words"
    answer(("Limit", "$123,400", "$98,500", "$77,000"), 150)
    assert "ocr_pages" in read("pdf", body, url=URL).metadata, "one below the other"


def test_ocr_language_that_is_missing_reads_nothing_and_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def results(languages: str) -> list[str]:
        monkeypatch.setenv("RORI_OCR", languages)
        context = SimpleNamespace(settings={"RORI_OCR": languages}, active_catalog=None)
        return [one.result for one in check_ocr(context)]  # type: ignore[arg-type]

    assert results("") == []
    assert results("eng") == ["ok"]
    assert results("eng+tlh") == ["warning"]
    assert converter_version() == CONVERTER_VERSION
