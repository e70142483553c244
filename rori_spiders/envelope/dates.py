"""When a page was published and last changed, as its envelope and the ledger say it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rori_spiders.content.dated import believed, doubt

if TYPE_CHECKING:
    from rori_spiders.content.convert import Converted
    from rori_spiders.content.dated import Field
    from rori_spiders.items import Fetched

_FIELDS: tuple[Field, ...] = ("published_date", "modified_date")
# When a day begins somewhere, it is still 14 hours to go in UTC.
_EARLIEST_ZONE = timedelta(hours=14)


def dates_of(converted: Converted, fetched: Fetched) -> dict[str, Any]:
    """The date fields of ``page_metadata``, with what they were read from and what was doubted.

    What the publisher's API told is believed, whatever the day: the Federal Register shows the documents of tomorrow.
    """
    given, today = converted.metadata.dates, (fetched.at + _EARLIEST_ZONE).date().isoformat()
    days: dict[str, str | None] = {}
    sources: dict[str, str] = {}
    for name in _FIELDS:
        best, told = believed(given, name, today), getattr(fetched.said, name)
        days[name] = told or (best.date if best else None)
        if told or best:
            sources[name] = f"{fetched.tier} API" if told or best is None else best.source
    doubted = [one._asdict() | {"doubt": why} for one in given if (why := doubt(one.date, today))]
    return days | {"date_sources": sources or None, "doubted_dates": doubted or None}
