"""What a page states of its place and its use: the trail of its breadcrumbs, its licence, what it replaces.

In: the page as parsed. Out: lines of text; None for what it does not state. Nothing is made of its address.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import lxml.html
from lxml.etree import ParserError
from lxml.html import HtmlElement

from rori_spiders.content.encoding import decode
from rori_spiders.content.html.links import absolute, base_of
from rori_spiders.content.metadata.html_metadata import json_ld_objects, metas_of

#: Steps of a trail, and characters of a step or a statement; what is longer is something else.
_MOST_STEPS, _LONGEST = 12, 300
#: Elements that hold a trail by their marks, in the order in which they are believed.
_TRAILS = (
    ".//*[contains(@itemtype, 'schema.org/BreadcrumbList')]",
    ".//nav[contains(translate(@aria-label, 'BREADCUM', 'breadcum'), 'breadcrumb')]",
    ".//*[self::ol or self::ul or self::nav][contains(concat(' ', translate(@class, '_-', '  '), ' '), ' breadcrumb')]",
)
#: So early an HTML page begins, after comments and its document type.
_HEAD = 10_000
_RIGHTS = ("dcterms.license", "dcterms.rights", "dc.rights", "dc.rights.license", "copyright")
_REPLACED = ("dcterms.replaces", "dc.relation.replaces")


class PageStatements(NamedTuple):
    """``breadcrumbs``: the steps, from the outermost. ``supersedes``: an address or a name."""

    breadcrumbs: tuple[str, ...] = ()
    rights: str | None = None
    supersedes: str | None = None


def statements_in(raw: bytes, url: str) -> PageStatements:
    """What the page at *url* states of itself in the bytes that were received; nothing where these are no HTML."""
    if b"<html" not in raw[:_HEAD].lower():
        return PageStatements()
    try:
        root = lxml.html.document_fromstring(decode(raw, "text/html").text)
    except (ParserError, ValueError):
        return PageStatements()
    return read_statements(root, url)


def read_statements(root: HtmlElement, url: str) -> PageStatements:
    """What the page *root* at *url* states."""
    metas = metas_of(root)
    rights = _linked(root, url, "license") or _first(metas, _RIGHTS)
    former = _linked(root, url, "predecessor-version") or _first(metas, _REPLACED)
    return PageStatements(_breadcrumbs(root), _short(rights), _short(former))


def _first(metas: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((metas[name] for name in names if name in metas), None)


def _short(text: str | None) -> str | None:
    return text if text and len(text) <= _LONGEST else None


def _linked(root: HtmlElement, url: str, relation: str) -> str | None:
    """The address that all elements with this relation have; where they differ, the page states none for itself."""
    found = {
        absolute(one.get("href"), base_of(root, url)) or one.get("href")
        for one in root.iter("a", "link")
        if one.get("href") and relation in (one.get("rel") or "").lower().split()
    }
    return found.pop() if len(found) == 1 else None


def _breadcrumbs(root: HtmlElement) -> tuple[str, ...]:
    found = [_steps_of_list(item) for item in json_ld_objects(root) if item.get("@type") == "BreadcrumbList"]
    found += [_steps_of_element(element) for path in _TRAILS for element in root.xpath(path)]
    return next((trail for trail in found if 2 <= len(trail) <= _MOST_STEPS), ())


def _steps_of_list(item: dict[str, Any]) -> tuple[str, ...]:
    parts = item.get("itemListElement")
    steps = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    try:
        steps.sort(key=lambda part: int(part.get("position", 0)))
    except (TypeError, ValueError):
        return ()
    items = (part.get("item") for part in steps)
    inner = (item.get("name") if isinstance(item, dict) else None for item in items)
    return _clean(part.get("name") or name for part, name in zip(steps, inner, strict=True))


def _steps_of_element(element: HtmlElement) -> tuple[str, ...]:
    named = element.xpath(".//*[@itemprop='name']") or element.xpath(".//li") or element.xpath(".//a")
    return _clean(one.text_content() for one in named)


def _clean(names: Iterable[Any]) -> tuple[str, ...]:
    stripped = (" ".join(name.split()).strip(" >»›/|") for name in names if isinstance(name, str))
    return tuple(name for name in stripped if _short(name))
