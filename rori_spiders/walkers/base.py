"""What all walkers share: a request for each visit, and the item that ends it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request

from rori_spiders.items import PageItem, Visit
from rori_spiders.job import Job
from rori_spiders.ladder import ladder_of, ladder_of_sitemap
from rori_spiders.manifest.headers import headers_for
from rori_spiders.refusals import NotOurs
from rori_spiders.tiers import build_tiers
from rori_spiders.tiers.memory import tier_for
from rori_spiders.urls import host_of, normalise, url_hash
from rori_spiders.walkers import outcomes, secrecy
from rori_spiders.wikis.titles import is_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from rori_spiders.run import Run

_PRIORITIES = {"high": 20, "medium": 10, "low": 0}
#: Of one source's pages; below what sets its pages above those of another.
_FIRST = 5
#: What was missing goes last: whether it may be taken for gone is known once the others have been seen.
_LAST = -50


class Walker:
    """Walks one run. Subclasses say where to start and what a page leads to."""

    def __init__(self, crawler: Crawler, run: Run) -> None:
        self.job = Job.of(crawler)
        self.run = run
        self._tiers = build_tiers(crawler).order

    # --- what subclasses say ---------------------------------------------------------------------------------------

    def start(self) -> list[Visit]:
        """The first visits of a new run."""
        return [self.visit(self.run.source.url)]

    async def resume(self, pending: list[Visit]) -> list[Visit]:
        """The visits that a run which goes on needs beside those that an earlier job left *pending*."""
        return [] if pending else self.start()

    async def leads_to(self, item: PageItem) -> list[Visit]:
        """The visits that a URL leads to, at its end. May set ``item.links`` and ``item.excluded``."""
        return []

    def meta(self, visit: Visit) -> dict[str, Any]:
        """What this method's requests carry beyond the rest."""
        return {}

    # --- what they share -------------------------------------------------------------------------------------------

    def visit(self, url: str, **facts: Any) -> Visit:
        """A visit of this run. Raises ValueError for what is no URL."""
        return Visit(self.run.run_id, self.run.source_id, normalise(url), **facts)

    def request(self, visit: Visit) -> Request:
        """The request for *visit*, by the tier that last worked for its kind, else the first of its ladder.

        Sitemaps go before pages; of these, first those that may bring something new.
        """
        self.job.known.expect(visit)
        headers = headers_for(self.run.source, visit.url)
        rungs = self.ladder(visit)
        remembered = tier_for(visit.url, self.run.remembered) if visit.kind == "page" else None
        goes_first = {"tier": remembered, "remembered": True} if remembered in rungs[1:] else {}
        return Request(
            visit.url,
            callback=self.parse,
            errback=self.fail,
            headers=headers,
            meta={
                "visit": visit,
                "tier": rungs[0] if rungs else "",
                "ladder": rungs,
                "own_headers": list(headers),
                **self.meta(visit),
                **goes_first,
            },
            priority=self._priority(visit),
            dont_filter=True,  # the frontier knows each URL once
        )

    def _priority(self, visit: Visit) -> int:
        if visit.kind == "sitemap":
            return 100
        if url_hash(visit.url) in self.run.missing:
            return _LAST
        return _PRIORITIES[self.run.source.effective_priority] + _FIRST * self.run.goes_first(visit)

    def ladder(self, visit: Visit) -> tuple[str, ...]:
        """The tiers for *visit*, cheapest first; none, when only tiers are allowed that are not here."""
        if visit.kind != "page":
            return ladder_of_sitemap(visit.url, self.job.catalog)
        return ladder_of(visit.url, self.run.source, self.job.catalog, self._tiers, has_api=self.has_api(visit))

    def has_api(self, visit: Visit) -> bool:
        """Whether the page is a wiki's, whose api.php is known."""
        return self.job.catalog.api_url(host_of(visit.url)) is not None and is_page(visit.url)

    async def parse(self, response: Response) -> AsyncIterator[PageItem | Request]:
        """Callback of every request of the run."""
        request = response.request
        assert request is not None
        facts = outcomes.fetched(response, self.job.now())
        item = outcomes.of_response(facts, request.meta["visit"], request.meta.get("verdict"), request.meta)
        item.request = request
        if (expect := self.run.source.scrape_config.expect) is not None:
            outcomes.name_expected(item, expect)
        repeats = await secrecy.withhold_echo(self.job, item)
        if not repeats:
            request.meta["item"] = item  # what is kept of it if finding its links breaks
        outputs = await self.finish(item)
        if repeats:
            secrecy.forget(item)
        for output in outputs:
            yield output

    async def fail(self, failure: Failure) -> list[PageItem | Request]:
        """Errback of every request of the run."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy binds it
        if isinstance(failure.value, NotOurs):
            self.run.stopped = str(failure.value)
        item = outcomes.of_exception(failure.value or RuntimeError("no error"), request, self.job.now())
        return [] if item is None else await self.finish(item)

    async def finish(self, item: PageItem) -> list[PageItem | Request]:
        """The item, which knows what it discovered, and the requests for it; a map makes its own, of few of them."""
        found, secret = secrecy.sifted(await self.leads_to(item), self.job.redactor)
        accepted, capped = self.run.sift(found)
        item.links = secrecy.without_secrets(item.links, self.job.redactor)
        item.discovered = tuple(accepted)
        secret_ones = [(visit, secrecy.IN_URL) for visit in secret]
        item.excluded = (*self._redacted([*item.excluded, *secret_ones]), *capped)
        return [item, *([] if self.run.unrecorded else await self.requests(accepted))]

    async def requests(self, visits: Sequence[Visit]) -> list[Request]:
        """The requests that bring *visits*: one for each, unless a method knows a cheaper way.

        What goes first comes first here too: the engine may ask for the first before the queue knows of the others.
        """
        return sorted((self.request(visit) for visit in visits), key=lambda one: -one.priority)

    def _redacted(self, excluded: Iterable[tuple[Visit, str]]) -> Iterator[tuple[Visit, str]]:
        """*excluded* as it may be recorded; one of several that now read the same."""
        redact = self.job.redactor.url
        for visit, reason in excluded:
            shown = replace(visit, url=redact(visit.url))
            if shown.url == visit.url:
                yield visit, redact(reason)
            elif self.run.accept(shown):
                self.run.settle(shown, "excluded", changed=False)
                yield shown, redact(reason)
