"""What was seen of the newest texts of URLs, and what their publishers said with them: as the corpus judges rights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger.tables import audit, pages, versions
from rori_spiders.urls import url_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Seen:
    """Of a URL that a source holds. ``headers``, ``robots_object``, ``raw_hash``: of the last time that it gave a text.

    ``raw_object``: the bytes as received of its newest text. What came later with the same text was not kept.
    """

    source_id: str
    raw_object: str
    raw_hash: str | None
    headers: Mapping[str, Sequence[str]] | None
    robots_object: str | None


def seen(conn: Connection, urls: Sequence[str], sources: Sequence[str]) -> dict[str, Seen]:
    """URL -> what is known of it, of the first of *sources* that holds it; of some hundreds at once."""
    is_newest = (versions.c.page_id == pages.c.page_id) & (versions.c.seq == pages.c.last_seq)
    its = select(pages.c.source_id, pages.c.url, versions.c.raw_object).join_from(pages, versions, is_newest)
    wanted = [url_hash(url) for url in urls]
    query = its.where(pages.c.source_id.in_(sources), pages.c.url_hash.in_(wanted), pages.c.gone_at.is_(None))
    rows = list(conn.execute(query.order_by(pages.c.source_id)))
    answers = _answers(conn, wanted, sources)
    found: dict[str, Seen] = {}
    for row in rows:
        raw_hash, headers, robots = answers.get((row.source_id, row.url), (None, None, None))
        found.setdefault(row.url, Seen(row.source_id, row.raw_object, raw_hash, headers, robots))
    return found


def _answers(conn: Connection, hashes: Sequence[str], sources: Sequence[str]) -> dict[tuple[str, str], tuple[Any, ...]]:
    """(Source, URL) -> hash of the bytes, headers and robots.txt of the newest answer that was content."""
    columns = (audit.c.manifest_id, audit.c.url, audit.c.raw_hash, audit.c.response_headers, audit.c.robots_object)
    query = select(*columns).where(
        audit.c.url_hash.in_(hashes),
        audit.c.manifest_id.in_(sources),
        audit.c.kind == "page",
        audit.c.verdict == "content",
        audit.c.response_headers.is_not(None),
    )
    found = {}
    for row in conn.execute(query.order_by(audit.c.timestamp, audit.c.audit_id)):
        found[row.manifest_id, row.url] = (row.raw_hash, row.response_headers, row.robots_object)
    return found
