"""Find the sections that changed between two versions by their hashes in the ledger, without reading any text."""

from typing import NamedTuple

from sqlalchemy import Connection, select

from rori_spiders.content.changes.section_hash_diff import ChangedSection
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.pages.page_history import VersionRow
from rori_spiders.ledger.tables import pages, versions


class ModifiedPage(NamedTuple):
    """A page whose text a run saw modified. ``sections`` is empty where ``note`` says why they are not known."""

    page_id: int
    source_id: str
    url: str
    new: VersionRow
    old: VersionRow | None
    sections: list[ChangedSection]
    note: str


def list_modified_pages(conn: Connection, run_id: str, limit: int) -> tuple[list[ModifiedPage], int]:
    """The first *limit* pages that the run saw modified, by their URLs; and how many there are."""
    modified = (versions.c.run_id == run_id, versions.c.change_type == "modified")
    found = conn.execute(
        select(pages.c.page_id, pages.c.source_id, pages.c.url, versions.c.seq)
        .join(versions, versions.c.page_id == pages.c.page_id)
        .where(*modified)
        .order_by(pages.c.url)
    ).all()
    return [_modified_page(conn, *row) for row in found[:limit]], len(found)


def _modified_page(conn: Connection, page_id: int, source_id: str, url: str, seq: int) -> ModifiedPage:
    held = page_history.list_versions(conn, page_id)
    new = next(version for version in held if version.seq == seq)
    old = next((version for version in held if version.seq < seq), None)
    if old is None or old.change_type == "deleted":
        return ModifiedPage(page_id, source_id, url, new, old, [], "is back after its removal")
    if old.converter_version != new.converter_version:
        why = "its versions were made by different converters, so their sections cannot be compared by hash"
        return ModifiedPage(page_id, source_id, url, new, old, [], why)
    return ModifiedPage(page_id, source_id, url, new, old, compare_section_hashes(old, new), "")


def compare_section_hashes(old: VersionRow, new: VersionRow) -> list[ChangedSection]:
    """What became of the sections of a version."""
    from rori_spiders.content.changes.section_hash_diff import changed_sections  # with it comes all that compares texts

    return changed_sections(old.section_hashes, new.section_hashes)
