"""Keys of a provider: one is used until it is refused; while it rests, the next is. None is ever shown.

From the environment alone: RORI_ZYTE_KEYS (several, comma-separated), or what the provider's own tools read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.manifest.tier_selection import api_key_variables
from rori_spiders.runtime.redaction import get_redactor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rori_spiders.crawl.tiers.errors import KeyRefused


def load_provider_keys(provider: str, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The keys of *provider*, each once, known to the redactor from now on."""
    given = next((environment[name] for name in api_key_variables(provider) if environment.get(name, "").strip()), "")
    found = tuple(dict.fromkeys(one.strip() for one in given.split(",") if one.strip()))
    for secret in found:
        get_redactor().learn(secret)
    return found


@dataclass(slots=True)
class ProviderKey:
    """One key. *handle* is what may be printed: ``key_02``."""

    handle: str
    secret: str
    rests_until: float = 0.0
    refusal: KeyRefused | None = None

    def __repr__(self) -> str:
        return self.handle


class ProviderKeyRing:
    """Which key is used next. *now* is a clock's seconds, given by whoever asks."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._keys = [ProviderKey(f"key_{number:02}", secret) for number, secret in enumerate(secrets, start=1)]
        self._current = 0

    def __len__(self) -> int:
        return len(self._keys)

    def ready(self, now: float) -> ProviderKey | None:
        """The key that was used last, or the next one after it that does not rest."""
        for step in range(len(self._keys)):
            position = (self._current + step) % len(self._keys)
            if self._keys[position].rests_until <= now:
                self._current = position
                return self._keys[position]
        return None

    def soonest(self) -> ProviderKey:
        """The key whose rest ends first."""
        return min(self._keys, key=lambda key: key.rests_until)

    @staticmethod
    def rest(key: ProviderKey, refusal: KeyRefused, now: float) -> None:
        """*key* is not used before its refusal is over."""
        key.rests_until = max(key.rests_until, now + refusal.rest_s)
        key.refusal = refusal
