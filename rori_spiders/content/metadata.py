"""What a page says about itself: meta tags, OpenGraph, Dublin Core, JSON-LD, and the stamp at its foot (S0 §5.2)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rori_spiders.content import usage
from rori_spiders.content.dates import iso_date
from rori_spiders.content.links import absolute, base_of, canonical_of, robots_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from rori_spiders.content.usage import Signal

# By rank: what a publisher's own system writes comes before what a template fills in.
_PUBLISHED = (
    "article:published_time",
    "datepublished",
    "dcterms.issued",
    "dc.date.issued",
    "date.issued",
    "dcterms.created",
    "dc.date.created",
    "citation_publication_date",
    "publication_date",
    "publish_date",
    "pubdate",
    "dcterms.date",
    "dc.date",
    "date",
)
_MODIFIED = (
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "dc.modified",
    "date.modified",
    "dcterms.updated",
    "last-modified",
    "last_modified",
    "lastmod",
    "revised",
)
_STAMP = re.compile(
    r"(?:last|page|content|date)\s+(?:last\s+)?(?:updated|modified|reviewed|revised|current)(?:\s*(?:/|or|and|,)\s*\w+)?"
    r"(?:\s+(?:on|as\s+of|date))*\s*:?\s*(.{6,40})",
    re.IGNORECASE,
)
_STAMP_XPATH = (
    "//body//text()[contains(., 'pdated') or contains(., 'odified') or contains(., 'eviewed')"
    " or contains(., 'evised') or contains(., 'urrent as of')]"
)
_LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(?=$|[-_;, ])")
_JSON_LD_CHARS = 500_000


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """S0's ``page_metadata`` without the links, and the canonical URL that S0 keeps under ``source``.

    Dates are ``YYYY-MM-DD``.
    """

    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] = ()
    author: str | None = None
    published_date: str | None = None
    modified_date: str | None = None
    og_title: str | None = None
    og_description: str | None = None
    og_image: str | None = None
    robots: str | None = None
    canonical_url: str | None = None
    signals: tuple[Signal, ...] = ()


def read_metadata(root: HtmlElement, url: str) -> PageMetadata:
    """The metadata of the page *root*, as parsed. Nothing is made up: what the page does not say is None."""
    metas = _metas(root)
    linked = list(_json_ld(root))
    image = metas.get("og:image")
    return PageMetadata(
        title=title_of(root),
        description=_first(metas, "description", "dcterms.description", "dc.description", "og:description"),
        keywords=_keywords(_first(metas, "keywords", "news_keywords", "dcterms.subject", "dc.subject")),
        author=_first(metas, "author", "article:author", "dcterms.creator", "dc.creator") or _named(linked, "author"),
        published_date=_dated(metas, _PUBLISHED)
        or _ld_date(linked, "datePublished")
        or _time_element(root, "datePublished"),
        modified_date=_modified(root, metas, linked),
        og_title=metas.get("og:title"),
        og_description=metas.get("og:description"),
        og_image=(absolute(image, base_of(root, url)) or image) if image else None,
        robots=robots_of(root),
        canonical_url=canonical_of(root, url),
        signals=usage.in_page(root),
    )


def title_of(root: HtmlElement) -> str | None:
    """The page's title: its ``title``, else OpenGraph's, else its first heading; None without any."""
    for title in root.iterfind(".//title"):
        if title.getparent() is not None and title.getparent().tag != "svg" and (text := _text(title)):
            return text
    if named := _metas(root).get("og:title"):
        return named
    return next((text for heading in root.iter("h1") if (text := _text(heading))), None)


def language_of(root: HtmlElement) -> str | None:
    """The language that the document declares, as a lower-case ISO 639 code ("en"), or None."""
    metas = _metas(root)
    declared = (
        root.get("lang"),
        root.get("xml:lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang"),
        next((body.get("lang") for body in root.iter("body")), None),
        metas.get("content-language"),
        metas.get("dcterms.language"),
        metas.get("dc.language"),
        metas.get("language"),
        metas.get("og:locale"),
    )
    for value in declared:
        if value and (found := _LANGUAGE.match(value.strip())):
            code = found[0].lower()
            return {"eng": "en", "spa": "es", "fra": "fr", "deu": "de"}.get(code, code)
    return None


def _text(element: HtmlElement) -> str:
    return " ".join(element.text_content().split())


def _metas(root: HtmlElement) -> dict[str, str]:
    """Meta tags by lower-case name; of several the first that says something."""
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        content = " ".join((meta.get("content") or "").split())
        for name in (meta.get("name"), meta.get("property"), meta.get("http-equiv"), meta.get("itemprop")):
            if name and content:
                metas.setdefault(name.strip().lower(), content)
    return metas


def _first(metas: dict[str, str], *names: str) -> str | None:
    return next((metas[name] for name in names if name in metas), None)


def _keywords(text: str | None) -> tuple[str, ...]:
    separator = ";" if text and ";" in text and "," not in text else ","
    words = (word.strip() for word in (text or "").split(separator))
    return tuple(dict.fromkeys(word for word in words if word))


def _dated(metas: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((day for name in names if (day := iso_date(metas.get(name)))), None)


def _modified(root: HtmlElement, metas: dict[str, str], linked: list[dict[str, Any]]) -> str | None:
    return (
        _dated(metas, _MODIFIED)
        or _ld_date(linked, "dateModified")
        or _time_element(root, "dateModified")
        or _stamp(root)
    )


def _json_ld(root: HtmlElement) -> Iterator[dict[str, Any]]:
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


def _ld_date(linked: list[dict[str, Any]], key: str) -> str | None:
    return next((day for item in linked if isinstance(item.get(key), str) and (day := iso_date(item[key]))), None)


def _named(linked: list[dict[str, Any]], key: str) -> str | None:
    for item in linked:
        value = item.get(key)
        for one in value if isinstance(value, list) else [value]:
            name = one.get("name") if isinstance(one, dict) else one
            if isinstance(name, str) and name.strip():
                return " ".join(name.split())
    return None


def _time_element(root: HtmlElement, itemprop: str) -> str | None:
    for element in root.xpath(f"//*[@itemprop='{itemprop}']"):
        if day := iso_date(element.get("datetime") or element.get("content") or element.text_content()):
            return day
    return None


def _stamp(root: HtmlElement) -> str | None:
    """The last "Last updated: …" line of the page, where a date follows in the same line."""
    for text in reversed(root.xpath(_STAMP_XPATH)):
        element = text.getparent()
        for holder in (element, element.getparent() if element is not None else None):
            if holder is None:
                continue
            line = " ".join(holder.text_content()[:600].split())
            found = _STAMP.search(line)
            if found and len(line) < 200 and (day := _leading_date(found[1])):
                return day
    return None


def _leading_date(text: str) -> str | None:
    """The date that *text* begins with, whatever follows it."""
    words = text.split()
    return next(
        (day for count in range(min(4, len(words)), 0, -1) if (day := iso_date(" ".join(words[:count]).rstrip(".|")))),
        None,
    )
