"""The page lists of a wiki, each read to its end: by its api.php, or as HTML where that is closed; and the URLs of
the titles they name.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from rori_spiders.crawl.tiers.mediawiki import api_queries
from rori_spiders.crawl.tiers.mediawiki import html_pages as wiki_shown
from rori_spiders.crawl.tiers.mediawiki.titles import article_path, title_url
from rori_spiders.exceptions import ConversionError
from rori_spiders.items import FrontierUrl, ListedUrls
from rori_spiders.ledger.audit import audit_log
from rori_spiders.manifest.models import MediaWikiScope
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of, normalise_url, url_hash
from rori_spiders.urls.list_marks import ListMarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.crawl.tiers.mediawiki.api_queries import ListAnswer, PageInfo
    from rori_spiders.items import Fetched, PageItem
    from rori_spiders.ledger.runs.frontier import UrlRow

logger = logging.getLogger(__name__)


#: Answers with lists that one run reads: of 500 titles each, 25 times as many pages as a run takes by default.
MAX_LISTS = 1000
#: Where a wiki leaves out what we did not ask for, some answers of a list may be empty, but not this many in a row.
MAX_EMPTY_ANSWERS = 20
#: Errors by which an API is closed to all, or has no such lists; who blocks us is not asked by another door.
_CLOSED_ERRORS = frozenset({"readapidenied", "permissiondenied", "mustbeloggedin"})
_CLOSED_STATUS = frozenset({400, 401, 403, 404, 405, 410})
_BLOCKED_ERRORS = frozenset({"blocked", "autoblocked"})


class _PendingList(NamedTuple):
    """A list that follows: its address, and how many categories lie above it."""

    url: str
    level: int


class ListedPage(NamedTuple):
    """A list's data about a page that it names, and the answer that contains it."""

    info: PageInfo
    answer: Fetched


