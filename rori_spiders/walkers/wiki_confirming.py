"""Many pages of a wiki by one answer: which are the ones that we hold, which are missing, which must be read.

A list says so of the pages that it names, 500 at a time; of what no list names, or what redirects, 50 are asked about.

A page is the one that we hold when its revision is, and when nothing has touched it since we read it: a template that
changes leaves the revision and moves ``touched``. Read and touch are compared by the wiki's own clock. ``touched`` was
chosen over asking which pages use the templates that changed: it costs nothing more, and covers links and modules too.
What an extension or a clock puts into a page moves neither; such a page is read when it is edited or touched.
"""

from __future__ import annotations

from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from rori_spiders.ladder import MEDIAWIKI
from rori_spiders.ledger import confirmable
from rori_spiders.refusals import Redirected
from rori_spiders.urls import normalise, origin_of, url_hash
from rori_spiders.walkers.wiki_ends import End, ended, said_in
from rori_spiders.wikis import page_info as wiki_info
from rori_spiders.wikis.titles import NotAPage, asked_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from rori_spiders.items import PageItem, Visit
    from rori_spiders.job import Job
    from rori_spiders.ledger.confirmable import Confirmable
    from rori_spiders.run import Run
    from rori_spiders.walkers.wiki_listing import ToldOf
    from rori_spiders.wikis.page_info import PageInfo

#: Between what a database that lags showed us (``maxlag`` lets it lag 5 s) and the clocks of a wiki's servers.
MARGIN = timedelta(seconds=60)
UNNAMED = "neither the source nor the wiki's lists name it any more"
#: Answers to questions that a busy wiki refuses: its pages are left alone too.
_BUSY = frozenset({429, 503})


