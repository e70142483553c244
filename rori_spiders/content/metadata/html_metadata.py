"""Extract metadata: meta tags, OpenGraph, Dublin Core, JSON-LD, and dates in the text (S0 §5.2)."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rori_spiders.content.html.links import absolute, base_of, canonical_of, robots_of
from rori_spiders.content.metadata import usage_directives
from rori_spiders.content.metadata.dates import Dated, Field, believed, dates_in
from rori_spiders.content.metadata.language import Language, declared_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lxml.html import HtmlElement

    from rori_spiders.content.metadata.usage_directives import Signal

_JSON_LD_CHARS = 500_000
_DATE_FIELDS: tuple[Field, ...] = ("published_date", "modified_date")


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """S0's ``page_metadata`` without the links, and the canonical URL that S0 keeps under ``source``.

    ``dates`` are all that the page is dated with, best first for each field.
    """

    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] = ()
    author: str | None = None
    dates: tuple[Dated, ...] = ()
    og_title: str | None = None
    og_description: str | None = None
    og_image: str | None = None
    robots: str | None = None
    canonical_url: str | None = None
    signals: tuple[Signal, ...] = ()

    def completed(self, found: Iterable[tuple[str, Mapping[str, str]]]) -> PageMetadata:
        """With what plug-ins *found*, by their names, where the page says nothing; their dates come last."""
        description, author, dates = self.description, self.author, list(self.dates)
        for name, fields in found:
            description, author = description or fields.get("description"), author or fields.get("author")
            dates += [Dated(one, fields[one], f"plug-in {name}") for one in _DATE_FIELDS if one in fields]
        return replace(self, description=description, author=author, dates=tuple(dates))

    @property
    def published_date(self) -> str | None:
        """The best date of publication, ``YYYY-MM-DD``, whatever the day today."""
        return self._day("published_date")

    @property
    def modified_date(self) -> str | None:
        """The best date of the last change, ``YYYY-MM-DD``, whatever the day today."""
        return self._day("modified_date")

    def _day(self, field: Field) -> str | None:
        found = believed(self.dates, field)
        return found.date if found else None


def read_metadata(root: HtmlElement, url: str) -> PageMetadata:
    """The metadata of the page *root*, as parsed. Nothing is made up: what the page does not say is None."""
    metas = metas_of(root)
    linked = list(json_ld_objects(root))
    image, canonical = metas.get("og:image"), canonical_of(root, url)
    names = {address.partition("#")[0].rstrip("/") for address in (url, canonical) if address}
    return PageMetadata(
        title=title_of(root),
        description=_first(metas, "description", "dcterms.description", "dc.description", "og:description"),
        keywords=_keywords(_first(metas, "keywords", "news_keywords", "dcterms.subject", "dc.subject")),
        author=_author(metas, linked),
        dates=tuple(dates_in(root, metas, linked, names)),
        og_title=metas.get("og:title"),
        og_description=metas.get("og:description"),
        og_image=(absolute(image, base_of(root, url)) or image) if image else None,
        robots=robots_of(root),
        canonical_url=canonical,
        signals=usage_directives.in_page(root),
    )


def title_of(root: HtmlElement) -> str | None:
    """The page's title: its ``title``, else OpenGraph's, else its first heading; None without any."""
    for title in root.iterfind(".//title"):
        if title.getparent() is not None and title.getparent().tag != "svg" and (text := _text(title)):
            return text
    if named := metas_of(root).get("og:title"):
        return named
    return next((text for heading in root.iter("h1") if (text := _text(heading))), None)


def language_of(root: HtmlElement) -> Language | None:
    """The language that the document declares, or None."""
    return declared_in(root, metas_of(root))


def _text(element: HtmlElement) -> str:
    return " ".join(element.text_content().split())


def metas_of(root: HtmlElement) -> dict[str, str]:
    """Meta tags by lower-case name; of several the first that says something. "dcterms:issued" is "dcterms.issued"."""
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        content = " ".join((meta.get("content") or "").split())
        for name in (meta.get("name"), meta.get("property"), meta.get("http-equiv"), meta.get("itemprop")):
            if name and content:
                key = name.strip().lower()
                metas.setdefault(key.replace(":", ".") if key.startswith("dc") else key, content)
    return metas


def _first(metas: dict[str, str], *names: str) -> str | None:
    return next((metas[name] for name in names if name in metas), None)


def _keywords(text: str | None) -> tuple[str, ...]:
    separator = ";" if text and ";" in text and "," not in text else ","
    words = (word.strip() for word in (text or "").split(separator))
    return tuple(dict.fromkeys(word for word in words if word))


def _author(metas: dict[str, str], linked: list[dict[str, Any]]) -> str | None:
    """Who is named; a profile's address is not a name."""
    named = (metas.get(name) for name in ("author", "article:author", "dcterms.creator", "dc.creator"))
    return next((name for name in named if name and "://" not in name), None) or _named(linked, "author")


def json_ld_objects(root: HtmlElement) -> Iterator[dict[str, Any]]:
    """The objects of the page's JSON-LD, outermost first; broken JSON-LD says nothing."""
    for script in root.iter("script"):
        text = script.text or ""
        if "ld+json" not in (script.get("type") or "").lower() or len(text) > _JSON_LD_CHARS:
            continue
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        for item in found if isinstance(found, list) else [found]:
            if isinstance(item, dict):
                yield item
                graph = item.get("@graph")
                yield from (part for part in graph if isinstance(part, dict)) if isinstance(graph, list) else ()


def _named(linked: list[dict[str, Any]], key: str) -> str | None:
    """The people whom the objects name, where all agree: a list of articles has as many authors as it likes."""
    named = set()
    for item in linked:
        value = item.get(key)
        ones = (
            one.get("name") if isinstance(one, dict) else one for one in (value if isinstance(value, list) else [value])
        )
        names = [" ".join(one.split()) for one in ones if isinstance(one, str) and "://" not in one]
        named.add(", ".join(dict.fromkeys(filter(None, names))))
    named.discard("")
    return named.pop() if len(named) == 1 else None
