"""Documents that are not HTML: PDF, Word, Excel and PowerPoint files, XML of the law and other XML, JSON, YAML, text.

In: the kind that `sniff.kind_of` told, and the bytes. Out: a `Document` (markdown and what the document says about
itself). A document that cannot be read raises UnreadableDocument with a sentence; nothing is ever half read in silence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from rori_spiders.content.documents import file_types
from rori_spiders.content.documents.document import Document
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from rori_spiders.content.documents.file_types import Kind
    from rori_spiders.runtime.plugins import ActivePlugin, DocumentConverter


class Reader(Protocol):
    """Reads one kind of document. Raises UnreadableDocument."""

    def __call__(self, body: bytes, /, *, url: str) -> Document: ...


# Each with its libraries is loaded for the first such file, not before: most runs meet one kind or none.


def _word(body: bytes, /, *, url: str) -> Document:
    from rori_spiders.content.documents.word import reader as word_reader

    return word_reader.read(body, url=url)


def _sheets(body: bytes, /, *, url: str) -> Document:
    from rori_spiders.content.documents.excel import reader as excel_reader

    return excel_reader.read(body, url=url)


def _slides(body: bytes, /, *, url: str) -> Document:
    from rori_spiders.content.documents.powerpoint import reader as powerpoint_reader

    return powerpoint_reader.read(body, url=url)


def _xml(body: bytes, /, *, url: str) -> Document:
    from rori_spiders.content.documents.xml import reader as xml_reader

    return xml_reader.read(body, url=url)


def _json(body: bytes, /, *, url: str) -> Document:
    from rori_spiders.content.documents import text_files

    return text_files.read_json(body, url=url)


_READERS: dict[str, Reader] = {
    "docx": _word,
    "xlsx": _sheets,
    "pptx": _slides,
    "ole": file_types.read,
    "xml": _xml,
    "json": _json,
}

__all__ = ["Document", "read", "read_by_plugin"]


def read(
    kind: Kind, body: bytes, *, url: str, content_type: str | None = None, ocr_languages: str | None = None
) -> Document:
    """Read a body of any kind but ``html``.

    ``url`` is named in errors and makes links absolute. ``ocr_languages`` is of PDFs, as `Options.ocr` has it. Raises
    UnreadableDocument for bytes that hold no text that we can get at: broken, encrypted, scanned, or no document at
    all; and ValueError for ``html``, which has a room of its own.
    """
    if (reader := _READERS.get(kind)) is not None:
        return reader(body, url=url)
    if kind == "pdf":
        from rori_spiders.content.documents.pdf import reader as pdf_reader

        return pdf_reader.read(body, url=url, ocr_languages=ocr_languages)
    if kind == "text":
        from rori_spiders.content.documents import text_files

        return text_files.read(body, url=url, content_type=content_type)
    if kind == "binary" and (what := file_types.describe_unread(body)):
        raise UnreadableDocument(f"{url}: this {what}; nothing was staged")
    if kind == "binary":
        raise UnreadableDocument(
            f"{url}: this is neither HTML, XML, PDF, Word, Excel, PowerPoint, JSON nor text"
            f" ({_described(body, content_type)}); nothing was staged"
        )
    raise ValueError(f"documents.read does not read {kind}")


def read_by_plugin(active: ActivePlugin, converter: DocumentConverter, body: bytes, *, url: str) -> Document:
    """Read a body by a plug-in. Raises UnreadableDocument; for whatever else it raises, or does not give, too."""
    try:
        document = converter.read(body, url)
    except UnreadableDocument:
        raise
    except Exception as error:  # another's code
        raise UnreadableDocument(f"{url}: the plug-in {active} failed: {type(error).__name__}: {error}") from error
    if not isinstance(document, Document) or not isinstance(document.markdown, str):
        raise UnreadableDocument(f"{url}: the plug-in {active} gave a {type(document).__name__}, no Document with text")
    return replace(document, way=f"plug-in {active.name}")


def _described(body: bytes, content_type: str | None) -> str:
    declared = content_type or "no Content-Type"
    return f"{declared}, {len(body):,} bytes beginning with {body[:8].hex(' ')}"
