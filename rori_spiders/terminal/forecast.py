"""What a collection would do: which URLs, by which tiers, when, and about how long it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.ledger import runs
from rori_spiders.politeness import MARGIN
from rori_spiders.terminal.listing import Column
from rori_spiders.tiers import ladder_of
from rori_spiders.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.schedule import Due

COLUMNS = (
    Column("id", "source"),
    Column("url", "start URL"),
    Column("pages", "pages", right=True),
    Column("tiers", "tiers"),
    Column("delay_s", "every s", right=True),
    Column("minutes", "minutes", right=True),
    Column("start", "starts (UTC)"),
)


def forecast(
    due: Sequence[Due], catalog: Catalog, ledger: Ledger | None, tiers: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """One row a source that is due. Pages are those that its last run discovered; unknown before the first."""
    for one in due:
        source, host = one.source, host_of(one.source.url)
        rules = catalog.rules_of_group(catalog.group(host))
        pages = 1 if source.method == "scrape" else _pages(ledger, source.id)
        has_api = catalog.api_url(host) is not None or source.method == "mediawiki"
        rungs = ladder_of(source.url, source, catalog, tiers, has_api=has_api)
        yield {
            "id": source.id,
            "url": source.url,
            "pages": "unknown" if pages is None else pages,
            "tiers": " > ".join(rungs) or "none is here",
            "delay_s": rules.delay_s,
            "minutes": "unknown" if pages is None else round((pages + 1) * rules.delay_s * MARGIN / 60, 1),
            "start": one.held_until or "now",
        }


def _pages(ledger: Ledger | None, source_id: str) -> int | None:
    if ledger is None:
        return None
    with ledger.connect() as connection:
        last = next(iter(runs.recent(connection, source_id, limit=1)), None)
        return None if last is None else runs.counts(connection, last.run_id)["discovered"] or None
