"""Which sections of which pages a run saw change, by the hashes in the ledger: what to look at, before any text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.ledger import history
from rori_spiders.ledger.tables import pages, versions
from rori_spiders.terminal.diff_summary import readable
from rori_spiders.terminal.listing import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from rori_spiders.ledger.history import VersionRow

#: How many pages, and sections of each, a person reads at a glance; `scrapy diff` has all.
_MOST_PAGES, _MOST_SECTIONS = 20, 8


def lines_of_run(conn: Connection, run_id: str) -> Iterator[str]:
    """One line a page whose text the run saw modified, then its sections that changed; nothing when none was."""
    modified = (versions.c.run_id == run_id, versions.c.change_type == "modified")
    found = conn.execute(
        select(pages.c.page_id, pages.c.source_id, pages.c.url, versions.c.seq)
        .join(versions, versions.c.page_id == pages.c.page_id)
        .where(*modified)
        .order_by(pages.c.url)
    ).all()
    for page_id, source_id, url, seq in found[:_MOST_PAGES]:
        yield f"  {harmless(url)}"
        yield from (f"      {line}" for line in _of_page(history.all_versions(conn, page_id), seq))
        yield f"      scrapy diff {source_id} {harmless(url)} --to {seq}"
    if len(found) > _MOST_PAGES:
        yield f"  and {len(found) - _MOST_PAGES} more pages"


def _of_page(held: list[VersionRow], seq: int) -> Iterator[str]:
    new = next(version for version in held if version.seq == seq)
    old = next((version for version in held if version.seq < seq), None)
    if old is None or old.change_type == "deleted":
        yield "is back after its removal"
        return
    if old.converter_version != new.converter_version:
        yield "its versions are of different converters: their sections cannot be compared by hash"
        return
    from rori_spiders.content.differences.by_hash import changed_sections  # with it comes all that compares texts

    sections = changed_sections(old.section_hashes, new.section_hashes)
    yield from (f"{kind}: {harmless(readable(path))}" for kind, path in sections[:_MOST_SECTIONS])
    if len(sections) > _MOST_SECTIONS:
        yield f"and {len(sections) - _MOST_SECTIONS} more sections"