class ListReader:
    """Reads the lists of a wiki for one run."""

    def __init__(self, job: Job, run: Run, addresses: WikiUrls) -> None:
        self._job = job
        self._run = run
        self._addresses = addresses
        self._levels: dict[str, int] = {}  # of categories: the least at which they were found
        self._read = 0
        self._titles_of: dict[str, set[str]] = {}  # of lists: what their answers have named
        self._empty: Counter[str] = Counter()  # of lists: answers in a row that named nothing
        self._refused: dict[str, str] = {}  # addresses of lists that people see -> why the API did not give them
        self.is_closed = False  # whether lists are read as people see them
        self.content_namespaces: tuple[int, ...] = ()  # the wiki's own, where the source names no pages
        self.listed_pages: dict[
            str, ListedPage
        ] = {}  # by hash of the URL: what answers that are being taken in say of pages

    # --- which ----------------------------------------------------------------------------------------------------

    def first(self, api: str) -> list[str]:
        """Where the lists begin that the source names; where it names none, those of the wiki's content."""
        wiki = self._run.source.scrape_config.mediawiki or MediaWikiScope()
        names = dict.fromkeys(f"Category:{name.removeprefix('Category:')}" for name in wiki.categories)
        namespaces = wiki.namespaces or ((0,) if wiki.prefix else self.content_namespaces)
        return [
            *(api_queries.category_list_url(api, name, level=0, depth=wiki.category_depth) for name in names),
            *(api_queries.namespace_list_url(api, number, wiki.prefix) for number in dict.fromkeys(namespaces)),
        ]

    def begin(self, urls: Iterable[str]) -> list[FrontierUrl]:
        """The visits of *urls*, which ask the API for lists."""
        visits = [self._addresses.visit(url, kind="api", found_by="api") for url in urls]
        for visit in visits:
            self._note_level(visit.url)
        self._read += len(visits)
        return visits

    def recall(self, rows: Sequence[UrlRow]) -> None:
        """What an earlier job of the run learnt, from its *rows* of the frontier."""
        shown = [row for row in rows if row.kind == "sitemap"]
        api_rows = [row for row in rows if row.kind == "api" and api_queries.is_list_url(row.url)]
        self.is_closed = bool(shown)
        self._refused = {row.url: "it is closed" for row in shown}
        for row in (*shown, *api_rows):
            self._read += row.state != "excluded"
            self._note_level(row.url, row.depth)
            is_lack = row.state == "failed" or (row.state == "excluded" and not self._is_own_limit(row.reason_code))
            if is_lack and not self._is_available_otherwise(row):
                self.add_missing(row.url, row.reason or row.state)

    def _is_available_otherwise(self, row: UrlRow) -> bool:
        """Whether nothing is lost with a list: it is one of changes, or the wiki showed it to us."""
        if row.kind == "sitemap":
            return False
        is_hint = api_queries.is_changes_url(row.url) or api_queries.is_moves_url(row.url)
        return is_hint or self._shown_for(row.url) in self._refused

    def _note_level(self, url: str, level: int = 0) -> None:
        is_api_list = api_queries.is_list_url(url)
        title = api_queries.listed_category(url) if is_api_list else wiki_shown.category_of_page(url)
        if title is not None:
            level = api_queries.category_level(url) if is_api_list else level
            self._levels[title] = min(level, self._levels.get(title, level))

    # --- one answer -----------------------------------------------------------------------------------------------

    async def take(self, item: PageItem) -> list[FrontierUrl]:
        """The pages that an answer names, and the lists that it leads to: where it goes on, sub-categories."""
        try:
            found = await self._take(item)
        except Exception as error:
            self.add_missing(item.visit.url, Reason.of_error(error, ReasonCode.WALKER_ERROR))
            raise
        if item.state == "captured":
            return found
        if item.visit.kind == "api" and is_api_closed(item):
            return self._instead(item)
        self.add_missing(item.visit.url, item.reason)
        return []

    async def _take(self, item: PageItem) -> list[FrontierUrl]:
        if item.state != "captured" or item.fetched is None:
            return []
        url = item.visit.url
        try:
            listed, further = await (self._shown(item) if item.visit.kind == "sitemap" else self._from_api(item))
        except (ValueError, ConversionError) as error:
            item.state, item.reason = "failed", Reason(ReasonCode.BAD_LIST, error=str(error))
            return []
        if listed.is_unknown:
            item.state, item.reason = "failed", Reason(ReasonCode.LIST_UNKNOWN)
            return []
        files = self._addresses.pages(listed.files, found_on=url)
        no_text = Reason(ReasonCode.NOT_TEXT)
        self._addresses.leave_out(item, [(visit, no_text) for visit in files])
        if listed.warning:
            item.reason = Reason(ReasonCode.API_WARNING, error=listed.warning)
        in_scope = self._addresses.listed_in_scope(item, self._addresses.pages(listed.pages, found_on=url))
        return [*in_scope, *self._affordable(item, further, in_scope)]

    async def _from_api(self, item: PageItem) -> tuple[ListAnswer, list[_PendingList]]:
        """What the API's answer names, and what follows."""
        assert item.fetched is not None
        url, body = item.visit.url, item.fetched.body
        title, is_first = api_queries.listed_category(url), api_queries.is_first_list_url(url)
        listed = await self._job.workers.run(
            len(body), api_queries.parse_list_answer, body, of_category=title is not None
        )
        listed = listed._replace(is_unknown=is_first and (listed.is_unknown or (listed.is_empty and title is None)))
        self.listed_pages |= {
            url_hash(self._addresses.url(one.title)): ListedPage(one, item.fetched)
            for one in listed.infos
            if one.title in listed.pages
        }
        api, level, further = url.partition("?")[0], api_queries.category_level(url), []
        if listed.more:
            more = normalise_url(api_queries.continue_list_url(url, listed.more))
            self._goes_on(api_queries.first_list_url(url), more, listed.named)
            further.append(_PendingList(more, level))
        if (
            title is not None
            and level == 0
            and is_first
            and listed.is_empty
            and not api_queries.is_category_exists_url(url)
        ):
            further.append(_PendingList(normalise_url(api_queries.category_exists_url(api, title)), level))
        for title in self._below(listed.categories, level + 1):
            list_url = api_queries.category_list_url(api, title, level=level + 1, depth=self._depth)
            further.append(_PendingList(list_url, level + 1))
        return listed, further

    async def _shown(self, item: PageItem) -> tuple[ListAnswer, list[_PendingList]]:
        """What a page that people see names, and what follows."""
        assert item.fetched is not None
        at, body, level = item.visit.url, item.fetched.body, item.visit.depth
        prefix, is_deep = self._addresses.prefix, level < self._depth
        shown = await self._job.workers.run(
            len(body), wiki_shown.read_html_list, body, item.fetched.final_url, prefix, is_deep
        )
        further = [_PendingList(normalise_url(more), level) for more in shown.more]
        for one in further:
            self._goes_on(wiki_shown.list_key(one.url), one.url, {*shown.pages, *shown.categories})
        further += [
            _PendingList(self._category(title), level + 1) for title in self._below(shown.categories, level + 1)
        ]
        is_empty = not (shown.pages or shown.categories or shown.more) and wiki_shown.is_first_all_pages_url(at)
        return api_queries.ListAnswer(shown.pages, (), shown.categories, {}, is_unknown=is_empty), further

    def forget(self, item: PageItem) -> None:
        """What its answer said of pages has been taken in."""
        self.listed_pages = {key: one for key, one in self.listed_pages.items() if one.answer is not item.fetched}

    @property
    def _depth(self) -> int:
        wiki = self._run.source.scrape_config.mediawiki
        return wiki.category_depth if wiki is not None else 0

    def _below(self, categories: Iterable[str], level: int) -> list[str]:
        """Those of *categories* that are to be listed, too: none twice, however they contain each other."""
        found = []
        for title in categories:
            if level <= self._depth and level < self._levels.get(title, self._depth + 1):
                self._levels[title] = level
                found.append(title)
        return found

    def _goes_on(self, chain: str, more: str, named: set[str]) -> None:
        """Raises ValueError for a list, known by *chain*, that would go on at *more* without end."""
        before = self._titles_of.setdefault(chain, set())
        if url_hash(more) in self._run.frontier.known or (named and named <= before):
            raise ValueError("the list loops: the wiki repeats pages that it listed before")
        self._empty[chain] = 0 if named else self._empty[chain] + 1
        if self._empty[chain] == MAX_EMPTY_ANSWERS:
            raise ValueError(f"{MAX_EMPTY_ANSWERS} responses in a row listed no page but continue")
        before |= named

    def _affordable(
        self, item: PageItem, further: Iterable[_PendingList], pages: list[FrontierUrl]
    ) -> list[FrontierUrl]:
        """Of the lists that follow, those that are still read; *item* notes the others."""
        most = self._run.source.scrape_config.max_pages or self._run.frontier.max_pages
        new = len({visit.url for visit in pages if url_hash(visit.url) not in self._run.frontier.known})
        is_full = self._run.frontier.pages_known + new >= most
        visits = []
        for url, level in further:
            visit = self._addresses.visit(
                url, kind=item.visit.kind, found_on=item.visit.url, found_by="api", depth=level
            )
            if not is_full and self._read < MAX_LISTS:
                self._read += 1
                visits.append(visit)
            elif self._run.frontier.exclude(visit):
                code, limit = (ReasonCode.LIST_PAGE_CAP, most) if is_full else (ReasonCode.LIST_CAP, MAX_LISTS)
                reason = Reason(code, limit=limit)
                item.excluded = (*item.excluded, (visit, reason))
                if not self._is_own_limit(code):
                    self.add_missing(url, reason)
        return visits

    def _is_own_limit(self, code: str | None) -> bool:
        """Whether a list was left because the source's own `max_pages` was reached, and not a limit of every run."""
        return code == ReasonCode.LIST_PAGE_CAP and self._run.source.scrape_config.max_pages is not None

    # --- where the API is closed ----------------------------------------------------------------------------------

    def _instead(self, item: PageItem) -> list[FrontierUrl]:
        """The list that the API refuses, from its beginning, as the wiki shows it."""
        self.is_closed = True
        url = self._shown_for(item.visit.url)
        self._refused.setdefault(url, item.reason)
        level = api_queries.category_level(item.visit.url)
        visit = self._addresses.visit(url, kind="sitemap", found_on=item.visit.url, found_by="api", depth=level)
        return [] if url_hash(visit.url) in self._run.frontier.known else [visit]

    def _shown_for(self, url: str) -> str:
        """Where the wiki shows the list that *url* asks its API for."""
        if (title := api_queries.listed_category(url)) is not None:
            return self._category(title)
        number, begins = api_queries.listed_namespace(url)
        return normalise_url(wiki_shown.all_pages_url(number, begins, self._run.source.url, self._addresses.prefix))

    def _category(self, title: str) -> str:
        """The page of a category; apart from its own text, where the source collects that as well."""
        wiki = self._run.source.scrape_config.mediawiki
        named = {self._addresses.url(one) for one in wiki.titles} if wiki is not None else set()
        is_page = wiki is not None and (14 in wiki.namespaces or self._addresses.url(title) in named)
        own = self._run.source.url
        return normalise_url(wiki_shown.category_page_url(title, own, self._addresses.prefix, apart_from_page=is_page))

    def add_missing(self, url: str, reason: str) -> None:
        """The run fails: pages of the source may be missing from it, and nobody knows which."""
        if self._run.limits.incomplete_reason is not None:
            return
        if api_queries.is_list_url(url):
            failure = f"the wiki's API did not return {api_queries.describe_list_url(url)} ({reason})"
        else:
            first = self._refused.get(url)
            api = f"the wiki's API did not return {wiki_shown.describe_html_list(url)} ({first}), and " if first else ""
            failure = f"{api}the wiki did not show them at {url} ({reason})"
        self._run.limits.mark_incomplete(
            Reason(ReasonCode.PAGES_UNKNOWN, error=f"{failure}; if this persists, list the pages in `titles`")
        )


