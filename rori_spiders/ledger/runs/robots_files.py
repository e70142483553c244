"""The robots.txt that justified each run: one row a run and origin, with the bytes as an object."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.dialects import upsert
from rori_spiders.ledger.tables import robots_seen

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class RobotsFileRecord:
    """The robots.txt response of an origin (``scheme://host[:port]``) in a run."""

    run_id: str
    origin: str
    fetched_at: datetime
    outcome: str  # rules | no_rules | unavailable
    status: int | None = None  # None: no answer
    reason: str | None = None
    object: str | None = None  # hex hash of the bytes
    crawl_delay_s: float | None = None


def record_robots_file(conn: Connection, answer: RobotsFileRecord) -> None:
    """Keep the answer; a later one of the same run and origin takes its place (the audit keeps both)."""
    upsert(conn, robots_seen, [asdict(answer)])
    note_fact(conn, "robots", answer.run_id, answer.origin)
