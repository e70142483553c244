"""How far something that is followed was read: a position in words of whoever reads it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.ledger.dialects import put
from rori_spiders.ledger.tables import cursors

if TYPE_CHECKING:
    from sqlalchemy import Connection


def confirmations_of(location: str) -> str:
    """The name for the confirmations in one staging area: a position in another says nothing of them."""
    return f"confirmations {sha256(location.encode()).hexdigest()[:16]}"


def position(conn: Connection, name: str) -> str:
    """Where reading goes on; "" at the beginning."""
    return conn.execute(select(cursors.c.position).where(cursors.c.name == name)).scalar() or ""


def move(conn: Connection, name: str, to: str) -> None:
    """Everything before *to* was read."""
    put(conn, cursors, [{"name": name, "position": to}])
