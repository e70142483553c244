"""PDF: what was entered into a form's fields stands in the text, with the fields' names."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rori_spiders.content.documents import read
from rori_spiders.content.documents.pdf import reader
from rori_spiders.exceptions import UnreadableDocument
from tests.content.documents.drawn import Sheet, drawn
from tests.content.documents.pdfs import file_of

URL = "https://www.example.gov/form.pdf"
BOX = "/Type /Annot /Rect [200 700 400 720]"
IN_BOX = BOX.replace("200 700 400 720", "080 700 290 714").encode()
YES, NO = "/AP << /N << /Yes 5 0 R /Off 5 0 R >> >> /AS /Yes", "/AP << /N << /Yes 5 0 R /Off 5 0 R >> >> /AS /Off"


def form(*annotations: str, text: str = "Name of borrower:", orders: str = "") -> bytes:
    """A page with *text*, or drawn by *orders*, and annotations; widgets among them are the fields of the form."""
    content = orders.encode() or (f"BT /F1 12 Tf 72 705 Td ({text}) Tj ET".encode() if text else b"")
    numbers = " ".join(f"{6 + at} 0 R" for at in range(len(annotations)))
    return file_of(
        [
            f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{numbers}] /DA (/F1 10 Tf) >> >>".encode(),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 "
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> /Annots [%s] >>" % numbers.encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 10 10] /Length 0 >>\nstream\n\nendstream",
            *(f"<< {BOX} {about} >>".encode() for about in annotations),
            b"<< >>",
        ]
    )


def widget(kind: str, name: str, about: str) -> str:
    return f"/Subtype /Widget /FT /{kind} /T ({name}) {about}"


FILLED = form(
    widget("Tx", "form1.a1", "/TU (Borrower) /V (Ann *Lee*)"),
    widget("Tx", "note", "/V (not more than 30\\n1. days)"),
    widget("Ch", "county", "/Ff 131072 /Opt [(Adams) (Brown)] /V (Brown)"),
    widget("Btn", "first_time", f"/V /Yes {YES}"),
    widget("Btn", "veteran", f"/V /Off {NO}"),
    widget("Tx", "empty", ""),
    widget("Tx", "secret", "/Ff 8192 /V (opensesame)"),
    widget("Tx", "unseen", "/F 2 /V (hidden)"),
    "/Subtype /FreeText /DA (/F1 10 Tf) /Contents (Typed in by hand)",
)
ENTRIES = (
    "<!-- form fields -->\n\n- Borrower: Ann \\*Lee\\*\n- note: not more than 30  \n  1\\. days\n- county: Brown\n"
    "- ☑ first_time\n- Typed in by hand\n"
)


def test_pdf_form_values_stand_below_page_with_their_names() -> None:
    assert read("pdf", FILLED, url=URL).markdown == f"<!-- page 1 -->\n\nName of borrower:\n\n{ENTRIES}"


def test_pdf_form_values_are_kept_when_too_large_for_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_LAID_OUT", 3)
    assert read("pdf", FILLED, url=URL).markdown == f"<!-- page 1 -->\n\nName of borrower:\n\n{ENTRIES}"


def test_pdf_empty_form_is_its_text() -> None:
    document = read("pdf", form(widget("Tx", "a", ""), widget("Btn", "b", NO)), url=URL)
    assert document.markdown == "<!-- page 1 -->\n\nName of borrower:\n"


def test_pdf_values_without_text_layer_are_content() -> None:
    document = read("pdf", form(widget("Tx", "a", "/V (Brown)"), text=""), url=URL)
    assert document.markdown == "<!-- page 1 -->\n\n<!-- form fields -->\n\n- a: Brown\n"
    with pytest.raises(UnreadableDocument, match="empty_text_layer"):
        read("pdf", form(widget("Tx", "a", ""), text=""), url=URL)


def test_pdf_field_named_by_a_program_takes_the_label_beside_it() -> None:
    document = read("pdf", form(widget("Tx", "form1[0].f1_02[0]", "/V (Ann)")), url=URL)
    assert document.markdown.endswith("- Name of borrower: Ann\n")


def boxes(*, gap: float = 0, in_turns: bool = False) -> bytes:
    """Two rows of boxes that are cut at other places, white of *gap* between them, values drawn *in_turns* or last."""
    sheet = Sheet()
    labels: list[tuple[float, float, str, float]] = []
    values: list[tuple[float, float, str, float]] = []
    for y, cuts in ((700, (72, 200, 540)), (660, (72, 310, 540)), (620, (72, 260, 540))):
        for place, (x, end) in enumerate(pairwise(cuts)):
            sheet.box(x, y, end - x - gap, 40 - gap)
            labels.append((x + 3, y + 40 - gap - 8, f"Label {y}.{place}", 7))
            values.append((x + 6, y + 5, f"value {y}.{place}", 10))
    pairs = [part for pair in zip(labels, values, strict=True) for part in pair] if in_turns else labels + values
    for left, height, words, size in pairs:
        sheet.text(left, height, words, size=size)
    return drawn(sheet)


JOINED = [f"Label {y}.{place}  \nvalue {y}.{place}" for y in (700, 660, 620) for place in (0, 1)]


@pytest.mark.parametrize("gap", [0.0, 6.0], ids=["touching", "apart"])
def test_pdf_form_boxes_side_by_side_join_each_label_to_its_value(gap: float) -> None:
    assert read("pdf", boxes(gap=gap), url=URL).markdown == "<!-- page 1 -->\n\n" + "\n\n".join(JOINED) + "\n"


def test_pdf_form_rows_cut_alike_stay_a_table() -> None:
    sheet = Sheet()
    sheet.grid([72, 200, 300, 540], [700, 680, 660, 640])
    for row, y in enumerate((686, 666, 646)):
        for place, x in enumerate((75, 205, 305)):
            sheet.text(x, y, f"c{row}{place}")
    assert "| c10 | c11 | c12 |" in read("pdf", drawn(sheet), url=URL).markdown


def test_pdf_boxes_to_tick_stand_before_their_options_with_their_state() -> None:
    sheet = Sheet()
    for x, words in ((72, "Yes"), (172, "No"), (272, "Unknown"), (372, "7")):
        sheet.box(x, 700, 8, 8)
        sheet.text(x + 11, 701, words)
    sheet.rule(173, 701, 179, 707)
    sheet.rule(173, 707, 179, 701)
    sheet.text(274, 701.5, "X", size=7)
    sheet.box(472, 700, 8, 8)
    sheet.text(474, 701, "5", size=7)
    assert "☐ Yes ☒ No ☒ Unknown ☐ 7 5" in read("pdf", drawn(sheet), url=URL).markdown


def test_pdf_entries_above_rules_follow_the_labels_beside_them() -> None:
    sheet = Sheet()
    for row, (first, second) in enumerate((("Name", "Date"), ("City", "State"))):
        sheet.text(72, 700 - 40 * row, f"{first} of borrower")
        sheet.rule(170, 699 - 40 * row, 300, 699 - 40 * row)
        sheet.text(320, 700 - 40 * row, f"{second} of loan")
        sheet.rule(400, 699 - 40 * row, 540, 699 - 40 * row)
    for row, (first, second) in enumerate((("Ann", "May 5"), ("Reno", "Nevada"))):
        sheet.text(172, 701 - 40 * row, first)
        sheet.text(404, 701 - 40 * row, second)
    text = read("pdf", drawn(sheet), url=URL).markdown
    assert "Name of borrower Ann Date of loan May 5" in text
    assert "City of borrower Reno State of loan Nevada" in text


def test_pdf_form_value_stands_in_its_box() -> None:
    sheet = Sheet()
    sheet.grid([72, 300, 540], [730, 695, 660])
    sheet.text(75, 721, "Name", size=7)
    sheet.text(305, 721, "City", size=7)
    sheet.text(75, 686, "State", size=7)
    value = widget("Tx", "f1_1", "/V (Ann Lee)")
    document = read("pdf", form(value, orders="\n".join(sheet.orders)).replace(BOX.encode(), IN_BOX), url=URL)
    assert "| Name Ann Lee | City |" in document.markdown
    assert "form fields" not in document.markdown
