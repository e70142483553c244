"""Passwords: hashed by Argon2id, checked in the same time whoever asks, refused when they are too short."""

from __future__ import annotations

import secrets
import threading
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

#: NIST SP 800-63B-4, 3.1.1.2: 15 where a password is all that is asked for; no rules on kinds of characters.
SHORTEST = 15
#: The same page: at least 64 must be taken. More than this is no password, and would only take memory.
LONGEST = 256
#: A check takes 64 MiB (RFC 9106, the second recommended option): so many run at once, the others wait.
_AT_ONCE = threading.BoundedSemaphore(2)
_HASHER = PasswordHasher()


def hashed(password: str) -> str:
    """What the ledger keeps of a password."""
    with _AT_ONCE:
        return _HASHER.hash(password)


def matches(password: str, kept: str | None) -> bool:
    """Whether *password* is the one whose hash was *kept*; of nobody (None) it takes as long, and is not."""
    if len(password) > LONGEST:
        password = ""
    with _AT_ONCE:
        try:
            right = _HASHER.verify(kept or _nobodys(), password)
        except (VerifyMismatchError, InvalidHashError):
            return False
    return right and kept is not None


def prepare() -> None:
    """Makes ready what the first check of an unknown name would wait for."""
    _nobodys()


def is_dated(kept: str) -> bool:
    """Whether a hash was made at lower costs than today's."""
    return _HASHER.check_needs_rehash(kept)


def objection(password: str, name: str) -> str | None:
    """Why *password* cannot be that of the user *name*, in a sentence; None: it can."""
    if len(password) < SHORTEST:
        return f"The password is too short: {SHORTEST} characters at least. Several words make a good one."
    if len(password) > LONGEST:
        return f"The password is too long: {LONGEST} characters at most."
    if len(set(password)) < 5 or name.lower() in password.lower():
        return "The password is easily guessed: it repeats itself, or holds the user's name."
    return None


@cache
def _nobodys() -> str:
    return _HASHER.hash(secrets.token_urlsafe())
