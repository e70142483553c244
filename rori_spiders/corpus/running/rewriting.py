"""The state ``llm_cleanup``: each draft cleaned by a model, between guards; without a model the draft is the text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.running.cleaning import DRAFT
from rori_spiders.ledger.corpus import pages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Row

    from rori_spiders.corpus.running.work import Work


async def rewritten(work: Work) -> None:
    """A cleaned text for each draft that has none. Raises StagingError."""
    rows = work.ledger.read(partial(pages.listed, run_id=work.run.run_id, decision="include", clean_object=None))
    for row in rows:
        if row.draft_object is not None:
            known = _as_drafted(row)
            work.ledger.write(partial(pages.note, run_id=work.run.run_id, page_id=row.page_id, values=known))


def _as_drafted(row: Row[Any]) -> Mapping[str, Any]:
    return {"clean_object": row.draft_object, "cleaned_by": DRAFT, "cleaning_object": None}
