"""A body in, a page out: markdown at once, everything else when asked for.

    page = convert(body, url="https://www.consumerfinance.gov/...", content_type="text/html")
    page.markdown, page.title, page.metadata, page.links, page.cross_references, page.hints

The same bytes and the same `CONVERTER_VERSION` give the same page, in any process, on any day.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rori_spiders.content import citations, documents, tree
from rori_spiders.content.article import Extraction, extract, mark_article
from rori_spiders.content.changes import section_hashes
from rori_spiders.content.decode import Decoded, decode
from rori_spiders.content.documents.sniff import kind_of
from rori_spiders.content.hidden import drop_unseen
from rori_spiders.content.hints import Hints, read_hints
from rori_spiders.content.links import Links, base_of, by_place, discover_in, has_pdf
from rori_spiders.content.markdown import render
from rori_spiders.content.metadata import PageMetadata, language_of, read_metadata, title_of
from rori_spiders.content.volatile import remove_volatile
from rori_spiders.exceptions import ConversionError, UnreadableDocument

if TYPE_CHECKING:
    from rori_spiders.content.documents import Document
    from rori_spiders.content.documents.sniff import Kind

_WHOLE = Extraction("document", 1.0)


@dataclass(frozen=True, slots=True)
class Options:
    """What a source asks of its pages' conversion: CSS selectors for the content, and for what is not content."""

    content_selector: str | None = None
    remove_selectors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Converted:
    """All of a page, computed, as plain values: it can cross to another process."""

    markdown: str
    format: str
    title: str | None
    language: str | None
    encoding: str | None
    html: str | None  # the text as received; None for what is no text
    metadata: PageMetadata
    links_outbound: tuple[str, ...]
    links_internal: tuple[str, ...]
    hints: Hints
    section_hashes: list[tuple[str, str]]


class Page(ABC):
    """A converted body. Made by `convert`; beyond markdown, format and title all is computed when first asked for."""

    format: str
    markdown: str
    title: str | None
    extraction: Extraction = _WHOLE
    removed: tuple[str, ...] = ()

    def __init__(self, body: bytes, url: str, content_type: str | None) -> None:
        self.url = url
        self._body = body
        self._content_type = content_type

    @property
    @abstractmethod
    def metadata(self) -> PageMetadata:
        """What the document says about itself."""

    @property
    @abstractmethod
    def language(self) -> str | None:
        """The language that the document declares ("en"), or None."""

    @property
    @abstractmethod
    def links(self) -> Links:
        """The links of the whole page, in page order: ``.outbound`` absolute, ``.internal`` root-relative."""

    @property
    @abstractmethod
    def has_embedded_pdfs(self) -> bool:
        """Whether the page embeds a PDF or links to one."""

    @cached_property
    def _decoded(self) -> Decoded:
        return decode(self._body, self._content_type)

    @property
    def encoding(self) -> str | None:
        """The charset decoded; None for what is no text."""
        return self._decoded.encoding

    @property
    def html(self) -> str | None:
        """The text as received; None for what is no text."""
        return self._decoded.text

    @cached_property
    def cross_references(self) -> tuple[str, ...]:
        """The canonical form of each citation in the text, in order, each once."""
        context = {"url": self.url, "title": self.title or ""}
        return tuple(dict.fromkeys(citation.canonical for citation in citations.find(self.markdown, context)))

    @cached_property
    def hints(self) -> Hints:
        """Hints for who cuts and embeds the text."""
        return read_hints(
            self.markdown,
            embedded_pdfs=self.has_embedded_pdfs,
            cross_references=self.cross_references,
            extraction={"way": self.extraction.way, "kept_share": self.extraction.kept_share},
            removed=self.removed,
        )


