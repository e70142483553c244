"""What several routers check of a request: that there is such a source."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rori_spiders.ledger import run_lists
from rori_spiders.monitor.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.monitor.served import Served


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


def source(catalog: Catalog, source_id: str) -> Source:
    """The source in force of this id. Raises as ``sources``."""
    return sources(catalog, [source_id])[0]


def ever(conn: Connection, served: Served, source_id: str) -> None:
    """Raises as ``sources`` for what is no source in force and never ran."""
    if not run_lists.has_runs(conn, source_id):
        source(served.catalog(conn), source_id)
