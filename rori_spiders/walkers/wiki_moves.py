"""Where a missing page of a wiki went: its log of moves says so, asked once a run and only when a page is missing.

A page that moved and left no redirect is missing as any other, and goes as any other; its history is found under both
addresses.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger import runs
from rori_spiders.urls import normalise, url_hash
from rori_spiders.walkers.wiki_ends import said_in
from rori_spiders.wikis import changes as wiki_changes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import PageItem
    from rori_spiders.job import Job
    from rori_spiders.run import Run

#: Before the last good visit: its own time, the clocks, and a page that was missing then for another reason.
_EARLIER = timedelta(days=1)
_FIRST = timedelta(days=30)


class Moves:
    """Of one run."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self._question: str | None = None
        self._moved: dict[str, str] | None = None  # URL -> URL; None: not known yet
        self._waiting: list[PageItem] = []

    async def told(self, ends: Sequence[PageItem], api: str) -> tuple[list[PageItem], str | None]:
        """Those of *ends* that may go on, and the question that the others wait for, when it is to be asked now."""
        missing = [item for item in ends if item.state == "failed" and item.verdict is not None]
        rest = [item for item in ends if item not in missing]
        if not missing or self._moved is not None:
            return [*rest, *map(self._with_target, missing)], None
        self._waiting += missing
        if self._question is not None:
            return rest, None
        since = await self._job.read(self._since)
        self._question = normalise(wiki_changes.moves_url(api, since))
        return rest, self._question

    def is_question(self, url: str) -> bool:
        return url == self._question

    def take(self, item: PageItem, url_of: Callable[[str], str]) -> list[PageItem]:
        """The pages that waited for *item*, an answer; of more than 500 moves the first are known."""
        found = said_in(item, wiki_changes.read, "bad_list")
        moved = {} if found is None else found.moved
        self._moved = {url_of(old): url_of(new) for old, new in moved.items()}
        waiting, self._waiting = self._waiting, []
        return [self._with_target(one) for one in waiting]

    def _with_target(self, item: PageItem) -> PageItem:
        target = (self._moved or {}).get(item.visit.url)
        if target is not None:
            item.reason += f": it moved to {target}"
            item.moved_to = target if url_hash(target) in self._run.known else None
        return item

    def _since(self, conn: Connection) -> datetime:
        good = (run for run in runs.recent(conn, self._run.source_id, limit=20) if run.state == "complete")
        last = next(good, None)
        return self._job.now() - _FIRST if last is None else last.started_at - _EARLIER