class HtmlPage(Page):
    """A page made of HTML; its tree is kept for what is asked for later."""

    format = "markdown"

    def __init__(self, body: bytes, url: str, content_type: str | None, options: Options) -> None:
        super().__init__(body, url, content_type)
        self._root = tree.parse(self._decoded.text)
        self.title = title_of(self._root)
        self.markdown = self._written(options)

    def _written(self, options: Options) -> str:
        work = deepcopy(self._root)
        mark_article(work)
        self.removed = remove_volatile(work)
        drop_unseen(work)
        base = base_of(self._root, self.url)
        whole = work if options.content_selector else deepcopy(work)
        article = extract(
            work, url=self.url, content_selector=options.content_selector, remove_selectors=options.remove_selectors
        )
        self.extraction = article.extraction
        markdown = render(article.element, base=base)
        if not markdown.strip() and not options.content_selector:
            # A page of which all seems furniture is a page of a kind that the rules do not know: all of it, then.
            self.extraction = Extraction("body", 1.0)
            markdown = render(whole, base=base)
        if not markdown.strip():
            raise UnreadableDocument(f"{self.url}: the page shows no text")
        return markdown

    @cached_property
    def metadata(self) -> PageMetadata:
        return read_metadata(self._root, self.url)

    @cached_property
    def language(self) -> str | None:
        return language_of(self._root)

    @cached_property
    def _found(self) -> tuple[str, ...]:
        return discover_in(self._root, self.url).links

    @cached_property
    def links(self) -> Links:
        return by_place(self._found, self.url)

    @cached_property
    def has_embedded_pdfs(self) -> bool:
        return has_pdf(self._root, self._found)


class DocumentPage(Page):
    """A document that is not HTML, as `documents.read` gave it."""

    def __init__(self, body: bytes, url: str, content_type: str | None, kind: Kind) -> None:
        super().__init__(body, url, content_type)
        self._kind = kind
        self._document: Document = documents.read(kind, body, url=url, content_type=content_type)
        self.markdown = self._document.markdown
        self.format = self._document.format
        self.title = self._document.title

    @property
    def encoding(self) -> str | None:
        return None if self._kind == "pdf" else super().encoding

    @property
    def html(self) -> str | None:
        return None if self._kind == "pdf" else super().html

    @cached_property
    def metadata(self) -> PageMetadata:
        said = self._document.metadata
        keywords = (word.strip() for word in said.get("keywords", "").split(","))
        return PageMetadata(
            title=self.title,
            description=said.get("description"),
            keywords=tuple(dict.fromkeys(word for word in keywords if word)),
            author=said.get("author"),
            published_date=said.get("published_date"),
            modified_date=said.get("modified_date"),
        )

    @property
    def language(self) -> str | None:
        return self._document.language

    @cached_property
    def links(self) -> Links:
        return by_place(self._document.links, self.url)

    @cached_property
    def has_embedded_pdfs(self) -> bool:
        return any(link.lower().split("?")[0].endswith(".pdf") for link in self._document.links)


def convert(body: bytes, *, url: str, content_type: str | None = None, options: Options = Options()) -> Page:
    """Convert a body of any kind, told by its own bytes.

    Raises ConversionError (UnreadableDocument for what is broken, encrypted or without text) and nothing else: what a
    server sends must not stop a run.
    """
    try:
        kind = kind_of(body, content_type)
        if kind == "html":
            return HtmlPage(body, url, content_type, options)
        return DocumentPage(body, url, content_type, kind)
    except ConversionError:
        raise
    except Exception as error:
        raise _unforeseen(url, error) from error


def digest(body: bytes, *, url: str, content_type: str | None = None, options: Options = Options()) -> Converted:
    """Convert a body and compute all of it. Raises ConversionError and nothing else."""
    page = convert(body, url=url, content_type=content_type, options=options)
    try:
        return Converted(
            markdown=page.markdown,
            format=page.format,
            title=page.title,
            language=page.language,
            encoding=page.encoding,
            html=page.html,
            metadata=page.metadata,
            links_outbound=page.links.outbound,
            links_internal=page.links.internal,
            hints=page.hints,
            section_hashes=section_hashes(page.markdown),
        )
    except Exception as error:
        raise _unforeseen(url, error) from error


def _unforeseen(url: str, error: Exception) -> ConversionError:
    return ConversionError(f"{url}: the conversion failed ({type(error).__name__}: {error}); the raw bytes are kept")
