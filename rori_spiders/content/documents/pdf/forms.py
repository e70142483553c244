"""What is filled into the fields of a PDF's form, and typed onto its pages: readers see it, the text layer lacks it.

Only values are taken: an empty form is the text that asks for them. What a field hides (a password, a hidden field) is
left out.
"""

from __future__ import annotations

from contextlib import contextmanager
from ctypes import c_ushort
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.content.documents.escaping import block, escaped
from rori_spiders.content.documents.pdf.file import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pypdfium2

# A tax form has some 300 fields a page; a value is a line, or a box of text.
_MAX_FIELDS, _MAX_UNITS = 2_000, 20_000
_TEXTS = {pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX}
_TICKED = {pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON}
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD = 1 << 13  # ISO 32000-1 table 228
# What a box that is ticked exports when its author chose no word.
_YES = {"", "yes", "on", "1", "true", "x"}


@contextmanager
def opened_form(document: pypdfium2.PdfDocument) -> Iterator[Any]:
    """PDFium's handle for the document's form; None where it has none."""
    has_form = pdfium.FPDF_GetFormType(document.raw) != pdfium.FORMTYPE_NONE
    config = pdfium.FPDF_FORMFILLINFO(version=2)
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document.raw, config) if has_form else None
    try:
        yield form
    finally:
        if form:
            pdfium.FPDFDOC_ExitFormFillEnvironment(form)


def read_entries(page: pypdfium2.PdfPage, form: Any) -> list[str]:
    """What was entered on a page, as items of a list: ``- name: value``, ``- ☑ name``; typed notes without a name."""
    found: dict[str, None] = {}
    count = min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MAX_FIELDS)
    if count and form:  # whether a box is ticked is known only then
        pdfium.FORM_OnAfterLoadPage(page.raw, form)
    for index in range(count):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        if annotation:
            if not pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN and (entry := _entry(annotation, form)):
                found[entry] = None
            pdfium.FPDFPage_CloseAnnot(annotation)
    if count and form:
        pdfium.FORM_OnBeforeClosePage(page.raw, form)
    return list(found)


def _entry(annotation: Any, form: Any) -> str:
    subtype = pdfium.FPDFAnnot_GetSubtype(annotation)
    if subtype == pdfium.FPDF_ANNOT_FREETEXT:
        return _item("", _read(lambda *to: pdfium.FPDFAnnot_GetStringValue(annotation, b"Contents", *to)))
    if subtype != pdfium.FPDF_ANNOT_WIDGET or not form:
        return ""
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    name = _read(lambda *to: pdfium.FPDFAnnot_GetFormFieldAlternateName(form, annotation, *to))
    name = name or _read(lambda *to: pdfium.FPDFAnnot_GetFormFieldName(form, annotation, *to))
    if kind in _TEXTS and not pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return _item(name, _read(lambda *to: pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, *to)))
    if kind in _TICKED and pdfium.FPDFAnnot_IsChecked(form, annotation):
        value = _read(lambda *to: pdfium.FPDFAnnot_GetFormFieldExportValue(form, annotation, *to))
        words = f"☑ {name}".rstrip()
        return _item(words, value) if value.lower() not in _YES else f"- {escaped(words)}"
    return ""


def _item(name: str, value: str) -> str:
    lines = [block(escaped(line.strip())) for line in value.splitlines() if line.strip()]
    if not lines:
        return ""
    label = f"{escaped(' '.join(name.split()))}: " if name else ""
    return f"- {label}" + "  \n  ".join(lines)


def _read(ask: Callable[..., int]) -> str:
    """The UTF-16 text that PDFium writes into a buffer: asked twice, for its bytes and for itself."""
    length = ask(None, 0)
    if not 2 < length <= 2 * _MAX_UNITS:
        return ""
    buffer = (c_ushort * (length // 2 + 1))()
    ask(buffer, length)
    return printable(
        bytes(buffer)[: length - 2].decode("utf-16-le", "replace").replace("\r\n", "\n").replace("\r", "\n")
    )
