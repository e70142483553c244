"""What a publisher lists of his own pages: in the sitemaps that a run read, and on his pages of contents.

In: the objects and rows that a run left. Out: URLs by their hashes. Nothing is asked for again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlalchemy import select

from rori_spiders import sitemaps
from rori_spiders.ledger.tables import audit, page_links, pages, run_urls
from rori_spiders.urls import normalise, url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    from rori_spiders.ledger.runs import RunRow

#: A site has one page of contents, a guide of several books one each.
_MOST_PAGES = 10
_TITLE = re.compile(r"\b(?:table of contents|contents|site ?map|site index)\b", re.IGNORECASE)
_SEGMENT = re.compile(r"(?:table-of-|tableof)?contents|toc|site-?map", re.IGNORECASE)
_READ = ("captured", "unchanged")


def sitemaps_of(conn: Connection, run_id: str) -> list[tuple[str, str]]:
    """The sitemaps that the run read: URL, and the name of the object that keeps its bytes."""
    of_run = (audit.c.run_id == run_id) & (audit.c.kind == "sitemap") & (audit.c.state == "fetched")
    query = select(audit.c.url, audit.c.raw_hash).where(of_run, audit.c.raw_hash.is_not(None)).order_by(audit.c.seq)
    return [(row.url, row.raw_hash) for row in conn.execute(query)]


def pages_in(body: bytes, url: str) -> dict[str, str]:
    """The pages that the sitemap *body* names, by the hash of their URLs; 50,000 take seconds. Raises ValueError."""
    return dict(_hashed(sitemaps.read(body, url).pages))


def _hashed(named: Iterable[str]) -> Iterator[tuple[str, str]]:
    for one in named:
        try:
            url = normalise(one)
        except ValueError:
            continue
        yield url_hash(url), url


def of_contents(conn: Connection, run: RunRow, start_url: str) -> Iterator[tuple[str, dict[str, str]]]:
    """What the start page, and pages that call themselves contents, name inside the source's scope, each by its URL."""
    here = (run_urls.c.run_id == run.run_id) & (run_urls.c.kind == "page") & run_urls.c.state.in_(_READ)
    joined = (pages.c.url_hash == run_urls.c.url_hash) & (pages.c.source_id == run.source_id)
    query = select(pages.c.page_id, pages.c.url, pages.c.title).join_from(run_urls, pages, joined).where(here)
    start = normalise(start_url)
    found = []
    for row in conn.execute(query.order_by(run_urls.c.depth, run_urls.c.url)):
        if row.url == start or is_contents(row.url, row.title):
            found.append((row.url, row.page_id))
        if len(found) == _MOST_PAGES:
            break
    for url, page_id in found:
        yield url, _links(conn, page_id)


def is_contents(url: str, title: str | None = None) -> bool:
    """Whether a page calls itself a table of contents, by its address or its *title*."""
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2].partition(".")[0]
    return bool(_SEGMENT.fullmatch(last) or (title and _TITLE.search(title)))


def _links(conn: Connection, page_id: int) -> dict[str, str]:
    links = conn.execute(select(page_links.c.url).where(page_links.c.page_id == page_id)).scalars()
    return {url_hash(url): url for url in links}


def of_api(conn: Connection, run_id: str) -> dict[str, str]:
    """What the lists of a wiki name."""
    named = (run_urls.c.run_id == run_id) & (run_urls.c.kind == "page") & (run_urls.c.found_by == "api")
    return {row.url_hash: row.url for row in conn.execute(select(run_urls.c.url_hash, run_urls.c.url).where(named))}
