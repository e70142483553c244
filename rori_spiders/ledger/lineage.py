"""The history of a page that moved: what it held at its address of now, and before that where it stood until then.

Functions over a Connection. A page moved where its former address leads to it (``page_aliases``), and was last seen
as a page of its own before the run that first saw it here: two pages that were there at once are two pages, also when
one of them leads to the other by now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.ledger import history
from rori_spiders.ledger.history import PageRow
from rori_spiders.ledger.tables import page_aliases, pages, runs, versions
from rori_spiders.urls import url_hash

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection

    from rori_spiders.ledger.history import VersionRow

#: Addresses of one page, one after the other.
_MOST = 20


def addresses(conn: Connection, page: PageRow) -> list[PageRow]:
    """The page under its address of now, then under those that it had before, newest first; *page* is one of them."""
    led = [page]
    while len(led) < _MOST and (later := _now(conn, led[0])) is not None and later not in led:
        led.insert(0, later)
    of_now = _with_former(conn, led[:1])
    return of_now if page in of_now else _with_former(conn, led)  # one of several that became one page


def _with_former(conn: Connection, found: list[PageRow]) -> list[PageRow]:
    while len(found) < _MOST and (former := _former(conn, found[-1])) is not None and former not in found:
        found.append(former)
    return found


def urls_of(conn: Connection, url: str, source_id: str | None = None) -> list[str]:
    """All addresses, *url* among them, of the page of *url* (normalised) in one source, or in all."""
    of = (pages.c.url_hash == url_hash(url), *((pages.c.source_id == source_id,) if source_id is not None else ()))
    found = [one.url for row in conn.execute(select(pages).where(*of)) for one in addresses(conn, PageRow(*row))]
    return list(dict.fromkeys([url, *found]))


def all_versions(conn: Connection, of: list[PageRow]) -> list[VersionRow]:
    """The versions of a page under *of*, its ``addresses``, newest first.

    What became of a former address once the page stood at the next one is not the page's: its removal, as a rule.
    """
    found: list[VersionRow] = []
    until: datetime | None = None
    for page in of:
        held = [one for one in history.all_versions(conn, page.page_id) if until is None or one.captured_at < until]
        found += held
        until = held[-1].captured_at if held else until
    return found


def _former(conn: Connection, page: PageRow) -> PageRow | None:
    """Where the page stood before; of several addresses that lead to it the one with its text, or the last one seen."""
    began = _began(conn, page)
    if began is None:
        return None
    leads = (pages.c.url_hash == page_aliases.c.url_hash) & (page_aliases.c.page_id == page.page_id)
    rows = conn.execute(
        select(pages).join(page_aliases, leads).where(*_ended_before(began), pages.c.source_id == page.source_id)
    )
    first = history.all_versions(conn, page.page_id)[-1].content_hash
    found = [PageRow(*row) for row in rows if row.page_id != page.page_id]
    return max(found, key=lambda one: (_last_text(conn, one) == first, one.last_seen_at), default=None)


def _now(conn: Connection, page: PageRow) -> PageRow | None:
    """Where the page stands now, that *page* was."""
    leads = (page_aliases.c.page_id == pages.c.page_id) & (page_aliases.c.url_hash == page.url_hash)
    rows = conn.execute(
        select(pages)
        .join(page_aliases, leads)
        .where(pages.c.source_id == page.source_id, pages.c.last_seq > 0, pages.c.page_id != page.page_id)
        .order_by(page_aliases.c.seen_at.desc())
    )
    for row in rows:
        later = PageRow(*row)
        began = _began(conn, later)
        if began is not None and page.last_seen_at is not None and page.last_seen_at < began:
            return later
    return None


def _began(conn: Connection, page: PageRow) -> datetime | None:
    """When the run began that first brought a text of the page."""
    first = (
        versions.c.seq
        == select(versions.c.seq)
        .where(versions.c.page_id == page.page_id)
        .order_by(versions.c.seq)
        .limit(1)
        .scalar_subquery()
    )
    query = select(runs.c.started_at).join(versions, versions.c.run_id == runs.c.run_id)
    return conn.execute(query.where(versions.c.page_id == page.page_id, first)).scalar()


def _ended_before(at: datetime) -> tuple[ColumnElement[bool], ...]:
    return (pages.c.last_seq > 0, pages.c.last_seen_at.is_not(None), pages.c.last_seen_at < at)


def _last_text(conn: Connection, page: PageRow) -> str | None:
    text = history.newest_text(conn, page.page_id)
    return None if text is None else text.content_hash
