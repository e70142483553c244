"""The difference of two versions: their texts, converted alike (what an older converter wrote is converted again
from the bytes received), compared within a time limit.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.comparison.section_changes import compare_section_hashes
from rori_spiders.comparison.staged_text import read_staged_text
from rori_spiders.content import converter_version
from rori_spiders.content.changes.compare import Difference, SectionChange, compare
from rori_spiders.content.changes.section_hash_diff import changed_sections
from rori_spiders.content.convert import digest
from rori_spiders.content.documents.pdf.page_marks import find_unread, replaced_pictures
from rori_spiders.content.options import Options
from rori_spiders.content.sections import section_hashes
from rori_spiders.crawl.conversion_options import conversion_options
from rori_spiders.crawl.tiers.order import restore_page
from rori_spiders.exceptions import ConversionError, RoriError, StagingError
from rori_spiders.ledger.audit import audit_log
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.runtime.plurals import format_page_numbers
from rori_spiders.workers.conversion import conversion_weight
from rori_spiders.workers.pool import WorkPool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rori_spiders.content.changes.section_hash_diff import ChangedSection
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.pages.page_history import PageRow, VersionRow
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.staging.store import Store


@dataclass
class VersionTexts:
    """The markdown of two versions, and what must be known to read their difference."""

    old: str
    new: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class TextArchive:
    """Reads the texts of versions. *catalog* gives the active sources, needed only to convert a text again."""

    ledger: Ledger
    store: Store
    catalog: Callable[[], Catalog]


def read_version_texts(
    shelf: TextArchive, pages: Mapping[int, PageRow], old: VersionRow, new: VersionRow
) -> VersionTexts:
    """The texts to compare; *pages* by their number. TextMissing when one is not in the staging area any more."""
    texts = _read_version_texts(shelf, pages, old, new)
    for one, text in ((old, texts.old), (new, texts.new)):
        if unread := find_unread(text):
            texts.notes.append(
                f"{_capitalize(one.label)} has pictures for text on {format_page_numbers(unread)}, which were not "
                "read: what changed there is not compared."
            )
    if replaced := replaced_pictures(texts.old, texts.new):
        texts.notes.append(
            f"On {format_page_numbers(replaced)} {new.label} has other pictures than {old.label}: a person has to read "
            "what changed, if anything did."
        )
    return texts


def _read_version_texts(
    shelf: TextArchive, pages: Mapping[int, PageRow], old: VersionRow, new: VersionRow
) -> VersionTexts:
    store = shelf.store
    texts = VersionTexts(
        read_staged_text(store, old),
        read_staged_text(store, new),
        [f"Version {one.seq} is the page's removal: it has no text." for one in (old, new) if one.is_removal],
    )
    if (old.tier != new.tier or old.is_import) and not texts.notes:
        texts.notes.append(
            f"{_capitalize(old.label)} came by {old.tier}, {new.label} by {new.tier}: they may show it differently."
            if not (old.is_import or new.is_import)
            else "An imported text was stated later, by its publisher: this collector has not seen it."
            if old.is_stated or new.is_stated
            else "An imported text was captured by others: this collector has not seen it."
        )
    if old.converter_version == new.converter_version or old.is_removal or new.is_removal:
        return texts
    how = f"{_capitalize(old.label)} is of converter {old.converter_version}, {new.label} of {new.converter_version}"
    try:
        again = _Reconverter(shelf, pages)
        old_text, new_text = (
            again.text(each, stored_text) for each, stored_text in ((old, texts.old), (new, texts.new))
        )
    except (ConversionError, StagingError, FileNotFoundError) as error:
        why = "the bytes of one are missing" if isinstance(error, FileNotFoundError) else str(error)
        texts.notes.append(
            f"{how}; they could not both be converted by one ({why}): part of what differs may be the converters' work."
        )
        return texts
    same = " The page itself did not change: only the converter did." if old_text == new_text else ""
    note = f"{how}: compared is what converter {again.converter_version} makes of the bytes of both.{same}"
    return VersionTexts(old_text, new_text, [*texts.notes, note, *again.notes])


def _capitalize(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


class _Reconverter:
    """Converts what was received once more, as it is converted now."""

    def __init__(self, shelf: TextArchive, pages: Mapping[int, PageRow]) -> None:
        self._shelf = shelf
        self._pages = pages
        self.notes: list[str] = []
        self._options = self._of_source()
        self.converter_version = converter_version(self._options.ocr)

    def _of_source(self) -> Options:
        source_id = next(iter(self._pages.values())).source_id
        try:
            return conversion_options(self._shelf.catalog().source(source_id))
        except (RoriError, KeyError):
            self.notes.append(f"{source_id!r} is not in the active manifest; its selectors, if any, were not applied.")
            return Options()

    def text(self, version: VersionRow, stored_text: str) -> str:
        """The version's markdown by the present converter; *stored_text* if that wrote it."""
        if version.converter_version == self.converter_version:
            return stored_text
        raw = self._shelf.store.get_object(version.raw_object)
        page = self._pages[version.page_id]
        with self._shelf.ledger.connect() as conn:
            came = audit_log.response_of_version(conn, version.run_id, page.url_hash)
        url = (came and came.final_url) or page.url
        body, content_type = restore_page(version.tier, raw, came.content_type if came else None, url)
        pool = WorkPool(workers=1)
        work = pool.run(
            conversion_weight(body), digest, body, url=url, content_type=content_type, options=self._options
        )
        try:
            made = asyncio.run(work)
        finally:
            pool.close()
        return replace_surrogates(made.markdown)


# A comparison that ends in time, for somebody who waits for it: what takes longer is compared section by section.

#: Texts that are larger together are compared in a process that can be ended. Up to it the worst pair, of which
#: nothing stayed in its place, takes 1.5 s (one of two cores, 2026-11).
MAX_IN_PROCESS_CHARS = 256 * 1024
#: A person waits for it. Two texts of 3.5 MB with 3,000 words changed take 8 s, wholly shuffled ones 21 s (2026-11).
TIME_LIMIT_S = 20.0


def compare_versions(
    texts: VersionTexts, old: VersionRow, new: VersionRow, *, longest_s: float = TIME_LIMIT_S
) -> Difference:
    """What differs between the *texts* of two versions. A note is added to them where that was found by hashes alone:
    which sections differ, without their words.
    """
    return _compare_within(texts, longest_s) or _mark_as_coarse(compare_section_hashes(old, new))


def compare_texts(texts: VersionTexts, *, longest_s: float = TIME_LIMIT_S) -> Difference:
    """The same of two *texts* that are not versions of a page."""
    return _compare_within(texts, longest_s) or _mark_as_coarse(
        changed_sections(section_hashes(texts.old), section_hashes(texts.new))
    )


def _compare_within(texts: VersionTexts, longest_s: float) -> Difference | None:
    """What differs, word by word; None, and a note, where that takes too long."""
    size = len(texts.old) + len(texts.new)
    if size <= MAX_IN_PROCESS_CHARS:
        return compare(texts.old, texts.new)
    pool = WorkPool(workers=1, timeout_s=longest_s)
    try:
        return asyncio.run(pool.run(size, compare, texts.old, texts.new))
    except ConversionError:
        texts.notes.append(
            f"The two texts have {size:,} characters together. Comparing them word by word "
            f"took more than {longest_s:.0f} s, so only the sections that differ are listed. Full diff: scrapy diff"
        )
        return None
    finally:
        pool.close()


def _mark_as_coarse(changed: Sequence[ChangedSection]) -> Difference:
    return Difference(tuple(SectionChange(one.kind, one.path, ()) for one in changed))
