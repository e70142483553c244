"""How the URLs of a run's wiki look: as it says of itself, once a run; else as it said last, or as the source's own.

Pages keep their addresses so, whatever way they are read.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from rori_spiders.items import Visit
from rori_spiders.ledger import audit
from rori_spiders.urls import host_of, normalise
from rori_spiders.wikis import lists as wiki_lists
from rori_spiders.wikis.titles import article_path, url_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.items import PageItem
    from rori_spiders.job import Job
    from rori_spiders.run import Run

logger = logging.getLogger(__name__)


class Addresses:
    """Of one run: URLs of titles, and the visits of them."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self._said: str | None = None  # what stands before titles, as the wiki says

    async def learn(self, item: PageItem) -> bytes | None:
        """Take in *item*, the wiki's answer about itself; gives it, where there is one."""
        body = item.fetched.body if item.state == "captured" and item.fetched is not None else None
        self._said = _prefix_in(body)
        if self._said is None:
            await self.recall(item.visit.url)
        if self._said is None:
            logger.info(
                "%(source)s: the wiki does not say how its addresses look (%(reason)s): taken from the source's own",
                {"source": self._run.source_id, "reason": item.reason or "another form"},
            )
        return body

    async def recall(self, question: str) -> None:
        """What the wiki said when it was last asked *question*, by the evidence that was kept."""
        if not self._run.unrecorded:  # a map opens no store
            self._said = await self._job.in_thread(lambda: self._kept(question))

    def _kept(self, question: str) -> str | None:
        of = self._run.source_id
        rows = self._job.ledger.read(
            lambda conn: list(audit.query(conn, source_id=of, kind="api", state="fetched", url=question, limit=1))
        )
        digest = next((row["raw_hash"] for row in rows), None)
        if digest is None or not self._job.store.has_object(digest):
            return None
        return _prefix_in(self._job.store.get_object(digest))

    @property
    def prefix(self) -> str:
        """What stands before a title in the URLs of this wiki."""
        return self._said if self._said is not None else article_path(self._run.source.url)

    def api_url(self, url: str) -> str | None:
        wiki = self._run.source.scrape_config.mediawiki
        return (wiki.api_url if wiki is not None else None) or self._job.catalog.api_url(host_of(url))

    def url(self, title: str) -> str:
        return normalise(url_of(title, self._run.source.url, self.prefix))

    def visit(self, url: str, **facts: Any) -> Visit:
        return Visit(self._run.run_id, self._run.source_id, normalise(url), **facts)

    def pages(self, titles: Iterable[str], found_on: str | None = None) -> list[Visit]:
        """A visit of each title's page, once."""
        visits = [self.visit(self.url(title), found_on=found_on, found_by="api") for title in titles]
        return list({visit.url: visit for visit in visits}.values())

    def in_scope(self, item: PageItem, visits: list[Visit]) -> list[Visit]:
        """Those of *visits* that belong to the source; *item* notes the others."""
        kept = []
        for visit in visits:
            reason = self._run.scope.excludes(visit.url)
            if reason is None:
                kept.append(visit)
            elif self._run.exclude(visit):
                item.excluded = (*item.excluded, (visit, reason))
        return kept


def _prefix_in(body: bytes | None) -> str | None:
    try:
        return None if body is None else wiki_lists.article_prefix(body)
    except ValueError:
        return None
