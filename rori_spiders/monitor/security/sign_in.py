"""Sign-in with name and password, locked for a while after too many failures."""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING

from rori_spiders.ledger.operations import accounts
from rori_spiders.monitor.rest.errors import ApiError, invalid_input
from rori_spiders.monitor.security import passwords

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.monitor.state.dependencies import AppState

logger = logging.getLogger(__name__)


#: OWASP's Authentication Cheat Sheet: a threshold, an observation window, a duration. NIST allows up to 100 in a row.
MAX_FAILURES_PER_NAME = 5
#: Failures of one address: higher, since a whole office may share it.
MAX_FAILURES_PER_ADDRESS = 20
WINDOW = timedelta(minutes=15)
#: Most names and addresses kept: the oldest are dropped, so that invented names cannot exhaust memory.
_MAX_TRACKED = 10_000


@dataclass(slots=True)
class _FailedAttempts:
    failed: int
    since: datetime


class Lockout:
    """Count failed sign-ins of a name and of an address over 15 minutes. Thread-safe."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._tries: OrderedDict[tuple[str, str], _FailedAttempts] = OrderedDict()
        self._turn = threading.Lock()

    def until(self, name: str, address: str) -> datetime | None:
        """Return when a locked name or address may try again; None: now. Unknown names are locked alike."""
        with self._turn:
            locked = [
                one.since + WINDOW
                for key, most in _attempt_keys(name, address)
                if (one := self._fresh(key)) is not None and one.failed >= most
            ]
        return max(locked, default=None)

    def count(self, name: str, address: str) -> bool:
        """Count an attempt as failed until it succeeds, so that simultaneous attempts count too.

        False, and nothing counted, when name or address are locked.
        """
        if self.until(name, address) is not None:
            return False
        with self._turn:
            for key, _ in _attempt_keys(name, address):
                one = self._fresh(key) or _FailedAttempts(0, self._now())
                one.failed += 1
                self._tries[key] = one
                self._tries.move_to_end(key)
            while len(self._tries) > _MAX_TRACKED:
                self._tries.popitem(last=False)
        return True

    def forgive(self, name: str, address: str) -> None:
        """Record a success: reset the name, and take one failure off the address."""
        by_name, by_address = (key for key, _ in _attempt_keys(name, address))
        with self._turn:
            self._tries.pop(by_name, None)
            if (one := self._tries.get(by_address)) is not None:
                one.failed = max(0, one.failed - 1)

    def _fresh(self, key: tuple[str, str]) -> _FailedAttempts | None:
        one = self._tries.get(key)
        if one is not None and self._now() - one.since >= WINDOW:
            del self._tries[key]
            return None
        return one


def _attempt_keys(name: str, address: str) -> tuple[tuple[tuple[str, str], int], tuple[tuple[str, str], int]]:
    return (("name", name), MAX_FAILURES_PER_NAME), (("address", address), MAX_FAILURES_PER_ADDRESS)


# Sign-in: a session, or an error that does not reveal which names exist.


class SignIn:
    """Check passwords, with one lockout for the whole monitor."""

    def __init__(self, served: AppState) -> None:
        self._served = served
        self._lockout = Lockout(served.now)
        passwords.prepare_dummy_hash()

    def session(self, name: str, password: str, address: str) -> str:
        """Start a session and return its token. Raises ApiError 401, or 429 after too many failures."""
        self.check(name, password, address)
        served, token = self._served, secrets.token_urlsafe(32)
        with served.ledger.begin() as conn:
            accounts.begin_session(conn, token, name, now=served.now(), lasting=served.terms.lasting)
        return token

    def check(self, name: str, password: str, address: str, *, where: str | None = None) -> None:
        """Raise ApiError unless *password* is that of the user *name*; 422 where it was the form field *where*."""
        if not self._lockout.count(name, address):
            raise self._locked(name, address)
        with self._served.ledger.connect() as conn:
            user = accounts.find_user(conn, name)
        password_hash = user.password_hash if user is not None else None
        if not passwords.verify_password(password, password_hash):
            if self._lockout.until(name, address) is not None:
                log_values = {"name": repr(name), "address": address}
                logger.warning("Locked for 15 minutes after failed sign-ins: %(name)s from %(address)s", log_values)
            if where is not None:
                raise invalid_input([(where, "Wrong password.")], "Wrong password.")
            raise ApiError(401, "wrong_password", "Wrong name or password.")
        self._lockout.forgive(name, address)
        if password_hash is not None and passwords.needs_rehash(password_hash):
            with self._served.ledger.begin() as conn:
                accounts.rehash_password(conn, name, old=password_hash, new=passwords.hash_password(password))

    def _locked(self, name: str, address: str) -> ApiError:
        until = self._lockout.until(name, address) or self._served.now()
        minutes = max(1, ceil((until - self._served.now()).total_seconds() / 60))
        seconds = {"Retry-After": str(minutes * 60)}
        message = f"Too many failed attempts. Try again in {minutes} min."
        return ApiError(429, "locked_out", message, headers=seconds, minutes=minutes)
