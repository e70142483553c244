"""Sign-in with name and password, locked for a while after too many failures."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address, ip_network
from math import ceil
from typing import TYPE_CHECKING

from rori_spiders.ledger.operations import accounts
from rori_spiders.ledger.operations.accounts import FailureLimit
from rori_spiders.monitor.rest.errors import ApiError, invalid_input
from rori_spiders.monitor.security import passwords

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.monitor.state.dependencies import AppState

logger = logging.getLogger(__name__)


#: Of a name from one address: by the name alone, anybody could lock an operator out. OWASP's Authentication Cheat
#: Sheet: a threshold, an observation window, a duration.
MAX_FAILURES_PER_NAME_AND_ADDRESS = 5
#: Of one address with any names: higher, since a whole office may share it.
MAX_FAILURES_PER_ADDRESS = 20
#: Of a name from all addresses: NIST SP 800-63B, 5.2.2, allows 100 in a row.
MAX_FAILURES_PER_NAME = 100
WINDOW = timedelta(minutes=15)
#: Who has one IPv6 address has its /64 (RFC 6177).
_IPV6_PREFIX = 64


@dataclass(frozen=True, slots=True)
class _Limits:
    """What a sign-in counts for."""

    pair: FailureLimit
    address: FailureLimit
    name: FailureLimit

    @classmethod
    def of(cls, name: str, address: str) -> _Limits:
        origin = _address_block(address)
        return cls(
            FailureLimit(("name and address", name, origin), MAX_FAILURES_PER_NAME_AND_ADDRESS),
            FailureLimit(("address", origin), MAX_FAILURES_PER_ADDRESS),
            FailureLimit(("name", name), MAX_FAILURES_PER_NAME),
        )

    def all(self) -> tuple[FailureLimit, ...]:
        return self.pair, self.address, self.name


def _address_block(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, _IPV6_PREFIX), strict=False)) if parsed.version == 6 else str(parsed)


# Sign-in: a session, or an error that does not reveal which names exist.


class SignIn:
    """Check passwords, with one lockout for all monitors of the ledger."""

    def __init__(self, served: AppState) -> None:
        self._served = served
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
        limits, ledger = _Limits.of(name, address), self._served.ledger
        with ledger.begin() as conn:
            until = accounts.count_attempt(conn, limits.all(), now=self._served.now(), window=WINDOW)
            user = accounts.find_user(conn, name)
        if until is not None:
            raise self._locked(until)
        password_hash = user.password_hash if user is not None else None
        if not passwords.verify_password(password, password_hash):
            self._warn_when_locked(limits, name, address)
            if where is not None:
                raise invalid_input([(where, "Wrong password.")], "Wrong password.")
            raise ApiError(401, "wrong_password", "Wrong name or password.")
        with ledger.begin() as conn:
            accounts.forgive_attempt(conn, (limits.pair, limits.name), (limits.address,))
            if password_hash is not None and passwords.needs_rehash(password_hash):
                accounts.rehash_password(conn, name, old=password_hash, new=passwords.hash_password(password))

    def _warn_when_locked(self, limits: _Limits, name: str, address: str) -> None:
        with self._served.ledger.connect() as conn:
            until = accounts.locked_until(conn, limits.all(), now=self._served.now(), window=WINDOW)
        if until is not None:
            log_values = {"name": repr(name), "address": address}
            logger.warning("Locked for 15 minutes after failed sign-ins: %(name)s from %(address)s", log_values)

    def _locked(self, until: datetime) -> ApiError:
        minutes = max(1, ceil((until - self._served.now()).total_seconds() / 60))
        seconds = {"Retry-After": str(minutes * 60)}
        message = f"Too many failed attempts. Try again in {minutes} min."
        return ApiError(429, "locked_out", message, headers=seconds, minutes=minutes)
