"""One page that a server gives at several addresses (``/x/``, ``/x/index.html``, ``/X``): one, by its very bytes."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.ledger.tables import page_aliases, page_validators, pages
from rori_spiders.urls import alike, url_hash, usual_twins

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.items import Fetched, PageItem
    from rori_spiders.job import Job


async def twin(job: Job, item: PageItem, fetched: Fetched) -> str | None:
    """The page's other address, where that gave the very same bytes, in this run or when last read.

    None for most pages, and for one that has been a page of its own until now.
    """
    run, url = job.runs.get(item.visit.run_id), item.visit.url
    if run is None:
        return None
    key = blake2b(f"{fetched.raw_hash} {alike(url)}".encode("utf-8", "surrogateescape"), digest_size=16).digest()
    here = run.alike.setdefault(key, url)
    if url_hash(url) in run.seen:
        return None
    if here != url:
        return here
    if not run.seen and not run.resumed:
        return None
    held = await job.read(lambda conn: _held(conn, item, fetched))
    if held is not None:
        run.alike[key] = held
    return held


def _held(conn: Connection, item: PageItem, fetched: Fetched) -> str | None:
    """The address of a page that gave these bytes when last read, and may be the one that was read now."""
    url = item.visit.url
    read = (
        select(pages.c.url, page_validators.c.raw_hash)
        .join_from(pages, page_validators, page_validators.c.page_id == pages.c.page_id)
        .where(pages.c.source_id == item.visit.source_id, page_validators.c.tier == fetched.tier)
    )
    usual = {url_hash(one) for one in (url, *usual_twins(url))}
    held = {row.url: row.raw_hash for row in conn.execute(read.where(pages.c.url_hash.in_(usual)))}
    if url in held:
        return None
    known_as = select(page_aliases.c.page_id).where(page_aliases.c.url_hash == url_hash(url))
    held |= {row.url: row.raw_hash for row in conn.execute(read.where(pages.c.page_id.in_(known_as)))}
    return next((other for other, raw_hash in held.items() if raw_hash == fetched.raw_hash), None)
