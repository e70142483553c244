"""A converted page: text and metadata at once; citations and hints on demand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content import chunking, citations, documents
from rori_spiders.content.chunking import Anchors, Cited, Hints, Part, read_hints
from rori_spiders.content.documents.file_types import NO_TEXT, Kind
from rori_spiders.content.encoding import Decoded, decode
from rori_spiders.content.html import css_semantics, mathml, tree
from rori_spiders.content.html.entries import Aside, put_back, set_aside
from rori_spiders.content.html.hidden import Hidden, drop_unseen, together
from rori_spiders.content.html.links import Links, base_of, by_place, has_pdf
from rori_spiders.content.html.main_content.boilerplate import drop_permalinks
from rori_spiders.content.html.main_content.extraction import (
    Article,
    Extraction,
    chars,
    extract,
    mark_article,
    take_out,
)
from rori_spiders.content.html.parsed_page import ParsedPage
from rori_spiders.content.html.volatile import remove_volatile
from rori_spiders.content.markdown.renderer import render
from rori_spiders.content.metadata.dates import Dated, Field, iso_date
from rori_spiders.content.metadata.html_metadata import PageMetadata, language_of, read_metadata, title_of
from rori_spiders.content.metadata.language import Language, declared_as, written_in
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from rori_spiders.content.documents import Document
    from rori_spiders.content.options import Options
    from rori_spiders.runtime.plugins import ActivePlugin, DocumentConverter

_WHOLE = Extraction("document", 1.0)
_DATES: tuple[Field, ...] = ("published_date", "modified_date")


class Page(ABC):
    """A converted body. Made by `convert`; citations and hints are computed when first asked for."""

    format: str
    markdown: str
    title: str | None
    extraction: Extraction = _WHOLE
    removed: tuple[str, ...] = ()
    hidden: Hidden | None = None
    unread_pages: tuple[int, ...] = ()
    recognised_pages: tuple[int, ...] = ()
    ocr_pages: tuple[tuple[int, float], ...] = ()
    _anchors: Anchors

    def __init__(self, body: bytes, url: str, content_type: str | None) -> None:
        self.url = url
        self._body = body
        self._content_type = content_type
        self._anchors = {}

    @property
    @abstractmethod
    def metadata(self) -> PageMetadata:
        """What the document says about itself."""

    @property
    @abstractmethod
    def declared_language(self) -> Language | None:
        """The language that the document declares, or None."""

    @cached_property
    def language(self) -> Language | None:
        """The language that the document declares, else that of its text, if that is long enough to tell."""
        return self.declared_language or written_in(self.markdown)

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
        """The charset decoded; None if it is not text."""
        return self._decoded.encoding

    @property
    def html(self) -> str | None:
        """The text as received; None if it is not text."""
        return self._decoded.text

    @cached_property
    def citations(self) -> tuple[Cited, ...]:
        """Every citation in the text, in order, with its place in `markdown`."""
        return citations.of_page(self.markdown, url=self.url, title=self.title)

    @property
    def cross_references(self) -> tuple[str, ...]:
        """The canonical form of each citation in the text, in order, each once."""
        return tuple(dict.fromkeys(citation.canonical for citation in self.citations))

    @cached_property
    def outline(self) -> tuple[Part, ...]:
        """The sections of the text, in order, with their places in `markdown`."""
        return chunking.parts_of(self.markdown, self._anchors)

    @cached_property
    def hints(self) -> Hints:
        """Hints for who cuts and embeds the text."""
        return read_hints(
            self.markdown,
            embedded_pdfs=self.has_embedded_pdfs,
            cross_references=self.cross_references,
            extraction={"way": self.extraction.way, "kept_share": self.extraction.kept_share},
            removed=self.removed,
            hidden=self.hidden,
            unread_pages=self.unread_pages,
            recognised_pages=self.recognised_pages,
            ocr_pages=self.ocr_pages,
        )


class _StatedMetadata(NamedTuple):
    """The metadata that a page states about itself."""

    metadata: PageMetadata
    language: Language | None
    links: Links
    has_pdfs: bool


class HtmlPage(Page):
    """A page made of HTML. Its one tree is cut down to what is written of it.

    ``whole`` reads before that what the page says of itself; if not, that costs a second parse when it is asked for.
    """

    format = "markdown"

    def __init__(
        self,
        body: bytes,
        url: str,
        content_type: str | None,
        options: Options,
        *,
        whole: bool = False,
        parsed: ParsedPage | None = None,
    ) -> None:
        super().__init__(body, url, content_type)
        parsed = parsed or ParsedPage(body, url, content_type)
        self._decoded = parsed.decoded
        self.title = title_of(parsed.root)
        if whole:
            self._stated = self._read(parsed)
        self.markdown = self._written(parsed.root, options)

    @cached_property
    def _stated(self) -> _StatedMetadata:
        return self._read(ParsedPage(self._body, self.url, self._content_type))

    def _read(self, parsed: ParsedPage) -> _StatedMetadata:
        root, found = parsed.root, parsed.found.links
        return _StatedMetadata(
            read_metadata(root, self.url), language_of(root), by_place(found, self.url), has_pdf(root, found)
        )

    def _show(self, root: HtmlElement, asides: list[Aside]) -> None:
        """Leave of *root* what a reader sees, without what changes by itself."""
        mark_article(root)
        drop_permalinks(root)
        self.removed = remove_volatile(root)
        parts = (root, *(aside.rows for aside in asides))
        self.hidden = together(map(drop_unseen, parts))
        has_looks = css_semantics.may_hold_distinctions(self._decoded.text)
        for part in parts:
            mathml.write_out(part)
            if has_looks:
                css_semantics.mark_distinctions(part)

    def _written(self, root: HtmlElement, options: Options) -> str:
        base = base_of(root, self.url)
        selector, remove = options.content_selector, options.remove_selectors
        asides = set_aside(root)
        self._show(root, asides)
        article = extract(root, url=self.url, content_selector=selector, remove_selectors=remove)
        beyond = sum(chars(aside.rows) for aside in asides)
        put_back(asides)
        self.extraction = article.extraction(beyond)
        self._anchors = chunking.anchors_in(article.element)
        markdown = render(article.element, base=base)
        if not markdown.strip() and not selector:
            # A page of which all seems boilerplate is a page of a kind that the rules do not know: all of it, then.
            whole = tree.parse(self._decoded.text)  # rather than a copy of each page, for the few that need one
            self._show(whole, [])
            shown = chars(whole)
            take_out(whole, remove)
            self.extraction = Article(whole, "body", shown).extraction()
            self._anchors = chunking.anchors_in(whole)
            markdown = render(whole, base=base)
        if not markdown.strip():
            raise UnreadableDocument(f"{self.url}: the page shows no text")
        return markdown

    @property
    def metadata(self) -> PageMetadata:
        return self._stated.metadata

    @property
    def declared_language(self) -> Language | None:
        return self._stated.language

    @property
    def links(self) -> Links:
        return self._stated.links

    @property
    def has_embedded_pdfs(self) -> bool:
        return self._stated.has_pdfs


class DocumentPage(Page):
    """A document that is not HTML, as `documents.read` or a plug-in gave it."""

    def __init__(
        self,
        body: bytes,
        url: str,
        content_type: str | None,
        kind: Kind,
        plugin: tuple[ActivePlugin, DocumentConverter] | None = None,
        ocr_languages: str | None = None,
    ) -> None:
        super().__init__(body, url, content_type)
        self._kind = kind
        self._document: Document = (
            documents.read(kind, body, url=url, content_type=content_type, ocr_languages=ocr_languages)
            if plugin is None
            else documents.read_by_plugin(*plugin, body, url=url)
        )
        self.markdown = self._document.markdown
        self.format = self._document.format
        self.title = self._document.title
        self.extraction = Extraction(self._document.way, self._document.kept_share)
        self.removed = self._document.removed
        self.unread_pages = self._numbers("unread_pages")
        self.recognised_pages = self._numbers("recognised_pages")
        pairs = (pair.split("=") for pair in self._document.metadata.get("ocr_pages", "").split(", ") if pair)
        self.ocr_pages = tuple((int(number), float(confidence)) for number, confidence in pairs)

    def _numbers(self, name: str) -> tuple[int, ...]:
        return tuple(int(number) for number in self._document.metadata.get(name, "").split(", ") if number)

    @property
    def encoding(self) -> str | None:
        return None if self._kind in NO_TEXT else super().encoding

    @property
    def html(self) -> str | None:
        return None if self._kind in NO_TEXT else super().html

    @cached_property
    def metadata(self) -> PageMetadata:
        facts = self._document.metadata
        keywords = (word.strip() for word in facts.get("keywords", "").split(","))
        return PageMetadata(
            title=self.title,
            description=facts.get("description"),
            keywords=tuple(dict.fromkeys(word for word in keywords if word)),
            author=facts.get("author"),
            dates=tuple(self._dates()),
        )

    def _dates(self) -> Iterator[Dated]:
        """A document's own times are kept to the second; a page is dated by the day."""
        for field in _DATES:
            if day := iso_date(self._document.metadata.get(field, "")[:10]):
                yield Dated(field, day, f"{self._kind} metadata")

    @property
    def declared_language(self) -> Language | None:
        return declared_as(self._document.language)

    @cached_property
    def links(self) -> Links:
        return by_place(self._document.links, self.url)

    @cached_property
    def has_embedded_pdfs(self) -> bool:
        return any(link.lower().split("?")[0].endswith(".pdf") for link in self._document.links)
