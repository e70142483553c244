"""Manage users, as `scrapy monitor users` does: add, remove, set role and password. Each action is logged."""

import re
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from rori_spiders.exceptions import UnknownName, UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import accounts, activity_log, api_tokens
from rori_spiders.ledger.operations.accounts import Role
from rori_spiders.ledger.operations.api_tokens import Scope
from rori_spiders.monitor.security import passwords

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,98}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class UserManager:
    """Manage the users of one ledger, on behalf of *actor*. Raises UsageError."""

    ledger: Ledger
    actor: str
    now: datetime

    def add(self, name: str, role: Role, password: str | None) -> None:
        """Add a user; without a password only a reverse proxy can sign them in."""
        check_name(name)
        password_hash = None if password is None else _hash_password(password, name)
        with self.ledger.begin() as conn:
            if not accounts.add_user(conn, name, role=role, password_hash=password_hash, now=self.now):
                raise UsageError(f"user {name!r} already exists; `scrapy monitor users list` lists all users")
            self._record(conn, "add_user", name, role=role)

    def remove(self, name: str) -> None:
        """Remove the user and sign them out everywhere."""
        with self.ledger.begin() as conn:
            _require_user(name, known=accounts.remove_user(conn, name))
            api_tokens.remove_tokens(conn, name)
            self._record(conn, "remove_user", name)

    def set_role(self, name: str, role: Role) -> None:
        """Set the role, effective from the user's next request on."""
        with self.ledger.begin() as conn:
            _require_user(name, known=accounts.set_role(conn, name, role))
            self._record(conn, "set_role", name, role=role)

    def set_password(self, name: str, password: str) -> None:
        """Set the password and sign the user out everywhere."""
        password_hash = _hash_password(password, name)
        with self.ledger.begin() as conn:
            _require_user(name, known=accounts.set_password(conn, name, password_hash, now=self.now))
            self._record(conn, "set_password", name)

    def add_token(self, name: str, *, label: str, scope: Scope, days: int) -> tuple[int, str]:
        """Make a token of the user's for the API: its number, and the token, which is shown once."""
        with self.ledger.begin() as conn:
            user = accounts.find_user(conn, name)
            _require_user(name, known=user is not None)
            return api_tokens.add_token(conn, name, label=label, scope=scope, days=days, actor=self.actor, now=self.now)

    def revoke_token(self, number: int) -> None:
        """Revoke a token; its holder is refused from the next request on."""
        with self.ledger.begin() as conn:
            if not api_tokens.revoke_token(conn, number, user=None, actor=self.actor, now=self.now):
                raise UnknownName(f"no valid token {number}; `scrapy monitor tokens list` lists all tokens")

    def check_known(self, name: str) -> None:
        """Raise UsageError for an unknown user."""
        with self.ledger.connect() as conn:
            _require_user(name, known=accounts.find_user(conn, name) is not None)

    def check_free(self, name: str) -> None:
        """Raise UsageError for an invalid or existing name."""
        check_name(name)
        with self.ledger.connect() as conn:
            if accounts.find_user(conn, name) is not None:
                raise UsageError(f"user {name!r} already exists; `scrapy monitor users list` lists all users")

    def _record(self, conn: Connection, action: str, name: str, **details: str) -> None:
        activity_log.record_action(
            conn, now=self.now, actor=self.actor, action=action, target=f"user:{name}", details=details or None
        )


def check_name(name: str) -> None:
    """Raise UsageError for an invalid user name."""
    if name in activity_log.PROGRAM_ACTORS:
        raise UsageError(f"{name!r} is a reserved user name: the program records its own actions under it")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a valid user name: use a to z, digits, and . _ @ + - between them, at most 100 characters"
        )


def _hash_password(password: str, name: str) -> str:
    if why := passwords.password_problem(password, name):
        raise UsageError(why)
    return passwords.hash_password(password)


def _require_user(name: str, *, known: bool) -> None:
    if not known:
        raise UnknownName(f"unknown user {name!r}; `scrapy monitor users list` lists all users")
