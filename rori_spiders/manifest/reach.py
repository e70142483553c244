"""Which sources no tier can reach here: what is configured, against a source's own `tiers`, fence and `render`.

In: catalogue, names of tiers. Out: problems, as sentences. Whether a tier that is named can work on this machine is not
asked: a manifest is valid where there is no Chromium as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.problems import line_of_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.manifest.problems import Line


def check_reach(catalog: Catalog, named: Sequence[str]) -> None:
    """ManifestError with every source that would have no tier at all."""
    if problems := list(_unreached(catalog, named)):
        raise ManifestError(problems)


def _unreached(catalog: Catalog, named: Sequence[str]) -> Iterator[Line]:
    for loaded in catalog.loaded:
        for index, source in enumerate(loaded.manifest.sources):
            why = _why_not(source, catalog.rules(source.host).tiers, named)
            if why is not None and source.status != "retired":
                key, what = why
                said = f"{what}. Configured here (RORI_TIERS): {', '.join(named)}"
                yield line_of_source(loaded.origin, source.id, ("sources", index, "scrape_config", key), said)


def _why_not(source: Source, fence: Sequence[str] | None, named: Sequence[str]) -> tuple[str, str] | None:
    """The key to blame, and what is wrong; None when a tier remains."""
    config = source.scrape_config
    left = [name for name in config.tiers or named if name in named]
    if not left:
        return "tiers", f"none of {', '.join(config.tiers or ())} is configured"
    inside = [name for name in left if fence is None or name in fence]
    if not inside:
        return (
            "tiers",
            f"{source.host} is fenced to {', '.join(fence or ())}, and none of {', '.join(left)} is of these",
        )
    if config.render == "always" and "browser" not in inside:
        return "render", '"always" needs the tier browser, which is not among those of the source'
    if config.render == "never" and inside == ["browser"]:
        return "render", '"never" leaves the source no tier: its only one is browser'
    return None
