"""PDF to text, in page order, by pypdf.

In: the bytes. Out: a `Document` of format ``pdf_text``. Before the text of each page stands a line ``<!-- page 3
-->``: a comment in markdown, so that a citation can name the page and the text stays what the document says.
"""

from __future__ import annotations

import io
import logging
import re
from typing import TYPE_CHECKING

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from rori_spiders.content.documents.document import Document
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pypdf import DocumentInformation

# Handbook 4000.1, the longest document of the first-time-homebuyer seed, has about 2,000 pages; beyond three times that
# a file is an archive or an attack.
MAX_PAGES = 6_000
# Text beyond this cannot come from MAX_PAGES of print (about 5,000 characters each, measured on the Federal Register).
MAX_CHARS = 32_000_000
_SURROGATES = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0e-\x1f]")
# pypdf reports each oddity of a file that it mends; the page's fate is in the ledger, and nobody acts on those lines.
logging.getLogger("pypdf").setLevel(logging.ERROR)


def read(body: bytes, *, url: str) -> Document:
    """The text layer of a PDF.

    Raises UnreadableDocument for a PDF that is encrypted with a password, broken, longer than `MAX_PAGES`, or scanned:
    without any text, it would otherwise be staged as an empty page.
    """
    try:
        reader = _opened(body, url)
        pages = list(_pages(reader, url))
        about = reader.metadata
    except UnreadableDocument:
        raise
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OSError) as error:
        # A broken file meets pypdf in the middle of any operation; all of these were seen on truncated and fuzzed
        # files.
        raise UnreadableDocument(f"{url}: the PDF is broken ({type(error).__name__}: {error})") from error
    empty = [number for number, text in enumerate(pages, 1) if not text]
    if len(empty) == len(pages):
        raise UnreadableDocument(
            f"{url}: the PDF has {len(pages)} pages and no text layer (empty_text_layer); it is probably scanned"
        )
    markdown = "\n\n".join(f"<!-- page {number} -->\n\n{text}".rstrip() for number, text in enumerate(pages, 1))
    return Document(markdown + "\n", "pdf_text", title=_title(about), metadata=_metadata(about, len(pages), empty))


def _opened(body: bytes, url: str) -> PdfReader:
    reader = PdfReader(io.BytesIO(body), strict=False)
    # Many public PDFs are "encrypted" with an empty password, only to forbid editing: any viewer opens them.
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableDocument(f"{url}: the PDF is encrypted and asks for a password")
    count = len(reader.pages)
    if count == 0:
        raise UnreadableDocument(f"{url}: the PDF has no pages; it is broken or was cut off")
    if count > MAX_PAGES:
        raise UnreadableDocument(f"{url}: the PDF has {count:,} pages; at most {MAX_PAGES:,} are read")
    return reader


def _pages(reader: PdfReader, url: str) -> Iterator[str]:
    total = 0
    for page in reader.pages:
        text = _tidy(page.extract_text() or "")
        total += len(text)
        if total > MAX_CHARS:
            raise UnreadableDocument(f"{url}: the PDF holds more than {MAX_CHARS:,} characters of text")
        yield text


def _tidy(text: str) -> str:
    """Blanks at line ends and runs of empty lines go: pypdf makes them from the gaps between blocks of print."""
    text = _SURROGATES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line.rstrip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _metadata(about: DocumentInformation | None, pages: int, empty: list[int]) -> dict[str, str]:
    facts: dict[str, str | None] = {"pages": str(pages), "empty_pages": ", ".join(map(str, empty)) or None}
    if about is not None:
        facts |= {"author": _text(about.author), "description": _text(about.subject), "keywords": _text(about.keywords)}
        facts |= {
            "published_date": _date(about, "creation_date"),
            "modified_date": _date(about, "modification_date"),
        }
    return {name: value for name, value in facts.items() if value}


def _title(about: DocumentInformation | None) -> str | None:
    """The declared title, unless it is the file name that a word processor left there."""
    title = _text(about.title) if about is not None else None
    if title is None or re.search(
        r"^(?:Microsoft \w+ - |untitled)|\.(?:docx?|indd|wpd|qxd|pdf|xlsx?)$", title, re.IGNORECASE
    ):
        return None
    return title


def _text(value: object) -> str | None:
    return " ".join(_SURROGATES.sub("", str(value)).split()) or None if value is not None else None


def _date(about: DocumentInformation, name: str) -> str | None:
    try:
        moment: datetime | None = getattr(about, name)
    except (ValueError, TypeError, PyPdfError):  # dates in PDFs are often hand-made
        return None
    return moment.isoformat() if moment is not None else None
