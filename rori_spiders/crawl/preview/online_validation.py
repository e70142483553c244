"""``scrapy manifest validate --online``: each source's robots.txt, and its start URL once. No run, nothing is staged.

A spider of its own, through the same gates as a collection: addresses, leases, pace, robots.txt, scope, verdict. All
that it writes to the ledger are its leases, with what was learnt of the groups.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from rori_spiders.crawl.adhoc.base_spider import AdHocSpider
from rori_spiders.crawl.page_request import run_visit, update_request
from rori_spiders.crawl.runs.run import Run
from rori_spiders.crawl.tiers.refusals import (
    AddressNotPublic,
    CrawlDelayTooLong,
    NotOurs,
    OutOfScope,
    Redirected,
    RobotsDisallowed,
)
from rori_spiders.crawl.walkers import WALKERS, page_items
from rori_spiders.crawl.walkers.base import MAX_HOPS
from rori_spiders.items import FrontierUrl
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.scope import Scope
from rori_spiders.politeness.robots_policy import RobotsFile
from rori_spiders.urls.canonical import host_of, origin_of

#: Groups asked at the same time, each with one request at once.
MAX_CONCURRENT_GROUPS = 5
#: Sources that could not be collected, whenever they are asked.
_REFUSALS = (AddressNotPublic, CrawlDelayTooLong, OutOfScope, RobotsDisallowed)
CheckOutcome = Literal["not_asked", "ok", "warning", "failed", "locked", "refused"]
_ROBOTS_LABELS = {"rules": "allowed", "no_rules": "no rules", "unavailable": "unavailable"}


@dataclass(slots=True)
class SourceCheck:
    """The online check of one source."""

    source: Source
    result: CheckOutcome = "not_asked"
    why: str = ""
    robots: str | None = None  # allowed | no rules | disallowed | unavailable
    crawl_delay_s: float | None = None
    status: int | None = None
    verdict: str | None = None
    final_url: str | None = None
    in_domain: bool | None = None  # whether the final URL belongs to the source
    groups: set[str] = field(default_factory=set)  # whose leases it needs

    @property
    def is_over(self) -> bool:
        return self.result != "not_asked"

    @property
    def is_open(self) -> bool:
        return bool(self.groups)

    def row(self) -> dict[str, Any]:
        """For a listing."""
        names = ("result", "robots", "crawl_delay_s", "status", "verdict", "final_url", "in_domain", "why")
        return {"id": self.source.id, "url": self.source.url} | {name: getattr(self, name) for name in names}


class OnlineValidationSpider(AdHocSpider):
    """Asks the sources of *checks*, of *catalog*, and fills in what was learnt; calls *report* as each one ends."""

    name = "online"

    def __init__(
        self, *args: Any, checks: Sequence[SourceCheck], report: Callable[[SourceCheck], None], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.checks = checks
        self._report = report
        self._one_ended = asyncio.Event()

    async def start(self) -> AsyncIterator[Request]:
        if not await self.opened():
            return
        by_group = sorted(self.checks, key=self._group)
        for group, members in groupby(by_group, key=self._group):
            while len({self._group(one) for one in self.checks if one.is_open}) >= MAX_CONCURRENT_GROUPS:
                self._one_ended.clear()
                await self._one_ended.wait()
            for request in await self._begun(group, list(members)):
                yield request

    def _group(self, check: SourceCheck) -> str:
        return self.job.manifests.group(check.source.host)

    async def _begun(self, group: str, members: list[SourceCheck]) -> list[Request]:
        """The first requests for the sources of *group*; none when its lease is another job's."""
        if (why_not := await self.job.leasing.hold(group)) is not None:
            for check in members:
                self._end(check, "locked", why_not)
            return []
        self.job.politeness.pace(group).concurrency = 1
        for check in members:
            check.groups = {group}
        return [self._first(check) for check in members]

    def _first(self, check: SourceCheck) -> Request:
        """A run that no ledger knows: by it the gates know the source's hosts, and what is expected of its start."""
        source, run_id = check.source, f"online {check.source.id}"
        version = self.job.manifests.catalog.loaded_of(source.id).manifest.version
        run = Run(run_id, source, Scope(source), version, self.job.now())
        self.job.runs[run_id] = run
        return self._request(check, WALKERS[source.method](self.crawler, run).start()[0])

    def _request(self, check: SourceCheck, visit: FrontierUrl) -> Request:
        made = WALKERS[check.source.method](self.crawler, self.job.runs[visit.run_id]).request(visit)
        check.groups.add(self.job.manifests.group(host_of(visit.url)))
        update_request(made, is_single_try=True, is_unconditional=True)
        return made.replace(callback=self.parse, errback=self.fail, cb_kwargs={"check": check})

    # --- answers --------------------------------------------------------------------------------------------------

    async def parse(self, response: Response, check: SourceCheck) -> None:
        request = response.request
        assert request is not None
        facts = page_items.build_fetched(response, self.job.now())
        item = page_items.item_from_response(facts, request)
        check.status, check.final_url, check.in_domain = facts.status, facts.final_url, True
        check.verdict = item.verdict.kind if item.verdict is not None else None
        await self._ended(check, "ok" if item.state == "captured" else "warning", item.reason)
        self.tell_url_ended(item)

    async def fail(self, failure: Failure) -> list[Request]:
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy binds it
        check: SourceCheck = request.cb_kwargs["check"]
        visit = run_visit(request)
        error = failure.value
        if isinstance(error, Redirected) and visit.hops < MAX_HOPS:
            onward = FrontierUrl(visit.run_id, visit.source_id, error.url, found_by=visit.found_by, hops=visit.hops + 1)
            return [self._request(check, onward)]
        if isinstance(error, OutOfScope):
            check.final_url, check.in_domain = error.url, False
        item = page_items.item_from_error(error or RuntimeError("no error"), request, self.job.now())
        why = item.reason if item is not None else str(error)
        result: CheckOutcome = (
            "refused" if isinstance(error, _REFUSALS) else "locked" if isinstance(error, NotOurs) else "failed"
        )
        if isinstance(error, RobotsDisallowed):
            check.robots = "disallowed"
        await self._ended(check, result, why, at=visit.url)
        return []

    async def _ended(self, check: SourceCheck, result: CheckOutcome, why: str, at: str | None = None) -> None:
        file = self._robots_file(check, at)
        if file is not None:
            check.robots = check.robots or _ROBOTS_LABELS[file.outcome]
            check.crawl_delay_s = file.delay_s
        self.job.runs.pop(f"online {check.source.id}", None)
        self._end(check, result, why)
        used, check.groups = check.groups, set()
        await self.job.leasing.release(used - {group for one in self.checks for group in one.groups})
        self._one_ended.set()

    def _robots_file(self, check: SourceCheck, at: str | None) -> RobotsFile | None:
        """The robots.txt that was read for the last URL asked, or for the source's own."""
        for url in (at, check.final_url, check.source.url):
            if url is not None and (file := self.job.robots.get(origin_of(url))) is not None:
                return file
        return None

    def _end(self, check: SourceCheck, result: CheckOutcome, why: str) -> None:
        check.result, check.why = result, why
        self._report(check)
