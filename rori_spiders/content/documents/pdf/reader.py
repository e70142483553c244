"""Convert PDF to markdown by print positions, with PDFium (pypdfium2): twenty times faster than pure Python.

In: the bytes. Out: a `Document` of format ``pdf_text``. Before the text of each page stands a line ``<!-- page 3
-->``: a comment in markdown, so that a citation can name the page and the text stays what the document says.

Every word of PDFium's own text stands in the markdown, in reading order; only what repeats as running head or foot is
taken out, and named. A document too large to be laid out is PDFium's text as it is.

    file           open, bounds, metadata, links     headings       which lines, which level
    lines          characters, words, lines          paragraphs     lines that belong together, as markdown
    tables         rules, grids, pipe tables         running_heads  heads and feet of pages
    page_layout    what is read before what          scans          pages that are pictures
    open_tables    tables without rules              forms          what was entered into fields
    boxes          boxes side by side, boxes to tick ocr            pages that are pictures, if asked for
    overleaf       tables that go on                 page_marks     comments between pages
"""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pypdfium2  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.escaping import block, escaped
from rori_spiders.content.documents.pdf import (
    file,
    forms,
    headings,
    ocr,
    overleaf,
    page_layout,
    paragraphs,
    running_heads,
    scans,
)
from rori_spiders.content.documents.pdf.file import printable
from rori_spiders.content.documents.pdf.page_marks import page_mark, recognised_mark, unread_mark
from rori_spiders.content.documents.pdf.paragraphs import Vocabulary
from rori_spiders.content.documents.pdf.running_heads import Running
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from rori_spiders.content.documents.pdf.page_layout import Page
    from rori_spiders.content.documents.pdf.tables import Table

    Result = TypeVar("Result")


def read(body: bytes, *, url: str, ocr_languages: str | None = None) -> Document:
    """The text layer of a PDF; *ocr_languages*: of its scanned pages, as `Options.ocr` has them.

    Raises UnreadableDocument for a PDF that is encrypted with a password, broken, longer than `file.MAX_PAGES`, or
    scanned: without any text, it would otherwise be staged as an empty page.
    """
    with closing(file.opened(body, url)) as document:
        about = document.get_metadata_dict()
        with forms.opened_form(document) as form:
            text = write(document, url, form, ocr_languages)
    if (len(text.empty) == text.pages or text.stamps) and not text.ocr:
        layer = f'only stamps ("{text.stamps}")' if text.stamps else "no text layer"
        raise UnreadableDocument(
            f"{url}: the PDF has {text.pages} pages and {layer} (empty_text_layer); it is probably scanned"
        )
    facts = file.facts(about) | {
        "pages": str(text.pages),
        "empty_pages": ", ".join(map(str, text.empty)),
        "unread_pages": ", ".join(map(str, text.unread)),
        "recognised_pages": ", ".join(map(str, text.recognised)),
        "ocr_pages": ", ".join(f"{number}={confidence:.2f}" for number, confidence in text.ocr.items()),
        "running_lines": "\n".join(text.running.lines),
        "plain_text": text.plain,
    }
    return Document(
        text.markdown,
        "pdf_text",
        title=file.title(about) or text.title,
        metadata={name: value for name, value in facts.items() if value},
        links=text.links,
        way="plain_text" if text.plain else "layout",
        kept_share=round(1 - text.running.chars / text.chars, 3) if text.chars else 1.0,
        removed=text.running.names,
    )


# The pages of a PDF as markdown, each behind its mark.

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
    """The text of a PDF. ``plain`` is the reason if it was extracted without layout."""

    markdown: str
    pages: int
    empty: list[int]  # numbers of pages without text
    chars: int  # of all words
    title: str | None = None  # the largest heading of the first page
    links: tuple[str, ...] = ()
    running: Running = field(default_factory=Running)
    plain: str = ""
    unread: tuple[int, ...] = ()  # pages that are pictures, with no text but a stamp
    recognised: tuple[int, ...] = ()  # pages whose text somebody's OCR recognised
    ocr: dict[int, float] = field(default_factory=dict)  # pages that our OCR read -> confidence
    stamps: str = ""  # one of the stamps, when the document holds nothing else


