"""A wiki's API as a test site: what it lists, scripted by the addresses that are asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_lists
from tests.crawl.walkers.mediawiki.test_pages import parsed, serve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.support.server import Site

API = "/w/api.php"


def category(name: str, *, level: int = 0, depth: int = 0) -> str:
    """The path at which the members of a category are listed."""
    return wiki_lists.category_list_url(API, f"Category:{name}", level=level, depth=depth)


def namespace(number: int = 0, prefix: str | None = None) -> str:
    return wiki_lists.namespace_list_url(API, number, prefix)


def further(path: str, more: Mapping[str, str]) -> str:
    """The path at which a list goes on."""
    return wiki_lists.continue_list_url(path, more)


def members(*titles: str, sub: Sequence[str] = (), more: Mapping[str, str] | None = None) -> dict[str, Any]:
    """An answer with the members of a category."""
    pages = [{"ns": _namespace(title), "title": title, "pageid": 7} for title in titles]
    below = [{"ns": 14, "title": f"Category:{name}", "pageid": 8} for name in sub]
    return _answer({"pages": [*pages, *below]}, more)


def titles(*named: str, more: Mapping[str, str] | None = None) -> dict[str, Any]:
    """An answer with pages of a namespace."""
    return _answer({"pages": [{"ns": _namespace(one), "title": one, "pageid": 7} for one in named]}, more)


def unknown() -> dict[str, Any]:
    """The answer for a category that is not there."""
    return _answer({"pages": [{"ns": 14, "title": "Category:Any", "missing": True}], "categorymembers": []}, None)


def lists(wiki: Site, path: str, answer: Mapping[str, Any]) -> None:
    wiki.page(path, json.dumps(answer), content_type="application/json")


def pages(wiki: Site, *named: str) -> None:
    """Have the wiki give these pages."""
    for one in named:
        serve(wiki, one, parsed(one))


def _answer(query: Mapping[str, Any], more: Mapping[str, str] | None) -> dict[str, Any]:
    return {"query": dict(query)} | ({"continue": dict(more)} if more else {"batchcomplete": True})


def _namespace(title: str) -> int:
    return {"File": 6, "Special": -1, "Help": 12}.get(title.partition(":")[0], 0)
