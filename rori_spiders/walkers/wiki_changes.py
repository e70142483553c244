"""A visit by what changed since the last one (`recent_changes`): the wiki's list of changes is read before its pages.

The list is a hint, never trusted for longer than three visits in a row or 25 days: wikis keep it for 30 or 90 days
($wgRCMaxAge), imports and scripts of the server do not stand in it, nor do pages that are shown inside others and are
no templates. Whatever is unclear makes a whole visit.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger import confirmable, runs
from rori_spiders.urls import normalise
from rori_spiders.walkers.wiki_ends import End, ended, said_in
from rori_spiders.wikis import changes as wiki_changes
from rori_spiders.wikis import lists as wiki_lists

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import Fetched, PageItem, Visit
    from rori_spiders.job import Job
    from rori_spiders.ledger.confirmable import Confirmable
    from rori_spiders.manifest.scraping import MediaWikiScope
    from rori_spiders.run import Run
    from rori_spiders.wikis.changes import Title

#: Visits in a row that ask only for changes: with the whole one before them four windows, as for sitemaps' dates.
MOST_IN_ROW = 3
#: Wikis of Wikimedia keep their list for 30 days.
REACH = timedelta(days=25)
#: Clocks of two machines: the list is asked for from earlier on, and a wiki whose clock is far off is visited whole.
EARLIER, MOST_OFF = timedelta(hours=1), timedelta(minutes=10)
#: Answers of 500 changes, and templates whose uses are asked for; with more of them a whole visit is cheaper.
MOST_ANSWERS, MOST_TEMPLATES = 40, 50


class RecentChanges:
    """Of one run. ``since``: when the visit was that it goes on from; None where this is a whole visit."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self.since: datetime | None = None
        self.titles: set[Title] = set()
        self.facts: Fetched | None = None  # of the last answer
        self._waiting: set[str] = set()
        self._templates: set[str] = set()
        self._answers = 0
        self._changed: set[str] | None = None  # URLs of `titles`

    async def begin(self, api: str, site: bytes, first_lists: list[str]) -> str | None:
        """The first question; None where the visit must be whole. *site*: what the wiki says of itself."""
        wiki = self._run.source.scrape_config.mediawiki
        if wiki is None or not wiki.recent_changes or self._run.unrecorded:
            return None
        clock = wiki_lists.clock(site)
        if clock is None or abs(clock - self._job.now()) > MOST_OFF:
            return None
        wanted = {normalise(url) for url in first_lists}
        self.since = await self._job.read(lambda conn: self._last(conn, wanted))
        return None if self.since is None else self._question(wiki_changes.changes_url(api, self.since - EARLIER))

    def _last(self, conn: Connection, wanted: set[str]) -> datetime | None:
        """When the last good visit began, if a whole one of the same lists is not too far back."""
        began = None
        good = [run for run in runs.recent(conn, self._run.source_id, limit=20) if run.state == "complete"]
        for past in good[: MOST_IN_ROW + 1]:
            began = began or past.started_at
            if self._job.now() - past.started_at > REACH:
                return None
            read = confirmable.lists_read(conn, past.run_id)
            if not any(wiki_changes.is_changes(url) for url in read):
                return began if wanted <= read else None
        return None

    def _question(self, url: str) -> str:
        self._waiting.add(normalise(url))
        return normalise(url)

    def is_question(self, url: str) -> bool:
        return url in self._waiting

    def take(self, item: PageItem) -> list[str] | None:
        """The questions that an answer leads to; none once all is known. None: the visit must be whole."""
        url = item.visit.url
        self._waiting.discard(url)
        self._answers += 1
        if self.since is None:
            return None  # that is settled; what is still answered counts no more
        if (found := said_in(item, wiki_changes.read, "bad_list")) is None:
            self.since = None
            return None
        self.facts = item.fetched
        self.titles |= found.titles
        new = found.templates - self._templates if "recentchanges" in url else frozenset()
        self._templates |= new
        if self._answers > MOST_ANSWERS or len(self._templates) > MOST_TEMPLATES:
            item.reason = "more has changed than is asked for one by one: a whole visit"
            self.since = None
            return None
        api = url.partition("?")[0]
        further = [self._question(wiki_changes.uses_url(api, title)) for title in sorted(new)]
        if found.more:
            further.append(self._question(wiki_changes.continued(url, found.more)))
        return further

    def is_quiet(self, held: Confirmable, url_of: Callable[[str], str]) -> bool:
        """Whether a page that we hold, and saw when we last visited, is not among what changed."""
        if self._changed is None:
            self._changed = {url_of(one.text) for one in self.titles}
        return self.since is not None and held.last_seen_at >= self.since and held.url not in self._changed

    def ended(self, visit: Visit, held: Confirmable) -> PageItem:
        """The item of a page that is as it was: the last answer is its evidence."""
        assert self.since is not None and self.facts is not None
        since = f"{self.since:%Y-%m-%d %H:%M} UTC"
        reason = f"revision {held.etag} is the one that we hold, not among the wiki's changes since {since}"
        return ended(visit, End("unchanged", reason), self.facts)

    def titles_in(self, wiki: MediaWikiScope) -> list[str]:
        """What changed in the namespaces that the source names."""
        wanted, prefix = wiki.namespaces or (0,), wiki.prefix or ""
        return sorted(one.text for one in self.titles if one.namespace in wanted and one.text.startswith(prefix))

    @property
    def is_known(self) -> bool:
        """Whether all that changed is known."""
        return self.since is not None and not self._waiting and self.facts is not None
