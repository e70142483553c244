"""``scrapy audit --summary``: figures of the ledger as rows, by source, agency, month or page."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations.collection_reports import CollectionFigures, collection_figures
from rori_spiders.terminal.listing import Column, write_listing

REPORT_GROUPS = ("source", "agency", "month", "page")
_FIGURE_NAMES = ("requests", "retries", "pages", "failed", "failure_rate", "median_ms", "p95_ms", "read", "changed")
_FIGURE_TITLES = {"failure_rate": "failed %", "median_ms": "median ms", "p95_ms": "p95 ms"}
FIGURE_COLUMNS = (
    *(Column(name, _FIGURE_TITLES.get(name, name), right=True) for name in _FIGURE_NAMES),
    Column("changes_per_check", "changed %", right=True),
    Column("days_between_changes", "days between", right=True),
    Column("spent", "spent"),
    Column("usd", "USD", right=True),
)


def print_figures(
    ledger: Ledger,
    by: str,
    form: str,
    agencies: Mapping[str, str | None],
    *,
    since: datetime | None,
    until: datetime | None,
    source_id: str | None,
) -> int:
    """Write the report; how many rows it has. *agencies*: source id -> agency, of the active manifest."""
    of = "source" if by == "agency" else by
    with ledger.connect() as conn:
        found = collection_figures(conn, of, since=since, until=until, source_id=source_id)
    if by == "agency":
        found = _merge_by_agency(found, agencies)
    rows = (_figures_row(by, name, found[name]) for name in sorted(found, key=lambda name: name or ""))
    return write_listing(rows, (Column(by, by), *FIGURE_COLUMNS), form)


def _merge_by_agency(
    found: dict[str | None, CollectionFigures], agencies: Mapping[str, str | None]
) -> dict[str | None, CollectionFigures]:
    merged: dict[str | None, CollectionFigures] = {}
    for source, one in found.items():
        merged.setdefault(agencies.get(source or "") or None, CollectionFigures()).add(one)
    return merged


def _figures_row(by: str, name: str | None, one: CollectionFigures) -> dict[str, Any]:
    return {
        by: name or "(not known)",
        **{each: getattr(one, each) for each in ("requests", "retries", "pages", "failed", "read", "changed")},
        "failure_rate": _percent_of(one.failed, one.pages),
        "median_ms": one.percentile(0.5),
        "p95_ms": one.percentile(0.95),
        "changes_per_check": _percent_of(one.changed, one.read),
        "days_between_changes": round(one.gap_days / one.gaps, 1) if one.gaps else None,
        "spent": ", ".join(f"{provider} {spent:g} {unit}" for (provider, unit), spent in sorted(one.spent.items())),
        "usd": None if one.usd is None else round(one.usd, 4),
    }


def _percent_of(part: int, whole: int) -> float | None:
    """A percentage; None if *whole* is 0."""
    return round(100 * part / whole, 1) if whole else None
