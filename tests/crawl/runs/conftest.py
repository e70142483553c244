"""A job that has begun the run of one site, in this process, and asks no server."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.runs import page_records
from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.crawl.runs.recorder import Recorder
from rori_spiders.items import Attempt, FrontierUrl, PageItem
from rori_spiders.ledger.runs import frontier
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.spiders.sources import SourcesSpider
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime

    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.ledger.runs.frontier import UrlRow
    from rori_spiders.runtime.redaction import Redactor
    from tests.support.project import Project

    Begin = Callable[[], AbstractAsyncContextManager["Running"]]

START = "https://www.example.org/"
TIMEOUT = Reason(ReasonCode.TIMEOUT)


@dataclass
class Running:
    """A job in its run."""

    crawler: Crawler
    job: Job
    run: Run
    recorder: Recorder
    written: list[int]  # URLs of each transaction

    def find(self, *paths: str) -> list[FrontierUrl]:
        """Visits that the run accepts, and that are out from now on."""
        found = [FrontierUrl(self.run.run_id, "a", START + path, depth=1, found_by="link") for path in paths]
        return self.run.frontier.classify(found)[0]

    def failed(self, visit: FrontierUrl, reason: Reason = TIMEOUT, tier: str = "http") -> PageItem:
        now = self.job.now()
        return PageItem(visit, "failed", reason, attempts=(Attempt(tier, now, None, None, reason, 1),), at=now)

    async def ends(self) -> dict[str, UrlRow]:
        """The run's URLs in the ledger, by path."""
        rows = await self.job.storage.read(lambda conn: frontier.list_urls(conn, self.run.run_id))
        return {row.url.removeprefix(START): row for row in rows}


@pytest.fixture
def running(project: Project, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Call it, and enter it, for a job whose run of the source `a` has begun."""
    manifest = project.manifest([source("a", START, "crawl")])
    settings: dict[str, Any] = {
        "RORI_DATABASE_URL": str(project.ledger),
        "RORI_STAGING": str(project.staging),
        "RORI_MANIFEST": str(manifest),
    }

    @asynccontextmanager
    async def begin() -> AsyncIterator[Running]:
        ours = Settings()
        ours.setmodule("rori_spiders.settings")
        crawler = get_crawler(SourcesSpider, {name: ours[name] for name in ours if name.startswith("RORI_")} | settings)
        job = Job.of(crawler)
        await job.open()
        try:
            begun = Lifecycle.of(crawler).begin_each(job.manifests.catalog.sources)
            run = await anext(begun)
            await begun.aclose()  # type: ignore[attr-defined]
            yield Running(crawler, job, run, Recorder.of(job), _counted(monkeypatch))
        finally:
            await job.close()

    return begin


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many URLs are settled together from now on."""
    counts: list[int] = []
    settle = page_records.settle_urls

    def counting(conn: Connection, run: Run, ended: Sequence[tuple[PageItem, datetime]], redact: Redactor) -> None:
        counts.append(len(ended))
        settle(conn, run, ended, redact)

    monkeypatch.setattr(page_records, "settle_urls", counting)
    return counts
