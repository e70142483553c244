"""Records to start tests from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.fields.records import GroundedValue, Record, SourceQuote

if TYPE_CHECKING:
    from rori_spiders.fields.schema import Value


def found(field: str, value: Value, url: str = "https://example.gov/") -> GroundedValue:
    return GroundedValue(
        field=field, value=value, proof=SourceQuote(quote="q", start=0, end=1, heading_path="", url=url)
    )


def record(url: str = "https://example.gov/", **values: Value) -> Record:
    """A record with these values, all of one page; of a list each item is one."""
    pairs = [(name, one) for name, given in values.items() for one in (given if isinstance(given, list) else [given])]
    return Record(found=tuple(found(name, value, url) for name, value in pairs))
