"""Keys of a model's server (S2, "API Key Rotation"): each is used until it is refused, then the next. None is logged.

Read from the environment alone: RORI_LLM_KEYS, separated by commas. A local server may need none.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from time import monotonic

from rori_spiders.exceptions import AllKeysExhaustedError
from rori_spiders.runtime.api_keys import KeyRing, parse_keys

KEYS = "RORI_LLM_KEYS"
#: Cooldown of a key, in seconds, after HTTP 429 without Retry-After.
BUSY_S = 20.0


def load_keys(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the distinct keys of the environment, and register them with the redactor."""
    return parse_keys(environment.get(KEYS, ""))


class KeyRotator(KeyRing):
    """Chooses the key to use: ``rotate`` after a refusal, ``reset`` after a success.

    A refused key cools down. When each was refused since the last success, or all cool down, it raises
    AllKeysExhaustedError with the seconds until the first is usable (``details["rest_s"]``). *now*: clock in seconds.
    """

    def __init__(self, keys: Sequence[str], now: Callable[[], float] = monotonic) -> None:
        super().__init__(keys or ("none",))  # a local server may need none
        self._now = now
        self.attempts = 0

    def __repr__(self) -> str:
        return f"KeyRotator({len(self)} keys, {self.handle})"

    @property
    def handle(self) -> str:
        """The current key's name in logs: ``key_02``."""
        return self._keys[self._current].handle

    @property
    def current_key(self) -> str:
        """The key to use now. Raises AllKeysExhaustedError while all cool down."""
        return self._ready_key("all keys are cooling down")

    def rotate(self, reason: str, rest_s: float = BUSY_S) -> str:
        """Let the current key cool down and return the next. Raises AllKeysExhaustedError with *reason*."""
        self.rest(self._keys[self._current], rest_s, self._now())
        self.attempts += 1
        if self.attempts >= len(self):
            self.attempts = 0  # keys whose cooldown has ended may be tried again
            raise self._exhausted(reason)
        return self._ready_key(reason)

    def reset(self) -> None:
        """Record that the current key works."""
        self.attempts = 0

    def _ready_key(self, reason: str) -> str:
        if (key := self.ready(self._now())) is None:
            raise self._exhausted(reason)
        return key.secret

    def _exhausted(self, reason: str) -> AllKeysExhaustedError:
        rest = max(0.0, self.soonest().rests_until - self._now())
        many = f"all {len(self)} keys were" if len(self) > 1 else "the only key was"
        again = f" (usable again in {rest:.0f} s)" if rest >= 1 else ""
        return AllKeysExhaustedError(f"{many} refused: {reason}{again}", {"rest_s": rest, "keys": len(self)})
