"""What a collection would do: which URLs, by which tiers, when, about how long it takes, and about what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.forecast import expected
from rori_spiders.terminal.listing import Column

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
        found = expected(one.source, catalog, ledger, tiers, browser_budget=browser_budget)
        known = {name: _UNKNOWN if value is None else value for name, value in found._asdict().items()}
        yield {
            **known,
            "id": one.source.id,
            "url": one.source.url,
            "tiers": " > ".join(found.tiers) or "none is here",
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
