"""``scrapy audit --summary``: figures of the ledger as rows, by source, agency, month or page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.ledger.reports import Figures, figures
from rori_spiders.terminal.listing import Column, write_listing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from rori_spiders.ledger.database import Ledger

BY = ("source", "agency", "month", "page")
_NAMES = ("requests", "retries", "pages", "failed", "failure_rate", "median_ms", "p95_ms", "read", "changed")
_TITLES = {"failure_rate": "failed %", "median_ms": "median ms", "p95_ms": "p95 ms"}
COLUMNS = (
    *(Column(name, _TITLES.get(name, name), right=True) for name in _NAMES),
    Column("changes_per_check", "changed %", right=True),
    Column("days_between_changes", "days between", right=True),
    Column("spent", "spent"),
    Column("usd", "USD", right=True),
)


def report(
    ledger: Ledger,
    by: str,
    form: str,
    agencies: Mapping[str, str | None],
    *,
    since: datetime | None,
    until: datetime | None,
    source_id: str | None,
) -> int:
    """Write the report; how many rows it has. *agencies*: source id -> agency, of the manifest in force."""
    of = "source" if by == "agency" else by
    with ledger.connect() as conn:
        found = figures(conn, of, since=since, until=until, source_id=source_id)
    if by == "agency":
        found = _merged(found, agencies)
    rows = (_row(by, name, found[name]) for name in sorted(found, key=lambda name: name or ""))
    return write_listing(rows, (Column(by, by), *COLUMNS), form)


def _merged(found: dict[str | None, Figures], agencies: Mapping[str, str | None]) -> dict[str | None, Figures]:
    merged: dict[str | None, Figures] = {}
    for source, one in found.items():
        merged.setdefault(agencies.get(source or "") or None, Figures()).add(one)
    return merged


def _row(by: str, name: str | None, one: Figures) -> dict[str, Any]:
    return {
        by: name or "(not known)",
        **{each: getattr(one, each) for each in ("requests", "retries", "pages", "failed", "read", "changed")},
        "failure_rate": _percent(one.failed, one.pages),
        "median_ms": one.percentile(0.5),
        "p95_ms": one.percentile(0.95),
        "changes_per_check": _percent(one.changed, one.read),
        "days_between_changes": round(one.gap_days / one.gaps, 1) if one.gaps else None,
        "spent": ", ".join(f"{provider} {spent:g} {unit}" for (provider, unit), spent in sorted(one.spent.items())),
        "usd": None if one.usd is None else round(one.usd, 4),
    }


def _percent(part: int, whole: int) -> float | None:
    """None where nothing was looked at: no share of nothing is known."""
    return round(100 * part / whole, 1) if whole else None
