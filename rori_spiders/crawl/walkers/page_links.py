"""The links of a page in the scope of its source, and its canonical link.

A page whose canonical link names another page of the source is put back once, behind that one: if both have the same
text, it ends as an alias (`crawl/page/duplicates.py`).
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, NamedTuple, cast

from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.content.html.links import Discovered, discover, next_in_header
from rori_spiders.crawl.page_request import assessed_body, exchange, page_request
from rori_spiders.crawl.tiers.order import HTTP
from rori_spiders.crawl.walkers import url_lists
from rori_spiders.ledger.pages import page_history
from rori_spiders.urls.canonical import normalise_url, url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request
    from scrapy.http import Response
    from sqlalchemy import Connection

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.items import FrontierUrl, PageItem
    from rori_spiders.manifest.scope import Scope


_NO_LINKS = Discovered(())
#: A site has one of its news, and one of their comments.
_MAX_FEEDS = 5


class PageLinks(NamedTuple):
    """Normalised URLs in scope, in page order, each once; ``contents``, those of tables of contents, are among them."""

    links: tuple[str, ...] = ()
    contents: frozenset[str] = frozenset()
    unrendered: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()  # with what follows #
    next_url: str | None = None  # among the links: the next page of a list that is split over pages
    next_outside: str | None = None  # that page, where it is outside of the source's patterns, on its hosts


async def find_page_links(job: Job, scope: Scope, item: PageItem) -> PageLinks:
    """Where the page of *item*, which was read now, leads."""
    return _links_in_scope(scope, await _discover_links(job, item))


async def find_stored_links(job: Job, scope: Scope, body: bytes, url: str) -> PageLinks:
    """Where the page at *url* leads, whose bytes were stored as they came."""
    if kind_of(body, None) != "html":
        return PageLinks()
    return _links_in_scope(scope, await job.workers.run(len(body), discover, body, url=url))


def _links_in_scope(scope: Scope, found: Discovered) -> PageLinks:
    named = urls_in_scope(scope, found.contents)
    named_next = (found.next,) if found.next else ()
    next_url = next(iter(urls_in_scope(scope, named_next)), None)
    next_outside = found.next if found.next and next_url is None and scope.host_in(found.next) else None
    named_otherwise = (*found.contents, *found.frames, *found.around, *found.indirect)
    links = urls_in_scope(scope, (*found.links, *named_next, *named_otherwise))
    unrendered = urls_in_scope(scope, found.unrendered)
    routes = tuple(url for url in found.routes if urls_in_scope(scope, (url,)))
    return PageLinks(links, frozenset(named), unrendered, routes, next_url, next_outside)


async def find_feeds(job: Job, item: PageItem) -> tuple[str, ...]:
    """The feeds and sitemaps that the page of *item* names, as it was read now or, where it is unchanged, last time."""
    if item.fetched is None or item.state not in {"captured", "unchanged"}:
        return ()
    body = item.fetched.body or await url_lists.load_held_bytes(job, item)
    return (await _discover_links(job, item, body)).feeds[:_MAX_FEEDS]


async def find_frames(job: Job, scope: Scope, item: PageItem) -> tuple[str, ...]:
    """The pages in scope that are all that *item* shows; none for any other page."""
    if item.state != "failed" or item.fetched is None or item.verdict is None or item.verdict.kind != "redirect_stub":
        return ()
    return urls_in_scope(scope, (await _discover_links(job, item)).frames)


def urls_in_scope(scope: Scope, urls: Iterable[str]) -> tuple[str, ...]:
    """Those of *urls* that belong to the source, normalised, each once."""
    found: dict[str, None] = {}
    for url in urls:
        if not scope.may_hold(url):
            continue
        try:
            one = normalise_url(url)
        except ValueError:
            continue
        if scope.excludes(one) is None:
            found.setdefault(one)
    return tuple(found)


async def _discover_links(job: Job, item: PageItem, body: bytes | None = None) -> Discovered:
    """The links of the page: as they were found when the response was judged. *body*: if it is not the response's."""
    facts = item.fetched
    assert facts is not None
    body, content_type = facts.body if body is None else body, facts.header("Content-Type")
    assessed = assessed_body(cast("Request | None", item.request), body)
    if assessed is not None and assessed.options is not None and assessed.made.links is not None:
        found = assessed.made.links
    elif kind_of(body, content_type) == "html":
        found = await job.workers.run(len(body), discover, body, url=facts.final_url, content_type=content_type)
    else:
        return _NO_LINKS  # links of documents are metadata: no site is walked through its PDFs
    if found.next is None and (header := facts.header("Link")) is not None:
        found = found._replace(next=next_in_header(header, facts.final_url))
    return found


# Pages that name another address as their own: that one is read first, to see whether they are one page.
# What has the very text of the page that its canonical link names ends as its alias (``crawl/page/duplicates.py``). A
# page that comes before the one that it names is put back once, behind it.

# The link as pages write it: most name themselves, and are not parsed for that.
_LINK_TAG = re.compile(rb"<link\b[^>]*+>?", re.IGNORECASE)
_CANONICAL = re.compile(rb"\brel\s*=\s*[\"']?canonical\b", re.IGNORECASE)
_HREF = re.compile(rb"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
#: The link stands in the head.
_HEAD_BYTES = 65_536


def find_canonical_link(body: bytes, url: str) -> str | None:
    """The address that the page at *url* names as its own, normalised; None when it names none."""
    tags = (found[0] for found in _LINK_TAG.finditer(body, 0, _HEAD_BYTES))
    link = next((tag for tag in tags if tag.endswith(b">") and _CANONICAL.search(tag)), None)
    href = _HREF.search(link) if link is not None else None
    if href is None:
        return None
    text = next(group for group in href.groups() if group is not None).decode("utf-8", "replace")
    try:
        return normalise_url(unescape(text), url)
    except ValueError:
        return None


async def canonical_to_fetch_first(job: Job, run: Run, response: Response, visit: FrontierUrl) -> str | None:
    """The page of the source that *response* says it is, when that has not ended in this run, and is not held yet.

    None also for a page that is held: it has been a page of its own until now, and stays one; and for one that came
    by a tier that costs something.
    """
    assert response.request is not None
    verdict, tier = exchange(response.request).verdict, page_request(response.request).tier
    if visit.found_by == "start" or verdict is None or verdict.kind != "content" or tier != HTTP:
        return None
    url = find_canonical_link(response.body, response.url)
    if url is None or url == visit.url or run.scope.excludes(url) is not None:
        return None
    key = url_hash(url)
    if key in run.frontier.known and not run.frontier.is_pending(key):
        return None
    return url if await job.storage.read(lambda conn: _are_both_new(conn, visit, url)) else None


def _are_both_new(conn: Connection, visit: FrontierUrl, url: str) -> bool:
    found = (page_history.find_page(conn, visit.source_id, one) for one in (visit.url, url))
    return all(page is None or page.content_hash is None for page in found)
