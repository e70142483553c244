"""The browser's budget: how many pages of a run it may fetch (S4, EXTR-03). One counter, in the run's row.

It is taken when the browser is really called, in one statement, so that neither parallel requests nor a later job of
the same run spend it twice. A page counts once, however often it is asked again. Pages that the last run left have it
to themselves, and the start page, which leads to them.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from sqlalchemy.exc import DBAPIError

from rori_spiders.crawl.page_request import page_request, run_visit
from rori_spiders.crawl.tiers.refusals import BudgetSpent
from rori_spiders.exceptions import WriteError
from rori_spiders.items import RANK_RENDERED_NEXT
from rori_spiders.ledger.runs import run_records

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy import Request
    from scrapy.settings import BaseSettings

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.items import FrontierUrl
    from rori_spiders.manifest.models import Source

_COUNTED = "counted_page"


def browser_budget(source: Source, settings: BaseSettings) -> int:
    """Pages of a run of *source* that the browser may fetch: its `browser_budget`, else RORI_BROWSER_BUDGET."""
    own = source.scrape_config.browser_budget
    return settings.getint("RORI_BROWSER_BUDGET") if own is None else own


class BrowserBudget:
    """The browser budget of all runs of one job: one object, ``BrowserBudget.of(job)``, for all who ask."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._counted: set[tuple[str, str]] = set()  # run and URL

    @classmethod
    def of(cls, job: Job) -> BrowserBudget:
        if job not in _budgets:
            _budgets[job] = cls(job)
        return _budgets[job]

    def most(self, run: Run) -> int:
        """Pages of *run* that the browser may fetch."""
        return browser_budget(run.source, self._job.settings)

    def check(self, request: Request) -> None:
        """Raise BudgetSpent when it is known to be spent, before *request* is got ready for nothing."""
        run = self._job.run_of(request)
        if run is not None and run.usage.is_browser_budget_spent and _COUNTED not in request.meta:
            raise BudgetSpent(self.most(run))

    @asynccontextmanager
    async def page(self, request: Request) -> AsyncIterator[None]:
        """Within: the browser fetches *request*. Raises BudgetSpent; what never left is not counted.

        Neither the shell nor validation has a run in the ledger: validation asks each source once.
        """
        run = self._job.run_of(request)
        if run is None or _COUNTED in request.meta:
            yield
            return
        if page_request(request).is_single_try:
            if not self.most(run):
                raise BudgetSpent(0)
            yield
            return
        await self._take(run, run_visit(request))
        request.meta[_COUNTED] = True
        left = _track_departure(request)
        try:
            yield
        except BaseException:
            if not left:
                await self._give_back(run, request)
            raise

    async def _take(self, run: Run, visit: FrontierUrl) -> None:
        most, reserved = self.most(run), 0
        if visit.rank != RANK_RENDERED_NEXT and visit.found_by != "start":  # without a start page nothing is found
            reserved = self._reserved(run)
        if not await self._count(run, most - reserved):
            if not reserved:
                run.usage.mark_browser_budget(spent=True)
            raise BudgetSpent(most)
        self._counted.add((run.run_id, visit.url))

    async def take_beside(self, run: Run) -> bool:
        """Whether one more page could be counted that is no page of *run*; those that are waited for keep theirs."""
        return await self._count(run, self.most(run) - self._reserved(run))

    def _reserved(self, run: Run) -> int:
        """Pages that the last run left and that are not counted yet."""
        of_next = (one.url for one in run.frontier.outstanding.values() if one.rank == RANK_RENDERED_NEXT)
        return sum((run.run_id, url) not in self._counted for url in of_next)

    async def _count(self, run: Run, most: int) -> bool:
        """Whether one more page of *run* was counted, *most* at most."""
        if run.is_in_ledger:
            return await self._job.storage.write(lambda conn: run_records.take_browser_page(conn, run.run_id, most))
        return run.usage.add_browser_pages(1) <= most

    async def _give_back(self, run: Run, request: Request) -> None:
        del request.meta[_COUNTED]
        self._counted.discard((run.run_id, run_visit(request).url))
        if not run.is_in_ledger:
            run.usage.add_browser_pages(-1)
            return
        with suppress(WriteError, DBAPIError):  # then it stays counted: rather one page too few
            await self._job.storage.write(lambda conn: run_records.add_requests(conn, run.run_id, browser_pages=-1))
            run.usage.mark_browser_budget(spent=False)


_budgets: WeakKeyDictionary[Job, BrowserBudget] = WeakKeyDictionary()


def _track_departure(request: Request) -> list[bool]:
    """A list that is no longer empty once *request* has left: the tier calls ``meta["on_sent"]``."""
    left: list[bool] = []
    caller_on_sent = request.meta.get("on_sent")

    def on_sent() -> None:
        left.append(True)
        if caller_on_sent is not None:
            caller_on_sent()

    request.meta["on_sent"] = on_sent
    return left
