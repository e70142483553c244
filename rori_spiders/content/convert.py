"""A body in, a page out: the entry point of this package.

    page = convert(body, url="https://www.consumerfinance.gov/...", content_type="text/html")
    page.markdown, page.title, page.metadata, page.links, page.cross_references, page.hints

The same bytes and the same `CONVERTER_VERSION` give the same page, in any process, on any day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from rori_spiders.content import converter_version
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.content.options import DEFAULTS, Options
from rori_spiders.exceptions import ConversionError
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.runtime.plugins import extract_metadata, find_converter
from rori_spiders.runtime.redaction import mask_credential_parameters, may_hold_credential_parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.content.chunking import Cited, Hints, Part
    from rori_spiders.content.html.parsed_page import ParsedPage
    from rori_spiders.content.metadata.html_metadata import PageMetadata
    from rori_spiders.content.metadata.language import LanguageSource
    from rori_spiders.content.page import Page


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
    html: str | None  # the text as received; None if it is not text
    metadata: PageMetadata
    links_outbound: tuple[str, ...]
    links_internal: tuple[str, ...]
    hints: Hints
    citations: tuple[Cited, ...]
    outline: tuple[Part, ...]
    language_source: LanguageSource | None = None
    converter_version: str = field(default_factory=converter_version)  # of the process that converted it
    plugin_problems: tuple[str, ...] = ()  # metadata extractors that failed on it, and why

    def __str__(self) -> str:  # for `scrapy shell`, which prints what it has at hand
        return f"{self.title or 'untitled'}: {len(self.markdown):,} characters of {self.format}"

    @property
    def section_hashes(self) -> list[tuple[str, str]]:
        """(heading path, hex SHA-256) of each section, in order."""
        return [(part.path, part.hash) for part in self.outline]


def convert(body: bytes, *, url: str, content_type: str | None = None, options: Options = DEFAULTS) -> Page:
    """Convert a body of any kind, detected from its bytes.

    Raises ConversionError (UnreadableDocument for what is broken, encrypted or without text) and nothing else: what a
    server sends must not stop a run.
    """
    return _page(body, url, content_type, options, whole=False)


def _page(
    body: bytes,
    url: str,
    content_type: str | None,
    options: Options,
    *,
    whole: bool,
    parsed: ParsedPage | None = None,
) -> Page:
    # Loaded with the first page: a visit that finds nothing changed converts none.
    from rori_spiders.content.page import DocumentPage, HtmlPage

    try:
        kind = kind_of(body, content_type)
        if (converter := find_converter(body, content_type, is_html=kind == "html")) is not None:
            return DocumentPage(body, url, content_type, kind, converter)
        if kind == "html":
            return HtmlPage(body, url, content_type, options, whole=whole, parsed=parsed)
        return DocumentPage(body, url, content_type, kind, ocr_languages=options.ocr)
    except ConversionError:
        raise
    except Exception as error:
        raise _unforeseen(url, error) from error


def digest(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    options: Options = DEFAULTS,
    parsed: ParsedPage | None = None,
) -> Converted:
    """Convert a body and compute all of it; *parsed*: the same body as HTML, whose tree is used up.

    Raises ConversionError and nothing else.
    """
    page = _page(body, url, content_type, options, whole=True, parsed=parsed)
    try:
        html, language = page.html, page.language
        found, problems = extract_metadata(page.markdown if html is None else html, url)
        metadata = page.metadata.completed(found)
        # What follows is computed from the text as it is staged: its places are those of that text.
        page.markdown = replace_surrogates(out_of_markdown(page.markdown))
        return Converted(
            markdown=page.markdown,
            format=page.format,
            title=page.title,
            language=language.code if language else None,
            language_source=language.source if language else None,
            encoding=page.encoding,
            html=None if html is None else out_of_html(html),
            metadata=replace(
                metadata,
                canonical_url=metadata.canonical_url and out_of_url(metadata.canonical_url),
                og_image=metadata.og_image and out_of_url(metadata.og_image),
            ),
            links_outbound=tuple(map(out_of_url, page.links.outbound)),
            links_internal=tuple(map(out_of_url, page.links.internal)),
            hints=page.hints,
            citations=page.citations,
            outline=page.outline,
            converter_version=converter_version(options.ocr),
            plugin_problems=tuple(problems),
        )
    except Exception as error:
        raise _unforeseen(url, error) from error


def _unforeseen(url: str, error: Exception) -> ConversionError:
    return ConversionError(f"{url}: {type(error).__name__}: {error}; the raw bytes are kept")


# Users, passwords and keys in the addresses that a page links to: taken out or masked, the links themselves stay. In:
# markdown, HTML, a URL. Out: the same without ``user:password@`` where a link leads, and ``[redacted]`` for the value
# of a parameter that can only be a credential. What a page says in its text is the publisher's, and stays as it is
# said.

_IN_URL = re.compile(r"(?<=//)[^/?#\s]*@")
# The target of a link or a picture, and the tags that tables keep.
_TARGET = re.compile(r"\]\(<?[^()<>\s]*(?:\([^()<>\s]*\)[^()<>\s]*)*")
_IN_TARGET = re.compile(r"^(\]\(<?(?:https?:)?//)[^/?#\s()<>]*@", re.IGNORECASE)
# What both of those with a user need; most pages have none.
_MAY_HOLD_USER = re.compile(r"//[^/?#\s<>]*@")
# Tags with what a user or a parameter needs; most have neither.
_TAG = re.compile(r"<[a-zA-Z][^<>@?]*+[@?][^<>]*+>")
_ATTRIBUTE = re.compile(r"(=\s*[\"']?(?:https?:)?//)[^/?#\s\"'<>]*@", re.IGNORECASE)


def out_of_url(url: str) -> str:
    """An absolute or relative URL without them."""
    return mask_credential_parameters(_IN_URL.sub("", url, count=1) if "@" in url else url)


def out_of_markdown(markdown: str) -> str:
    """Markdown whose links carry none."""
    if not _may_hold_credentials(markdown):
        return markdown
    return out_of_html(_TARGET.sub(lambda target: _out_of(_IN_TARGET, target[0]), markdown))


def out_of_html(html: str) -> str:
    """HTML whose attributes carry none."""
    return _TAG.sub(lambda tag: _out_of(_ATTRIBUTE, tag[0]), html) if _may_hold_credentials(html) else html


@cache
def _find_parameters() -> Callable[[bytes], object]:
    """What of the names of `mask_credential_parameters` ends each."""
    import re2  # a third of the time of the whole expression; a crawl's own process has no use for it

    search: Callable[[bytes], object] = re2.compile(
        rb"(?i)(?:key|token|secret|password|passwd|jwt|signature|credential)="
    ).search
    return search


def _may_hold_credentials(text: str) -> bool:
    """Whether there is one at all, to be looked for in each link and tag."""
    if _MAY_HOLD_USER.search(text) is not None:
        return True
    may_hold = _find_parameters()(text.encode("utf-8", "surrogatepass")) is not None
    return may_hold and may_hold_credential_parameters(text)


def _out_of(userinfo: re.Pattern[str], text: str) -> str:
    if "@" in text:
        text = userinfo.sub(r"\1", text)
    return mask_credential_parameters(text) if "?" in text else text