class _TooLarge(Exception):
    """The document is not laid out; says why."""


def write(document: pypdfium2.PdfDocument, url: str, form: Any = None, ocr_languages: str | None = None) -> Text:
    """All text of a document. Raises UnreadableDocument for a broken page, and for more than `MAX_CHARS`."""
    try:
        return _laid_out(document, url, form, ocr_languages)
    except _TooLarge as reason:
        return _plain(document, url, str(reason), form)


def _laid_out(document: pypdfium2.PdfDocument, url: str, form: Any, ocr_languages: str | None) -> Text:
    _check_size(document, url)
    pages: list[Page] = []
    found: dict[str, None] = {}
    chars = 0
    before: Table | None = None
    for number in range(1, len(document) + 1):
        read, addresses = _on_page(document, number, url, partial(_read, document, number, form, before))
        if read is None:
            raise _TooLarge(f"page {number} holds more than {page_layout.MAX_WORDS:,} words")
        chars += read.chars
        if chars > MAX_LAID_OUT:
            raise _TooLarge(f"the document holds more than {MAX_LAID_OUT:,} characters")
        pages.append(read)
        before = overleaf.last_table(read)
        found |= dict.fromkeys(addresses)
    empty = [read.number for read in pages if not read.items and not read.aside and not read.entries]
    has_entries = any(read.entries for read in pages)
    has_text = any(not read.unread and read.number not in empty for read in pages)
    stamps = "" if has_text or has_entries else _stamps(pages)
    taken = running_heads.take_out(pages)
    begun = overleaf.join(pages, taken.kept)
    if sum(begun.values()):
        taken = replace(taken, names=(*taken.names, "table_head"), chars=taken.chars + sum(begun.values()))
    for read in pages:
        page_layout.settle(read)
    levels = headings.levels(pages, headings.read(document))
    title = paragraphs.title(pages[0], levels)
    vocabulary = Vocabulary(pages)
    bodies = [_with_entries(paragraphs.write(read, levels, vocabulary), read.entries) for read in pages]
    unread = {read.number: read.unread for read in pages if read.unread}
    read_by_ocr = _recognise(document, url, unread, bodies, ocr_languages)
    empty = [number for number in empty if number not in read_by_ocr]
    markdown = _joined([_noted(unread.get(number, ""), body) for number, body in enumerate(bodies, 1)], begun)
    recognised = tuple(read.number for read in pages if read.recognised)
    return Text(
        markdown,
        len(pages),
        empty,
        chars,
        title,
        tuple(found),
        taken,
        unread=tuple(unread),
        recognised=recognised,
        ocr=read_by_ocr,
        stamps=stamps,
    )


def _stamps(pages: list[Page]) -> str:
    """A stamp of pages that are pictures; "" where their texts are more than stamps."""
    lines = [[*headings.lines_of(read), *read.aside] for read in pages]
    texts = [" ".join(line.text for line in part) for part in lines]
    size = max((line.size for part in lines for line in part), default=0.0)
    return next((text for text in texts if text), "")[:80] if scans.are_stamps(texts, size) else ""


def _with_entries(body: str, entries: list[str]) -> str:
    """The text of a page with what was entered into its form: below it, for a field's place is beside its question."""
    lines = "\n".join(entries)
    return f"{body}\n\n<!-- form fields -->\n\n{lines}".lstrip() if entries else body


def _noted(unread: str, body: str) -> str:
    """The text of a page behind a comment that says why more was not read."""
    return f"{unread_mark(unread)}\n\n{body}".rstrip() if unread else body


