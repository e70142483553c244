"""The pages of a PDF as markdown, each behind its mark."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import pypdfium2  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.content.documents.pdf import body, headings, links, outline, page, plain, running
from rori_spiders.content.documents.pdf.flow import Vocabulary
from rori_spiders.content.documents.pdf.running import Running
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.content.documents.pdf.page import Page

    Result = TypeVar("Result")

# Text beyond this cannot come from `file.MAX_PAGES` of print (about 5,000 characters each, measured on the Federal
# Register).
MAX_CHARS = 32_000_000
# A character takes 7 microseconds to lay out (a manual of 2,000 pages and 5 million characters: 33 s, 122 MiB), and
# RORI_CONVERT_TIMEOUT is 60 s.
MAX_LAID_OUT = 6_000_000
# Pages that tell how many characters there will be.
_SAMPLE = 20


@dataclass(slots=True)
class Text:
    """What a PDF says. ``plain`` is the reason when it was not laid out."""

    markdown: str
    pages: int
    empty: list[int]  # numbers of pages without text
    chars: int  # of all words
    title: str | None = None  # the largest heading of the first page
    links: tuple[str, ...] = ()
    running: Running = field(default_factory=Running)
    plain: str = ""


class _TooLarge(Exception):
    """The document is not laid out; says why."""


def write(document: pypdfium2.PdfDocument, url: str) -> Text:
    """All text of a document. Raises UnreadableDocument for a broken page, and for more than `MAX_CHARS`."""
    try:
        return _laid_out(document, url)
    except _TooLarge as reason:
        return _plain(document, url, str(reason))


def _laid_out(document: pypdfium2.PdfDocument, url: str) -> Text:
    _check_size(document, url)
    pages: list[Page] = []
    found: dict[str, None] = {}
    chars = 0
    for number in range(1, len(document) + 1):
        read, addresses = _on_page(document, number, url, partial(_read, document, number))
        if read is None:
            raise _TooLarge(f"page {number} holds more than {page.MAX_WORDS:,} words")
        chars += read.chars
        if chars > MAX_LAID_OUT:
            raise _TooLarge(f"the document holds more than {MAX_LAID_OUT:,} characters")
        pages.append(read)
        found |= dict.fromkeys(addresses)
    empty = [read.number for read in pages if not read.items and not read.aside]
    taken = running.take_out(pages)
    for read in pages:
        page.settle(read)
    levels = headings.levels(pages, outline.read(document))
    title = body.title(pages[0], levels)
    vocabulary = Vocabulary(pages)
    markdown = _joined([body.write(read, levels, vocabulary) for read in pages])
    return Text(markdown, len(pages), empty, chars, title, tuple(found), taken)


def _check_size(document: pypdfium2.PdfDocument, url: str) -> None:
    """Raise _TooLarge early, by a few pages from all over the document."""
    numbers = range(1, len(document) + 1, max(1, len(document) // _SAMPLE))
    expected = sum(_on_page(document, number, url, plain.count) for number in numbers) * len(document) // len(numbers)
    if expected > MAX_LAID_OUT:
        raise _TooLarge(f"the document holds some {expected:,} characters, more than {MAX_LAID_OUT:,}")


def _read(document: pypdfium2.PdfDocument, number: int, sheet: pypdfium2.PdfPage) -> tuple[Page | None, list[str]]:
    return page.read(sheet, number), list(links.read(document, sheet))


def _plain(document: pypdfium2.PdfDocument, url: str, reason: str) -> Text:
    texts: list[str] = []
    total = 0
    for number in range(1, len(document) + 1):
        texts.append(_on_page(document, number, url, plain.read))
        total += len(texts[-1])
        if total > MAX_CHARS:
            raise UnreadableDocument(f"{url}: the PDF holds more than {MAX_CHARS:,} characters of text")
    empty = [number for number, text in enumerate(texts, 1) if not text]
    return Text(_joined(texts), len(texts), empty, total, plain=reason)


def _on_page(
    document: pypdfium2.PdfDocument, number: int, url: str, read: Callable[[pypdfium2.PdfPage], Result]
) -> Result:
    try:
        with closing(document[number - 1]) as sheet:
            return read(sheet)
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocument(f"{url}: page {number} of the PDF is broken ({error})") from error


def _joined(bodies: list[str]) -> str:
    return "\n\n".join(f"<!-- page {number} -->\n\n{body}".rstrip() for number, body in enumerate(bodies, 1)) + "\n"
