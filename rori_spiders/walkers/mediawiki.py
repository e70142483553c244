"""`method: mediawiki`: the pages of a wiki that the source names, each by the wiki's API, known by its human URL.

First the wiki says how its addresses look; then come its lists (members of categories, pages of namespaces), each
answer a row of the frontier, as sitemaps are; then the pages. A list that cannot be read to its end fails the run:
nobody must take the pages that it would have named for gone.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rori_spiders.exceptions import ConversionError
from rori_spiders.ledger import audit, frontier
from rori_spiders.tiers import wiki_changes, wiki_lists
from rori_spiders.tiers.base import MEDIAWIKI
from rori_spiders.tiers.wiki_titles import article_path, url_of
from rori_spiders.urls import host_of, normalise, url_hash
from rori_spiders.walkers.base import Walker
from rori_spiders.walkers.wiki_changes import RecentChanges
from rori_spiders.walkers.wiki_confirming import Confirming
from rori_spiders.walkers.wiki_moves import Moves

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from rori_spiders.items import PageItem, Visit
    from rori_spiders.ledger.frontier import UrlRow
    from rori_spiders.run import Run
    from rori_spiders.tiers.wiki_lists import Listed

#: Answers with lists that one run reads: of 500 titles each, 25 times as many pages as a run takes by default.
MAX_LISTS = 1000
#: Where a wiki leaves out what we did not ask for, some answers of a list may be empty, but not this many in a row.
MOST_EMPTY = 20
#: As REDIRECT_MAX_TIMES for single pages.
MAX_HOPS = 5
_FULL = "as many pages as the run may take are known: what else the list names is not asked for"
_FILE = "a file or a special page of the wiki: no page of text"

logger = logging.getLogger(__name__)


class MediaWikiWalker(Walker):
    """One visit a title; the title is read off the page's URL again, so that a run can go on from its frontier."""

    def __init__(self, crawler: Crawler, run: Run) -> None:
        super().__init__(crawler, run)
        self._said: str | None = None  # what stands before titles, as the wiki says
        self._levels: dict[str, int] = {}  # of categories: the least at which they were found
        self._lists = 0
        self._titles_of: dict[str, set[str]] = {}  # of lists: what their answers have named
        self._empty: Counter[str] = Counter()  # of lists: answers in a row that named nothing
        self._confirming = Confirming(self.job, run)
        self._changes = RecentChanges(self.job, run)
        self._moves = Moves(self.job, run)
        self._ended: list[PageItem] = []  # pages that need no request; they go with the next item
        run.most_pages = self.job.settings.getint("RORI_MAX_PAGES")

    def start(self) -> list[Visit]:
        api = self._api_url(self.run.source.url)
        if api is None or not (self._titles or self._first_lists(api)):
            return self._pages(self._titles) or [self.visit(self.run.source.url, found_by="api")]
        return [self.visit(wiki_lists.site_url(api), kind="api", found_by="api")]

    async def resume(self, pending: list[Visit]) -> list[Visit]:
        """What an earlier job learnt is read again: how the addresses look, and what its lists came to."""
        rows = [row for row in await self.job.read(self._known) if row.kind == "api"]
        for row in rows:
            if wiki_lists.is_site(row.url):
                self._said = await self._last_said(row.url)
            if not wiki_lists.is_list(row.url):
                continue
            self._lists += row.state != "excluded"
            self._note_level(row.url)
            is_lack = row.state in {"failed", "excluded"} and row.reason != _FULL
            if is_lack and not (wiki_changes.is_changes(row.url) or wiki_changes.is_moves(row.url)):
                self._lacks(row.url, row.reason or row.state)
        return await super().resume(pending)

    def meta(self, visit: Visit) -> dict[str, Any]:
        return {"api_url": self._api_url(self.run.source.url), "wiki_prefix": self._prefix}

    def has_api(self, visit: Visit) -> bool:
        return self._api_url(visit.url) is not None

    def request(self, visit: Visit) -> Request:
        """Of a list: as if the source's own page were asked for, whose robots.txt, host and pace hold for it."""
        request = super().request(visit)
        return request if visit.kind == "page" else request.replace(url=normalise(self.run.source.url), priority=100)

    def ladder(self, visit: Visit) -> tuple[str, ...]:
        if visit.kind == "page":
            return super().ladder(visit)
        fence = self.job.catalog.rules(host_of(self.run.source.url)).tiers
        return (MEDIAWIKI,) if MEDIAWIKI in self._tiers and (fence is None or MEDIAWIKI in fence) else ()

    async def requests(self, visits: Sequence[Visit]) -> list[Request]:
        """Pages that we hold are asked about together, before any is read again."""
        asked = [visit for visit in visits if not await self._is_quiet(visit)]
        urls, rest = await self._confirming.batched(asked, self._api_url(self.run.source.url), self._prefix)
        return [self.request(visit) for visit in (*self._questions(urls), *rest)]

    async def _is_quiet(self, visit: Visit) -> bool:
        """Whether the wiki's list of changes says that the page is as it was; it then ends here."""
        if not self._changes.is_known or visit.kind != "page" or visit.found_on is None:
            return False
        held = (await self._confirming.held()).get(url_hash(visit.url))
        if held is None or not self._changes.is_quiet(held, self._url) or not self._confirming.may_ask(visit.url):
            return False
        self._ended.append(self._changes.ended(visit, held))
        return True

    async def finish(self, item: PageItem) -> list[PageItem | Request]:
        if self._confirming.is_question(item.visit.url):
            outputs = await self._of_many(item)
        elif self._moves.is_question(item.visit.url):
            outputs = [item, *self._moves.take(item, self._url)]
        else:
            outputs = await super().finish(item)
        ended, self._ended = self._ended, []
        return [*outputs, *ended]

    async def _of_many(self, item: PageItem) -> list[PageItem | Request]:
        """What an answer about many pages ends and leads to; where pages are missing, the wiki's log may say why."""
        ended, to_read, further = await self._confirming.ends(item, self._url)
        api = item.visit.url.partition("?")[0]
        told, question = await self._moves.told(ended, api)
        visits = [*self._questions([*further, *([question] if question else [])]), *to_read]
        return [item, *told, *(self.request(visit) for visit in visits)]

    def _questions(self, urls: Iterable[str]) -> list[Visit]:
        return [self.visit(url, kind="api", found_by="api") for url in urls]

    async def leads_to(self, item: PageItem) -> list[Visit]:
        if item.alias_of is not None:
            return self._target(item, item.alias_of)
        if item.visit.kind != "api":
            return []
        if not wiki_lists.is_list(item.visit.url):
            return await self._of_site(item)
        if wiki_changes.is_changes(item.visit.url):
            return await self._of_changes(item)
        try:
            found = await self._of_list(item)
        except Exception as error:
            self._lacks(item.visit.url, f"walker_error: {error}")
            raise
        if item.state != "captured":
            self._lacks(item.visit.url, item.reason)
        return found

    def _target(self, item: PageItem, url: str) -> list[Visit]:
        """The page that a title redirects to inside the wiki, where a list named the title."""
        if item.visit.found_on is None:
            return []
        if item.visit.hops >= MAX_HOPS:
            item.state, item.reason, item.alias_of = "failed", f"redirect_loop: more than {MAX_HOPS} redirects", None
            return []
        reason = self.run.scope.excludes(url)
        if reason is not None:
            item.reason += f" ({reason})"
            return []
        return [replace(item.visit, url=normalise(url), hops=item.visit.hops + 1)]

    # --- what the wiki says of itself -----------------------------------------------------------------------------

    async def _of_site(self, item: PageItem) -> list[Visit]:
        """All that the source names, once it is known how the wiki's addresses look."""
        body = item.fetched.body if item.state == "captured" and item.fetched is not None else None
        self._said = self._prefix_in(body)
        if self._said is None:
            self._said = await self._last_said(item.visit.url)
        if self._said is None:
            logger.info(
                "%(source)s: the wiki does not say how its addresses look (%(reason)s): taken from the source's own",
                {"source": self.run.source_id, "reason": item.reason or "another form"},
            )
        api = item.visit.url.partition("?")[0]
        question = await self._changes.begin(api, body or b"", self._first_lists(api))
        return self._whole(item) if question is None else self._questions([question])

    def _whole(self, item: PageItem) -> list[Visit]:
        return self._named(item, self._first_lists(item.visit.url.partition("?")[0]))

    def _named(self, item: PageItem, urls: Iterable[str]) -> list[Visit]:
        """The lists at *urls*, and the pages that the source names one by one."""
        lists = self._questions(urls)
        for visit in lists:
            self._note_level(visit.url)
        self._lists += len(lists)
        return [*lists, *self._in_scope(item, self._pages(self._titles))]

    async def _of_changes(self, item: PageItem) -> list[Visit]:
        """Once it is known what changed: categories are listed as ever; of namespaces, what we hold and what is new."""
        further = self._changes.take(item)
        if further is None:
            return self._whole(item)
        if further or not self._changes.is_known:
            return self._questions(further)
        api = item.visit.url.partition("?")[0]
        visits = self._named(item, [url for url in self._first_lists(api) if wiki_lists.category_of(url) is not None])
        wiki = self.run.source.scrape_config.mediawiki
        if wiki is None or not (wiki.namespaces or wiki.prefix):
            return visits
        held = [one.url for one in (await self._confirming.held()).values()]
        new = self._pages(self._changes.titles_in(wiki), found_on=item.visit.url)
        known = [self.visit(url, found_on=item.visit.url, found_by="api") for url in held]
        return [*visits, *self._in_scope(item, [*known, *new])]

    @staticmethod
    def _prefix_in(body: bytes | None) -> str | None:
        try:
            return None if body is None else wiki_lists.article_prefix(body)
        except ValueError:
            return None

    async def _last_said(self, url: str) -> str | None:
        if self.run.unrecorded:
            return None  # a map opens no store
        return await self.job.in_thread(lambda: self._kept_prefix(url))

    def _kept_prefix(self, url: str) -> str | None:
        """What the wiki said when it was last asked, by the evidence that was kept: pages keep their addresses."""
        with self.job.ledger.connect() as connection:
            rows = audit.query(connection, source_id=self.run.source_id, kind="api", state="fetched", url=url, limit=1)
            digest = next((row["raw_hash"] for row in rows), None)
        if digest is None or not self.job.store.has_object(digest):
            return None
        return self._prefix_in(self.job.store.get_object(digest))

    # --- lists ----------------------------------------------------------------------------------------------------

    def _first_lists(self, api: str) -> list[str]:
        wiki = self.run.source.scrape_config.mediawiki
        if wiki is None:
            return []
        names = dict.fromkeys(f"Category:{name.removeprefix('Category:')}" for name in wiki.categories)
        namespaces = wiki.namespaces or ((0,) if wiki.prefix else ())
        return [
            *(wiki_lists.category_url(api, name, level=0, depth=wiki.category_depth) for name in names),
            *(wiki_lists.namespace_url(api, number, wiki.prefix) for number in dict.fromkeys(namespaces)),
        ]

    async def _of_list(self, item: PageItem) -> list[Visit]:
        """The pages that an answer names, and the lists that it leads to: where it goes on, sub-categories."""
        if item.state != "captured" or item.fetched is None:
            return []
        url, body = item.visit.url, item.fetched.body
        try:
            listed = await self.job.in_pool(len(body), wiki_lists.read, body)
            further = self._further(url, listed)
            pages = self._pages(listed.pages, found_on=url)
            files = self._pages(listed.files, found_on=url)
        except (ValueError, ConversionError) as error:
            item.state, item.reason = "failed", f"bad_list: {error}"
            return []
        if wiki_lists.is_first(url) and (listed.is_unknown or (listed.is_empty and "cmtitle" not in url)):
            item.state, item.reason = "failed", "not_found: the wiki has none; look at the spelling in the manifest"
            return []
        item.excluded = (*item.excluded, *((visit, _FILE) for visit in files if self.run.exclude(visit)))
        item.reason = f"the API warns: {listed.warning}" if listed.warning else item.reason
        kept = self._in_scope(item, pages)
        return [*kept, *self._affordable(item, further, kept)]

    def _further(self, url: str, listed: Listed) -> list[str]:
        """The addresses of what follows. Raises ValueError where the list goes round."""
        wiki, api = self.run.source.scrape_config.mediawiki, url.partition("?")[0]
        depth, level = (wiki.category_depth if wiki is not None else 0), wiki_lists.level_of(url) + 1
        further = []
        if listed.more:
            more = normalise(wiki_lists.continued(url, listed.more))
            self._goes_on(wiki_lists.first_of(url), more, {*listed.pages, *listed.files, *listed.categories})
            further.append(more)
        for title in listed.categories:
            if level <= depth and level < self._levels.get(title, depth + 1):
                self._levels[title] = level
                further.append(wiki_lists.category_url(api, title, level=level, depth=depth))
        return further

    def _goes_on(self, first: str, more: str, named: set[str]) -> None:
        """Raises ValueError for a list that begins at *first* and would go on without end."""
        before = self._titles_of.setdefault(first, set())
        if url_hash(more) in self.run.known or (named and named <= before):
            raise ValueError("the list goes round: the wiki names again what it named before")
        self._empty[first] = 0 if named else self._empty[first] + 1
        if self._empty[first] == MOST_EMPTY:
            raise ValueError(f"{MOST_EMPTY} answers in a row name no page, and each says that there is more")
        before |= named

    def _affordable(self, item: PageItem, urls: list[str], pages: list[Visit]) -> list[Visit]:
        """Of the lists at *urls*, those that are still read; *item* notes the others."""
        most = self.run.source.scrape_config.max_pages or self.run.most_pages
        new = len({visit.url for visit in pages if url_hash(visit.url) not in self.run.known})
        is_full = self.run.pages_known + new >= most
        visits = []
        for url in urls:
            level = wiki_lists.level_of(url)
            visit = self.visit(url, kind="api", found_on=item.visit.url, found_by="api", depth=level)
            if not is_full and self._lists < MAX_LISTS:
                self._lists += 1
                visits.append(visit)
            elif self.run.exclude(visit):
                reason = _FULL if is_full else f"{MAX_LISTS} answers with lists, the most that a run reads"
                item.excluded = (*item.excluded, (visit, reason))
                if not is_full:
                    self._lacks(url, reason)
        return visits

    def _note_level(self, url: str) -> None:
        if (title := wiki_lists.category_of(url)) is not None:
            level = wiki_lists.level_of(url)
            self._levels[title] = min(level, self._levels.get(title, level))

    def _lacks(self, url: str, reason: str) -> None:
        """The run fails: pages of the source may be missing from it, and nobody knows which."""
        if self.run.lacks is None:
            self.run.lacks = (
                f"not all of its pages are known, the wiki's API did not give {wiki_lists.words(url)} ({reason});"
                " where it stays closed, name the pages by `titles`"
            )

    # --- pages ----------------------------------------------------------------------------------------------------

    @property
    def _titles(self) -> tuple[str, ...]:
        wiki = self.run.source.scrape_config.mediawiki
        return wiki.titles if wiki is not None else ()

    def _pages(self, titles: Iterable[str], found_on: str | None = None) -> list[Visit]:
        visits = [self.visit(self._url(title), found_on=found_on, found_by="api") for title in titles]
        return list({visit.url: visit for visit in visits}.values())

    def _in_scope(self, item: PageItem, visits: list[Visit]) -> list[Visit]:
        kept = []
        for visit in visits:
            reason = self.run.scope.excludes(visit.url)
            if reason is None:
                kept.append(visit)
            elif self.run.exclude(visit):
                item.excluded = (*item.excluded, (visit, reason))
        return kept

    def _url(self, title: str) -> str:
        return normalise(url_of(title, self.run.source.url, self._prefix))

    def _api_url(self, url: str) -> str | None:
        wiki = self.run.source.scrape_config.mediawiki
        return (wiki.api_url if wiki is not None else None) or self.job.catalog.api_url(host_of(url))

    def _known(self, connection: Connection) -> list[UrlRow]:
        return frontier.urls(connection, self.run.run_id)

    @property
    def _prefix(self) -> str:
        """What stands before a title in the URLs of this wiki: as it says, else as the source's own URL shows it."""
        return self._said if self._said is not None else article_path(self.run.source.url)
