"""Pages that are lists: the table of contents of a title or chapter, the documents of an agency or a search.

Each is plain HTML, with links to the human pages: so that a site is walked, and read, as people do.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rori_spiders.publishers.places import LEVELS, Place
from rori_spiders.publishers.publisher import NotThere, objects, read_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ABOVE_SECTIONS = LEVELS[: LEVELS.index("part") + 1]


def html_page(title: str, main: Iterable[str]) -> str:
    """A page of one heading and *main*."""
    named = html.escape(title)
    head = f'<!DOCTYPE html><html lang="en"><head><title>{named}</title></head>'
    return f"{head}<body><main><h1>{named}</h1>{''.join(main)}</main></body></html>"


def contents_html(structure: bytes, place: Place) -> str:
    """The table of contents of *place*, down to parts, from the structure of its title.

    Raises NotThere when the title does not have it, and ValueError for what is no structure.
    """
    node = read_object(structure)
    if node.get("type") != "title" or str(node.get("identifier")) != place.title:
        raise ValueError(f"the API's answer is not the structure of title {place.title}")
    path = place.root
    for level, name in place.within:
        below = _below(node, level, name)
        if below is None:
            raise NotThere(f"title {place.title} has no {level} {name}")
        for step in below:
            path += _segment(step)
        node = below[-1]
    return html_page(_label(node), _listed(node, path))


def _below(node: dict[str, Any], level: str, name: str) -> list[dict[str, Any]] | None:
    """The way down from *node* to the *level* named *name*, which a URL may name without those between."""
    for child in objects(node.get("children")):
        if child.get("type") == level and str(child.get("identifier")) == name:
            return [child]
        if child.get("type") in _ABOVE_SECTIONS[:-1] and (way := _below(child, level, name)) is not None:
            return [child, *way]
    return None


def _listed(node: dict[str, Any], path: str) -> Iterator[str]:
    """All parts below *node*, linked: the pages that have text. What lies between is named, and not asked for."""
    children = [child for child in objects(node.get("children")) if child.get("type") in _ABOVE_SECTIONS]
    if not children:
        return
    yield "<ul>"
    for child in children:
        below, label = path + _segment(child), html.escape(_label(child))
        has_text = child.get("type") == "part" and not child.get("reserved")
        yield f'<li><a href="{html.escape(below)}">{label}</a>' if has_text else f"<li>{label}"
        yield from _listed(child, below)
        yield "</li>"
    yield "</ul>"


def _segment(node: dict[str, Any]) -> str:
    return f"/{node.get('type')}-{quote(str(node.get('identifier')), safe='')}"


def _label(node: dict[str, Any]) -> str:
    return " ".join(str(node.get("label") or f"{node.get('type')} {node.get('identifier')}").split())
