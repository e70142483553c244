"""The delays and leases of a source's servers: from the manifest, learnt, and who holds the lease."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from rori_spiders.ledger.tables import leases

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source


@dataclass(frozen=True, slots=True)
class PolitenessStatus:
    """Of one group. Delays are seconds between two requests, times are UTC."""

    group: str
    delay_s: float
    delay_asked_s: float | None  # by robots.txt
    delay_throttled_s: float | None  # found because the server was slow
    at_once: int
    last_request_at: datetime | None
    waits_until: datetime | None
    held_by: str | None
    held_until: datetime | None


def politeness_status(catalog: Catalog, source: Source, connection: Connection | None) -> PolitenessStatus:
    """That of the source's own host; without a connection as nothing was ever asked."""
    group = catalog.group(source.host)
    rules = catalog.rules_of_group(group)
    query = select(leases).where(leases.c.group == group)
    row = connection.execute(query).mappings().one_or_none() if connection is not None else None
    learnt: dict[str, Any] = dict(row) if row else {}
    return PolitenessStatus(
        group=group,
        delay_s=rules.delay_s,
        delay_asked_s=learnt.get("delay_s"),
        delay_throttled_s=learnt.get("throttle_s"),
        at_once=rules.concurrency,
        last_request_at=learnt.get("last_request_at"),
        waits_until=learnt.get("paused_until"),
        held_by=learnt.get("owner"),
        held_until=learnt.get("expires_at"),
    )
