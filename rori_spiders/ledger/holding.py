"""What is held of sources: by which tier it came last, and a hash of it all."""

from __future__ import annotations

from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from sqlalchemy import func, select, text

from rori_spiders.ledger.tables import audit, pages, runs, tier_memory
from rori_spiders.ledger.tables.pages import HELD
from rori_spiders.ledger.tier_memory import KEPT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

_WELL = ("captured", "unchanged")
#: Ends of pages that are looked at for one that went well; a source whose last pages all failed has no tier in use.
_LOOKED_AT = 20


def hashes(conn: Connection, source_ids: Sequence[str]) -> dict[str, str]:
    """Source -> the content hash of its only page; of several, SHA-256 of their hashes, by the hash of their URLs.

    Of nothing that is held there is none. Some hundreds of sources at once.
    """
    of = select(pages.c.source_id, pages.c.url_hash, pages.c.content_hash)
    query = of.where(pages.c.source_id.in_(source_ids), text(HELD)).order_by(pages.c.source_id, pages.c.url_hash)
    found = {}
    for source_id, rows in groupby(conn.execute(query), itemgetter(0)):
        lines = [f"{url_hash} {content_hash}\n" for _, url_hash, content_hash in rows]
        only = lines[0].split()[1]
        found[source_id] = only if len(lines) == 1 else sha256("".join(lines).encode()).hexdigest()
    return found


def tiers(conn: Connection, source_ids: Sequence[str], now: datetime) -> dict[str, str]:
    """Source -> the tier by which its pages come now: what is remembered, else that of the last one that was read."""
    its = tier_memory.c
    newest = (
        select(its.source_id, func.max(its.worked_at).label("at"))
        .where(its.source_id.in_(source_ids), its.worked_at > now - KEPT)
        .group_by(its.source_id)
        .subquery()
    )
    same = (its.source_id == newest.c.source_id) & (its.worked_at == newest.c.at)
    found = {
        row.source_id: row.tier
        for row in conn.execute(select(its.source_id, its.tier).join_from(tier_memory, newest, same))
    }
    return _last(conn, [one for one in source_ids if one not in found]) | found


def _last(conn: Connection, source_ids: Sequence[str]) -> dict[str, str]:
    """Of each source the tier of the last page that was read, if it is among the last ends."""
    its = select(runs.c.source_id).where(runs.c.source_id.in_(source_ids)).group_by(runs.c.source_id).subquery().c
    ends = (
        select(audit.c.engine, audit.c.state, audit.c.timestamp)
        .where(audit.c.manifest_id == its.source_id, audit.c.kind == "page")
        .order_by(audit.c.timestamp.desc())
        .limit(_LOOKED_AT)
        .correlate(its.source_id.table)
        .subquery()
    )
    last = select(ends.c.engine).where(ends.c.state.in_(_WELL)).order_by(ends.c.timestamp.desc()).limit(1)
    query = select(its.source_id, last.scalar_subquery())
    return {row[0]: row[1] for row in conn.execute(query) if row[1] is not None}
