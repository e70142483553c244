"""A site's addresses as a managed provider knows them: for sources that ask for it (`provider_map`), once a run.

It costs credits, and finds what no sitemap names and no link leads to. The provider only names addresses. Where none
can be had, the site is walked without it, and the run says that it lacks one.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from rori_spiders import sitemaps
from rori_spiders.items import Attempt
from rori_spiders.ledger import audit
from rori_spiders.tiers import build_tiers, mappers
from rori_spiders.urls import host_of, normalise, origin_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from rori_spiders.items import PageItem
    from rori_spiders.job import Job
    from rori_spiders.run import Run

_LACKS = "not all of its pages are known, there is no provider's map"
_MAP = "map: "
_NAMED = " addresses"

logger = logging.getLogger(__name__)


class ProviderMap:
    """The one question of a run, asked when its start page has come to an end."""

    def __init__(self, crawler: Crawler, job: Job, run: Run) -> None:
        self._crawler = crawler
        self._job = job
        self._run = run

    async def urls(self, item: PageItem) -> tuple[str, ...]:
        """What is named, for the start page *item*, whose attempts tell of it and of its cost. Raises JobStopped."""
        source = self._run.source
        if not (source.scrape_config.provider_map and self._may_be_asked(item)):
            return ()
        fence = self._job.catalog.rules(host_of(source.url)).tiers
        provider = next(mappers(build_tiers(self._crawler), fence), None)
        if provider is None:
            self._run.lacks = f"{_LACKS}: no provider that makes maps is here, or inside the fence"
            logger.warning(
                "%(source)s: no provider that makes maps is here, or inside the fence: its pages are found without one",
                {"source": source.id},
            )
            return ()
        asked = provider.map(
            f"{origin_of(normalise(source.url))}/",
            sitemaps.MAX_URLS,
            visit=item.visit,
            subdomains=bool(source.allowed_hosts),
        )
        mapped = await self._job.unless_stopped(asked)
        told = mapped.failure or f"{len(mapped.urls)}{_NAMED}"
        said = {"source": source.id, "name": mapped.provider, "told": told}
        if mapped.failure:
            self._run.lacks = f"{_LACKS}: {mapped.provider}: {told}"
            logger.warning("%(source)s: no map by %(name)s: %(told)s", said)
        else:
            logger.info("%(source)s: a map by %(name)s: %(told)s", said)
        made = Attempt(mapped.provider, self._job.now(), None, None, f"{_MAP}{told}", mapped.ms, mapped.credits)
        item.attempts = (*item.attempts[:-1], made, *item.attempts[-1:])  # the last one is how the page itself ended
        return mapped.urls

    async def recall(self) -> None:
        """What an earlier job of the run learnt: whether there was a map, by the audit of its start page."""
        if not self._run.source.scrape_config.provider_map:
            return
        row = await self._job.read(self._audited)
        for attempt in (row or {}).get("attempts") or ():
            if attempt["reason"].startswith(_MAP) and not attempt["reason"].endswith(_NAMED):
                told = attempt["reason"].removeprefix(_MAP)
                self._run.lacks = f"{_LACKS}: {attempt['tier']}: {told}"

    def _audited(self, conn: Connection) -> dict[str, Any] | None:
        run = self._run
        rows = audit.query(conn, source_id=run.source_id, url=normalise(run.source.url), since=run.started_at, limit=1)
        return next((row for row in rows if row["run_id"] == run.run_id), None)

    def _may_be_asked(self, item: PageItem) -> bool:
        """Not of a site that keeps us from its start page, or shows programs a wall in place of its robots.txt."""
        robots = self._job.robots.get(origin_of(item.visit.url))
        return robots is not None and not robots.is_wall and robots.allows(item.visit.url)
