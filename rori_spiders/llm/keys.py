"""Keys of a model's server (S2, "API Key Rotation"): one is used until it is refused, then the next. None is shown.

From the environment alone: RORI_LLM_KEYS, several separated by commas. A server that asks for none needs none.
"""

from __future__ import annotations

import os
from time import monotonic
from typing import TYPE_CHECKING

from rori_spiders.exceptions import AllKeysExhaustedError
from rori_spiders.runtime.redaction import get_redactor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

KEYS = "RORI_LLM_KEYS"
#: A key that is unknown will be so for a while.
REFUSED_S = 3600.0
#: Where a server asks for less without saying when.
BUSY_S = 20.0


def load_keys(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The keys of the environment, each once, known to the redactor from now on."""
    found = tuple(dict.fromkeys(one.strip() for one in environment.get(KEYS, "").split(",") if one.strip()))
    for secret in found:
        get_redactor().learn(secret)
    return found


class KeyRotator:
    """Which key is used: ``rotate`` after a refusal, ``reset`` after a success.

    A refused key rests; when each has been refused since the last success, or all rest, AllKeysExhaustedError says
    after how many seconds the first is back (``details["rest_s"]``). *now* is a clock in seconds.
    """

    def __init__(self, keys: Sequence[str], now: Callable[[], float] = monotonic) -> None:
        self._keys = tuple(keys) or ("none",)  # a server of one's own may ask for none
        self._rest_until = [0.0] * len(self._keys)
        self._now = now
        self._index = 0
        self.attempts = 0

    def __repr__(self) -> str:
        return f"KeyRotator({len(self._keys)} keys, {self.handle})"

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def handle(self) -> str:
        """What the current key is called in logs: ``key_02``."""
        return f"key_{self._index + 1:02}"

    @property
    def current_key(self) -> str:
        """The key to use now. Raises AllKeysExhaustedError while all rest."""
        if self._rest_until[self._index] > self._now():
            self._go_on("all keys rest")
        return self._keys[self._index]

    def rotate(self, reason: str, rest_s: float = BUSY_S) -> str:
        """The next key, after the current one was refused for *reason*, and rests. Raises AllKeysExhaustedError."""
        until = self._now() + rest_s
        self._rest_until[self._index] = max(self._rest_until[self._index], until)
        self.attempts += 1
        if self.attempts >= len(self._keys):
            self.attempts = 0  # those that are back by then may be tried again
            raise self._exhausted(reason)
        self._go_on(reason)
        return self._keys[self._index]

    def reset(self) -> None:
        """The current key works."""
        self.attempts = 0

    def _go_on(self, reason: str) -> None:
        now = self._now()
        for step in range(1, len(self._keys) + 1):
            position = (self._index + step) % len(self._keys)
            if self._rest_until[position] <= now:
                self._index = position
                return
        raise self._exhausted(reason)

    def _exhausted(self, reason: str) -> AllKeysExhaustedError:
        rest = max(0.0, min(self._rest_until) - self._now())
        many = f"all {len(self._keys)} keys were" if len(self._keys) > 1 else "the only key was"
        return AllKeysExhaustedError(f"{many} refused: {reason}", {"rest_s": rest, "keys": len(self._keys)})
