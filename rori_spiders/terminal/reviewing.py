"""Review items as a person reads them: rows of a listing, the pages of each with their evidence, and a hint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.stores.layout import object_path
from rori_spiders.terminal.listing import Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rori_spiders.reviews import Item

COLUMNS = (
    Column("id", "source"),
    Column("event", "event"),
    Column("severity", "severity", colours=(("high", "red"), ("warning", "yellow"))),
    Column("since", "since (UTC)"),
    Column("shown_pages", "pages"),
    Column("what", "what happened"),
    Column("to_do", "what to do"),
    Column("pages"),
    Column("evidence"),
)
PAGE_COLUMNS = (
    Column("event", "event"),
    Column("url", "page"),
    Column("reason", "how it ended last"),
    Column("run_id", "in run"),
    Column("raw_object", "bytes as received, in the staging area"),
)


def rows(items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    """One row an item."""
    for item in items:
        urls = [page.url for page in item.pages]
        more = f" and {len(urls) - 1} more" if len(urls) > 1 else ""
        yield {
            "id": item.source_id,
            "event": item.event,
            "severity": item.severity,
            "since": item.since,
            "shown_pages": f"{urls[0]}{more}" if urls else "",
            "what": item.message,
            "to_do": item.to_do,
            "pages": urls,
            "evidence": [{key: value for key, value in row.items() if key != "event"} for row in page_rows([item])],
        }


def page_rows(items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    """One row a page of each item: how it ended last, and where its bytes lie in the staging area."""
    for item in items:
        for page in item.pages:
            yield {
                "event": item.event,
                "url": page.url,
                "reason": page.reason,
                "run_id": page.run_id,
                "raw_object": object_path(page.raw_hash) if page.raw_hash else None,
            }


def hint(number: int, source_id: str = "") -> str:
    """The line under a summary that says that *number* items wait for a person, of one source or of all."""
    return f"{number} review item{'s' * (number != 1)}: scrapy sources {source_id}{' ' * bool(source_id)}--review"
