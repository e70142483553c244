"""Accounts of the monitor: its users, their sessions, and failed sign-ins. Passwords arrive hashed; a session is known
by the SHA-256 of its token, a failed sign-in by that of what was counted: a name may be a mistyped password.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Connection, case, delete, func, or_, select, update

from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.tables import sessions, sign_in_failures, users

Role = Literal["viewer", "operator"]
USER_ROLES: tuple[Role, ...] = ("viewer", "operator")


@dataclass(frozen=True, slots=True)
class User:
    """One row of ``users``."""

    name: str
    role: Role
    password_hash: str | None
    created_at: datetime
    password_at: datetime | None
    seen_at: datetime | None


def add_user(conn: Connection, name: str, *, role: Role, password_hash: str | None, now: datetime) -> bool:
    """A new user; False, and nothing changed, when there is one of this name."""
    lock_for_writing(conn, users)
    if find_user(conn, name) is not None:
        return False
    password_at = now if password_hash is not None else None
    row = {"name": name, "role": role, "password_hash": password_hash, "created_at": now, "password_at": password_at}
    conn.execute(users.insert().values(row))
    return True


def find_user(conn: Connection, name: str) -> User | None:
    """The user of this name, spelled exactly so."""
    row = conn.execute(select(users).where(users.c.name == name)).one_or_none()
    return User(**row._mapping) if row else None


def list_users(conn: Connection) -> list[User]:
    """All of them, by name."""
    return [User(**row._mapping) for row in conn.execute(select(users).order_by(users.c.name))]


def count_users(conn: Connection) -> int:
    """How many there are."""
    return conn.execute(select(func.count()).select_from(users)).scalar_one()


def remove_user(conn: Connection, name: str) -> bool:
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


def rehash_password(conn: Connection, name: str, *, old: str, new: str) -> None:
    """The same password, hashed at today's costs; nothing when it was changed meanwhile."""
    same = (users.c.name == name) & (users.c.password_hash == old)
    conn.execute(update(users).where(same).values(password_hash=new))


# Who is signed in to the monitor. A session is known by the SHA-256 of its token, which only the cookie holds.

#: How exactly "last seen" is kept: writing at each request would make every look at the page a write.
SEEN_INTERVAL = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class SessionLifetime:
    """The maximum idle time of a session, and its maximum age."""

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
        return abs(now - self.seen_at) < SEEN_INTERVAL


def hash_token(token: str) -> str:
    """What the ledger knows a token by. A token is 256 random bits: it needs no salt, and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def begin_session(conn: Connection, token: str, user: str, *, now: datetime, lasting: SessionLifetime) -> None:
    """A user has signed in; sessions that are over are forgotten on the way."""
    over = or_(sessions.c.started_at < now - lasting.longest, sessions.c.seen_at < now - lasting.idle)
    conn.execute(delete(sessions).where(over))
    conn.execute(sessions.insert().values(token_hash=hash_token(token), user_name=user, started_at=now, seen_at=now))
    conn.execute(update(users).where(users.c.name == user).values(seen_at=now))


def find_session(conn: Connection, token: str, *, now: datetime, lasting: SessionLifetime) -> Session | None:
    """The open session of this token; None when it never was, has ended, or rested for too long."""
    same_session = (sessions.c.token_hash == hash_token(token)) & (sessions.c.started_at > now - lasting.longest)
    query = (
        select(sessions.c.token_hash, users.c.name, users.c.role, sessions.c.seen_at)
        .join_from(sessions, users, users.c.name == sessions.c.user_name)
        .where(same_session, sessions.c.seen_at > now - lasting.idle)
    )
    row = conn.execute(query).one_or_none()
    return Session(*row) if row else None


def touch_session(conn: Connection, session: Session, *, now: datetime) -> None:
    """Note that its user was here."""
    conn.execute(update(sessions).where(sessions.c.token_hash == session.token_hash).values(seen_at=now))
    conn.execute(update(users).where(users.c.name == session.user).values(seen_at=now))


def end_session(conn: Connection, token: str) -> None:
    """The user signs out."""
    conn.execute(delete(sessions).where(sessions.c.token_hash == hash_token(token)))


@dataclass(frozen=True, slots=True)
class FailureLimit:
    """*most* failures of *what* lock it for the rest of the window, which begins with the first."""

    what: tuple[str, ...]
    most: int

    @property
    def key_hash(self) -> str:
        return hashlib.sha256("\0".join(self.what).encode("utf-8", "replace")).hexdigest()


def locked_until(
    conn: Connection, limits: Sequence[FailureLimit], *, now: datetime, window: timedelta
) -> datetime | None:
    """When what is locked of *limits* may be tried again; None: now."""
    counted = _begun(conn, limits, now - window)
    rows = ((one, *counted[one.key_hash]) for one in limits if one.key_hash in counted)
    return max((since + window for one, failed, since in rows if failed >= one.most), default=None)


def count_attempt(
    conn: Connection, limits: Sequence[FailureLimit], *, now: datetime, window: timedelta
) -> datetime | None:
    """Count a failure of each of *limits* until `forgive_attempt`; where one is locked, nothing, and until when it is.

    What is counted before the password is checked counts simultaneous attempts too.
    """
    lock_for_writing(conn, sign_in_failures)
    conn.execute(delete(sign_in_failures).where(sign_in_failures.c.since <= now - window))
    if (until := locked_until(conn, limits, now=now, window=window)) is not None:
        return until
    found = _begun(conn, limits, now - window)
    rows = ((one.key_hash, *found.get(one.key_hash, (0, now))) for one in limits)
    upsert(conn, sign_in_failures, [{"key_hash": key, "failed": failed + 1, "since": at} for key, failed, at in rows])
    return None


def forgive_attempt(conn: Connection, reset: Sequence[FailureLimit], lessened: Sequence[FailureLimit]) -> None:
    """Record a success: *reset* begin anew, *lessened* have one failure less."""
    table = sign_in_failures
    conn.execute(delete(table).where(table.c.key_hash.in_([one.key_hash for one in reset])))
    less = case((table.c.failed > 0, table.c.failed - 1), else_=0)
    conn.execute(update(table).where(table.c.key_hash.in_([one.key_hash for one in lessened])).values(failed=less))


def _begun(conn: Connection, limits: Sequence[FailureLimit], after: datetime) -> dict[str, tuple[int, datetime]]:
    """Failures, and when the first was, of those of *limits* whose window is still open."""
    table = sign_in_failures
    in_window = table.c.key_hash.in_([one.key_hash for one in limits]) & (table.c.since > after)
    return {row.key_hash: (row.failed, row.since) for row in conn.execute(select(table).where(in_window))}
