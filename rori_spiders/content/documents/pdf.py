"""PDF to text, in page order, by PDFium (pypdfium2): some twenty times faster than a reader written in Python.

In: the bytes. Out: a `Document` of format ``pdf_text``. Before the text of each page stands a line ``<!-- page 3
-->``: a comment in markdown, so that a citation can name the page and the text stays what the document says.
"""

from __future__ import annotations

import re
from contextlib import closing
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pypdfium2  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.content.documents.document import Document
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Handbook 4000.1, the longest document of the first-time-homebuyer seed, has about 2,000 pages; beyond three times that
# a file is an archive or an attack.
MAX_PAGES = 6_000
# Text beyond this cannot come from MAX_PAGES of print (about 5,000 characters each, measured on the Federal Register).
MAX_CHARS = 32_000_000
_UNPRINTABLE = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0e-\x1f]")
# PDFium marks a hyphen that only breaks a line with U+FFFE (or U+0002): print shows a hyphen, and so do we.
_LINE_HYPHEN = re.compile("[\ufffe\x02]")
_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:([+-])(\d\d)'?(\d\d)?'?|Z)?")


def read(body: bytes, *, url: str) -> Document:
    """The text layer of a PDF.

    Raises UnreadableDocument for a PDF that is encrypted with a password, broken, longer than `MAX_PAGES`, or scanned:
    without any text, it would otherwise be staged as an empty page.
    """
    with closing(_opened(body, url)) as document:
        pages = list(_pages(document, url))
        about = document.get_metadata_dict()
    empty = [number for number, text in enumerate(pages, 1) if not text]
    if len(empty) == len(pages):
        raise UnreadableDocument(
            f"{url}: the PDF has {len(pages)} pages and no text layer (empty_text_layer); it is probably scanned"
        )
    markdown = "\n\n".join(f"<!-- page {number} -->\n\n{text}".rstrip() for number, text in enumerate(pages, 1))
    return Document(markdown + "\n", "pdf_text", title=_title(about), metadata=_metadata(about, len(pages), empty))


def _opened(body: bytes, url: str) -> pypdfium2.PdfDocument:
    try:
        # Many public PDFs are "encrypted" without a password, only to forbid editing: any viewer opens them.
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableDocument(f"{url}: the PDF is encrypted and asks for a password") from error
        raise UnreadableDocument(f"{url}: the PDF is broken ({error})") from error
    count = len(document)
    if 0 < count <= MAX_PAGES:
        return document
    document.close()
    if count == 0:
        raise UnreadableDocument(f"{url}: the PDF has no pages; it is broken or was cut off")
    raise UnreadableDocument(f"{url}: the PDF has {count:,} pages; at most {MAX_PAGES:,} are read")


def _pages(document: pypdfium2.PdfDocument, url: str) -> Iterator[str]:
    total = 0
    for number in range(len(document)):
        text = _tidy(_text_of(document, number, url))
        total += len(text)
        if total > MAX_CHARS:
            raise UnreadableDocument(f"{url}: the PDF holds more than {MAX_CHARS:,} characters of text")
        yield text


def _text_of(document: pypdfium2.PdfDocument, number: int, url: str) -> str:
    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as text:
            return str(text.get_text_range())
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocument(f"{url}: page {number + 1} of the PDF is broken ({error})") from error


def _tidy(text: str) -> str:
    """Blanks at line ends and runs of empty lines go: they come from the gaps between blocks of print."""
    text = _LINE_HYPHEN.sub("-", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line.rstrip() for line in _UNPRINTABLE.sub("", text).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _metadata(about: Mapping[str, str], pages: int, empty: list[int]) -> dict[str, str]:
    facts = {
        "pages": str(pages),
        "empty_pages": ", ".join(map(str, empty)) or None,
        "author": _line(about.get("Author")),
        "description": _line(about.get("Subject")),
        "keywords": _line(about.get("Keywords")),
        "published_date": _date(about.get("CreationDate")),
        "modified_date": _date(about.get("ModDate")),
    }
    return {name: value for name, value in facts.items() if value}


def _title(about: Mapping[str, str]) -> str | None:
    """The declared title, unless it is the file name that a word processor left there."""
    title = _line(about.get("Title"))
    if title is None or re.search(
        r"^(?:Microsoft \w+ - |untitled)|\.(?:docx?|indd|wpd|qxd|pdf|xlsx?)$", title, re.IGNORECASE
    ):
        return None
    return title


def _line(value: str | None) -> str | None:
    return " ".join(_UNPRINTABLE.sub("", value).split()) or None if value else None


def _date(value: str | None) -> str | None:
    """A PDF date (``D:20141229103000-05'00'``; ISO 32000-1 §7.9.4) as ISO 8601; None for the many made by hand."""
    found = _DATE.fullmatch((value or "").strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups()[:6])
    offset = timedelta(hours=int(found[8] or 0), minutes=int(found[9] or 0))
    zone = timezone(-offset if found[7] == "-" else offset)
    try:
        moment = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=zone)
    except ValueError:
        return None
    return moment.isoformat() if hour is not None else moment.date().isoformat()
