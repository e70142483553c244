"""What several routers check of a request: a source that is in force, where a list goes on."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rori_spiders.monitor.errors import Refused, invalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source


def sources(catalog: Catalog, ids: Sequence[str]) -> list[Source]:
    """The sources of these ids, each once. Raises Refused 404 that names the unknown ones."""
    found = {source.id: source for source in catalog.sources}
    wanted = list(dict.fromkeys(ids))
    if unknown := [one for one in wanted if one not in found]:
        near = get_close_matches(unknown[0], found, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise Refused(
            404, "unknown_source", f"No source {unknown[0]!r} in the manifest in force.{hint}", source_ids=unknown
        )
    return [found[one] for one in wanted]


def number(after: str | None) -> int | None:
    """What an ``after`` of ours holds. Raises Refused 422 for another."""
    if after is None:
        return None
    if not (after.isascii() and after.isdecimal() and len(after) < 18):
        raise invalid([("query.after", "give what `next` had, or leave it away")])
    return int(after)
