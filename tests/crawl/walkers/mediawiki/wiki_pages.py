"""A wiki as people see it: HTML of pages and of lists, in the markup of MediaWiki 1.39."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

PROSE = "Lending is a matter of federal law and of its regulations. " * 12


def page(title: str, *, text: str = "", came_from: str | None = None, categories: Iterable[str] = ()) -> str:
    """The page of a title; *came_from*: of the title that redirected to it."""
    sub = f'<span class="mw-redirectedfrom">(Redirected from <a>{came_from}</a>)</span>' if came_from else ""
    named = ",".join(f'"{one}"' for one in categories)
    return (
        f'<!DOCTYPE html><html><head><title>{title} - Wiki</title><link rel="canonical" href="{path(title)}"/>'
        f'<script>RLCONF={{"wgCategories":[{named}]}}</script></head><body><div id="content" role="main">'
        f'<h1 id="firstHeading">{title}</h1><div id="contentSub">{sub}</div><div id="mw-content-text">'
        f'<div class="mw-parser-output">{text or f"<p>{title}. {PROSE}</p>"}</div></div></div></body></html>'
    )


def stub(title: str, to: str) -> str:
    """What a title shows whose redirect leads to another redirect."""
    text = f'<div class="redirectMsg"><p>Redirect to:</p><ul class="redirectText"><li>{_link(to)}</li></ul></div>'
    return page(title, text=text, came_from="Some title")


def category(*titles: str, sub: Iterable[str] = (), more: str | None = None) -> str:
    """A category's page; *more*: where its pages go on."""
    below = "".join(f'<li><div class="CategoryTreeItem">{_link(f"Category:{one}")}</div></li>' for one in sub)
    onward = f'(previous page) (<a href="{more}">next page</a>)' if more else ""
    return _shown(
        f'<div class="mw-category-generated"><div id="mw-subcategories"><ul>{below}</ul></div>'
        f'<div id="mw-pages">{onward}<ul>{"".join(f"<li>{_link(one)}</li>" for one in titles)}</ul></div></div>'
    )


def all_pages(*titles: str, links: Iterable[str] = ()) -> str:
    """A page of Special:AllPages; *links* to what comes before and after."""
    onward = " | ".join(f'<a href="{link}">a page</a>' for link in links)
    items = "".join(f"<li>{_link(one)}</li>" for one in titles)
    return _shown(
        f'<div class="mw-allpages-nav">{onward}</div><div class="mw-allpages-body"><ul class="mw-allpages-chunk">'
        f'{items}<li class="allpagesredirect">{_link("Some redirect")}</li></ul></div>'
    )


def path(title: str) -> str:
    return f"/wiki/{quote(title.replace(' ', '_'), safe='/:')}"


def _shown(inner: str) -> str:
    return f"<!DOCTYPE html><html><head><title>A list</title></head><body>{inner}</body></html>"


def _link(title: str) -> str:
    return f'<a href="{path(title)}" title="{title}">{title}</a>'