def is_api_closed(item: PageItem) -> bool:
    """Whether *item*, a question to an API that failed, says that it is closed, and not only busy or broken."""
    error = item.reason.detail.get("rule") if item.reason.code == ReasonCode.API_ERROR else None
    if item.state != "failed" or error in _BLOCKED_ERRORS:
        return False
    is_closed = item.reason.code == ReasonCode.NO_API or error in _CLOSED_ERRORS
    return is_closed or (item.fetched is not None and item.fetched.status in _CLOSED_STATUS)


# How the URLs of a run's wiki look: as it says of itself, once a run; else as it said last, or as the source's own.
# Pages keep their addresses so, whatever way they are read.


class WikiUrls:
    """The URLs of titles, and the visits of them, for one run."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self._article_prefix: str | None = None  # what stands before titles, as the wiki says

    async def learn(self, item: PageItem) -> bytes | None:
        """Take in *item*, the wiki's answer about itself; gives it, where there is one."""
        body = item.fetched.body if item.state == "captured" and item.fetched is not None else None
        self._article_prefix = _parse_article_prefix(body)
        if self._article_prefix is None:
            await self.recall(item.visit.url)
        if self._article_prefix is None:
            logger.info(
                "%(source)s: the wiki does not report its URL pattern (%(reason)s); using that of the source's URL",
                {"source": self._run.source_id, "reason": item.reason or "another form"},
            )
        return body

    async def recall(self, question: str) -> None:
        """What the wiki said when it was last asked *question*, by the evidence that was kept."""
        self._article_prefix = _parse_article_prefix(await self.stored_answer(question))

    async def stored_answer(self, question: str) -> bytes | None:
        """What the wiki answered to *question* when it was last asked; None where no evidence is kept."""
        if not self._run.is_in_ledger:
            return None  # a map opens no store
        return await self._job.storage.run(lambda: self._load_answer(question))

    def _load_answer(self, question: str) -> bytes | None:
        of = self._run.source_id
        rows = self._job.storage.ledger.read(
            lambda conn: list(
                audit_log.query_rows(conn, source_id=of, kind="api", state="fetched", url=question, limit=1)
            )
        )
        digest = next((row["raw_hash"] for row in rows), None)
        if digest is None or not self._job.storage.store.has_object(digest):
            return None
        return self._job.storage.store.get_object(digest)

    @property
    def prefix(self) -> str:
        """What stands before a title in the URLs of this wiki."""
        return self._article_prefix if self._article_prefix is not None else article_path(self._run.source.url)

    def api_url(self, url: str) -> str | None:
        wiki = self._run.source.scrape_config.mediawiki
        return (wiki.api_url if wiki is not None else None) or self._job.manifests.catalog.api_url(host_of(url))

    def url(self, title: str) -> str:
        return normalise_url(title_url(title, self._run.source.url, self.prefix))

    def visit(self, url: str, **facts: Any) -> FrontierUrl:
        return FrontierUrl(self._run.run_id, self._run.source_id, normalise_url(url), **facts)

    def pages(self, titles: Iterable[str], found_on: str | None = None) -> list[FrontierUrl]:
        """A visit of each title's page, once."""
        visits = [self.visit(self.url(title), found_on=found_on, found_by="api") for title in titles]
        return list({visit.url: visit for visit in visits}.values())

    def in_scope(self, item: PageItem, visits: Iterable[FrontierUrl]) -> list[FrontierUrl]:
        """Those of *visits*, which the source names, that belong to it; *item* notes the others."""
        own, left_out = self._split_by_scope(visits)
        item.excluded = (*item.excluded, *(one for one in left_out if self._run.frontier.exclude(one[0])))
        return own

    def listed_in_scope(self, item: PageItem, visits: Iterable[FrontierUrl]) -> list[FrontierUrl]:
        """Those of *visits*, which the list of *item* names, that belong to the source; the others are counted."""
        own, left_out = self._split_by_scope(visits)
        self.leave_out(item, left_out)
        return own

    def _split_by_scope(
        self, visits: Iterable[FrontierUrl]
    ) -> tuple[list[FrontierUrl], list[tuple[FrontierUrl, Reason]]]:
        own: list[FrontierUrl] = []
        left_out: list[tuple[FrontierUrl, Reason]] = []
        for visit in visits:
            reason = self._run.scope.excludes(visit.url)
            if reason is None:
                own.append(visit)
            else:
                left_out.append((visit, reason))
        return own, left_out

    def leave_out(self, item: PageItem, left_out: Iterable[tuple[FrontierUrl, Reason]]) -> None:
        """Count pages that the list of *item* names and the run does not request, each with its reason.

        The list names titles: their URLs are kept beside it, in plain text. One that holds a secret has a row, as each
        has in a map.
        """
        new = [one for one in left_out if self._run.frontier.exclude(one[0])]
        if self._run.is_in_ledger:
            counted = [one for one in new if self._job.redactor.url(one[0].url) == one[0].url]
            new = [one for one in new if self._job.redactor.url(one[0].url) != one[0].url]
            if counted and item.listed is None:
                item.listed = ListedUrls(ListMarks(), b"")
            for visit, reason in counted:
                assert item.listed is not None and item.listed.body is not None, "made above"
                item.listed.marks.exclude("page", reason, is_new=True)
                item.listed.body += f"{visit.url}\n".encode()
        item.excluded = (*item.excluded, *new)


def _parse_article_prefix(body: bytes | None) -> str | None:
    try:
        return None if body is None else api_queries.parse_article_prefix(body)
    except ValueError:
        return None
