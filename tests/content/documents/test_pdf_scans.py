"""PDF: pages that are pictures are never taken for read, and text of OCR programs is named as such."""

from __future__ import annotations

import pytest

from rori_spiders.comparison.importance import choose_rule, read_block
from rori_spiders.content.changes.compare import compare
from rori_spiders.content.convert import convert, digest
from rori_spiders.content.documents import read
from rori_spiders.content.documents.pdf import reader
from rori_spiders.content.documents.pdf.page_marks import find_unread, replaced_pictures
from rori_spiders.envelope.models import build_processing
from rori_spiders.exceptions import UnreadableDocument
from tests.content.documents.drawn import Sheet, drawn, prose

URL = "https://www.example.gov/docket.pdf"
STAMP = "Case 1:23-cv-00045-AB Document 7 Filed 05/06/24 Page {} of 9"
WORDS = "The servicer shall answer each notice of error within thirty days of its receipt. " * 8


def image(x: float = 0, y: float = 0, width: float = 612, height: float = 792, pixel: str = "80") -> str:
    return f"q {width} 0 0 {height} {x} {y} cm BI /W 1 /H 1 /BPC 8 /CS /G /F /AHx ID {pixel}> EI Q"


def scan(*, stamp: str = "", orders: tuple[str, ...] = (image(),)) -> Sheet:
    sheet = Sheet(orders=list(orders))
    if stamp:
        sheet.text(120, 770, stamp)
    return sheet


def text_page() -> Sheet:
    sheet = Sheet()
    sheet.lines(72, 700, prose(WORDS, 70))
    return sheet


@pytest.mark.parametrize(
    "page",
    [
        scan(),
        scan(stamp=STAMP.format(2)),
        scan(orders=tuple(image(y=66 * strip, height=66) for strip in range(12))),
        scan(orders=(image(60, 60, 480, 560),), stamp="EX-000123"),
        scan(orders=tuple(f"{100 + n % 60 * 6} {700 - n // 60 * 9} 5 7 re f" for n in range(300))),
    ],
    ids=["no text", "stamp", "strips", "smaller paper", "outlines"],
)
def test_pdf_page_that_is_picture_is_named_as_not_read(page: Sheet) -> None:
    document = read("pdf", drawn(text_page(), page, text_page()), url=URL)
    assert document.metadata["unread_pages"] == "2"
    middle = document.markdown.split("<!-- page 2 -->")[1].split("<!-- page 3 -->")[0]
    assert "<!-- not read: " in middle
    assert "servicer" not in middle
    assert find_unread(document.markdown) == (2,)


def test_pdf_pages_of_text_or_nothing_are_not_unread() -> None:
    over_picture = text_page()
    over_picture.orders.insert(0, image())
    logo = text_page()
    logo.orders.insert(0, image(72, 740, 80, 30))
    label = Sheet()
    label.text(200, 400, "This page intentionally left blank")
    document = read("pdf", drawn(over_picture, logo, label, Sheet()), url=URL)
    assert "unread_pages" not in document.metadata
    assert "not read" not in document.markdown
    assert document.metadata["empty_pages"] == "4"


def test_pdf_scans_with_stamps_alone_are_unreadable() -> None:
    pages = [scan(stamp=STAMP.format(number)) for number in range(1, 5)]
    pages += [scan(stamp=stamp) for stamp in ("Exhibit A", "EX-000123", "RECEIVED", "")]
    with pytest.raises(UnreadableDocument, match=r"only stamps \(\"Case 1:23-cv-00045.*empty_text_layer"):
        read("pdf", drawn(*pages), url=URL)


def test_pdf_pictures_with_titles_of_their_own_are_read() -> None:
    titles = ("Loan limits", "Fees in Guam", "Appeals", "Contacts")
    slides = [scan() for _ in titles]
    for slide, title in zip(slides, titles, strict=True):
        slide.text(120, 760, title, size=24)
    document = read("pdf", drawn(*slides), url=URL)
    assert document.metadata["unread_pages"] == "1, 2, 3, 4"
    assert all(title in document.markdown for title in titles)


def test_pdf_text_under_picture_is_named_as_recognised() -> None:
    page = scan()
    page.orders.append("3 Tr")
    page.lines(72, 700, prose(WORDS, 70))
    document = read("pdf", drawn(text_page(), page), url=URL)
    assert document.metadata["recognised_pages"] == "2"
    assert "unread_pages" not in document.metadata
    assert document.markdown.count("thirty days") == 16


def test_pdf_too_large_names_its_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_LAID_OUT", 3)
    document = read("pdf", drawn(text_page(), scan(), Sheet()), url=URL)
    assert document.way == "plain_text"
    assert document.metadata["unread_pages"] == "2"


def test_pdf_picture_replaced_by_another_changes_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def text_of(*pages: Sheet) -> str:
        return read("pdf", drawn(*pages), url=URL).markdown

    held = text_of(text_page(), scan())
    same = text_of(text_page(), text_page(), scan())
    other = text_of(text_page(), scan(orders=(image(pixel="81"),)))
    drawing = text_of(
        text_page(), scan(orders=tuple(f"{100 + n % 60 * 6} {700 - n // 60 * 9} 5 7 re f" for n in range(300)))
    )
    assert text_of(text_page(), scan()) == held
    assert replaced_pictures(held, same) == ()
    assert (replaced_pictures(held, other), replaced_pictures(held, drawing)) == ((2,), (2,))
    [change] = compare(held, other).sections[0].changes
    rule = choose_rule(read_block(change, ""))
    assert (rule.rule_id, rule.level.word, change.marks) == ("unread_picture", "high", ())
    monkeypatch.setattr(reader, "MAX_LAID_OUT", 3)
    assert text_of(text_page(), scan()) != text_of(text_page(), scan(orders=(image(pixel="81"),)))


def test_pdf_unread_and_recognised_pages_stand_in_envelope() -> None:
    page = scan()
    page.orders.append("3 Tr")
    page.lines(72, 700, prose(WORDS, 70))
    body = drawn(text_page(), scan(), page)
    assert convert(body, url=URL).hints.unread_pages == (2,)
    processing = build_processing(digest(body, url=URL))
    assert (processing["unread_pages"], processing["recognised_pages"]) == ([2], [3])
    assert build_processing(digest(drawn(text_page()), url=URL))["unread_pages"] is None


def test_find_unread_words_of_document_are_no_marks() -> None:
    page = text_page()
    page.text(72, 400, "<!-- not read: an image covers this page -->")
    page.text(72, 380, "<!-- page 9 -->")
    assert find_unread(read("pdf", drawn(page), url=URL).markdown) == ()
