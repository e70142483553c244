"""Find that a page is another address of one we have: by its canonical link and the very same text, or by the very
same bytes (`/x/`, `/x/index.html`, `/X`). And that pages which had texts of their own now show one.
"""

import asyncio
from collections import OrderedDict
from hashlib import blake2b
from weakref import WeakKeyDictionary

from scrapy.exceptions import DropItem
from sqlalchemy import ColumnElement, Connection, select, text

from rori_spiders.content.convert import Converted
from rori_spiders.content.sections import content_hash
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.runs.run import Run
from rori_spiders.items import Fetched, PageItem
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import page_aliases, page_validators, pages, versions
from rori_spiders.ledger.tables.pages import HELD
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.urls.canonical import duplicate_key, likely_duplicates, normalise_url, url_hash

#: How often it is looked whether the named page has ended, seconds: ends are gathered for half a second.
_POLL_S = 0.1
#: Pages without an entry yet ("There are no notices.") share short texts by right; a notice that takes the place of a
#: longer text is held for its length (`SUSPECT_SHARE`).
_MIN_COPY_CHARS = 500
#: Changed pages that are remembered until the ledger has them, which takes half a second.
_MAX_CHANGED_TEXTS = 1_000


class _DuplicateIndex:
    """The index of duplicate pages of one run."""

    def __init__(self) -> None:
        self.addresses: dict[bytes, str] = {}  # where bytes were met first, by their hash
        self.waiting: set[str] = set()  # pages that wait for the one that they say they are
        self.changed: OrderedDict[str, str] = OrderedDict()  # the hash of a text -> the page that changed to it first


def _index_of(run: Run) -> _DuplicateIndex:
    if run not in _indexes:
        _indexes[run] = _DuplicateIndex()
    return _indexes[run]


_indexes: WeakKeyDictionary[Run, _DuplicateIndex] = WeakKeyDictionary()


async def find_canonical_page(job: Job, item: PageItem, converted: Converted) -> str | None:
    """The page that *item* is another address of; None when it is a page of its own, or was one until now."""
    run, named = job.runs.get(item.visit.run_id), converted.metadata.canonical_url
    if run is None or named is None or item.visit.found_by == "start":
        return None
    try:
        url = normalise_url(named)
    except ValueError:
        return None
    if url == item.visit.url or run.scope.excludes(url) is not None:
        return None
    await _wait_until_recorded(job, run, item.visit.url, url)
    held = await job.storage.read(lambda connection: _held_text_hash(connection, item, url))
    return url if held is not None and held == content_hash(replace_surrogates(converted.markdown)) else None


async def _wait_until_recorded(job: Job, run: Run, own: str, named: str) -> None:
    """Wait for the page at *named* while it is under way: the ledger does not know of it yet.

    Of pages that name each other, one does not wait. Raises DropItem when the job stops first: *own* stays pending.
    """
    waiting = _index_of(run).waiting
    waiting.add(own)
    try:
        while _is_outstanding(run, named) and named in job.urls_in_progress(run.run_id) and named not in waiting:
            await asyncio.sleep(_POLL_S)
    finally:
        waiting.discard(own)
    if _is_outstanding(run, named) and job.stop.is_engine_closing:
        raise DropItem(f"the job stops; the next one reads {own} after {named}")


def _is_outstanding(run: Run, url: str) -> bool:
    return run.frontier.is_pending(url_hash(url))


def _held_text_hash(conn: Connection, item: PageItem, url: str) -> str | None:
    """The hash of the text that is held of *url*, in this run or from an earlier one."""
    own = page_history.find_page(conn, item.visit.source_id, item.visit.url)
    if own is not None and own.content_hash is not None and own.gone_at is None:
        return None
    page = page_history.find_page(conn, item.visit.source_id, url)
    is_there = page is not None and page.gone_at is None and page.missing_since is None
    return page.content_hash if page is not None and is_there else None


# One page that a server gives at several addresses (``/x/``, ``/x/index.html``, ``/X``): one, by its very bytes.


