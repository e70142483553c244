"""`method: mediawiki`: the pages of a wiki that the source names, each by the wiki's API, known by its human URL.

First the wiki says how its addresses look; then come its lists (members of categories, pages of namespaces), each
answer a row of the frontier, as sitemaps are; then the pages. Where the API is closed, lists and pages are those that
people see. Where the source names no pages, the wiki's content namespaces are collected, as far as a run goes.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rori_spiders.crawl.page_request import run_visit
from rori_spiders.crawl.tiers.mediawiki import api_queries
from rori_spiders.crawl.tiers.mediawiki import html_pages as wiki_page
from rori_spiders.crawl.tiers.order import MEDIAWIKI
from rori_spiders.crawl.tiers.refusals import Redirected
from rori_spiders.crawl.walkers.base import Walker
from rori_spiders.crawl.walkers.wiki_lists import ListReader, WikiUrls
from rori_spiders.crawl.walkers.wiki_updates import PageConfirmation, PageMoves, RecentChanges
from rori_spiders.items import PageItem
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.runs.frontier import IN_LEDGER
from rori_spiders.manifest.scope import names_wiki_pages
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of, normalise_url, origin_of, url_hash

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from sqlalchemy import Connection

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.items import FrontierUrl
    from rori_spiders.ledger.runs.frontier import UrlRow


#: Pages that one answer ends, on their way through the pipelines at once: as the API names with one list.
_REQUEST_BATCH_SIZE = 500


class MediaWikiWalker(Walker):
    """One visit a title; the title is read off the page's URL again, so that a run can go on from its frontier."""

    def __init__(self, crawler: Crawler, run: Run) -> None:
        super().__init__(crawler, run)
        self._crawler = crawler
        self._addresses = WikiUrls(self.job, run)
        self._lists = ListReader(self.job, run, self._addresses)
        self._confirming = PageConfirmation(self.job, run)
        self._changes = RecentChanges(self.job, run)
        self._moves = PageMoves(self.job, run)
        self._ended: list[PageItem] = []  # pages that need no request; they go with the next item
        run.frontier.limit_pages(self.job.settings.getint("RORI_MAX_PAGES"))

    def start(self) -> list[FrontierUrl]:
        api = self._addresses.api_url(self.run.source.url)
        if api is None:
            return self._addresses.pages(self._titles) or [self.visit(self.run.source.url, found_by="api")]
        question = api_queries.site_info_url(api, with_content=not names_wiki_pages(self.run.source))
        return [self.visit(question, kind="api", found_by="api")]

    async def resume(self, pending: list[FrontierUrl]) -> list[FrontierUrl]:
        """What an earlier job learnt is read again: how the addresses look, and what its lists came to."""
        rows = await self.job.storage.read(self._known)
        for row in rows:
            if row.kind == "api" and api_queries.is_site_info_url(row.url):
                await self._addresses.recall(row.url)
                if not names_wiki_pages(self.run.source):
                    self._limit_content(api_queries.parse_wiki_content(await self._addresses.stored_answer(row.url)))
        self._lists.recall(rows)
        return await super().resume(pending)

    def request_details(self, visit: FrontierUrl) -> dict[str, Any]:
        return {"api_url": self._addresses.api_url(self.run.source.url), "wiki_prefix": self._addresses.prefix}

    def has_api(self, visit: FrontierUrl) -> bool:
        return self._addresses.api_url(visit.url) is not None

    def request(self, visit: FrontierUrl) -> Request:
        """Of the API: as if the source's own page were asked for, whose robots.txt, host and pace hold for it."""
        request = super().request(visit)
        return request if visit.kind != "api" else request.replace(url=normalise_url(self.run.source.url), priority=100)

    def tier_order(self, visit: FrontierUrl) -> tuple[str, ...]:
        if visit.kind != "api":
            return super().tier_order(visit)
        fence = self.job.manifests.catalog.rules(host_of(self.run.source.url)).tiers
        return (MEDIAWIKI,) if MEDIAWIKI in self._tiers and (fence is None or MEDIAWIKI in fence) else ()

    async def requests(self, visits: Sequence[FrontierUrl]) -> list[Request]:
        """Pages that we hold are asked about together, before any is read again."""
        to_confirm = [visit for visit in visits if not await self._is_quiet(visit)]
        api = None if self._lists.is_closed else self._addresses.api_url(self.run.source.url)
        ended, to_read, unsaid = await self._confirming.as_listed(to_confirm, self._lists.listed_pages)
        self._ended += ended
        urls, rest = await self._confirming.batched(unsaid, api, self._addresses.prefix)
        return [self.request(visit) for visit in (*self._questions(urls), *to_read, *rest)]

    async def _is_quiet(self, visit: FrontierUrl) -> bool:
        """Whether the wiki's list of changes says that the page is as it was; it then ends here."""
        if not self._changes.is_known or visit.kind != "page" or visit.found_on is None:
            return False
        held = (await self._confirming.held()).get(url_hash(visit.url))
        is_quiet = held is not None and self._changes.is_quiet(held, self._addresses.url)
        if held is None or not is_quiet or not self._confirming.may_ask(visit.url):
            return False
        self._ended.append(self._changes.ended(visit, held))
        return True

    async def parse(self, response: Response) -> AsyncIterator[PageItem | Request]:
        """Pages that one answer ends go to the pipelines together: Scrapy takes its outputs two at a time."""
        ends: list[PageItem] = []
        assert response.request is not None
        visit = run_visit(response.request)
        async for output in super().parse(response):
            if isinstance(output, PageItem) and output.visit.url != visit.url:
                ends.append(output)
            else:
                yield output
        engine = self._crawler.engine
        assert engine is not None
        for at in range(0, len(ends), _REQUEST_BATCH_SIZE):
            await asyncio.gather(
                *(
                    engine.scraper.start_itemproc_async(one, response=response)
                    for one in ends[at : at + _REQUEST_BATCH_SIZE]
                )
            )

    async def finish(self, item: PageItem) -> list[PageItem | Request]:
        apply_page_html(item, self.job, self.run, self._addresses.prefix)
        if self._confirming.is_question(item.visit.url):
            outputs = await self._of_many(item)
        elif self._moves.is_question(item.visit.url):
            outputs = [item, *self._moves.take(item, self._addresses.url)]
        else:
            outputs = await super().finish(item)
            self._lists.forget(item)
        ended, self._ended = self._ended, []
        return [*outputs, *ended]

    async def _of_many(self, item: PageItem) -> list[PageItem | Request]:
        """What an answer about many pages ends and leads to; where pages are missing, the wiki's log may say why."""
        ended, to_read, further = await self._confirming.ends(item, self._addresses.url)
        api = item.visit.url.partition("?")[0]
        ended_or_moved, question = await self._moves.follow_moves(ended, api)
        visits = [*self._questions([*further, *([question] if question else [])]), *to_read]
        return [item, *ended_or_moved, *(self.request(visit) for visit in visits)]

    def _questions(self, urls: Iterable[str]) -> list[FrontierUrl]:
        return [self.visit(url, kind="api", found_by="api") for url in urls]

    async def leads_to(self, item: PageItem) -> list[FrontierUrl]:
        if item.alias_of is not None:
            visits = self.follow_redirect(item, item.alias_of)
            item.alias_of = None if item.state == "failed" else item.alias_of
            return visits
        if item.visit.kind == "page":
            if (
                item.visit.found_by == IN_LEDGER
                and item.state in {"captured", "unchanged"}
                and self.run.limits.incomplete_reason is None
            ):
                item.state, item.reason = "excluded", Reason(ReasonCode.NOT_LISTED)
            return []
        if item.visit.kind == "api" and not api_queries.is_list_url(item.visit.url):
            return await self._of_site(item)
        if item.visit.kind == "api" and api_queries.is_changes_url(item.visit.url):
            return await self._of_changes(item)
        return await self._lists.take(item)

    # --- what the wiki says of itself -----------------------------------------------------------------------------

    async def _of_site(self, item: PageItem) -> list[FrontierUrl]:
        """All that the source names, once it is known how the wiki's addresses look."""
        body = await self._addresses.learn(item)
        api = item.visit.url.partition("?")[0]
        if not names_wiki_pages(self.run.source):
            return self._content(item, api_queries.parse_wiki_content(body))
        question = await self._changes.begin(api, body or b"", self._lists.first(api))
        return self._whole(item) if question is None else self._questions([question])

    def _content(self, item: PageItem, content: api_queries.WikiContent) -> list[FrontierUrl]:
        """The start page, and the content of the wiki."""
        self._limit_content(content)
        return [self.visit(self.run.source.url, found_by="api"), *self._whole(item)]

    def _limit_content(self, content: api_queries.WikiContent) -> None:
        """Have the content namespaces listed.

        Not all are known where the wiki counts more pages than a run takes, and the source does not bound them.
        """
        self._lists.content_namespaces = content.namespaces
        most = self.run.frontier.max_pages
        if self.run.source.scrape_config.max_pages is None and (content.articles or 0) > most:
            self.run.limits.mark_incomplete(Reason(ReasonCode.WIKI_TOO_LARGE, pages=content.articles, limit=most))

    def _whole(self, item: PageItem) -> list[FrontierUrl]:
        return self._named(item, self._lists.first(item.visit.url.partition("?")[0]))

    def _named(self, item: PageItem, urls: Iterable[str]) -> list[FrontierUrl]:
        """The lists at *urls*, and the pages that the source names one by one."""
        pages = self._addresses.in_scope(item, self._addresses.pages(self._titles))
        return [*self._lists.begin(urls), *pages]

    async def _of_changes(self, item: PageItem) -> list[FrontierUrl]:
        """Once it is known what changed: categories are listed as ever; of namespaces, what we hold and what is new."""
        further = self._changes.take(item)
        if further is None:
            return self._whole(item)
        if further or not self._changes.is_known:
            return self._questions(further)
        api = item.visit.url.partition("?")[0]
        visits = self._named(
            item, [url for url in self._lists.first(api) if api_queries.listed_category(url) is not None]
        )
        wiki = self.run.source.scrape_config.mediawiki
        if wiki is None or not (wiki.namespaces or wiki.prefix):
            return visits
        held = [one.url for one in (await self._confirming.held()).values()]
        new = self._addresses.pages(self._changes.titles_in(wiki), found_on=item.visit.url)
        known = [self.visit(url, found_on=item.visit.url, found_by="api") for url in held]
        return [*visits, *self._addresses.listed_in_scope(item, [*known, *new])]

    @property
    def _titles(self) -> tuple[str, ...]:
        wiki = self.run.source.scrape_config.mediawiki
        return wiki.titles if wiki is not None else ()

    def _known(self, connection: Connection) -> list[UrlRow]:
        return frontier.list_urls(connection, self.run.run_id)


