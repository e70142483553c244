"""Which tiers are configured: those that RORI_TIERS names, else all, but providers that were given no key or address.

Steps. Whether a tier that is configured can work on this machine is not asked.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol

from rori_spiders.exceptions import UsageError
from rori_spiders.manifest.vocabulary import PROVIDERS, TIERS

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The only provider that has no server until it is given one, and may need no key.
_OWN_SERVER = "crawl4ai"


class Settings(Protocol):
    def get(self, name: str) -> Any: ...


def key_names(provider: str) -> tuple[str, str]:
    """The environment variables that may hold keys of *provider*, the first that does counts."""
    return f"RORI_{provider.upper()}_KEYS", f"{provider.upper()}_API_KEY"


def configured(settings: Settings, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The names in the order of the ladder. Raises UsageError for a name in RORI_TIERS that is no tier's."""
    given = settings.get("RORI_TIERS") or ""
    named = [name.strip() for name in (given.split(",") if isinstance(given, str) else given) if name.strip()]
    unknown = [name for name in named if name not in TIERS]
    if unknown:
        raise UsageError(f"RORI_TIERS names {', '.join(map(repr, unknown))}; there are {', '.join(TIERS)}")
    if named:
        return tuple(dict.fromkeys(named))
    return tuple(name for name in TIERS if name not in PROVIDERS or _was_given(name, settings, environment))


def _was_given(provider: str, settings: Settings, environment: Mapping[str, str]) -> bool:
    if provider == _OWN_SERVER:
        return bool(settings.get("RORI_CRAWL4AI_URL"))
    return any(environment.get(name, "").strip() for name in key_names(provider))
