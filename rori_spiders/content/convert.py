"""A body in, a page out: the door of this room.

    page = convert(body, url="https://www.consumerfinance.gov/...", content_type="text/html")
    page.markdown, page.title, page.metadata, page.links, page.cross_references, page.hints

The same bytes and the same `CONVERTER_VERSION` give the same page, in any process, on any day.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rori_spiders.content.credentials import out_of_html, out_of_markdown, out_of_url
from rori_spiders.content.documents.sniff import kind_of
from rori_spiders.content.options import DEFAULTS, Options
from rori_spiders.content.writable import clean
from rori_spiders.exceptions import ConversionError

if TYPE_CHECKING:
    from rori_spiders.content.citations import Cited
    from rori_spiders.content.hints import Hints
    from rori_spiders.content.language import LanguageSource
    from rori_spiders.content.metadata import PageMetadata
    from rori_spiders.content.outline import Part
    from rori_spiders.content.page import Page

__all__ = ["Converted", "Options", "convert", "digest"]


@dataclass(frozen=True, slots=True)
class Converted:
    """All of a page, computed, as plain values: it can cross to another process.

    Offsets in ``citations`` and ``outline`` are in characters of ``markdown``, exactly as it is here and is staged.
    """

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
    citations: tuple[Cited, ...]
    outline: tuple[Part, ...]
    language_source: LanguageSource | None = None

    @property
    def section_hashes(self) -> list[tuple[str, str]]:
        """(heading path, hex SHA-256) of each section, in order."""
        return [(part.path, part.hash) for part in self.outline]


def convert(body: bytes, *, url: str, content_type: str | None = None, options: Options = DEFAULTS) -> Page:
    """Convert a body of any kind, told by its own bytes.

    Raises ConversionError (UnreadableDocument for what is broken, encrypted or without text) and nothing else: what a
    server sends must not stop a run.
    """
    return _page(body, url, content_type, options, whole=False)


def _page(body: bytes, url: str, content_type: str | None, options: Options, *, whole: bool) -> Page:
    # Loaded with the first page: a visit that finds nothing changed converts none.
    from rori_spiders.content.page import DocumentPage, HtmlPage

    try:
        kind = kind_of(body, content_type)
        if kind == "html":
            return HtmlPage(body, url, content_type, options, whole=whole)
        return DocumentPage(body, url, content_type, kind)
    except ConversionError:
        raise
    except Exception as error:
        raise _unforeseen(url, error) from error


def digest(body: bytes, *, url: str, content_type: str | None = None, options: Options = DEFAULTS) -> Converted:
    """Convert a body and compute all of it. Raises ConversionError and nothing else."""
    page = _page(body, url, content_type, options, whole=True)
    try:
        html, said, language = page.html, page.metadata, page.language
        # What follows is computed from the text as it is staged: its places are those of that text.
        page.markdown = clean(out_of_markdown(page.markdown))
        return Converted(
            markdown=page.markdown,
            format=page.format,
            title=page.title,
            language=language.code if language else None,
            language_source=language.source if language else None,
            encoding=page.encoding,
            html=None if html is None else out_of_html(html),
            metadata=replace(
                said,
                canonical_url=said.canonical_url and out_of_url(said.canonical_url),
                og_image=said.og_image and out_of_url(said.og_image),
            ),
            links_outbound=tuple(map(out_of_url, page.links.outbound)),
            links_internal=tuple(map(out_of_url, page.links.internal)),
            hints=page.hints,
            citations=page.citations,
            outline=page.outline,
        )
    except Exception as error:
        raise _unforeseen(url, error) from error


def _unforeseen(url: str, error: Exception) -> ConversionError:
    return ConversionError(f"{url}: the conversion failed ({type(error).__name__}: {error}); the raw bytes are kept")
