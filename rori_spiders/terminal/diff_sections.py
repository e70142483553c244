"""Which sections of which pages a run saw change, by the hashes in the ledger: what to look at, before any text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.comparison.by_hash import of_run
from rori_spiders.comparison.summary import readable
from rori_spiders.terminal.listing import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from rori_spiders.comparison.by_hash import Modified

#: How many pages, and sections of each, a person reads at a glance; `scrapy diff` has all.
_MOST_PAGES, _MOST_SECTIONS = 20, 8


def lines_of_run(conn: Connection, run_id: str) -> Iterator[str]:
    """One line a page whose text the run saw modified, then its sections that changed; nothing when none was."""
    found, in_all = of_run(conn, run_id, _MOST_PAGES)
    for page in found:
        yield f"  {harmless(page.url)}"
        yield from (f"      {line}" for line in _of_page(page))
        yield f"      scrapy diff {page.source_id} {harmless(page.url)} --to {page.new.seq}"
    if in_all > _MOST_PAGES:
        yield f"  and {in_all - _MOST_PAGES} more pages"


def _of_page(page: Modified) -> Iterator[str]:
    if page.note:
        yield page.note
        return
    yield from (f"{kind}: {harmless(readable(path))}" for kind, path in page.sections[:_MOST_SECTIONS])
    if len(page.sections) > _MOST_SECTIONS:
        yield f"and {len(page.sections) - _MOST_SECTIONS} more sections"
