"""Who has tried too often to sign in: by name, and by address. Kept in memory, since nobody outside can restart it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: OWASP's Authentication Cheat Sheet: a threshold, an observation window, a duration. NIST allows up to 100 in a row.
MOST_OF_NAME = 5
#: An office may stand behind one address.
MOST_OF_ADDRESS = 20
WINDOW = timedelta(minutes=15)
#: A flood of made-up names must not take the memory: the oldest are forgotten.
_MOST_KEPT = 10_000


@dataclass(slots=True)
class _Tries:
    failed: int
    since: datetime


class Lockout:
    """Counts failures of a name and of an address over a quarter of an hour; safe to use from several threads."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._tries: OrderedDict[tuple[str, str], _Tries] = OrderedDict()
        self._turn = threading.Lock()

    def until(self, name: str, address: str) -> datetime | None:
        """When a locked name or address may try again; None: now. A name that no user has is locked just the same."""
        with self._turn:
            locked = [
                one.since + WINDOW
                for key, most in _keys(name, address)
                if (one := self._fresh(key)) is not None and one.failed >= most
            ]
        return max(locked, default=None)

    def count(self, name: str, address: str) -> bool:
        """A try, counted as failed until it is known to be right: those at the same moment count as well.

        False, and nothing counted, when name or address are locked.
        """
        if self.until(name, address) is not None:
            return False
        with self._turn:
            for key, _ in _keys(name, address):
                one = self._fresh(key) or _Tries(0, self._now())
                one.failed += 1
                self._tries[key] = one
                self._tries.move_to_end(key)
            while len(self._tries) > _MOST_KEPT:
                self._tries.popitem(last=False)
        return True

    def forgive(self, name: str, address: str) -> None:
        """The try was right: the name begins anew, the address has one less."""
        by_name, by_address = (key for key, _ in _keys(name, address))
        with self._turn:
            self._tries.pop(by_name, None)
            if (one := self._tries.get(by_address)) is not None:
                one.failed = max(0, one.failed - 1)

    def _fresh(self, key: tuple[str, str]) -> _Tries | None:
        one = self._tries.get(key)
        if one is not None and self._now() - one.since >= WINDOW:
            del self._tries[key]
            return None
        return one


def _keys(name: str, address: str) -> tuple[tuple[tuple[str, str], int], tuple[tuple[str, str], int]]:
    return (("name", name), MOST_OF_NAME), (("address", address), MOST_OF_ADDRESS)
