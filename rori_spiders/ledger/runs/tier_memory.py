"""Remember the tier that last worked for each kind of page of a source, to start with it next time."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from rori_spiders.ledger.dialects import upsert
from rori_spiders.ledger.tables import tier_memory
from rori_spiders.urls.canonical import url_hash

#: "Remembered per domain for 7 days": a site that has changed its ways is found out within a week.
MEMORY_PERIOD = timedelta(days=7)


def remembered_tiers(conn: Connection, source_id: str, *, now: datetime) -> dict[str, str]:
    """Template -> tier, of what worked within the last 7 days."""
    query = select(tier_memory.c.template, tier_memory.c.tier).where(
        tier_memory.c.source_id == source_id, tier_memory.c.worked_at > now - MEMORY_PERIOD
    )
    return {row.template: row.tier for row in conn.execute(query)}


def remember_tier(conn: Connection, source_id: str, template: str, tier: str, *, now: datetime) -> None:
    """*tier* has worked now; what it was before counts no more. What has run out goes."""
    conn.execute(
        delete(tier_memory).where(tier_memory.c.source_id == source_id, tier_memory.c.worked_at <= now - MEMORY_PERIOD)
    )
    row = {"source_id": source_id, "template_hash": url_hash(template), "template": template}
    upsert(conn, tier_memory, [{**row, "tier": tier, "worked_at": now}])


def forget_tier(conn: Connection, source_id: str, template: str) -> None:
    """What was remembered has failed, or is not needed any more."""
    conn.execute(
        delete(tier_memory).where(
            tier_memory.c.source_id == source_id, tier_memory.c.template_hash == url_hash(template)
        )
    )
