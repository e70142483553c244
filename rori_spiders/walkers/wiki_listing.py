"""The lists of a run's wiki, each to its end: by its api.php, and where that is closed as people see them.

Each answer is a row of the frontier: of the kind ``api``, or ``sitemap`` for a page that people see, whose address
robots.txt must allow. A list that can be read neither way fails the run: nobody must take the pages that it would have
named for gone.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.exceptions import ConversionError
from rori_spiders.urls import normalise, url_hash
from rori_spiders.wikis import changes as wiki_changes
from rori_spiders.wikis import lists as wiki_lists
from rori_spiders.wikis import shown as wiki_shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rori_spiders.items import Fetched, PageItem, Visit
    from rori_spiders.job import Job
    from rori_spiders.ledger.frontier import UrlRow
    from rori_spiders.run import Run
    from rori_spiders.walkers.wiki_addresses import Addresses
    from rori_spiders.wikis.lists import Listed
    from rori_spiders.wikis.page_info import PageInfo

#: Answers with lists that one run reads: of 500 titles each, 25 times as many pages as a run takes by default.
MAX_LISTS = 1000
#: Where a wiki leaves out what we did not ask for, some answers of a list may be empty, but not this many in a row.
MOST_EMPTY = 20
_FULL = "as many pages as the run may take are known: what else the list names is not asked for"
_FILE = "a file or a special page of the wiki: no page of text"
#: Reasons by which an API is closed to all, or has no such lists; who blocks us is not asked by another door.
_CLOSED = ("no_api", "api_error: readapidenied", "api_error: permissiondenied", "api_error: mustbeloggedin")
_CLOSED_STATUS = frozenset({400, 401, 403, 404, 405, 410})
_BLOCKED = ("api_error: blocked", "api_error: autoblocked")


class _Next(NamedTuple):
    """A list that follows: its address, and how many categories lie above it."""

    url: str
    level: int


class ToldOf(NamedTuple):
    """What a list says of a page that it names, and the answer that says so."""

    info: PageInfo
    answer: Fetched


class Listing:
    """Of one run."""

    def __init__(self, job: Job, run: Run, addresses: Addresses) -> None:
        self._job = job
        self._run = run
        self._addresses = addresses
        self._levels: dict[str, int] = {}  # of categories: the least at which they were found
        self._read = 0
        self._titles_of: dict[str, set[str]] = {}  # of lists: what their answers have named
        self._empty: Counter[str] = Counter()  # of lists: answers in a row that named nothing
        self._refused: dict[str, str] = {}  # addresses of lists that people see -> why the API did not give them
        self.is_closed = False  # whether lists are read as people see them
        self.told: dict[str, ToldOf] = {}  # by hash of the URL: what answers that are being taken in say of pages

    # --- which ----------------------------------------------------------------------------------------------------

    def first(self, api: str) -> list[str]:
        """Where the lists begin that the source names."""
        wiki = self._run.source.scrape_config.mediawiki
        if wiki is None:
            return []
        names = dict.fromkeys(f"Category:{name.removeprefix('Category:')}" for name in wiki.categories)
        namespaces = wiki.namespaces or ((0,) if wiki.prefix else ())
        return [
            *(wiki_lists.category_url(api, name, level=0, depth=wiki.category_depth) for name in names),
            *(wiki_lists.namespace_url(api, number, wiki.prefix) for number in dict.fromkeys(namespaces)),
        ]

    def begin(self, urls: Iterable[str]) -> list[Visit]:
        """The visits of *urls*, which ask the API for lists."""
        visits = [self._addresses.visit(url, kind="api", found_by="api") for url in urls]
        for visit in visits:
            self._note_level(visit.url)
        self._read += len(visits)
        return visits

    def recall(self, rows: Sequence[UrlRow]) -> None:
        """What an earlier job of the run learnt, from its *rows* of the frontier."""
        shown = [row for row in rows if row.kind == "sitemap"]
        asked = [row for row in rows if row.kind == "api" and wiki_lists.is_list(row.url)]
        self.is_closed = bool(shown)
        self._refused = {row.url: "it is closed" for row in shown}
        for row in (*shown, *asked):
            self._read += row.state != "excluded"
            self._note_level(row.url, row.depth)
            is_lack = row.state in {"failed", "excluded"} and row.reason != _FULL
            if is_lack and not self._is_given_otherwise(row):
                self.lacks(row.url, row.reason or row.state)

    def _is_given_otherwise(self, row: UrlRow) -> bool:
        """Whether nothing is lost with a list: it is one of changes, or the wiki showed it to us."""
        if row.kind == "sitemap":
            return False
        is_hint = wiki_changes.is_changes(row.url) or wiki_changes.is_moves(row.url)
        return is_hint or self._shown_for(row.url) in self._refused

    def _note_level(self, url: str, level: int = 0) -> None:
        is_asked = wiki_lists.is_list(url)
        title = wiki_lists.category_of(url) if is_asked else wiki_shown.category_of(url)
        if title is not None:
            level = wiki_lists.level_of(url) if is_asked else level
            self._levels[title] = min(level, self._levels.get(title, level))

    # --- one answer -----------------------------------------------------------------------------------------------

    async def take(self, item: PageItem) -> list[Visit]:
        """The pages that an answer names, and the lists that it leads to: where it goes on, sub-categories."""
        try:
            found = await self._take(item)
        except Exception as error:
            self.lacks(item.visit.url, f"walker_error: {error}")
            raise
        if item.state == "captured":
            return found
        if item.visit.kind == "api" and is_closed(item):
            return self._instead(item)
        self.lacks(item.visit.url, item.reason)
        return []

    async def _take(self, item: PageItem) -> list[Visit]:
        if item.state != "captured" or item.fetched is None:
            return []
        url = item.visit.url
        try:
            listed, further = await (self._shown(item) if item.visit.kind == "sitemap" else self._given(item))
        except (ValueError, ConversionError) as error:
            item.state, item.reason = "failed", f"bad_list: {error}"
            return []
        if listed.is_unknown:
            item.state, item.reason = "failed", "not_found: the wiki has none; look at the spelling in the manifest"
            return []
        files = self._addresses.pages(listed.files, found_on=url)
        item.excluded = (*item.excluded, *((visit, _FILE) for visit in files if self._run.exclude(visit)))
        item.reason = f"the API warns: {listed.warning}" if listed.warning else item.reason
        kept = self._addresses.in_scope(item, self._addresses.pages(listed.pages, found_on=url))
        return [*kept, *self._affordable(item, further, kept)]

    async def _given(self, item: PageItem) -> tuple[Listed, list[_Next]]:
        """What the API's answer names, and what follows."""
        assert item.fetched is not None
        url, body = item.visit.url, item.fetched.body
        title, is_first = wiki_lists.category_of(url), wiki_lists.is_first(url)
        listed = await self._job.in_pool(len(body), wiki_lists.read, body, of_category=title is not None)
        listed = listed._replace(is_unknown=is_first and (listed.is_unknown or (listed.is_empty and title is None)))
        self.told |= {
            url_hash(self._addresses.url(one.title)): ToldOf(one, item.fetched)
            for one in listed.infos
            if one.title in listed.pages
        }
        api, level, further = url.partition("?")[0], wiki_lists.level_of(url), []
        if listed.more:
            more = normalise(wiki_lists.continued(url, listed.more))
            self._goes_on(wiki_lists.first_of(url), more, listed.named)
            further.append(_Next(more, level))
        if title is not None and level == 0 and is_first and listed.is_empty and not wiki_lists.is_plain(url):
            further.append(_Next(normalise(wiki_lists.is_known_url(api, title)), level))
        for title in self._below(listed.categories, level + 1):
            asked = wiki_lists.category_url(api, title, level=level + 1, depth=self._depth)
            further.append(_Next(asked, level + 1))
        return listed, further

    async def _shown(self, item: PageItem) -> tuple[Listed, list[_Next]]:
        """What a page that people see names, and what follows."""
        assert item.fetched is not None
        at, body, level = item.visit.url, item.fetched.body, item.visit.depth
        prefix, is_deep = self._addresses.prefix, level < self._depth
        shown = await self._job.in_pool(len(body), wiki_shown.read, body, item.fetched.final_url, prefix, is_deep)
        further = [_Next(normalise(more), level) for more in shown.more]
        for one in further:
            self._goes_on(wiki_shown.chain_of(one.url), one.url, {*shown.pages, *shown.categories})
        further += [_Next(self._category(title), level + 1) for title in self._below(shown.categories, level + 1)]
        is_empty = not (shown.pages or shown.categories or shown.more) and wiki_shown.is_of_namespace(at)
        return wiki_lists.Listed(shown.pages, (), shown.categories, {}, is_unknown=is_empty), further

    def forget(self, item: PageItem) -> None:
        """What its answer said of pages has been taken in."""
        self.told = {key: one for key, one in self.told.items() if one.answer is not item.fetched}

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
        if url_hash(more) in self._run.known or (named and named <= before):
            raise ValueError("the list goes round: the wiki names again what it named before")
        self._empty[chain] = 0 if named else self._empty[chain] + 1
        if self._empty[chain] == MOST_EMPTY:
            raise ValueError(f"{MOST_EMPTY} answers in a row name no page, and each says that there is more")
        before |= named

    def _affordable(self, item: PageItem, further: Iterable[_Next], pages: list[Visit]) -> list[Visit]:
        """Of the lists that follow, those that are still read; *item* notes the others."""
        most = self._run.source.scrape_config.max_pages or self._run.most_pages
        new = len({visit.url for visit in pages if url_hash(visit.url) not in self._run.known})
        is_full = self._run.pages_known + new >= most
        visits = []
        for url, level in further:
            visit = self._addresses.visit(
                url, kind=item.visit.kind, found_on=item.visit.url, found_by="api", depth=level
            )
            if not is_full and self._read < MAX_LISTS:
                self._read += 1
                visits.append(visit)
            elif self._run.exclude(visit):
                reason = _FULL if is_full else f"{MAX_LISTS} answers with lists, the most that a run reads"
                item.excluded = (*item.excluded, (visit, reason))
                if not is_full:
                    self.lacks(url, reason)
        return visits

    # --- where the API is closed ----------------------------------------------------------------------------------

    def _instead(self, item: PageItem) -> list[Visit]:
        """The list that the API refuses, from its beginning, as the wiki shows it."""
        self.is_closed = True
        url = self._shown_for(item.visit.url)
        self._refused.setdefault(url, item.reason)
        level = wiki_lists.level_of(item.visit.url)
        visit = self._addresses.visit(url, kind="sitemap", found_on=item.visit.url, found_by="api", depth=level)
        return [] if url_hash(visit.url) in self._run.known else [visit]

    def _shown_for(self, url: str) -> str:
        """Where the wiki shows the list that *url* asks its API for."""
        if (title := wiki_lists.category_of(url)) is not None:
            return self._category(title)
        number, begins = wiki_lists.namespace_of(url)
        return normalise(wiki_shown.namespace_url(number, begins, self._run.source.url, self._addresses.prefix))

    def _category(self, title: str) -> str:
        """The page of a category; apart from its own text, where the source collects that as well."""
        wiki = self._run.source.scrape_config.mediawiki
        named = {self._addresses.url(one) for one in wiki.titles} if wiki is not None else set()
        is_page = wiki is not None and (14 in wiki.namespaces or self._addresses.url(title) in named)
        own = self._run.source.url
        return normalise(wiki_shown.category_url(title, own, self._addresses.prefix, beside_its_page=is_page))

    def lacks(self, url: str, reason: str) -> None:
        """The run fails: pages of the source may be missing from it, and nobody knows which."""
        if self._run.lacks is not None:
            return
        if wiki_lists.is_list(url):
            said = f"the wiki's API did not give {wiki_lists.words(url)} ({reason})"
        else:
            first = self._refused.get(url)
            api = f"the wiki's API did not give {wiki_shown.words(url)} ({first}), and " if first else ""
            said = f"{api}the wiki did not show them at {url} ({reason})"
        self._run.lacks = f"not all of its pages are known, {said}; where it stays closed, name the pages by `titles`"


def is_closed(item: PageItem) -> bool:
    """Whether *item*, a question to an API that failed, says that it is closed, and not only busy or broken."""
    if item.state != "failed" or item.reason.startswith(_BLOCKED):
        return False
    return item.reason.startswith(_CLOSED) or (item.fetched is not None and item.fetched.status in _CLOSED_STATUS)