def _recognise(
    document: pypdfium2.PdfDocument, url: str, unread: dict[int, str], bodies: list[str], languages: str | None
) -> dict[int, float]:
    """Pages that OCR read -> its confidence. *bodies* gets what they say; *unread* loses them, or says why not."""
    engine = ocr.find_engine(languages)
    if engine is None:
        return {}
    read: dict[int, float] = {}
    for number in list(unread)[: ocr.most_pages()]:
        own = bodies[number - 1].splitlines()
        found = _on_page(document, number, url, partial(ocr.recognise, engine=engine, own_lines=own))
        if not found.paragraphs:
            unread[number] += f"; {found.doubt}"
            continue
        del unread[number]
        read[number] = found.confidence
        mark = recognised_mark(engine.name, found.confidence)
        bodies[number - 1] = "\n\n".join(filter(None, (bodies[number - 1], mark, *found.paragraphs)))
    return read


def _check_size(document: pypdfium2.PdfDocument, url: str) -> None:
    """Raise _TooLarge early, by a few pages from all over the document."""
    numbers = range(1, len(document) + 1, max(1, len(document) // _SAMPLE))
    expected = sum(_on_page(document, number, url, count) for number in numbers) * len(document) // len(numbers)
    if expected > MAX_LAID_OUT:
        raise _TooLarge(f"the document holds some {expected:,} characters, more than {MAX_LAID_OUT:,}")


def _read(
    document: pypdfium2.PdfDocument, number: int, form: Any, before: Table | None, sheet: pypdfium2.PdfPage
) -> tuple[Page | None, list[str]]:
    read = page_layout.read(sheet, number, forms.read_entries(sheet, form), before)
    return read, list(file.read(document, sheet))


def _plain(document: pypdfium2.PdfDocument, url: str, reason: str, form: Any) -> Text:
    texts: list[str] = []
    unread: dict[int, str] = {}
    total = 0
    for number in range(1, len(document) + 1):
        entries = forms.listed(_on_page(document, number, url, partial(forms.read_entries, form=form)))
        texts.append(_with_entries(_on_page(document, number, url, read_plain_text), entries))
        if not texts[-1] and (why := _on_page(document, number, url, partial(scans.why_unread, words=[]))):
            unread[number] = why
        total += len(texts[-1])
        if total > MAX_CHARS:
            raise UnreadableDocument(f"{url}: the PDF holds more than {MAX_CHARS:,} characters of text")
    empty = [number for number, text in enumerate(texts, 1) if not text]
    markdown = _joined([_noted(unread.get(number, ""), text) for number, text in enumerate(texts, 1)])
    return Text(markdown, len(texts), empty, total, plain=reason, unread=tuple(unread))


def _on_page(
    document: pypdfium2.PdfDocument, number: int, url: str, read: Callable[[pypdfium2.PdfPage], Result]
) -> Result:
    try:
        with closing(document[number - 1]) as sheet:
            return read(sheet)
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocument(f"{url}: page {number} of the PDF is broken ({error})") from error


def _joined(bodies: list[str], begun: Container[int] = ()) -> str:
    """The texts of all pages. Pages *begun* have their mark in the table that goes on there."""
    marked = (
        (number, body if number in begun else f"{page_mark(number)}\n\n{body}") for number, body in enumerate(bodies, 1)
    )
    return "\n\n".join(body.rstrip() for number, body in marked if body or number not in begun) + "\n"


# PDFium's own text of a document, page by page: for what is too large to be laid out.

# PDFium marks a hyphen that only breaks a line with U+FFFE (or U+0002): print shows a hyphen, and so do we.
_LINE_HYPHEN = re.compile("[\ufffe\x02]")


def read_plain_text(page: pypdfium2.PdfPage) -> str:
    """The text of a page as PDFium has it, in its lines; what markdown would act on is escaped."""
    with closing(page.get_textpage()) as text:
        lines = _tidy(str(text.get_text_range())).split("\n")
    return "\n".join(block(escaped(line.lstrip())) for line in lines)


def count(page: pypdfium2.PdfPage) -> int:
    """The characters of a page, blanks among them."""
    with closing(page.get_textpage()) as text:
        return int(text.count_chars())


def _tidy(text: str) -> str:
    """Blanks at line ends and runs of empty lines go: they come from the gaps between blocks of print."""
    text = _LINE_HYPHEN.sub("-", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line.rstrip() for line in printable(text).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
