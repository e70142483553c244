"""Passwords: hashed by Argon2id, verified in constant time for known and unknown users, with a minimum length."""

import secrets
import threading
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

#: NIST SP 800-63B-4, 3.1.1.2: 15 if the password is the only factor; no rules on kinds of characters.
MIN_LENGTH = 15
#: The same section: at least 64 must be accepted. Longer input only uses memory.
MAX_LENGTH = 256
#: A check takes 64 MiB (RFC 9106, the second recommended option): so many run at once, the others wait.
_CONCURRENT_CHECKS = threading.BoundedSemaphore(2)
_HASHER = PasswordHasher()


def hash_password(password: str) -> str:
    """Return the hash of a password, for the ledger."""
    with _CONCURRENT_CHECKS:
        return _HASHER.hash(password)


def verify_password(password: str, password_hash: str | None) -> bool:
    """Return whether *password* matches *password_hash*; for None it takes as long and returns false."""
    if len(password) > MAX_LENGTH:
        password = ""
    with _CONCURRENT_CHECKS:
        try:
            right = _HASHER.verify(password_hash or _dummy_hash(), password)
        except (VerifyMismatchError, InvalidHashError):
            return False
    return right and password_hash is not None


def prepare_dummy_hash() -> None:
    """Prepare the dummy hash, so that the first check of an unknown name takes no longer than others."""
    _dummy_hash()


def needs_rehash(password_hash: str) -> bool:
    """Return whether a hash was made with weaker parameters than the current ones."""
    return _HASHER.check_needs_rehash(password_hash)


def password_problem(password: str, name: str) -> str | None:
    """Return why *password* is not acceptable for the user *name*; None: it is."""
    if len(password) < MIN_LENGTH:
        return f"The password is too short: use at least {MIN_LENGTH} characters, for example several words."
    if len(password) > MAX_LENGTH:
        return f"The password is too long: use at most {MAX_LENGTH} characters."
    if len(set(password)) < 5 or name.lower() in password.lower():
        return "The password is too easy to guess: it is repetitive or contains the user name."
    return None


@cache
def _dummy_hash() -> str:
    return _HASHER.hash(secrets.token_urlsafe())
