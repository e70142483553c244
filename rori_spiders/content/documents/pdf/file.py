"""A PDF as a file: opened, bounded, and what it says about itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from ctypes import byref, c_int, create_string_buffer
from datetime import datetime, timedelta, timezone

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.exceptions import UnreadableDocument

# Handbook 4000.1, the longest document of the first-time-homebuyer seed, has about 2,000 pages; beyond three times that
# a file is an archive or an attack.
MAX_PAGES = 6_000
_UNPRINTABLE = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0e-\x1f]")
_FILE_NAME = re.compile(r"^(?:Microsoft \w+ - |untitled)|\.(?:docx?|indd|wpd|qxd|pdf|xlsx?)$", re.IGNORECASE)
_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?P<zone>([+-])(\d\d)'?(\d\d)?'?|Z)?")


def opened(body: bytes, url: str) -> pypdfium2.PdfDocument:
    """The document behind *body*, for the caller to close.

    Raises UnreadableDocument for a PDF that needs a password, is broken, or has no or too many pages.
    """
    try:
        # Many public PDFs are "encrypted" without a password, only to forbid editing: any viewer opens them.
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableDocument(f"{url}: the PDF is encrypted and needs a password") from error
        raise UnreadableDocument(f"{url}: the PDF is broken ({error})") from error
    count = len(document)
    if 0 < count <= MAX_PAGES:
        return document
    document.close()
    if count == 0:
        raise UnreadableDocument(f"{url}: the PDF has no pages; it is broken or was cut off")
    raise UnreadableDocument(f"{url}: the PDF has {count:,} pages; at most {MAX_PAGES:,} are read")


def printable(text: str) -> str:
    """Text without control characters and halves of characters, which no envelope can hold."""
    return _UNPRINTABLE.sub("", text)


def title(about: Mapping[str, str]) -> str | None:
    """The declared title, unless it is the file name that a word processor left there."""
    declared = _line(about.get("Title"))
    return None if declared is None or _FILE_NAME.search(declared) else declared


def facts(about: Mapping[str, str]) -> dict[str, str | None]:
    """Author, description, keywords and dates, as `Document` names them; None where the file has none."""
    return {
        "author": _line(about.get("Author")),
        "description": _line(about.get("Subject")),
        "keywords": _line(about.get("Keywords")),
        "published_date": _date(about.get("CreationDate")),
        "modified_date": _date(about.get("ModDate")),
    }


def _line(value: str | None) -> str | None:
    return " ".join(printable(value).split()) or None if value else None


def _date(value: str | None) -> str | None:
    """A PDF date (``D:20141229103000-05'00'``; ISO 32000-1 §7.9.4) as ISO 8601; None for the many made by hand.

    Only what it gives: "D:201412" is the month 2014-12, a time without a zone has none.
    """
    found = _DATE.fullmatch((value or "").strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups()[:6])
    offset = timedelta(hours=int(found[9] or 0), minutes=int(found[10] or 0))
    zone = timezone(-offset if found[8] == "-" else offset) if found["zone"] else None
    try:
        moment = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=zone)
    except ValueError:
        return None
    if minute is not None:
        return moment.isoformat()
    return moment.date().isoformat()[: 10 if day else 7 if month else 4]


# The web addresses that a page's link annotations lead to.

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
