"""What is filled into the fields of a PDF's form, and typed onto its pages: readers see it, the text layer lacks it.

What a field hides (a password, a hidden field) is left out.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from ctypes import c_ushort
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.content.documents.escaping import block, escaped
from rori_spiders.content.documents.pdf.boxes import EMPTY, TICKED, Box, Entry
from rori_spiders.content.documents.pdf.file import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pypdfium2

# A tax form has some 300 fields a page; a value is a line, or a box of text.
_MAX_FIELDS, _MAX_UNITS = 2_000, 20_000
_TEXTS = {pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX}
_TICKED = {pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON}
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD = 1 << 13  # ISO 32000-1 table 228
# What a box that is ticked exports when its author chose no word.
_YES = {"", "yes", "on", "1", "true", "x"}
# Names that programs give to fields: form1[0].Page1[0].f1_02[0], Text12, undefined_3, topmostSubform.c1
_BY_PROGRAM = re.compile(
    r"(?:.*\[\d+\]|(?:.*\.)?[a-z]{0,2}\d[\d_.]*|(?:text|check ?box|field|undefined|group|button|fill)[ _]?[\d_]*)",
    re.IGNORECASE,
)


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


def read_entries(page: pypdfium2.PdfPage, form: Any) -> list[Entry]:
    """What was entered on a page: values of fields, boxes to tick with their state, and typed notes."""
    found: list[Entry] = []
    count = min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MAX_FIELDS)
    if count and form:  # whether a box is ticked is known only then
        pdfium.FORM_OnAfterLoadPage(page.raw, form)
    for index in range(count):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        if annotation:
            if not pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN and (entry := _entry(annotation, form)):
                found.append(entry)
            pdfium.FPDFPage_CloseAnnot(annotation)
    if count and form:
        pdfium.FORM_OnBeforeClosePage(page.raw, form)
    return found


def listed(entries: Iterable[Entry]) -> list[str]:
    """Entries as items of a list: ``- name: value``, ``- ☑ name``; typed notes without a name. Empty ones are not."""
    items: dict[str, None] = {}
    for entry in entries:
        if entry.lines or entry.mark == TICKED:
            name = " ".join(filter(None, (entry.mark, entry.name)))
            label = f"{name}: " if name and entry.lines else name
            items[f"- {label}" + "  \n  ".join(map(block, entry.lines))] = None
    return list(items)


def _entry(annotation: Any, form: Any) -> Entry | None:
    box = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, box)
    place = Box(min(box.left, box.right), min(box.bottom, box.top), max(box.left, box.right), max(box.bottom, box.top))
    subtype = pdfium.FPDFAnnot_GetSubtype(annotation)
    if subtype == pdfium.FPDF_ANNOT_FREETEXT:
        note = _lines(_read(lambda *to: pdfium.FPDFAnnot_GetStringValue(annotation, b"Contents", *to)))
        return Entry(place, note) if note else None
    if subtype != pdfium.FPDF_ANNOT_WIDGET or not form:
        return None
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    label = _read(lambda *to: pdfium.FPDFAnnot_GetFormFieldAlternateName(form, annotation, *to))
    name = label or _read(lambda *to: pdfium.FPDFAnnot_GetFormFieldName(form, annotation, *to))
    is_named = bool(label) or not _BY_PROGRAM.fullmatch(name)
    name = escaped(" ".join(name.split()))
    if kind in _TEXTS and not pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        value = _lines(_read(lambda *to: pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, *to)))
        return Entry(place, value, name, is_named) if value else None
    if kind in _TICKED and not pdfium.FPDFAnnot_IsChecked(form, annotation):
        return Entry(place, [], name, is_named, EMPTY)
    if kind in _TICKED:
        exported = _read(lambda *to: pdfium.FPDFAnnot_GetFormFieldExportValue(form, annotation, *to))
        return Entry(place, [] if exported.lower() in _YES else _lines(exported), name, is_named, TICKED)
    return None


def _lines(value: str) -> list[str]:
    return [escaped(line.strip()) for line in value.splitlines() if line.strip()]


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
