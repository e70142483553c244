"""Which tiers are configured (RORI_TIERS, else all but providers without a key), and which sources none of them may
fetch. Whether a tier can work on this machine is not checked here.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from rori_spiders.exceptions import ManifestError, UsageError
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.problems import ProblemLine, format_source_problem
from rori_spiders.manifest.vocabulary import PROVIDERS, TIERS

#: The only provider that has no server until it is given one, and may need no key.
_OWN_SERVER = "crawl4ai"


class Settings(Protocol):
    def get(self, name: str) -> Any: ...


def api_key_variables(provider: str) -> tuple[str, str]:
    """The environment variables that may hold keys of *provider*, the first that does counts."""
    return f"RORI_{provider.upper()}_KEYS", f"{provider.upper()}_API_KEY"


def monthly_limit_setting(spender: str) -> str:
    """The setting that caps a month's use by a provider, or by `llm`, the language model, in its own unit."""
    return f"RORI_{spender.upper()}_MONTHLY_{'TOKENS' if spender == 'llm' else 'CREDITS'}"


def configured_tiers(settings: Settings, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The names in tier order. Raises UsageError for a name in RORI_TIERS that no tier has."""
    setting = settings.get("RORI_TIERS") or ""
    named = [name.strip() for name in (setting.split(",") if isinstance(setting, str) else setting) if name.strip()]
    unknown = [name for name in named if name not in TIERS]
    if unknown:
        raise UsageError(f"RORI_TIERS names {', '.join(map(repr, unknown))}; there are {', '.join(TIERS)}")
    if named:
        return tuple(dict.fromkeys(named))
    return tuple(
        name for name in TIERS if name not in PROVIDERS or _is_provider_configured(name, settings, environment)
    )


def _is_provider_configured(provider: str, settings: Settings, environment: Mapping[str, str]) -> bool:
    if provider == _OWN_SERVER:
        return bool(settings.get("RORI_CRAWL4AI_URL"))
    return any(environment.get(name, "").strip() for name in api_key_variables(provider))


# Which sources no tier can reach here: what is configured, against a source's own `tiers`, fence and `render`. In:
# catalogue, names of tiers. Out: problems, as sentences. Whether a tier that is named can work on this machine is not
# asked: a manifest is valid where there is no Chromium as well.


def check_sources_have_tiers(catalog: Catalog, named: Sequence[str]) -> None:
    """ManifestError with every source that would have no tier at all."""
    if problems := list(_sources_without_tier(catalog, named)):
        raise ManifestError(problems)


def _sources_without_tier(catalog: Catalog, named: Sequence[str]) -> Iterator[ProblemLine]:
    for loaded in catalog.loaded:
        for index, source in enumerate(loaded.manifest.sources):
            why = _missing_tier_reason(source, catalog.rules(source.host).tiers, named)
            if why is not None and source.status != "retired":
                key, what = why
                message = f"{what}. Configured here (RORI_TIERS): {', '.join(named)}"
                yield format_source_problem(loaded.origin, source.id, ("sources", index, "scrape_config", key), message)


def _missing_tier_reason(source: Source, fence: Sequence[str] | None, named: Sequence[str]) -> tuple[str, str] | None:
    """The key to blame, and what is wrong; None when a tier remains."""
    config = source.scrape_config
    left = [name for name in config.tiers or named if name in named]
    if not left:
        return "tiers", f"none of {', '.join(config.tiers or ())} is configured"
    inside = [name for name in left if fence is None or name in fence]
    if not inside:
        return (
            "tiers",
            f"{source.host} allows only {', '.join(fence or ())}, which excludes {', '.join(left)}",
        )
    if config.render == "always" and "browser" not in inside:
        return "render", '"always" requires the browser tier, which is not among the source\'s tiers'
    if config.render == "never" and inside == ["browser"]:
        return "render", '"never" excludes browser, the source\'s only tier'
    return None
