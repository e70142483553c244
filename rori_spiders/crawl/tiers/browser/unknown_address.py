"""What an application shows at an address that it does not know: its soft 404s are found by comparison with that.

Applications of one page answer every address with HTTP 200. One address that nobody has is rendered per application and
run, where a page of few words came from it: as a page of the browser's budget, in the group's turn and as robots.txt
allows. A site whose plain HTTP answers suffice never gets here.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, DownloadTimeoutError

from rori_spiders.content.html.visible_text import shown_words
from rori_spiders.crawl.page_request import page_request, run_visit
from rori_spiders.crawl.tiers.order import HTTP
from rori_spiders.urls.canonical import host_of, origin_of
from rori_spiders.verdicts.rule import WITHIN
from rori_spiders.workers.assessment import UnknownAddress

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.crawl.tiers.browser.budget import BrowserBudget
    from rori_spiders.crawl.tiers.browser.page_watch import BrowserResult

    Render = Callable[[Request], Awaitable[BrowserResult]]

#: For a page that shows more none is asked: it says more than that there is nothing. Where plain HTTP was not asked, so
#: that nobody knows whether it is an application's, the limit is lower. Once one was asked, longer pages are compared.
_MOST_SHOWN, _MOST_SHOWN_UNASKED = WITHIN["medium"], WITHIN["weak"]
_SHELLS = frozenset({"js_shell", "empty", "redirect_stub"})


def app_of(url: str) -> str:
    """The application that the page at *url* belongs to: its origin and the first folder of its path."""
    folder, found, _ = urlsplit(url).path.lstrip("/").partition("/")
    return f"{origin_of(url)}/{folder}/" if found else f"{origin_of(url)}/"


def unknown_url(url: str, run_id: str) -> str:
    """An address beside that of the page at *url* that nobody has."""
    parts = urlsplit(url)
    folder = parts.path.rstrip("/").rpartition("/")[0]
    return urlunsplit((parts.scheme, parts.netloc, f"{folder}/no-such-page-{run_id[:8]}", "", ""))


class UnknownAddresses:
    """The unknown addresses of the applications of a job's runs; each is asked for once."""

    def __init__(self, job: Job, budget: BrowserBudget) -> None:
        self._job = job
        self._budget = budget
        self._known: dict[tuple[str, str], UnknownAddress | None] = {}

    def hold_turn(self, request: Request, result: BrowserResult) -> None:
        """Keep the group for the unknown address, if one is to be asked for: called before the page is left."""
        if self._key(request, result) not in {None, *self._known} and result.shown <= _most_shown(request):
            self._job.politeness.part_leaves(self._group(result.url), self)

    async def compared_with(self, request: Request, result: BrowserResult, render: Render) -> UnknownAddress | None:
        """What the page *result* is to be compared with; None where nothing is known, or nothing need be."""
        run, key = self._job.run_of(request), self._key(request, result)
        if run is None or key is None:
            return None
        if key not in self._known:
            if result.shown > _most_shown(request):
                return None
            self._known[key] = None
            try:
                self._known[key] = await self._ask(run, request, unknown_url(result.url, run.run_id), render)
            finally:
                self._job.politeness.page_ends(self)
        return self._known[key]

    def _key(self, request: Request, result: BrowserResult) -> tuple[str, str] | None:
        run = self._job.run_of(request)
        is_good = result.is_rendered and result.head.status == HTTPStatus.OK and not result.is_behind_prompt
        if run is None or not is_good or _most_shown(request) < 0:
            return None
        return run.run_id, app_of(result.url)

    def _group(self, url: str) -> str:
        return self._job.manifests.group(host_of(url))

    async def _ask(self, run: Run, request: Request, url: str, render: Render) -> UnknownAddress | None:
        group, robots = self._group(url), self._job.robots.get(origin_of(url))
        if (robots is not None and not robots.allows(url)) or not await self._budget.take_beside(run):
            return None
        while (wait := self._job.politeness.due_in(group)) > 0:  # as after every other request
            await asyncio.sleep(wait)
        if self._job.politeness.left_alone(group) is not None or not self._job.leasing.may_ask(group):
            return None
        run.usage.count_request()
        meta = {name: value for name, value in request.meta.items() if name != "on_sent"}
        try:
            result = await render(request.replace(url=url, meta=meta))
        except (DownloadCancelledError, DownloadFailedError, DownloadTimeoutError):
            return None  # nothing is claimed of the page then
        if not result.is_rendered or result.head.status != HTTPStatus.OK:
            return UnknownAddress(url, None)  # it has an answer of its own for them
        words = await self._job.workers.run(len(result.body), shown_words, result.body, "text/html; charset=utf-8")
        return UnknownAddress(url, words or None)


def _most_shown(request: Request) -> int:
    """The most characters of a page that is to be compared; -1: none is, since plain HTTP answers for it."""
    page = page_request(request)
    if run_visit(request).found_by == "start":
        return -1  # what an application shows where it knows nothing may be its start page
    tried_http = {one.verdict for one in page.attempts if one.tier == HTTP}
    if not tried_http:
        return _MOST_SHOWN_UNASKED
    return _MOST_SHOWN if _SHELLS & tried_http else -1
