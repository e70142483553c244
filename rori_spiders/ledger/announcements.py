"""What was staged and the web hook has not taken yet, in the order of staging. Functions over a Connection.

Announced is what was staged since a hook was first set; one process at a time announces, so that the order holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, or_, select, update

from rori_spiders.ledger import cursors
from rori_spiders.ledger.dialects import insert_missing
from rori_spiders.ledger.tables import cursors as table
from rori_spiders.ledger.tables import envelopes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection

_HOOK = "hook"


@dataclass(frozen=True, slots=True)
class Waiting:
    """An envelope whose index line is there, and that was not announced."""

    envelope_id: str
    run_id: str
    index_line: str


def begin(conn: Connection, *, now: datetime) -> None:
    """What is staged from *now* on is announced; the first such time stays."""
    insert_missing(conn, table, [{"name": _HOOK, "position": now.isoformat()}])


def hold(conn: Connection, owner: str, *, now: datetime, ttl_s: float) -> bool:
    """Whether *owner* may announce until *ttl_s* seconds from *now*: nobody else does."""
    free = or_(table.c.owner.is_(None), table.c.owner == owner, table.c.held_until < now)
    mine = {"owner": owner, "held_until": now + timedelta(seconds=ttl_s)}
    return conn.execute(update(table).where(table.c.name == _HOOK, free).values(mine)).rowcount == 1


def release(conn: Connection, owner: str) -> None:
    conn.execute(update(table).where(table.c.name == _HOOK, table.c.owner == owner).values(owner=None, held_until=None))


def waiting(conn: Connection, *, limit: int) -> list[Waiting]:
    """The next ones to announce."""
    if (conditions := _waiting(conn)) is None:
        return []
    query = select(envelopes.c.envelope_id, envelopes.c.run_id, envelopes.c.index_line).where(*conditions)
    ordered = query.order_by(envelopes.c.staged_at, envelopes.c.envelope_id).limit(limit)
    return [Waiting(*row) for row in conn.execute(ordered)]


def count(conn: Connection) -> int:
    """How many wait."""
    conditions = _waiting(conn)
    query = select(func.count()).select_from(envelopes)
    return 0 if conditions is None else conn.execute(query.where(*conditions)).scalar_one()


def since(conn: Connection) -> datetime | None:
    """When the first of those that wait was staged; None: none waits."""
    conditions = _waiting(conn)
    query = select(func.min(envelopes.c.staged_at))
    return None if conditions is None else conn.execute(query.where(*conditions)).scalar()


def mark(conn: Connection, batch: Sequence[Waiting], *, now: datetime) -> None:
    """The hook has taken them."""
    these = envelopes.c.envelope_id.in_([one.envelope_id for one in batch])
    conn.execute(update(envelopes).where(these).values(announced_at=now))


def _waiting(conn: Connection) -> tuple[ColumnElement[Any], ...] | None:
    since = cursors.position(conn, _HOOK)
    if not since:
        return None
    listed = envelopes.c.state.in_(("indexed", "pruning", "pruned"))
    return listed, envelopes.c.announced_at.is_(None), envelopes.c.staged_at >= datetime.fromisoformat(since)
