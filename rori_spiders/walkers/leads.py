"""Where a page leads inside its source's scope, and which of its links are followed even where a sitemap names pages.

Those are what the publisher leads his readers by: the next page, his table of contents, and all that stands in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.documents.sniff import kind_of
from rori_spiders.content.links import Discovered, discover
from rori_spiders.summaries.listed import is_contents
from rori_spiders.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.items import Fetched, PageItem
    from rori_spiders.job import Job
    from rori_spiders.ledger.known import KnownPage
    from rori_spiders.manifest.scope import Scope

_NOTHING = Discovered(())


class Leads(NamedTuple):
    """Normalised URLs in scope, in page order, each once: ``led`` and ``contents`` are among ``links``."""

    links: tuple[str, ...] = ()
    led: frozenset[str] = frozenset()
    contents: frozenset[str] = frozenset()
    unrendered: tuple[str, ...] = ()


async def of_page(job: Job, scope: Scope, item: PageItem, *, contents: bool) -> Leads:
    """Where the page of *item*, which was read now, leads; *contents*: it is known to be a table of contents."""
    assert item.fetched is not None
    found = await _discovered(job, item.fetched)
    named = in_scope(scope, found.contents)
    links = in_scope(scope, (*found.links, *found.contents, *found.frames))
    following = in_scope(scope, (found.next,) if found.next else ())
    led = links if contents or is_contents(item.visit.url, found.title) else (*following, *named)
    return Leads(links, frozenset(led), frozenset(named), in_scope(scope, found.unrendered))


def as_kept(held: KnownPage, *, contents: bool) -> Leads:
    """Where a page that did not change leads: as it was read last."""
    led = held.links if contents or is_contents(held.page.url, held.page.title) else ()
    return Leads(held.links, frozenset(led))


async def framed(job: Job, scope: Scope, item: PageItem) -> tuple[str, ...]:
    """The pages in scope that are all that *item* shows; none for any other page."""
    if item.state != "failed" or item.fetched is None or item.verdict is None or item.verdict.kind != "redirect_stub":
        return ()
    return in_scope(scope, (await _discovered(job, item.fetched)).frames)


def in_scope(scope: Scope, urls: Iterable[str]) -> tuple[str, ...]:
    """Those of *urls* that belong to the source, normalised, each once."""
    found: dict[str, None] = {}
    for url in urls:
        try:
            one = normalise(url)
        except ValueError:
            continue
        if scope.excludes(one) is None:
            found.setdefault(one)
    return tuple(found)


async def _discovered(job: Job, facts: Fetched) -> Discovered:
    content_type = facts.header("Content-Type")
    if kind_of(facts.body, content_type) != "html":
        return _NOTHING  # links of documents are metadata: no site is walked through its PDFs
    return await job.in_pool(len(facts.body), discover, facts.body, url=facts.final_url, content_type=content_type)
