"""Incremental runs of a wiki: one API answer ends many pages. Recent changes, revisions confirmed in batches, and
the move log for missing pages; each item keeps that answer as its evidence.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rori_spiders.crawl.tiers.mediawiki import api_queries
from rori_spiders.crawl.tiers.mediawiki.titles import NotAPage, parse_page_url
from rori_spiders.crawl.tiers.order import MEDIAWIKI
from rori_spiders.crawl.tiers.refusals import Redirected
from rori_spiders.items import Attempt, PageItem
from rori_spiders.ledger.pages import page_state
from rori_spiders.ledger.runs import run_records
from rori_spiders.ledger.runs.frontier import IN_LEDGER
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import normalise_url, origin_of, url_hash
from rori_spiders.verdicts import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.crawl.tiers.mediawiki.api_queries import ChangedTitle, PageInfo
    from rori_spiders.crawl.walkers.wiki_lists import ListedPage
    from rori_spiders.items import Fetched, FrontierUrl
    from rori_spiders.ledger.pages.page_state import ConfirmablePage
    from rori_spiders.manifest.models import MediaWikiScope


T = TypeVar("T")


def parse_item_answer(item: PageItem, read: Callable[[bytes], T], code: ReasonCode) -> T | None:
    """What *read* makes of the answer that *item* brought; None where it is none: then it fails with *code*."""
    if item.state != "captured" or item.fetched is None:
        return None
    try:
        return read(item.fetched.body)
    except ValueError as error:
        item.state, item.reason = "failed", Reason(code, error=str(error))
        return None


class PageResult(NamedTuple):
    """The outcome of a page. *status*: the page's, if it differs from the answer's."""

    state: str
    reason: Reason
    status: int = 200
    alias_of: str | None = None


def build_ended_item(visit: FrontierUrl, end: PageResult, answer: Fetched) -> PageItem:
    """The item of *visit*; the bytes of *answer* are kept with it."""
    facts = replace(answer, url=visit.url, final_url=visit.url, status=end.status)
    verdict = judge(status=404, url=visit.url, headers={}, body=b"missing") if end.status == 404 else None
    kind = verdict.kind if verdict is not None else None
    tried = Attempt(facts.tier, facts.at, facts.status, kind, end.reason, facts.response_time_ms)
    return PageItem(
        visit,
        end.state,
        end.reason,
        fetched=facts if end.alias_of is None else None,
        verdict=verdict,
        attempts=(tried,),
        at=facts.at,
        alias_of=end.alias_of,
        confirmed=end.state == "unchanged",
    )


# A visit by what changed since the last one (`recent_changes`): the wiki's list of changes is read before its pages.
# The list is a hint, never trusted for longer than three visits in a row or 25 days: wikis keep it for 30 or 90 days
# ($wgRCMaxAge), imports and scripts of the server do not stand in it, nor do pages that are shown inside others and
# are no templates. Whatever is unclear makes a whole visit.

#: Visits in a row that ask only for changes: with the whole one before them four windows, as for sitemaps' dates.
MAX_INCREMENTAL_RUNS = 3
#: Wikis of Wikimedia keep their list for 30 days.
MAX_CHANGES_AGE = timedelta(days=25)
#: Clocks of two machines: the list is asked for from earlier on, and a wiki whose clock is far off is visited whole.
CHANGES_OVERLAP, MAX_CLOCK_SKEW = timedelta(hours=1), timedelta(minutes=10)
#: Answers of 500 changes, and templates whose uses are asked for; with more of them a whole visit is cheaper.
MAX_ANSWERS, MAX_TEMPLATES = 40, 50


class RecentChanges:
    """Of one run. ``since``: when the visit was that it goes on from; None where this is a whole visit."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self.since: datetime | None = None
        self.titles: set[ChangedTitle] = set()
        self.facts: Fetched | None = None  # of the last answer
        self._waiting: set[str] = set()
        self._templates: set[str] = set()
        self._answers = 0
        self._changed: set[str] | None = None  # URLs of `titles`

    async def begin(self, api: str, site: bytes, first_lists: list[str]) -> str | None:
        """The first question; None where the visit must be whole. *site*: what the wiki says of itself."""
        wiki = self._run.source.scrape_config.mediawiki
        if wiki is None or not wiki.recent_changes or not self._run.is_in_ledger:
            return None
        clock = api_queries.parse_wiki_time(site)
        if clock is None or abs(clock - self._job.now()) > MAX_CLOCK_SKEW:
            return None
        wanted = {normalise_url(url) for url in first_lists}
        self.since = await self._job.storage.read(lambda conn: self._last(conn, wanted))
        return (
            None if self.since is None else self._question(api_queries.changes_url(api, self.since - CHANGES_OVERLAP))
        )

    def _last(self, conn: Connection, wanted: set[str]) -> datetime | None:
        """When the last good visit began, if a whole one of the same lists is not too far back."""
        began = None
        good = [run for run in run_records.recent_runs(conn, self._run.source_id, limit=20) if run.state == "complete"]
        for past in good[: MAX_INCREMENTAL_RUNS + 1]:
            began = began or past.started_at
            if self._job.now() - past.started_at > MAX_CHANGES_AGE:
                return None
            read = page_state.load_read_lists(conn, past.run_id)
            if not any(api_queries.is_changes_url(url) for url in read):
                return began if wanted <= read else None
        return None

    def _question(self, url: str) -> str:
        self._waiting.add(normalise_url(url))
        return normalise_url(url)

    def is_question(self, url: str) -> bool:
        return url in self._waiting

    def take(self, item: PageItem) -> list[str] | None:
        """The questions that an answer leads to; none once all is known. None: the visit must be whole."""
        url = item.visit.url
        self._waiting.discard(url)
        self._answers += 1
        if self.since is None:
            return None  # that is settled; what is still answered counts no more
        if (found := parse_item_answer(item, api_queries.parse_changes_answer, ReasonCode.BAD_LIST)) is None:
            self.since = None
            return None
        self.facts = item.fetched
        self.titles |= found.titles
        new = found.templates - self._templates if "recentchanges" in url else frozenset()
        self._templates |= new
        if self._answers > MAX_ANSWERS or len(self._templates) > MAX_TEMPLATES:
            item.reason = Reason(ReasonCode.TOO_MANY_CHANGES)
            self.since = None
            return None
        api = url.partition("?")[0]
        further = [self._question(api_queries.transclusions_url(api, title)) for title in sorted(new)]
        if found.more:
            further.append(self._question(api_queries.continue_changes_url(url, found.more)))
        return further

    def is_quiet(self, held: ConfirmablePage, url_of: Callable[[str], str]) -> bool:
        """Whether a page that we hold, and saw when we last visited, is not among what changed."""
        if self._changed is None:
            self._changed = {url_of(one.text) for one in self.titles}
        return self.since is not None and held.last_seen_at >= self.since and held.url not in self._changed

    def ended(self, visit: FrontierUrl, held: ConfirmablePage) -> PageItem:
        """The item of a page that is as it was: the last answer is its evidence."""
        assert self.since is not None and self.facts is not None
        since = f"{self.since:%Y-%m-%d %H:%M} UTC"
        reason = Reason(ReasonCode.NOT_AMONG_CHANGES, revision=held.etag, since=since)
        return build_ended_item(visit, PageResult("unchanged", reason), self.facts)

    def titles_in(self, wiki: MediaWikiScope) -> list[str]:
        """What changed in the namespaces that the source names."""
        wanted, prefix = wiki.namespaces or (0,), wiki.prefix or ""
        return sorted(one.text for one in self.titles if one.namespace in wanted and one.text.startswith(prefix))

    @property
    def is_known(self) -> bool:
        """Whether all that changed is known."""
        return self.since is not None and not self._waiting and self.facts is not None


