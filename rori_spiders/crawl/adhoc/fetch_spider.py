"""The spider that fetches for another program: ad hoc fetches come in, pages go out. No run, and nothing is staged. A
``FetchTask`` holds which URLs of a fetch are requested, which wait, and in which order.

It goes through the gates of a collection: addresses, leases, pace, robots.txt, scope, tiers, budgets. It writes to the
ledger its leases, with what was learnt of the groups, what providers cost, and its requests
(``crawl/adhoc/base_spider.py``).
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from pydantic import ValidationError
from scrapy.exceptions import DropItem
from sqlalchemy.exc import DBAPIError

from rori_spiders.content.metadata.statements import PageStatements, statements_in
from rori_spiders.content.sections import content_hash
from rori_spiders.crawl.adhoc.ad_hoc_source import add_ad_hoc_sources, build_ad_hoc_source, count_keyword_matches
from rori_spiders.crawl.adhoc.base_spider import AdHocSpider, RequestLog
from rori_spiders.crawl.adhoc.messages import FetchDone, FetchedPage, FetchRequest, PageNotFetched, StopFetch
from rori_spiders.crawl.envelope import page_dates
from rori_spiders.crawl.page.conversion import convert_item
from rori_spiders.crawl.page_request import run_visit, update_request
from rori_spiders.crawl.runs.run import Run
from rori_spiders.crawl.walkers import WALKERS
from rori_spiders.exceptions import JobStopped, ManifestError, WriteError
from rori_spiders.items import PageItem
from rori_spiders.manifest.scope import Scope
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator

    from scrapy import Request
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from rori_spiders.crawl.adhoc.messages import ClientMessage, WorkerMessage
    from rori_spiders.crawl.walkers import Walker
    from rori_spiders.items import FrontierUrl

    #: By how much it goes first (less is more), its depth, when it was found.
    Rank = tuple[int, int, int]


@dataclass(slots=True, eq=False)
class FetchTask:
    """``run`` knows every URL; of those outstanding, the waiting ones have not been asked for."""

    wanted: FetchRequest
    run: Run
    groups: set[str]
    requests_out: int = 0  # requests that are out
    fetched: int = 0  # pages that were asked and came to an end, good or bad
    untaken: int = 0  # pages handed over, and not yet taken
    stopped: str | None = None  # why no more of it is wanted
    _keywords: tuple[str, ...] = ()
    _waiting: list[tuple[Rank, FrontierUrl]] = field(default_factory=list)  # a heap
    _numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self._keywords = self.wanted.keywords

    @property
    def number(self) -> int:
        return self.wanted.fetch_id

    def lead(self, keywords: tuple[str, ...]) -> None:
        """From now on pages with these words in their addresses go first."""
        if keywords != self._keywords:
            self._keywords = keywords
            self._waiting = [(self._rank(visit, number), visit) for (_, _, number), visit in self._waiting]
            heapify(self._waiting)

    def wait(self, visits: Iterable[FrontierUrl]) -> None:
        """*visits* were found, and wait for their turn."""
        for visit in visits:
            heappush(self._waiting, (self._rank(visit, next(self._numbers)), visit))

    def turns(self) -> list[FrontierUrl]:
        """Those whose turn has come: what leads towards what is wanted, then the nearest to the start."""
        found: list[FrontierUrl] = []
        while self._waiting and self.stopped is None and not self._is_full and self._may_go_on:
            found.append(heappop(self._waiting)[1])
            self.requests_out += 1
        return found

    def left(self) -> tuple[list[FrontierUrl], Reason]:
        """What waits and will not be asked for, and why not; nothing, while it may be."""
        if self.stopped is not None:
            why = Reason(ReasonCode.NOT_FETCHED, error=self.stopped)
        elif self._is_full and not self.requests_out:  # one that is out may turn out to be another's address
            why = Reason(ReasonCode.MAX_PAGES, limit=self.wanted.max_pages)
        else:
            return [], CAPTURED
        left, self._waiting = sorted(self._waiting), []
        return [visit for _, visit in left], why

    @property
    def _is_full(self) -> bool:
        """Whether as many pages as are wanted have been asked, or are."""
        return self.fetched + self.requests_out >= self.wanted.max_pages

    @property
    def _may_go_on(self) -> bool:
        return self.requests_out + self.untaken < self.wanted.ahead

    def _rank(self, visit: FrontierUrl, number: int) -> Rank:
        return -count_keyword_matches(visit.url, self._keywords), visit.depth, number


logger = logging.getLogger(__name__)


class FetchSpider(AdHocSpider):
    """Does what *messages* say until it ends, and tells *report*, which may hold it up while nobody listens."""

    name = "fetch"

    def __init__(
        self,
        *args: Any,
        messages: AsyncIterator[ClientMessage],
        report: Callable[[WorkerMessage], Awaitable[None]],
        actor: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._messages = messages
        self._report = report
        self._actor = actor
        self._fetches: dict[str, FetchTask] = {}  # these three by the id of its run
        self._walkers: dict[str, Walker] = {}
        self._logs: dict[str, RequestLog] = {}
        self._reported_robots: set[str] = set()

    # --- ad hoc fetches -----------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Request]:
        if not await self.opened():
            return
        async for message in self._messages:
            for request in await self._heard(message):
                yield request
        for task in list(self._fetches.values()):  # the caller has gone
            await self._stop(task, "cancelled by the caller")
        if self._fetches:
            self.job.stop.close_engine("left")  # which cuts short what is under way

    async def _heard(self, message: ClientMessage) -> list[Request]:
        """What is to be asked now. A fetch that has ended meanwhile is known no more."""
        if isinstance(message, FetchRequest):
            return await self._begin(message)
        task = next((one for one in self._fetches.values() if one.number == message.fetch_id), None)
        if task is None:
            return []
        if isinstance(message, StopFetch):
            await self._stop(task, message.reason)
            return []
        task.untaken -= 1
        if message.keywords is not None:
            task.lead(message.keywords)
        return await self._on(task)

    async def _begin(self, wanted: FetchRequest) -> list[Request]:
        """The first requests of *wanted*; none, and it is refused, when it is not an address or a group is not ours."""
        try:
            source = build_ad_hoc_source(wanted)
            others = (task.run.source for task in self._fetches.values())
            self.job.manifests.use(add_ad_hoc_sources(self._catalog, [*others, source]))
        except (ManifestError, ValueError) as error:  # pydantic's errors are among them
            return await self._refuse(wanted, _error_text(error))
        scope = Scope(source)
        groups = {self.job.manifests.group(host) for host in scope.hosts}
        for group in sorted(groups):
            if (why_not := await self.job.leasing.hold(group)) is not None:
                await self._release(groups)
                return await self._refuse(wanted, f"not now: {why_not}")
        run = Run(str(uuid4()), source, scope, "0", self.job.now(), is_in_ledger=False)
        task = self._fetches[run.run_id] = FetchTask(wanted, run, groups)
        self._walkers[run.run_id] = walker = WALKERS[source.method](self.crawler, run)
        self._logs[run.run_id] = RequestLog(self.job, source.url, self._actor, action="fetch")
        self.job.runs[run.run_id] = run
        accepted = run.frontier.classify(walker.start()).accepted
        task.wait(accepted)
        return await self._on(task)

    async def _refuse(self, wanted: FetchRequest, reason: str) -> list[Request]:
        await self._report(FetchDone(fetch_id=wanted.fetch_id, state="refused", reason=reason))
        return []

    async def _stop(self, task: FetchTask, reason: str) -> None:
        """What waits of *task* is asked no more; what is out comes to its end."""
        task.stopped = task.stopped or reason
        await self._on(task)

    async def _on(self, task: FetchTask) -> list[Request]:
        """The requests whose turn has come. What will not be asked any more ends here, and with the last the task."""
        requests = [self._request(task, visit) for visit in task.turns()]
        left, why = task.left()
        for visit in left:
            task.run.frontier.settle(visit, "excluded", changed=False)
            await self._report(_build_page_not_fetched(task, PageItem(visit, "excluded", why)))
        if task.run.frontier.is_done and self._fetches.pop(task.run.run_id, None) is not None:
            for visit, too_deep in task.run.frontier.exclude_deferred():
                await self._report(_build_page_not_fetched(task, PageItem(visit, "excluded", too_deep)))
            await self._end(task)
        return requests

    def _request(self, task: FetchTask, visit: FrontierUrl) -> Request:
        made = self._walkers[task.run.run_id].request(visit)
        update_request(made, is_unconditional=True)
        return made.replace(callback=self.parse, errback=self.fail)

    # --- answers --------------------------------------------------------------------------------------------------

    async def parse(self, response: Response) -> list[Request]:
        request = response.request
        assert request is not None
        visit = run_visit(request)
        try:
            outputs = [output async for output in self._walkers[visit.run_id].parse(response)]
        except JobStopped:
            outputs = []
        except Exception as error:
            logger.exception("Failed to read %(url)s; the fetch continues without it", {"url": response.url})
            reason = Reason.of_error(error, ReasonCode.WALKER_ERROR)
            outputs = [PageItem(visit, "failed", reason, at=self.job.now())]
        return await self._ended(visit, outputs)

    async def fail(self, failure: Failure) -> list[Request]:
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy binds it
        visit = run_visit(request)
        return await self._ended(visit, await self._walkers[visit.run_id].fail(failure))

    async def _ended(self, visit: FrontierUrl, outputs: Iterable[PageItem | Request]) -> list[Request]:
        """Tell what became of a URL that was asked; gives the requests for what is asked next."""
        task = self._fetches[visit.run_id]
        run = task.run
        item = next((one for one in outputs if isinstance(one, PageItem)), None)
        if item is None:  # its group is not ours any more, or a stop cut it short
            task.stopped = task.stopped or run.limits.stop_reason or "cut short"
            cut_short = Reason(ReasonCode.NOT_FETCHED, error=task.stopped)
            item = PageItem(visit, "excluded", cut_short, at=self.job.now())
        outcome = await self._build_outcome(task, item)
        run.frontier.settle(item.visit, item.state, changed=False)
        task.requests_out -= 1
        task.fetched += item.state != "excluded"
        task.untaken += isinstance(outcome, FetchedPage)
        with suppress(DropItem), self.job.stopping_on_write_errors():
            await self._logs[run.run_id].note(item)
        await self._report(outcome)
        for other, reason in item.excluded:
            await self._report(_build_page_not_fetched(task, PageItem(other, "excluded", reason)))
        task.wait(item.discovered)
        requests = await self._on(task)
        self.tell_url_ended(item)
        return requests

    async def _build_outcome(self, task: FetchTask, item: PageItem) -> FetchedPage | PageNotFetched:
        """The page, converted; or why there is none, which *item* then says too."""
        facts = item.fetched
        if facts is None or not item.is_captured_page:
            return _build_page_not_fetched(task, item)
        try:
            await convert_item(self.crawler, item)
        except DropItem as error:  # the job stops
            item.state, item.reason = "failed", Reason(ReasonCode.NOT_FETCHED, error=str(error))
        if (made := item.converted) is None:
            return _build_page_not_fetched(task, item)
        stated = PageStatements()
        if task.wanted.with_statements:
            stated = await self.job.workers.run(len(facts.body), statements_in, facts.body, facts.final_url)
        return FetchedPage(
            **stated._asdict(),
            fetch_id=task.number,
            url=item.visit.url,
            final_url=facts.final_url,
            title=made.title,
            body=made.markdown,
            description=made.metadata.description,
            language=made.language if made.language_source == "document" else None,
            published=page_dates(made, facts)["published_date"],
            content_hash=content_hash(made.markdown),
            tier=facts.tier,
            status=facts.status,
            at=facts.at,
            depth=item.visit.depth,
        )

    # --- the end --------------------------------------------------------------------------------------------------

    async def _end(self, task: FetchTask) -> None:
        run_id = task.run.run_id
        del self._walkers[run_id]
        with suppress(WriteError, DBAPIError):
            log = self._logs.pop(run_id)
            await log.note_robots(self._reported_robots)
            await log.write()
            await self._release(task.groups)
        self.job.runs.pop(run_id, None)
        state: Literal["complete", "stopped"] = "complete" if task.stopped is None else "stopped"
        reason = task.stopped or task.run.limits.rate_limit_reason or ""
        await self._report(FetchDone(fetch_id=task.number, state=state, reason=reason))

    async def _release(self, groups: set[str]) -> None:
        """Give back the leases of *groups*, but for those that other ad hoc fetches need."""
        await self.job.leasing.release(groups - {group for one in self._fetches.values() for group in one.groups})

    async def closing(self, reason: str) -> None:
        for log in self._logs.values():
            await log.write()


def _build_page_not_fetched(task: FetchTask, item: PageItem) -> PageNotFetched:
    facts, last = item.fetched, item.attempts[-1] if item.attempts else None
    return PageNotFetched(
        fetch_id=task.number,
        url=item.visit.url,
        state=item.state,
        reason=item.reason,
        tier=last.tier if last is not None else None,
        status=facts.status if facts is not None else None,
        verdict=item.verdict.kind if item.verdict is not None else None,
        depth=item.visit.depth,
    )


def _error_text(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(one["msg"] for one in error.errors())
    return str(error)
