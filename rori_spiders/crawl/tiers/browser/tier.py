"""The `browser` tier: launched on first use, one context a source, one page at a time in each, nothing left behind."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from ipaddress import ip_address
from time import monotonic
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse
from scrapy.http.headers import Headers
from scrapy.responsetypes import responsetypes

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import exchange, visit_of
from rori_spiders.crawl.tiers.base import HealthStatus, Requirement, connect_url_ended
from rori_spiders.crawl.tiers.browser.budget import BrowserBudget
from rori_spiders.crawl.tiers.browser.chromium import find_chromium
from rori_spiders.crawl.tiers.browser.unknown_address import UnknownAddresses, app_of
from rori_spiders.crawl.tiers.errors import BrowserCrashed, BrowserFailed
from rori_spiders.crawl.tiers.order import BROWSER
from rori_spiders.exceptions import JobStopped
from rori_spiders.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from rori_spiders.crawl.tiers.browser.browser_process import BrowserManager
    from rori_spiders.crawl.tiers.browser.page_visit import PageVisit, Patience
    from rori_spiders.crawl.tiers.browser.page_watch import BrowserResult
    from rori_spiders.items import FrontierUrl
    from rori_spiders.manifest.vocabulary import Evidence

#: Each page may take a few hundred MiB and most of a core.
PAGES_AT_ONCE = 2
#: Then its cookies are forgotten: the source is a new visitor.
PAGES_OF_CONTEXT = 20

_MEND_CHROMIUM = "sudo apt-get install chromium (or: playwright install chromium)"
_MEND_PACKAGE = "pip install 'rori-collector[browser]'"


@dataclass
class _SourceContext:
    """A source's context: its pages come one after the other."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    pages: int = 0
    patience: dict[str, Patience] = field(default_factory=dict)  # by application: learnt of its last page