class Confirming:
    """Of one run."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self._held: dict[str, Confirmable] | None = None  # read when it is first needed
        self._asked: dict[str, dict[str, Visit]] = {}  # by the address of a question: its pages by title
        self._origin = origin_of(normalise(run.source.url))

    async def as_listed(
        self, visits: Iterable[Visit], told: Mapping[str, ToldOf]
    ) -> tuple[list[PageItem], list[Visit], list[Visit]]:
        """Of *visits*, by what lists *told* of them: those that end so, those to be read, those it is not known of."""
        held = await self.held() if told else {}
        ends: list[PageItem] = []
        to_read: list[Visit] = []
        rest: list[Visit] = []
        for visit in visits:
            key = url_hash(visit.url)
            known, of = held.get(key), told.get(key)
            if known is None or of is None or visit.kind != "page":
                rest.append(visit)
            elif self.may_ask(visit.url) and (end := self._end(visit, of.info, None, known)) is not None:
                ends.append(ended(visit, end, of.answer))
            else:
                to_read.append(visit)
        return ends, to_read, rest

    async def batched(self, visits: Iterable[Visit], api: str | None, prefix: str) -> tuple[list[str], list[Visit]]:
        """The addresses of the questions for those of *visits* that may be confirmed, and the other visits."""
        by_title: dict[str, Visit] = {}
        rest: list[Visit] = []
        for visit in visits:
            title = await self._title(visit, prefix) if api is not None else None
            if title is None or title in by_title:
                rest.append(visit)
            else:
                by_title[title] = visit
        urls = []
        for batch in wiki_info.batches(by_title):
            pages = {title: by_title[title] for title in batch}
            if len(batch) == 1 and pages[batch[0]].found_by != "kept":
                rest += pages.values()  # its text costs no more than the question
            else:
                urls.append(self._question(str(api), pages))
        return urls, rest

    def is_question(self, url: str) -> bool:
        return url in self._asked

    async def held(self) -> dict[str, Confirmable]:
        """What may be confirmed, by hash of the URL."""
        if self._held is None:
            source = self._run.source_id
            self._held = await self._job.read(lambda conn: confirmable.of_source(conn, source, MEDIAWIKI))
        return self._held

    async def _title(self, visit: Visit, prefix: str) -> str | None:
        """The title that is asked for; None for what is not confirmed so: new, by another tier, of no title."""
        is_wanted = visit.found_by == "kept" or url_hash(visit.url) in await self.held()
        if visit.kind != "page" or not is_wanted or not self.may_ask(visit.url):
            return None
        try:
            asked = asked_by(visit.url, prefix)
        except NotAPage:
            return None
        return asked.value if asked is not None and asked.by == "page" and "|" not in asked.value else None

    def may_ask(self, url: str) -> bool:
        """A page that robots.txt forbids now is for its own request to exclude."""
        robots = self._job.robots.get(origin_of(url))
        return origin_of(url) == self._origin and (robots is None or robots.allows(url))

    def _question(self, api: str, pages: dict[str, Visit]) -> str:
        url = normalise(wiki_info.info_url(api, tuple(pages)))
        self._asked[url] = pages
        return url

    # --- the answer -----------------------------------------------------------------------------------------------

    async def ends(self, item: PageItem, url_of: Callable[[str], str]) -> tuple[list[PageItem], list[Visit], list[str]]:
        """The pages that *item*, an answer, ends; those that must be read; and the questions that go on."""
        pages, facts = self._asked.pop(item.visit.url), item.fetched
        told = said_in(item, wiki_info.read, "bad_answer")
        if told is None or facts is None:
            return self._unanswered(item, list(pages.values()))
        held = await self.held()
        ends: list[PageItem] = []
        to_read: list[Visit] = []
        unsaid: dict[str, Visit] = {}
        for title, visit in pages.items():
            page = told.of(title)
            if page is None or not page.is_whole:
                unsaid[title] = visit
                continue
            at = url_of(page.title) if told.is_redirect(title) else None
            end = self._end(visit, page, at, held.get(url_hash(visit.url)))
            if end is None or not self.may_ask(visit.url):
                to_read.append(visit)
            else:
                ends.append(ended(visit, end, facts))
        if told.more and 0 < len(unsaid) < len(pages):
            return ends, to_read, [self._question(item.visit.url.partition("?")[0], unsaid)]
        return ends, [*to_read, *unsaid.values()], []

    def _end(self, visit: Visit, page: PageInfo, at: str | None, held: Confirmable | None) -> End | None:
        """How *visit* ends, by what is said of its page; None: it must be read. *at*: where it redirects to."""
        if page.is_missing:
            return None if at is not None else End("failed", "not_found: the wiki's API says that it is missing", 404)
        if at is not None and at != visit.url and url_hash(at) in self._run.known:
            return End("excluded", Redirected(at).reason, alias_of=at)
        if visit.found_by == "kept" and self._run.lacks is None:
            return End("excluded", UNNAMED)
        if held is None or not is_held(page, held):
            return None
        touched = f"{page.touched:%Y-%m-%d %H:%M} UTC"
        return End(
            "unchanged", f"revision {page.revision} is the one that we hold; last touched {touched}, before we read it"
        )

    def _unanswered(self, item: PageItem, pages: list[Visit]) -> tuple[list[PageItem], list[Visit], list[str]]:
        """Each page is read for itself, unless the wiki asked to be left alone."""
        if item.fetched is None or item.fetched.status not in _BUSY:
            return [], pages, []
        return [ended(visit, End("failed", item.reason, item.fetched.status), item.fetched) for visit in pages], [], []


def is_held(page: PageInfo, held: Confirmable) -> bool:
    """Whether the wiki shows the text that was read when it gave *held*: its revision, and when that was."""
    read_at = _date(held.last_modified)
    if page.touched is None or read_at is None or str(page.revision) != held.etag:
        return False
    return page.touched + MARGIN < read_at


def _date(header: str | None) -> datetime | None:
    try:
        return None if header is None else parsedate_to_datetime(header)
    except ValueError:
        return None