# Many pages of a wiki by one answer: which are the ones that we hold, which are missing, which must be read. A list
# says so of the pages that it names, 500 at a time; of what no list names, or what redirects, 50 are asked about. A
# page is the one that we hold when its revision is, and when nothing has touched it since we read it: a template that
# changes leaves the revision and moves ``touched``. Read and touch are compared by the wiki's own clock. ``touched``
# was chosen over asking which pages use the templates that changed: it costs nothing more, and covers links and
# modules too. What an extension or a clock puts into a page moves neither; such a page is read when it is edited or
# touched.

#: Between what a database that lags showed us (``maxlag`` lets it lag 5 s) and the clocks of a wiki's servers.
CLOCK_MARGIN = timedelta(seconds=60)
#: Answers to questions that a busy wiki refuses: its pages are not requested either.
_BUSY_STATUSES = frozenset({429, 503})


class PageConfirmation:
    """Confirms unchanged pages of one run."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self._held: dict[str, ConfirmablePage] | None = None  # read when it is first needed
        self._questions: dict[str, dict[str, FrontierUrl]] = {}  # by the address of a question: its pages by title
        self._origin = origin_of(normalise_url(run.source.url))

    async def as_listed(
        self, visits: Iterable[FrontierUrl], listed_pages: Mapping[str, ListedPage]
    ) -> tuple[list[PageItem], list[FrontierUrl], list[FrontierUrl]]:
        """Split *visits* by what *listed_pages* say: items that end, visits to read, visits not listed."""
        held = await self.held() if listed_pages else {}
        ends: list[PageItem] = []
        to_read: list[FrontierUrl] = []
        rest: list[FrontierUrl] = []
        for visit in visits:
            key = url_hash(visit.url)
            known, of = held.get(key), listed_pages.get(key)
            if known is None or of is None or visit.kind != "page":
                rest.append(visit)
            elif self.may_ask(visit.url) and (end := self._end(visit, of.info, None, known)) is not None:
                ends.append(build_ended_item(visit, end, of.answer))
            else:
                to_read.append(visit)
        return ends, to_read, rest

    async def batched(
        self, visits: Iterable[FrontierUrl], api: str | None, prefix: str
    ) -> tuple[list[str], list[FrontierUrl]]:
        """The addresses of the questions for those of *visits* that may be confirmed, and the other visits."""
        by_title: dict[str, FrontierUrl] = {}
        rest: list[FrontierUrl] = []
        for visit in visits:
            title = await self._title(visit, prefix) if api is not None else None
            if title is None or title in by_title:
                rest.append(visit)
            else:
                by_title[title] = visit
        urls = []
        for batch in api_queries.batch_titles(by_title):
            pages = {title: by_title[title] for title in batch}
            if len(batch) == 1 and pages[batch[0]].found_by != IN_LEDGER:
                rest += pages.values()  # its text costs no more than the question
            else:
                urls.append(self._question(str(api), pages))
        return urls, rest

    def is_question(self, url: str) -> bool:
        return url in self._questions

    async def held(self) -> dict[str, ConfirmablePage]:
        """What may be confirmed, by hash of the URL."""
        if self._held is None:
            source = self._run.source_id
            self._held = await self._job.storage.read(
                lambda conn: page_state.load_confirmable_pages(conn, source, MEDIAWIKI)
            )
        return self._held

    async def _title(self, visit: FrontierUrl, prefix: str) -> str | None:
        """The title that is asked for; None for what is not confirmed so: new, by another tier, of no title."""
        is_wanted = visit.found_by == IN_LEDGER or url_hash(visit.url) in await self.held()
        if visit.kind != "page" or not is_wanted or not self.may_ask(visit.url):
            return None
        try:
            reference = parse_page_url(visit.url, prefix)
        except NotAPage:
            return None
        return (
            reference.value if reference is not None and reference.by == "page" and "|" not in reference.value else None
        )

    def may_ask(self, url: str) -> bool:
        """A page that robots.txt forbids now is for its own request to exclude."""
        robots = self._job.robots.get(origin_of(url))
        return origin_of(url) == self._origin and (robots is None or robots.allows(url))

    def _question(self, api: str, pages: dict[str, FrontierUrl]) -> str:
        url = normalise_url(api_queries.page_info_url(api, tuple(pages)))
        self._questions[url] = pages
        return url

    # --- the answer -----------------------------------------------------------------------------------------------

    async def ends(
        self, item: PageItem, url_of: Callable[[str], str]
    ) -> tuple[list[PageItem], list[FrontierUrl], list[str]]:
        """The pages that *item*, an answer, ends; those that must be read; and the questions that go on."""
        pages, facts = self._questions.pop(item.visit.url), item.fetched
        page_info = parse_item_answer(item, api_queries.parse_page_info_answer, ReasonCode.BAD_ANSWER)
        if page_info is None or facts is None:
            return self._unanswered(item, list(pages.values()))
        held = await self.held()
        ends: list[PageItem] = []
        to_read: list[FrontierUrl] = []
        unsaid: dict[str, FrontierUrl] = {}
        for title, visit in pages.items():
            page = page_info.of(title)
            if page is None or not page.is_whole:
                unsaid[title] = visit
                continue
            at = url_of(page.title) if page_info.is_redirect(title) else None
            end = self._end(visit, page, at, held.get(url_hash(visit.url)))
            if end is None or not self.may_ask(visit.url):
                to_read.append(visit)
            else:
                ends.append(build_ended_item(visit, end, facts))
        if page_info.more and 0 < len(unsaid) < len(pages):
            return ends, to_read, [self._question(item.visit.url.partition("?")[0], unsaid)]
        return ends, [*to_read, *unsaid.values()], []

    def _end(
        self, visit: FrontierUrl, page: PageInfo, at: str | None, held: ConfirmablePage | None
    ) -> PageResult | None:
        """How *visit* ends, by what is said of its page; None: it must be read. *at*: where it redirects to."""
        if page.is_missing:
            return None if at is not None else PageResult("failed", Reason(ReasonCode.MISSING_IN_WIKI), 404)
        if at is not None and at != visit.url and url_hash(at) in self._run.frontier.known:
            return PageResult("excluded", Redirected(at).reason, alias_of=at)
        if visit.found_by == IN_LEDGER and self._run.limits.incomplete_reason is None:
            return PageResult("excluded", Reason(ReasonCode.NOT_LISTED))
        if held is None or not is_same_revision(page, held):
            return None
        touched = f"{page.touched:%Y-%m-%d %H:%M} UTC"
        return PageResult("unchanged", Reason(ReasonCode.SAME_REVISION, revision=page.revision, touched=touched))

    def _unanswered(
        self, item: PageItem, pages: list[FrontierUrl]
    ) -> tuple[list[PageItem], list[FrontierUrl], list[str]]:
        """Each page is read for itself, unless the wiki is cooling down."""
        if item.fetched is None or item.fetched.status not in _BUSY_STATUSES:
            return [], pages, []
        return (
            [
                build_ended_item(visit, PageResult("failed", item.reason, item.fetched.status), item.fetched)
                for visit in pages
            ],
            [],
            [],
        )


def is_same_revision(page: PageInfo, held: ConfirmablePage) -> bool:
    """Whether the wiki shows the text that was read when it gave *held*: its revision, and when that was."""
    read_at = _parse_http_date(held.last_modified)
    if page.touched is None or read_at is None or str(page.revision) != held.etag:
        return False
    return page.touched + CLOCK_MARGIN < read_at


def _parse_http_date(header: str | None) -> datetime | None:
    try:
        return None if header is None else parsedate_to_datetime(header)
    except ValueError:
        return None


# Where a missing page of a wiki went: its log of moves says so, asked once a run and only when a page is missing. A
# page that moved and left no redirect is missing as any other, and goes as any other; its history is found under both
# addresses.

#: Before the last good visit: its own time, the clocks, and a page that was missing then for another reason.
_MOVES_OVERLAP = timedelta(days=1)
_FIRST_MOVES_PERIOD = timedelta(days=30)


class PageMoves:
    """Follows moved pages of one run."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self._question: str | None = None
        self._moved: dict[str, str] | None = None  # URL -> URL; None: not known yet
        self._waiting: list[PageItem] = []

    async def follow_moves(self, ends: Sequence[PageItem], api: str) -> tuple[list[PageItem], str | None]:
        """Those of *ends* that may go on, and the question that the others wait for, when it is to be asked now."""
        missing = [item for item in ends if item.state == "failed" and item.verdict is not None]
        rest = [item for item in ends if item not in missing]
        if not missing or self._moved is not None:
            return [*rest, *map(self._with_target, missing)], None
        self._waiting += missing
        if self._question is not None:
            return rest, None
        since = await self._job.storage.read(self._since)
        self._question = normalise_url(api_queries.moves_url(api, since))
        return rest, self._question

    def is_question(self, url: str) -> bool:
        return url == self._question

    def take(self, item: PageItem, url_of: Callable[[str], str]) -> list[PageItem]:
        """The pages that waited for *item*, an answer; of more than 500 moves the first are known."""
        found = parse_item_answer(item, api_queries.parse_changes_answer, ReasonCode.BAD_LIST)
        moved = {} if found is None else found.moved
        self._moved = {url_of(old): url_of(new) for old, new in moved.items()}
        waiting, self._waiting = self._waiting, []
        return [self._with_target(one) for one in waiting]

    def _with_target(self, item: PageItem) -> PageItem:
        target = (self._moved or {}).get(item.visit.url)
        if target is not None:
            item.reason = item.reason.extended(target_url=target)
            item.moved_to = target if url_hash(target) in self._run.frontier.known else None
        return item

    def _since(self, conn: Connection) -> datetime:
        good = (run for run in run_records.recent_runs(conn, self._run.source_id, limit=20) if run.state == "complete")
        last = next(good, None)
        return self._job.now() - _FIRST_MOVES_PERIOD if last is None else last.started_at - _MOVES_OVERLAP
