"""The state ``section_sampling``: a few pages of each section are read, so that it can be told what the section is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.auditing.spoken import language_in
from rori_spiders.corpus.running.scraping import got
from rori_spiders.corpus.triage.pages import Mapped
from rori_spiders.corpus.triage.sampling import samples
from rori_spiders.ledger.corpus import run_pages

if TYPE_CHECKING:
    from sqlalchemy import Row

    from rori_spiders.corpus.running.work import Work

#: What a collection says of pages that are not there to be read.
_NOT_THERE = frozenset({"excluded", "gone"})


async def sampled(work: Work) -> None:
    """The texts of the samples. One that gives none is sampled all the same: its row says why. Raises StagingError."""
    run_id = work.run.run_id
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=run_id))
    chosen = samples(mapped_page(row) for row in rows if row.met not in _NOT_THERE)
    await got(work, [row for row in rows if row.page_id in chosen and row.got is None])
    marked = [(page_id, {"sampled": 1}) for page_id in sorted(chosen)]
    work.ledger.write(lambda conn: run_pages.update_pages(conn, run_id, marked))


def mapped_page(row: Row[Any], excerpt: str | None = None) -> Mapped:
    """The row as triage takes it."""
    return Mapped(
        page_id=row.page_id,
        url=row.url,
        section=row.section,
        template=row.template,
        title=row.title,
        description=row.description,
        dated=row.dated,
        source_id=row.source_id,
        met=row.met,
        met_reason=row.met_reason,
        language=language_in(excerpt) if excerpt else None,
        excerpt=excerpt,
    )
