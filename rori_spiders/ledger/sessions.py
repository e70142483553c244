"""Who is signed in to the monitor. A session is known by the SHA-256 of its token, which only the cookie holds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, or_, select, update

from rori_spiders.ledger.tables import sessions, users

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.users import Role

#: How exactly "last seen" is kept: writing at each request would make every look at the page a write.
SEEN_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Lasting:
    """How long a session may rest between two requests, and how long it may last in all."""

    idle: timedelta
    longest: timedelta


@dataclass(frozen=True, slots=True)
class Session:
    """An open session and the user behind it, with the role that they have now."""

    token_hash: str
    user: str
    role: Role
    seen_at: datetime

    def was_seen(self, now: datetime) -> bool:
        """Whether it is noted already that somebody was here a moment ago."""
        return abs(now - self.seen_at) < SEEN_EVERY


def hashed(token: str) -> str:
    """What the ledger knows a token by. A token is 256 random bits: it needs no salt, and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def begin(conn: Connection, token: str, user: str, *, now: datetime, lasting: Lasting) -> None:
    """A user has signed in; sessions that are over are forgotten on the way."""
    over = or_(sessions.c.started_at < now - lasting.longest, sessions.c.seen_at < now - lasting.idle)
    conn.execute(delete(sessions).where(over))
    conn.execute(sessions.insert().values(token_hash=hashed(token), user_name=user, started_at=now, seen_at=now))
    conn.execute(update(users).where(users.c.name == user).values(seen_at=now))


def find(conn: Connection, token: str, *, now: datetime, lasting: Lasting) -> Session | None:
    """The open session of this token; None when it never was, has ended, or rested for too long."""
    mine = (sessions.c.token_hash == hashed(token)) & (sessions.c.started_at > now - lasting.longest)
    query = (
        select(sessions.c.token_hash, users.c.name, users.c.role, sessions.c.seen_at)
        .join_from(sessions, users, users.c.name == sessions.c.user_name)
        .where(mine, sessions.c.seen_at > now - lasting.idle)
    )
    row = conn.execute(query).one_or_none()
    return Session(*row) if row else None


def see(conn: Connection, session: Session, *, now: datetime) -> None:
    """Note that its user was here."""
    conn.execute(update(sessions).where(sessions.c.token_hash == session.token_hash).values(seen_at=now))
    conn.execute(update(users).where(users.c.name == session.user).values(seen_at=now))


def end(conn: Connection, token: str) -> None:
    """The user signs out."""
    conn.execute(delete(sessions).where(sessions.c.token_hash == hashed(token)))
