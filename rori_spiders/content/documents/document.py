"""A parsed document that is not HTML: its text as markdown, and its own metadata."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Document:
    """A document's text and its own account of itself. Plain values only, so that it can cross to another process.

    ``metadata`` keys, each only when the document names it: ``author``, ``description``, ``keywords``
    (comma-separated), ``published_date``, ``modified_date`` (ISO 8601, as far as given: "2014-12" is a month),
    ``agency``, ``identifier`` (a Federal Register document number, a part), ``pages`` (of a PDF), ``empty_pages``
    (their numbers), ``unread_pages`` (those that are pictures, with no text but a stamp), ``recognised_pages`` (whose
    text an OCR program put under a picture), ``ocr_pages`` (those that our own OCR read: ``3=0.93``), ``kind``
    (``json``, ``yaml``, ``csv``, the XML family).
    Of a PDF also ``running_lines`` (heads and feet of pages that were taken out) and ``plain_text`` (why it was not
    laid out).
    ``links`` are absolute URLs in the order of the document, each once. ``way`` and ``kept_share`` tell how the text
    was found, ``removed`` the rules that took boilerplate out, as the envelope has them.
    """

    markdown: str
    format: str  # as in the envelope: markdown | pdf_text | raw
    title: str | None = None
    language: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    way: str = "document"
    kept_share: float = 1.0  # share of the document's characters, without white space
    removed: tuple[str, ...] = ()
