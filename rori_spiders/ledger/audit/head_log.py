"""The signed heads of the log of facts, and how far each destination has them. Functions over a Connection."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update

from rori_spiders.ledger.dialects import insert_missing, upsert
from rori_spiders.ledger.tables import head_destinations, log_heads


@dataclass(frozen=True, slots=True)
class StoredHead:
    """A head: the size of the log, when it was signed, the note, further signature lines, and the tree's frontier."""

    size: int
    at: datetime
    note: str
    receipts: str
    frontier: bytes

    @property
    def full_note(self) -> str:
        """The note with all its signature lines."""
        return self.note + self.receipts


@dataclass(frozen=True, slots=True)
class DestinationState:
    """*size* of the last head that a destination has; since when it fails, and why."""

    size: int = 0
    failed_at: datetime | None = None
    error: str | None = None


def add_head(conn: Connection, head: StoredHead) -> None:
    """Keep a head that was signed."""
    conn.execute(
        log_heads.insert().values(
            size=head.size, at=head.at, note=head.note, receipts=head.receipts, frontier=head.frontier
        )
    )


def last_head(conn: Connection) -> StoredHead | None:
    """The head of the largest size."""
    row = conn.execute(select(log_heads).order_by(log_heads.c.size.desc()).limit(1)).one_or_none()
    return None if row is None else StoredHead(**row._mapping)


def find_head(conn: Connection, size: int) -> StoredHead | None:
    """The head of exactly this size."""
    row = conn.execute(select(log_heads).where(log_heads.c.size == size)).one_or_none()
    return None if row is None else StoredHead(**row._mapping)


def list_heads(conn: Connection, *, after: int = -1, limit: int | None = None) -> list[StoredHead]:
    """The heads of more than *after* leaves, the smallest first."""
    query = select(log_heads).where(log_heads.c.size > after).order_by(log_heads.c.size).limit(limit)
    return [StoredHead(**row._mapping) for row in conn.execute(query)]


def latest_heads(conn: Connection, limit: int) -> list[StoredHead]:
    """The last *limit* heads, the newest first."""
    query = select(log_heads).order_by(log_heads.c.size.desc()).limit(limit)
    return [StoredHead(**row._mapping) for row in conn.execute(query)]


def add_receipt(conn: Connection, size: int, lines: str) -> None:
    """Add signature lines, each with its newline, to the head of this size."""
    conn.execute(update(log_heads).where(log_heads.c.size == size).values(receipts=log_heads.c.receipts + lines))


def destination_states(conn: Connection) -> dict[str, DestinationState]:
    """How far each destination has the heads, by its name."""
    rows = conn.execute(select(head_destinations)).mappings()
    return {row["destination"]: DestinationState(row["size"], row["failed_at"], row["error"]) for row in rows}


def note_sent(conn: Connection, destination: str, size: int) -> None:
    """*destination* has the heads up to the one of this size. Where another job has sent more, that stays."""
    row: dict[str, Any] = {"destination": destination, "size": size, "failed_at": None, "error": None}
    insert_missing(conn, head_destinations, [row])
    own = head_destinations.c.destination == destination
    conn.execute(update(head_destinations).where(own).values(failed_at=None, error=None))
    conn.execute(update(head_destinations).where(own, head_destinations.c.size < size).values(size=size))


def note_failed(conn: Connection, destination: str, error: str, *, now: datetime) -> None:
    """*destination* did not accept a head."""
    state = destination_states(conn).get(destination, DestinationState())
    row = {"destination": destination, "size": state.size, "failed_at": state.failed_at or now, "error": error}
    upsert(conn, head_destinations, [row])