async def find_duplicate(job: Job, item: PageItem, fetched: Fetched) -> str | None:
    """The page's other address, where that gave the very same bytes, in this run or when last read.

    None for most pages, and for one that has been a page of its own until now.
    """
    run, url = job.runs.get(item.visit.run_id), item.visit.url
    if run is None:
        return None
    key = blake2b(
        f"{fetched.raw_hash} {duplicate_key(url)}".encode("utf-8", "surrogateescape"), digest_size=16
    ).digest()
    here = _index_of(run).addresses.setdefault(key, url)
    if url_hash(url) in run.history.last_seen:
        return None
    if here != url:
        return here
    if not run.history.last_seen and not run.resumed:
        return None
    held = await job.storage.read(lambda conn: _held_duplicate(conn, item, fetched))
    if held is not None:
        _index_of(run).addresses[key] = held
    return held


def _held_duplicate(conn: Connection, item: PageItem, fetched: Fetched) -> str | None:
    """The address of a page that gave these bytes when last read, and may be the one that was read now."""
    url = item.visit.url
    read = (
        select(pages.c.url, page_validators.c.raw_hash)
        .join_from(pages, page_validators, page_validators.c.page_id == pages.c.page_id)
        .where(pages.c.source_id == item.visit.source_id, page_validators.c.tier == fetched.tier)
    )
    likely = {url_hash(one) for one in (url, *likely_duplicates(url))}
    held = {row.url: row.raw_hash for row in conn.execute(read.where(pages.c.url_hash.in_(likely)))}
    if url in held:
        return None
    known_as = select(page_aliases.c.page_id).where(page_aliases.c.url_hash == url_hash(url))
    held |= {row.url: row.raw_hash for row in conn.execute(read.where(pages.c.page_id.in_(known_as)))}
    return next((other for other, raw_hash in held.items() if raw_hash == fetched.raw_hash), None)


# One text for pages that had texts of their own: a server that mixes up its pages, or one notice in place of them all.


async def find_copied_page(job: Job, item: PageItem, *, held: str, now: str, chars: int) -> str | None:
    """The page that changed to the text to which *item* changes now, each from a text of its own; None without one.

    *held* and *now* are hashes: of the text that is held of it, and of the one that came, of *chars* characters. One
    page alone may well show what another has shown before: the current issue, a manual's latest edition.
    """
    run = job.runs.get(item.visit.run_id)
    if run is None or run.source.method != "crawl" or chars < _MIN_COPY_CHARS:
        return None
    changed = _index_of(run).changed
    first = changed.setdefault(now, item.visit.url)
    if len(changed) > _MAX_CHANGED_TEXTS:
        changed.popitem(last=False)
    other = await job.storage.read(lambda conn: _page_changed_to(conn, item, first, held, now))
    is_its_own = other is not None and duplicate_key(other) == duplicate_key(item.visit.url)  # `/x` and `/x/`
    return None if is_its_own else other


def _page_changed_to(conn: Connection, item: PageItem, first: str, held: str, now: str) -> str | None:
    """*first* is the page that changed to the text in this run, which the ledger may not have yet."""

    def had(text_hash: str) -> ColumnElement[bool]:
        any_of = versions.alias("any_of")
        of_page = any_of.c.page_id == pages.c.page_id
        return select(any_of.c.seq).where(of_page, any_of.c.content_hash == text_hash).exists()

    of_source = pages.c.source_id == item.visit.source_id
    own = select(pages.c.page_id).where(of_source, pages.c.url_hash == url_hash(item.visit.url), had(now))
    if conn.execute(own).first() is not None:
        return None
    newest = (versions.c.page_id == pages.c.page_id) & (versions.c.seq == pages.c.last_seq)
    others = select(pages.c.url).where(of_source, ~had(held)).limit(1)
    recorded = others.join(versions, newest & (versions.c.change_type == "modified")).where(
        pages.c.content_hash == now, text(HELD)
    )
    other = conn.execute(recorded).scalar() or conn.execute(others.where(pages.c.url_hash == url_hash(first))).scalar()
    return None if other is None else str(other)
