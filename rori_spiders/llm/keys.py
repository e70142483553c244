"""Keys of a model's server (S2, "API Key Rotation"): one is used until it is refused, then the next. None is shown.

From the environment alone: RORI_LLM_KEYS, several separated by commas. A server that asks for none needs none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from time import monotonic

from rori_spiders.exceptions import AllKeysExhaustedError
from rori_spiders.runtime.api_keys import KeyRing, parse_keys

KEYS = "RORI_LLM_KEYS"
#: Where a server asks for less without saying when.
BUSY_S = 20.0


def load_keys(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The keys of the environment, each once, known to the redactor from now on."""
    return parse_keys(environment.get(KEYS, ""))


class KeyRotator(KeyRing):
    """Chooses the key to use: ``rotate`` after a refusal, ``reset`` after a success.

    A refused key rests; when each has been refused since the last success, or all rest, AllKeysExhaustedError says
    after how many seconds the first is back (``details["rest_s"]``). *now* is a clock in seconds.
    """

    def __init__(self, keys: Sequence[str], now: Callable[[], float] = monotonic) -> None:
        super().__init__(keys or ("none",))  # a server of one's own may ask for none
        self._now = now
        self.attempts = 0

    def __repr__(self) -> str:
        return f"KeyRotator({len(self)} keys, {self.handle})"

    @property
    def handle(self) -> str:
        """What the current key is called in logs: ``key_02``."""
        return self._keys[self._current].handle

    @property
    def current_key(self) -> str:
        """The key to use now. Raises AllKeysExhaustedError while all rest."""
        return self._ready_key("all keys rest")

    def rotate(self, reason: str, rest_s: float = BUSY_S) -> str:
        """The next key, after the current one was refused for *reason*, and rests. Raises AllKeysExhaustedError."""
        self.rest(self._keys[self._current], rest_s, self._now())
        self.attempts += 1
        if self.attempts >= len(self):
            self.attempts = 0  # those that are back by then may be tried again
            raise self._exhausted(reason)
        return self._ready_key(reason)

    def reset(self) -> None:
        """The current key works."""
        self.attempts = 0

    def _ready_key(self, reason: str) -> str:
        if (key := self.ready(self._now())) is None:
            raise self._exhausted(reason)
        return key.secret

    def _exhausted(self, reason: str) -> AllKeysExhaustedError:
        rest = max(0.0, self.soonest().rests_until - self._now())
        many = f"all {len(self)} keys were" if len(self) > 1 else "the only key was"
        return AllKeysExhaustedError(f"{many} refused: {reason}", {"rest_s": rest, "keys": len(self)})
