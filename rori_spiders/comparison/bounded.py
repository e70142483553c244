"""A comparison that ends in time, for somebody who waits for it: what takes longer is told section by section."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rori_spiders.comparison.by_hash import sections_of
from rori_spiders.content.changes import section_hashes
from rori_spiders.content.differences import Difference, SectionChange, compare
from rori_spiders.content.differences.by_hash import changed_sections
from rori_spiders.exceptions import ConversionError
from rori_spiders.pool import WorkPool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.comparison.texts import Texts
    from rori_spiders.content.differences.by_hash import ChangedSection
    from rori_spiders.ledger.history import VersionRow

#: Texts that are larger together are compared in a process that can be ended. Up to it the worst pair, of which
#: nothing stayed in its place, takes 1.5 s (one of two cores, 2026-11).
IN_PLACE_CHARS = 256 * 1024
#: A person waits for it. Two texts of 3.5 MB with 3,000 words changed take 8 s, wholly shuffled ones 21 s (2026-11).
LONGEST_S = 20.0


def compared(texts: Texts, old: VersionRow, new: VersionRow, *, longest_s: float = LONGEST_S) -> Difference:
    """What differs between the *texts* of two versions. A note is added to them where that was found by hashes alone:
    which sections differ, without their words.
    """
    return _within(texts, longest_s) or _coarse(sections_of(old, new))


def compared_texts(texts: Texts, *, longest_s: float = LONGEST_S) -> Difference:
    """The same of two *texts* that are no versions of a page."""
    return _within(texts, longest_s) or _coarse(changed_sections(section_hashes(texts.old), section_hashes(texts.new)))


def _within(texts: Texts, longest_s: float) -> Difference | None:
    """What differs, word by word; None, and a note, where that takes too long."""
    size = len(texts.old) + len(texts.new)
    if size <= IN_PLACE_CHARS:
        return compare(texts.old, texts.new)
    pool = WorkPool(workers=1, timeout_s=longest_s)
    try:
        return asyncio.run(pool.run(size, compare, texts.old, texts.new))
    except ConversionError:
        texts.notes.append(
            f"The two texts have {size:,} characters together: word by word they were not compared within "
            f"{longest_s:.0f} s. Told is which sections differ; all of it: scrapy diff"
        )
        return None
    finally:
        pool.close()


def _coarse(changed: Sequence[ChangedSection]) -> Difference:
    return Difference(tuple(SectionChange(one.kind, one.path, ()) for one in changed))
