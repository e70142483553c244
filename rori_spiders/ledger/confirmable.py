"""Pages whose text an answer about many of them may confirm: what was held of each when it was last read."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from sqlalchemy import and_, select

from rori_spiders.ledger.history import Validators
from rori_spiders.ledger.tables import page_validators, pages, versions

if TYPE_CHECKING:
    from sqlalchemy import Connection


def of_source(conn: Connection, source_id: str, tier: str) -> dict[str, Validators]:
    """By hash of the URL, what *tier* said with the text: of pages that are not gone and whose text it gave."""
    newest = and_(versions.c.page_id == pages.c.page_id, versions.c.seq == pages.c.last_seq)
    said = [page_validators.c[field.name] for field in fields(Validators)]
    query = (
        select(pages.c.url_hash, *said)
        .select_from(pages.join(page_validators, page_validators.c.page_id == pages.c.page_id).join(versions, newest))
        .where(pages.c.source_id == source_id, pages.c.content_hash.is_not(None), pages.c.gone_at.is_(None))
        .where(page_validators.c.tier == tier, versions.c.tier == tier, page_validators.c.etag.is_not(None))
    )
    return {row.url_hash: Validators(*row[1:]) for row in conn.execute(query)}
