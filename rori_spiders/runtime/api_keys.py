"""Rotate the API keys of a paid server: use one until it is refused, then the next. Never show any."""

from collections.abc import Sequence
from dataclasses import dataclass

from rori_spiders.runtime.redaction import get_redactor

#: A key that is unknown, or out of credits, will be so for a while.
REFUSED_S = 3600.0


def parse_keys(text: str) -> tuple[str, ...]:
    """The keys in *text*, separated by commas, each once, known to the redactor from now on."""
    found = tuple(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))
    for secret in found:
        get_redactor().learn(secret)
    return found


@dataclass(slots=True)
class ApiKey:
    """One key. *handle* is what may be printed: ``key_02``."""

    handle: str
    secret: str
    rests_until: float = 0.0

    def __repr__(self) -> str:
        return self.handle


class KeyRing:
    """Which key is used next. *now* is the caller's clock in seconds."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._keys = [ApiKey(f"key_{number:02}", secret) for number, secret in enumerate(secrets, start=1)]
        self._current = 0

    def __len__(self) -> int:
        return len(self._keys)

    def ready(self, now: float) -> ApiKey | None:
        """The key that was used last, or the next one after it that does not rest."""
        for step in range(len(self._keys)):
            position = (self._current + step) % len(self._keys)
            if self._keys[position].rests_until <= now:
                self._current = position
                return self._keys[position]
        return None

    def soonest(self) -> ApiKey:
        """The key whose rest ends first."""
        return min(self._keys, key=lambda key: key.rests_until)

    @staticmethod
    def rest(key: ApiKey, rest_s: float, now: float) -> None:
        """*key* is not used for *rest_s* seconds."""
        key.rests_until = max(key.rests_until, now + rest_s)