# Pages of a wiki as people see them, its api.php being closed: with what the API would have said of them.


def apply_page_html(item: PageItem, job: Job, run: Run, prefix: str) -> None:
    """Note on *item* that its title redirects, and that it only tells meanings apart.

    A title that redirects is an alias where the page is one of the run's own, or a list named the title; where the
    source names it, it keeps its address, if only its text is shown there.
    """
    facts, url = item.fetched, item.visit.url
    if facts is None or facts.tier == MEDIAWIKI or item.visit.kind != "page" or not _is_wiki_page(item):
        return
    read = wiki_page.read_page_html(facts.body, url, prefix)
    if read.is_disambiguation:
        item.fetched = replace(facts, api_metadata=replace(facts.api_metadata, disambiguation=True))
    to = read.leads_to
    if to is None:
        return
    if to in {"", url}:
        item.state = "failed"
        item.reason = (
            Reason(ReasonCode.REDIRECT_LOOP, rule="the wiki page redirects in a loop")
            if to
            else Reason(ReasonCode.REDIRECT_TO_NO_PAGE)
        )
    elif read.is_stub or item.visit.found_on is not None or url_hash(to) in run.frontier.known:
        item.state, item.reason, item.alias_of, item.fetched = "excluded", Redirected(to).reason, to, None
    elif (robots := job.robots.get(origin_of(to))) is not None and not robots.allows(to):
        item.state, item.reason = "excluded", Reason(ReasonCode.ROBOTS_DISALLOWED_TARGET, target_url=to)


def _is_wiki_page(item: PageItem) -> bool:
    """Whether it is a page of the wiki, or the stub that a title shows which redirects twice: it tells where to."""
    is_stub = item.verdict is not None and item.verdict.kind == "redirect_stub"
    return item.state == "captured" or (item.state == "failed" and is_stub)
