"""Tokens by which programs of a person use the monitor's API: made, found, revoked. Known by the SHA-256 alone."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Connection, delete, insert, select, update

from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.operations.accounts import SEEN_INTERVAL, Role, hash_token
from rori_spiders.ledger.tables import api_tokens, users

#: read: what a viewer may; review: also decide about changes; operate: whatever its user may.
Scope = Literal["read", "review", "operate"]
SCOPES: tuple[Scope, ...] = ("read", "review", "operate")
#: What tokens begin with, so that a scanner of leaked secrets finds them.
PREFIX = "rori_"
_TOKEN_BYTES = 32
MAX_DAYS = 366


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A row of ``api_tokens``, without its hash."""

    token_id: int
    user_name: str
    label: str
    scope: Scope
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    seen_at: datetime | None

    def is_valid(self, now: datetime) -> bool:
        """Whether it is accepted at *now*."""
        return self.revoked_at is None and now < self.expires_at


_COLUMNS = [api_tokens.c[name] for name in ApiToken.__dataclass_fields__]


def add_token(
    conn: Connection, user: str, *, label: str, scope: Scope, days: int, actor: str, now: datetime
) -> tuple[int, str]:
    """Make a token of *user*: its number, and the token, which is stored as a hash and never shown again."""
    token = PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)
    row = {
        "user_name": user,
        "label": label,
        "scope": scope,
        "token_hash": hash_token(token),
        "created_at": now,
        "expires_at": now + timedelta(days=days),
    }
    added = conn.execute(insert(api_tokens).values(row).returning(api_tokens.c.token_id))
    number = int(added.scalar_one())
    details = {"token": number, "label": label, "scope": scope, "days": days}
    activity_log.record_action(conn, now=now, actor=actor, action="add_token", target=f"user:{user}", details=details)
    return number, token


def revoke_token(conn: Connection, number: int, *, user: str | None, actor: str, now: datetime) -> bool:
    """End a token, of *user* where one is named; False when there is none of this number that is not revoked."""
    its = (api_tokens.c.token_id == number) & api_tokens.c.revoked_at.is_(None)
    if user is not None:
        its &= api_tokens.c.user_name == user
    ended = conn.execute(update(api_tokens).where(its).values(revoked_at=now).returning(api_tokens.c.user_name))
    owner = ended.scalar_one_or_none()
    if owner is None:
        return False
    activity_log.record_action(
        conn, now=now, actor=actor, action="revoke_token", target=f"user:{owner}", details={"token": number}
    )
    return True


def list_tokens(conn: Connection, user: str | None = None) -> list[ApiToken]:
    """The tokens, also those that have ended, in the order of their numbers; only *user*'s."""
    query = select(*_COLUMNS).order_by(api_tokens.c.token_id)
    if user is not None:
        query = query.where(api_tokens.c.user_name == user)
    return [ApiToken(**row) for row in conn.execute(query).mappings()]


def find_token(conn: Connection, token: str, *, now: datetime) -> tuple[ApiToken, Role] | None:
    """The valid token, with the role that its user has now; None for any other text."""
    query = select(*_COLUMNS, users.c.role).join_from(api_tokens, users, users.c.name == api_tokens.c.user_name)
    row = conn.execute(query.where(api_tokens.c.token_hash == hash_token(token))).mappings().one_or_none()
    if row is None:
        return None
    found = ApiToken(**{name: row[name] for name in ApiToken.__dataclass_fields__})
    return (found, row["role"]) if found.is_valid(now) else None


def touch_token(conn: Connection, token: ApiToken, *, now: datetime) -> None:
    """Note that it was used, once a minute at most."""
    if token.seen_at is None or abs(now - token.seen_at) >= SEEN_INTERVAL:
        conn.execute(update(api_tokens).where(api_tokens.c.token_id == token.token_id).values(seen_at=now))


def remove_tokens(conn: Connection, user: str) -> None:
    """The user is removed: somebody with the same name must not inherit them."""
    conn.execute(delete(api_tokens).where(api_tokens.c.user_name == user))
