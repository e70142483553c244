"""PDF: what was entered into a form's fields stands in the text, with the fields' names."""

from __future__ import annotations

import pytest

from rori_spiders.content.documents import read
from rori_spiders.content.documents.pdf import reader
from rori_spiders.exceptions import UnreadableDocument
from tests.content.documents.pdfs import file_of

URL = "https://www.example.gov/form.pdf"
BOX = "/Type /Annot /Rect [200 700 400 720]"
YES, NO = "/AP << /N << /Yes 5 0 R /Off 5 0 R >> >> /AS /Yes", "/AP << /N << /Yes 5 0 R /Off 5 0 R >> >> /AS /Off"


def form(*annotations: str, text: str = "Name of borrower:") -> bytes:
    """A page with *text*, and annotations; widgets among them are the fields of the form."""
    content = f"BT /F1 12 Tf 72 705 Td ({text}) Tj ET".encode() if text else b""
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
