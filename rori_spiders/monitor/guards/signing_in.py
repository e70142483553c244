"""A name and a password become a session, or a refusal that says nothing of who is known here."""

from __future__ import annotations

import logging
import secrets
from math import ceil
from typing import TYPE_CHECKING

from rori_spiders.ledger import sessions, users
from rori_spiders.monitor.errors import Refused, invalid
from rori_spiders.monitor.guards import passwords
from rori_spiders.monitor.guards.lockout import Lockout

if TYPE_CHECKING:
    from rori_spiders.monitor.served import Served

logger = logging.getLogger(__name__)


class SignIn:
    """Checks passwords, one lock-out for all of the monitor."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._lockout = Lockout(served.now)
        passwords.prepare()

    def session(self, name: str, password: str, address: str) -> str:
        """The token of a new session. Raises Refused 401, or 429 after too many failures, alike for every name."""
        self.check(name, password, address)
        served, token = self._served, secrets.token_urlsafe(32)
        with served.ledger.begin() as conn:
            sessions.begin(conn, token, name, now=served.now(), lasting=served.terms.lasting)
        return token

    def check(self, name: str, password: str, address: str, *, where: str | None = None) -> None:
        """Raises Refused unless *password* is that of the user *name*; 422 where it stood in the field *where*."""
        if not self._lockout.count(name, address):
            raise self._locked(name, address)
        with self._served.ledger.connect() as conn:
            user = users.find(conn, name)
        kept = user.password_hash if user is not None else None
        if not passwords.matches(password, kept):
            self._tell_when_locked(name, address)
            if where is not None:
                raise invalid([(where, "The password is wrong.")], "The password is wrong.")
            raise Refused(401, "wrong_password", "The name or the password is wrong.")
        self._lockout.forgive(name, address)
        if kept is not None and passwords.is_dated(kept):
            with self._served.ledger.begin() as conn:
                users.rehash(conn, name, old=kept, new=passwords.hashed(password))

    def _locked(self, name: str, address: str) -> Refused:
        until = self._lockout.until(name, address) or self._served.now()
        minutes = max(1, ceil((until - self._served.now()).total_seconds() / 60))
        seconds = {"Retry-After": str(minutes * 60)}
        said = f"Too many tries failed. Try again in {minutes} min."
        return Refused(429, "locked_out", said, headers=seconds, minutes=minutes)

    def _tell_when_locked(self, name: str, address: str) -> None:
        if self._lockout.until(name, address) is not None:
            told = {"name": repr(name), "address": address}
            logger.warning("Locked for a quarter of an hour after failed sign-ins: %(name)s, from %(address)s", told)
