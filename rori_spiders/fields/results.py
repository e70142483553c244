"""What is said of a page that fields were drawn from, and of a crawl as far as it has come (S2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from rori_spiders.fields.merge import is_complete, merge_results, values_of
from rori_spiders.fields.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.fields.schema import Value
    from rori_spiders.manifest.models import FieldDefinition


class ScrapeResult(BaseModel):
    """One page. ``success``: it was fetched and asked about; then ``data`` has each field's value, None where the page
    has none, and ``record`` their proofs. Else ``error`` says why not: ``word: sentence``.
    """

    model_config = ConfigDict(frozen=True)

    url: str
    success: bool
    data: dict[str, Any] = {}
    record: Record = Record()
    error: str | None = None
    final_url: str | None = None
    title: str | None = None
    tier: str | None = None
    status: int | None = None


@dataclass(slots=True)
class CrawlState:
    """A crawl as far as it has come: everything merged, and what became of the addresses."""

    fields: Sequence[FieldDefinition]
    merged: Record = field(default_factory=Record)
    pages: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # address -> why
    excluded: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Value]:
        return values_of(self.merged, self.fields)

    @property
    def is_complete(self) -> bool:
        return is_complete(self.data, self.fields)

    def take(self, result: ScrapeResult) -> None:
        """A page was drawn from: in the order in which they came, the first value stays."""
        self.pages.append(result.url)
        self.merged = merge_results(self.merged, result.record, self.fields)
