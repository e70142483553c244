"""The state ``llm_cleanup``: each draft cleaned by a model, between guards; without a model the draft is the text.

Several pages at once; each is written when it is done, with all that was said. A model that answers about no page any
more is not asked about the rest: these are their drafts, and say why.
"""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.cleaning.visible import visible
from rori_spiders.corpus.rewriting.asking import Asking, part_limit
from rori_spiders.corpus.rewriting.drafted import Drafted
from rori_spiders.corpus.rewriting.kept import Failure
from rori_spiders.corpus.rewriting.page import is_away, not_asked, rewrite
from rori_spiders.corpus.running.cleaning import DRAFT, MODEL
from rori_spiders.ledger.corpus import run_pages
from rori_spiders.llm.client import MAX_CONCURRENT_QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Row

    from rori_spiders.corpus.rewriting.kept import Rewriting
    from rori_spiders.corpus.running.work import Work

#: After so many pages in a row that the model was asked about in vain, each with all its waits, the rest is not asked.
GIVEN_UP_AFTER = 5
NOT_ASKED = "not_asked"


async def rewritten(work: Work) -> None:
    """A cleaned text for each draft that has none. Raises StagingError, WriteError; ConfigError for a small model."""
    included = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id, decision="include"))
    waiting = [row for row in included if row.clean_object is None and row.draft_object is not None]
    if work.model is None or not waiting:
        for row in waiting:
            _note(work, row, {"clean_object": row.draft_object, "cleaned_by": DRAFT, "cleaning_object": None})
        return
    part_limit(work.model.model)
    removals = {row.page_id: _removals(work, row) for row in included}
    await _Cleaning(work, Asking(work.model, work.answers), removals).all(waiting)


class _Cleaning:
    """*removals*: page id -> what rules have taken out of the page."""

    def __init__(self, work: Work, asking: Asking, removals: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self._work = work
        self._asking = asking
        self._removals = removals
        found = (one for some in removals.values() for one in some if one["operation"] == "remove_boilerplate")
        self._boilerplate = frozenset(visible(one["text"]).text for one in found)
        self._in_vain = 0
        self._last: Failure | None = None

    async def all(self, rows: Sequence[Row[Any]]) -> None:
        waiting = iter(rows)
        tasks = [asyncio.create_task(self._some(waiting)) for _ in range(MAX_CONCURRENT_QUESTIONS)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _some(self, waiting: Iterator[Row[Any]]) -> None:
        for row in waiting:
            text, became = await self._of(await asyncio.to_thread(self._drafted, row))
            await asyncio.to_thread(self._keep, row, text, became)

    async def _of(self, page: Drafted) -> tuple[str, Rewriting]:
        if self._in_vain >= GIVEN_UP_AFTER and self._last is not None:
            says = f"it did not answer about {self._in_vain} pages before this one: {self._last.says}"
            return page.text, not_asked(page, self._asking, Failure(code=NOT_ASKED, says=says))
        text, became = await rewrite(page, self._asking)
        in_vain = is_away(became)
        self._in_vain = self._in_vain + 1 if in_vain else 0
        self._last = became.failures[-1] if in_vain else None
        return text, became

    def _drafted(self, row: Row[Any]) -> Drafted:
        rules = self._work.rules
        return Drafted(
            url=row.url,
            text=self._work.text(row.draft_object),
            title=row.title,
            entity=rules.entity,
            removed=tuple(one["text"] for one in self._removals[row.page_id]),
            boilerplate=self._boilerplate,
            kept=tuple(rules.keep_blocks_matching),
        )

    def _keep(self, row: Row[Any], text: str, became: Rewriting) -> None:
        is_new = became.state == "model"
        known = {
            "clean_object": self._work.put(text) if is_new else row.draft_object,
            "cleaned_by": MODEL if is_new else DRAFT,
            "cleaning_object": self._work.put(became.model_dump_json()),
        }
        _note(self._work, row, known)


def _removals(work: Work, row: Row[Any]) -> Sequence[Mapping[str, Any]]:
    told = json.loads(work.text(row.removals_object)) if row.removals_object else {}
    found: Sequence[Mapping[str, Any]] = told.get("removals", ())
    return found


def _note(work: Work, row: Row[Any], known: Mapping[str, Any]) -> None:
    work.ledger.write(partial(run_pages.update_page, run_id=work.run.run_id, page_id=row.page_id, values=known))
