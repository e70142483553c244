"""A page that says by its canonical link that it is another one, and has the very text that we hold of that one.

The link alone proves nothing: sites name their front page on every page. Where the texts differ, both are kept.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from rori_spiders.content.changes import content_hash
from rori_spiders.envelope import clean
from rori_spiders.ledger import history
from rori_spiders.urls import normalise, url_hash

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.content.convert import Converted
    from rori_spiders.items import PageItem
    from rori_spiders.job import Job
    from rori_spiders.run import Run

#: How often it is looked whether the named page has ended, seconds: ends are gathered for half a second.
_LOOK_S = 0.1


async def canonical_page(job: Job, item: PageItem, converted: Converted) -> str | None:
    """The page that *item* is another address of; None when it is a page of its own, or was one until now."""
    run, named = job.runs.get(item.visit.run_id), converted.metadata.canonical_url
    if run is None or named is None or item.visit.found_by == "start":
        return None
    try:
        url = normalise(named)
    except ValueError:
        return None
    if url == item.visit.url or run.scope.excludes(url) is not None:
        return None
    await _ended(job, run, item.visit.url, url)
    held = await job.read(lambda connection: _held(connection, item, url))
    return url if held is not None and held == content_hash(clean(converted.markdown)) else None


async def _ended(job: Job, run: Run, own: str, named: str) -> None:
    """Wait for the page at *named* while it is under way: the ledger does not know of it yet.

    Of pages that name each other, one does not wait. Raises DropItem when the job stops first: *own* stays pending.
    """
    run.waits_for_named.add(own)
    try:
        while _is_out(run, named) and named in job.under_way(run.run_id) and named not in run.waits_for_named:
            await asyncio.sleep(_LOOK_S)
    finally:
        run.waits_for_named.discard(own)
    if _is_out(run, named) and job.is_closing:
        raise DropItem(f"the job stops; the next one reads {own} after {named}")


def _is_out(run: Run, url: str) -> bool:
    return url_hash(url) in run.outstanding


def _held(conn: Connection, item: PageItem, url: str) -> str | None:
    """The hash of the text that is held of *url*, in this run or from an earlier one."""
    own = history.page(conn, item.visit.source_id, item.visit.url)
    if own is not None and own.content_hash is not None and own.gone_at is None:
        return None
    page = history.page(conn, item.visit.source_id, url)
    is_there = page is not None and page.gone_at is None and page.missing_since is None
    return page.content_hash if page is not None and is_there else None
