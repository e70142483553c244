"""Users of the monitor: added, found, changed, removed. Passwords come hashed; this module never sees one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlalchemy import delete, func, select, update

from rori_spiders.ledger.dialects import only_writer
from rori_spiders.ledger.tables import sessions, users

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

Role = Literal["viewer", "operator"]
ROLES: tuple[Role, ...] = ("viewer", "operator")


@dataclass(frozen=True, slots=True)
class User:
    """One row of ``users``."""

    name: str
    role: Role
    password_hash: str | None
    created_at: datetime
    password_at: datetime | None
    seen_at: datetime | None


def add(conn: Connection, name: str, *, role: Role, password_hash: str | None, now: datetime) -> bool:
    """A new user; False, and nothing changed, when there is one of this name."""
    only_writer(conn, users)
    if find(conn, name) is not None:
        return False
    password_at = now if password_hash is not None else None
    row = {"name": name, "role": role, "password_hash": password_hash, "created_at": now, "password_at": password_at}
    conn.execute(users.insert().values(row))
    return True


def find(conn: Connection, name: str) -> User | None:
    """The user of this name, spelled exactly so."""
    row = conn.execute(select(users).where(users.c.name == name)).one_or_none()
    return User(**row._mapping) if row else None


def listed(conn: Connection) -> list[User]:
    """All of them, by name."""
    return [User(**row._mapping) for row in conn.execute(select(users).order_by(users.c.name))]


def count(conn: Connection) -> int:
    """How many there are."""
    return conn.execute(select(func.count()).select_from(users)).scalar_one()


def remove(conn: Connection, name: str) -> bool:
    """Remove a user and end all sessions of theirs; False when there is none of this name."""
    conn.execute(delete(sessions).where(sessions.c.user_name == name))
    return conn.execute(delete(users).where(users.c.name == name)).rowcount == 1


def set_role(conn: Connection, name: str, role: Role) -> bool:
    """Give a user another role, which open sessions have at once; False when there is none of this name."""
    return conn.execute(update(users).where(users.c.name == name).values(role=role)).rowcount == 1


def set_password(conn: Connection, name: str, password_hash: str, *, now: datetime, keep: str | None = None) -> bool:
    """Give a user another password and end their sessions, all but that of the token hash *keep*."""
    ended = delete(sessions).where(sessions.c.user_name == name)
    conn.execute(ended.where(sessions.c.token_hash != keep) if keep else ended)
    values = {"password_hash": password_hash, "password_at": now}
    return conn.execute(update(users).where(users.c.name == name).values(values)).rowcount == 1


def rehash(conn: Connection, name: str, *, old: str, new: str) -> None:
    """The same password, hashed at today's costs; nothing when it was changed meanwhile."""
    same = (users.c.name == name) & (users.c.password_hash == old)
    conn.execute(update(users).where(same).values(password_hash=new))
