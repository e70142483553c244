"""The web addresses that a page's link annotations lead to."""

from __future__ import annotations

from ctypes import byref, c_int, create_string_buffer
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pypdfium2

# A page of an index has a few hundred.
_MAX_A_PAGE = 5_000


def read(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Iterator[str]:
    """Absolute http and https addresses, in the order of the annotations."""
    position, link = c_int(0), pdfium.FPDF_LINK()
    for _ in range(_MAX_A_PAGE):
        if not pdfium.FPDFLink_Enumerate(page.raw, byref(position), byref(link)):
            return
        action = pdfium.FPDFLink_GetAction(link)
        if action and pdfium.FPDFAction_GetType(action) == pdfium.PDFACTION_URI:
            address = _address(document, action)
            if address.startswith(("http://", "https://")):
                yield address


def _address(document: pypdfium2.PdfDocument, action: object) -> str:
    length = pdfium.FPDFAction_GetURIPath(document.raw, action, None, 0)
    buffer = create_string_buffer(length)
    pdfium.FPDFAction_GetURIPath(document.raw, action, buffer, length)
    return buffer.value.decode("utf-8", "replace").strip()