class BrowserTier:
    """Renders pages with Chromium, through scrapy-playwright. Playwright is imported when the first page is asked."""

    name = BROWSER
    about = "pages written by scripts, rendered by Chromium with our own User-Agent and without images"

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._named = crawler.settings.get("RORI_CHROMIUM") or ""
        self._installed = _package_version("scrapy-playwright")
        self.version = f"scrapy-playwright/{self._installed}"
        self._running: BrowserManager | None = None
        self._rooms: dict[str, _SourceContext] = {}
        self._at_once = asyncio.Semaphore(PAGES_AT_ONCE)
        self._unknown = UnknownAddresses(self._job, BrowserBudget.of(self._job))
        self._tasks: set[asyncio.Task[None]] = set()
        connect_url_ended(crawler, self._url_ended)

    def needs(self) -> tuple[Requirement, ...]:
        return (
            Requirement("the package scrapy-playwright", self._installed is not None, _MEND_PACKAGE),
            Requirement(
                f"Chromium ({self._named})" if self._named else "Chromium",
                find_chromium(self._named) is not None,
                _MEND_CHROMIUM,
            ),
        )

    async def check(self) -> HealthStatus:
        missing = [need for need in self.needs() if not need.met]
        if missing:
            return HealthStatus(ok=False, says=f"{missing[0].what} is missing: {missing[0].mend}")
        from rori_spiders.crawl.tiers.browser.browser_process import try_launch

        try:
            return HealthStatus(
                ok=True, says=f"Chromium {(await try_launch(self._program, self._crawler.settings)).version}"
            )
        except BrowserFailed as error:
            return HealthStatus(ok=False, says=str(error))

    async def fetch(self, request: Request) -> Response:
        """The page as it is once its scripts have run; anything but HTML, and a redirect, as it was received.

        ``request.meta`` may name a ``wait_for_selector``. Raises Scrapy's download errors, AddressNotPublic,
        BrowserCrashed, RenderTimeout, BrowserFailed, JobStopped.
        """
        visit = visit_of(request)
        name = visit.run_id if visit is not None and visit.run_id else "shell"
        room = self._rooms.setdefault(name, _SourceContext())
        async with room.turn, self._at_once:
            running = self._started()
            page = self._visit(request, running, room, name)
            answer = await self._rendered(page, request, room)

            async def render(other: Request) -> BrowserResult:
                return await self._rendered(self._visit(other, running, room, name), other, room)

            unknown = await self._unknown.compared_with(request, answer, render)
        tried = exchange(request)
        tried.engine_version = self.version = running.version
        tried.steps = answer.steps or tried.steps  # those that led here by a redirect
        tried.is_behind_prompt, tried.unknown_address = answer.is_behind_prompt, unknown
        tried.screenshot, tried.is_drawn = answer.screenshot, answer.is_drawn
        request.meta["download_latency"] = page.latency
        return _build_response(answer, page.peer)

    def _visit(self, request: Request, running: BrowserManager, room: _SourceContext, name: str) -> PageVisit:
        from rori_spiders.crawl.tiers.browser.page_visit import PageVisit

        run = self._job.run_of(request)
        return PageVisit(
            running,
            name,
            request,
            selector=self._selector(request),
            settings=self._crawler.settings,
            job=self._job,
            patience=room.patience.get(app_of(request.url)),
            interactions=run.source.scrape_config.interactions if run is not None else (),
            wants_screenshot=run is not None and self._wants_screenshot(run.source.scrape_config.evidence),
        )

    def _wants_screenshot(self, of_source: Evidence | None) -> bool:
        return (of_source or self._crawler.settings["RORI_EVIDENCE"]) == "screenshot"

    async def _rendered(self, page: PageVisit, request: Request, room: _SourceContext) -> BrowserResult:
        visit, run, since = visit_of(request), self._job.run_of(request), monotonic()
        try:
            answer = await page.fetch()
            self._unknown.hold_turn(request, answer)
        except (BrowserCrashed, BrowserFailed) as error:
            if self._job.stop.is_engine_closing:  # a stop ends the browser as well
                raise JobStopped("the job stops") from error
            raise
        else:
            return answer
        finally:
            room.pages += 1
            room.patience[app_of(request.url)] = page.patience
            if run is not None:
                run.usage.note_rendering(monotonic() - since)
            is_last = room.pages % PAGES_OF_CONTEXT == 0 or (visit is not None and self._has_ended(visit))
            await asyncio.shield(self._start(page.leave(context_too=is_last)))

    async def close(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._running is not None:
            await self._running.close()

    @property
    def _program(self) -> str:
        """Raises BrowserFailed where there is none."""
        program = find_chromium(self._named)
        if program is None:
            raise BrowserFailed(f"Chromium is not installed: {_MEND_CHROMIUM}")
        return program

    def _started(self) -> BrowserManager:
        if self._running is None:
            from rori_spiders.crawl.tiers.browser.browser_process import BrowserManager

            self._running = BrowserManager(self._crawler, self._program)
        return self._running

    def _selector(self, request: Request) -> str | None:
        run = self._job.run_of(request)
        of_source = run.source.scrape_config.wait_for_selector if run is not None else None
        return request.meta.get("wait_for_selector") or of_source

    def _has_ended(self, visit: FrontierUrl) -> bool:
        return bool(visit.run_id) and visit.run_id not in self._job.runs

    def _url_ended(self, item: object) -> None:
        """With the last URL of a run its context goes; with the last context, the browser."""
        if not isinstance(item, PageItem) or item.visit.run_id not in self._rooms or not self._has_ended(item.visit):
            return
        del self._rooms[item.visit.run_id]
        if self._running is not None:
            work = self._running.forget(item.visit.run_id) if self._rooms else self._running.rest()
            self._start(work)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _build_response(answer: BrowserResult, peer: str | None) -> Response:
    headers = Headers(answer.head.as_handed_on(rendered=answer.is_rendered))
    address = ip_address(peer) if peer else None
    if answer.is_rendered:
        return HtmlResponse(
            answer.url, answer.head.status, headers, answer.body, ["browser"], encoding="utf-8", ip_address=address
        )
    kind = responsetypes.from_args(headers=headers, url=answer.url, body=answer.body)
    return kind(answer.url, answer.head.status, headers, answer.body, ["browser"], ip_address=address)


def _package_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
