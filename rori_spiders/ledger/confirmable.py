"""Pages whose text an answer about many of them may confirm: what was said of each when it was last read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, select

from rori_spiders.ledger.tables import page_validators, pages, run_urls, versions

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Confirmable:
    """A page by its last reading: what names its state, when it was that, by the server's clock; and its last sight."""

    url: str
    etag: str
    last_modified: str | None
    last_seen_at: datetime


def of_source(conn: Connection, source_id: str, tier: str) -> dict[str, Confirmable]:
    """By hash of the URL, what *tier* said with the text: of pages that are not gone and whose text it gave."""
    newest = and_(versions.c.page_id == pages.c.page_id, versions.c.seq == pages.c.last_seq)
    query = (
        select(
            pages.c.url_hash, pages.c.url, page_validators.c.etag, page_validators.c.last_modified, pages.c.last_seen_at
        )
        .select_from(pages.join(page_validators, page_validators.c.page_id == pages.c.page_id).join(versions, newest))
        .where(pages.c.source_id == source_id, pages.c.content_hash.is_not(None), pages.c.gone_at.is_(None))
        .where(page_validators.c.tier == tier, versions.c.tier == tier, page_validators.c.etag.is_not(None))
    )
    return {row.url_hash: Confirmable(*row[1:]) for row in conn.execute(query)}


def lists_read(conn: Connection, run_id: str) -> set[str]:
    """The addresses of what a run was told by an API, to the end."""
    told = (run_urls.c.run_id == run_id, run_urls.c.kind == "api", run_urls.c.state == "captured")
    return set(conn.execute(select(run_urls.c.url).where(*told)).scalars())
