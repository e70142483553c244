"""Pages of a source, and one page, as the API gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger import lineage, page_lists
from rori_spiders.ledger.history import PageRow
from rori_spiders.ledger.tables import audit, page_aliases, pages
from rori_spiders.monitor.answers.pages import Alias, PageAddress, PageDetail, PageFacts, Pages, PageTry
from rori_spiders.monitor.errors import Refused
from rori_spiders.monitor.reading import versions

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

_MOST_TRIES = 100


def of_source(
    conn: Connection, source_id: str, *, states: tuple[str, ...], words: str, offset: int, limit: int
) -> Pages:
    """The pages that fit, by their URLs."""
    counted = page_lists.count(conn, source_id, words=words)
    total = sum(number for state, number in counted.items() if not states or state in states)
    is_beyond = offset >= total  # looking through 20,000 pages for none takes as long as counting them
    found = (
        [] if is_beyond else page_lists.listed(conn, source_id, states=states, words=words, offset=offset, limit=limit)
    )
    return Pages(items=[_facts(one) for one in found], total=total, states=counted)


def _facts(row: Row[Any]) -> PageFacts:
    return PageFacts(**_of_row(row))


def _of_row(row: Row[Any]) -> dict[str, Any]:
    return {**row._asdict(), "versions": row.last_seq, "chars": row.body_chars, "reason": row.reason or None}


def page(conn: Connection, page_id: int) -> PageRow:
    """The page's address of this number. Refused where there is none."""
    row = conn.execute(select(pages).where(pages.c.page_id == page_id)).one_or_none()
    if row is None:
        raise Refused(404, "unknown_page", f"There is no page {page_id}.")
    return PageRow(*row)


def detail(conn: Connection, page_id: int) -> PageDetail:
    """One page, under all of its addresses."""
    this = page(conn, page_id)
    addresses = lineage.addresses(conn, this)
    at = {one.page_id: one for one in addresses}
    (facts,) = page_lists.listed(conn, this.source_id, url_hash=this.url_hash, limit=1)
    return PageDetail(
        **_of_row(facts),
        source_id=this.source_id,
        first_seen_at=this.first_seen_at,
        gone_at=this.gone_at,
        addresses=[PageAddress.model_validate(one) for one in addresses],
        aliases=_aliases(conn, list(at)),
        history=[versions.row(one, at[one.page_id]) for one in lineage.all_versions(conn, addresses)],
        tries=_tries(conn, this.source_id, addresses),
    )


def _aliases(conn: Connection, page_ids: list[int]) -> list[Alias]:
    query = select(page_aliases).where(page_aliases.c.page_id.in_(page_ids)).order_by(page_aliases.c.seen_at)
    return [Alias.model_validate(one) for one in conn.execute(query)]


def _tries(conn: Connection, source_id: str, addresses: list[PageRow]) -> list[PageTry]:
    hashes = [one.url_hash for one in addresses]
    query = select(audit).where(audit.c.url_hash.in_(hashes), audit.c.manifest_id == source_id, audit.c.kind == "page")
    newest = query.order_by(audit.c.timestamp.desc(), audit.c.audit_id.desc()).limit(_MOST_TRIES)
    return [
        PageTry(
            audit_id=one.audit_id,
            at=one.timestamp,
            run_id=one.run_id,
            state=one.state,
            reason=one.reason or None,
            error=one.error,
            http_status=one.http_status,
            verdict=one.verdict,
            tier=one.engine,
            retries=one.retry_count,
            ms=one.response_time_ms,
            credits=one.credits_consumed,
            has_response=one.raw_hash is not None,
        )
        for one in conn.execute(newest)
    ]
