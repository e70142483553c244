"""What a collection would do: which URLs, by which tiers, when, about how long it takes, and about what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.ledger import runs
from rori_spiders.politeness import MARGIN
from rori_spiders.terminal.listing import Column
from rori_spiders.tiers import BROWSER, PROVIDERS, ladder_of
from rori_spiders.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.runs import RunRow
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule import Due

COLUMNS = (
    Column("id", "source"),
    Column("url", "start URL"),
    Column("pages", "pages", right=True),
    Column("tiers", "tiers"),
    Column("browser_pages", "rendered", right=True),
    Column("credits", "credits", right=True),
    Column("delay_s", "every s", right=True),
    Column("minutes", "minutes", right=True),
    Column("start", "starts (UTC)"),
)
_UNKNOWN = "unknown"


def forecast(
    due: Sequence[Due], catalog: Catalog, ledger: Ledger | None, tiers: Sequence[str], *, browser_budget: int
) -> Iterator[dict[str, Any]]:
    """One row a source that is due, as its last run went; what only a run can tell is unknown before the first.

    *tiers*: those that can work here. *browser_budget*: of sources that name none.
    """
    for one in due:
        source, host = one.source, host_of(one.source.url)
        rules = catalog.rules_of_group(catalog.group(host))
        last, discovered = _last_run(ledger, source.id)
        pages = 1 if source.method == "scrape" else discovered
        has_api = catalog.api_url(host) is not None or source.method == "mediawiki"
        rungs = ladder_of(source.url, source, catalog, tiers, has_api=has_api)
        asked = tiers if source.scrape_config.provider_map else rungs
        paid = any(name in PROVIDERS for name in asked)
        yield {
            "id": source.id,
            "url": source.url,
            "pages": _UNKNOWN if pages is None else pages,
            "tiers": " > ".join(rungs) or "none is here",
            "browser_pages": _rendered(source, rungs, last, pages, browser_budget),
            "credits": 0 if not paid else _UNKNOWN if last is None else last.credits,
            "delay_s": rules.delay_s,
            "minutes": _UNKNOWN if pages is None else round((pages + 1) * rules.delay_s * MARGIN / 60, 1),
            "start": one.held_until or "now",
        }


def in_all(rows: Sequence[dict[str, Any]]) -> str:
    """The sums of *rows*, and how many of them are not known yet."""
    parts = []
    for key, words in (("pages", "pages"), ("browser_pages", "rendered by the browser"), ("credits", "credits")):
        known = [row[key] for row in rows if row[key] != _UNKNOWN]
        unknown = len(rows) - len(known)
        parts.append(f"{sum(known)} {words}" + (f" (and of {unknown} unknown)" if unknown else ""))
    return f"In all, as the last runs went: {', '.join(parts)}."


def _rendered(source: Source, rungs: Sequence[str], last: RunRow | None, pages: int | None, budget: int) -> int | str:
    """Pages that the browser will fetch: never more than its budget."""
    most = budget if (own := source.scrape_config.browser_budget) is None else own
    if BROWSER not in rungs:
        return 0
    if rungs[0] == BROWSER:
        return _UNKNOWN if pages is None else min(most, pages)
    return _UNKNOWN if last is None else min(most, last.browser_pages)


def _last_run(ledger: Ledger | None, source_id: str) -> tuple[RunRow | None, int | None]:
    """The source's newest run, and how many pages it discovered; None where it found none."""
    if ledger is None:
        return None, None
    with ledger.connect() as connection:
        last = next(iter(runs.recent(connection, source_id, limit=1)), None)
        return last, None if last is None else runs.counts(connection, last.run_id)["discovered"] or None
