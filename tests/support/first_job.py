"""Three jobs of one source that ask no server, in this process and without a reactor.

A page is new and then changes twice, another stays as it is, a third fails. What crawls ask of their ledger is compiled
by it: for a job of three pages that takes as long as to ask it all.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import closing, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

import rori_spiders
from rori_spiders.content.convert import digest
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page.change import ChangeDetector
from rori_spiders.crawl.page.staging import stage_envelope
from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.crawl.runs.recorder import Recorder
from rori_spiders.extensions.alerts import AlertsExtension
from rori_spiders.extensions.runs import RunsExtension
from rori_spiders.items import Attempt, Fetched, FrontierUrl, PageItem
from rori_spiders.ledger.database import open_ledger
from rori_spiders.nodes.dispatcher import read_queue_snapshot
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from rori_spiders.spiders.sources import SourcesSpider
from rori_spiders.staging.disk import folder
from rori_spiders.terminal.corpus.background_drafts import draft_after_job
from rori_spiders.terminal.crawl_runner import print_summary
from rori_spiders.urls.canonical import host_of
from tests.support.pages import page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.crawl.runs.run import Run

_START = "https://www.example.org/"
_TIMEOUT = Reason(ReasonCode.TIMEOUT)


def run_first_job() -> None:
    """Run it, in a folder that is gone afterwards. The settings are of the environment of who calls it: forget them."""
    from tests.support.project import Project, source  # which starts the process that this one is

    with TemporaryDirectory() as place, redirect_stdout(StringIO()):
        project = Project(Path(place))
        manifest = project.manifest([source("a", _START, "crawl")])
        settings = Settings()
        settings.setmodule("rori_spiders.settings")
        settings.setdict(
            {
                "RORI_DATABASE_URL": f"sqlite:///{project.folder / 'ledger.db'}",
                "RORI_STAGING": str(project.staging),
                "RORI_MANIFEST": str(manifest),
            }
        )
        logging.disable(logging.CRITICAL)
        for number in range(3):
            asyncio.run(_run_job(settings, number))
        logging.disable(logging.NOTSET)
    del sys.modules["rori_spiders.settings"], vars(rori_spiders)["settings"]
    folder._writer_threads().shutdown()
    folder._writer_threads.cache_clear()


async def _run_job(settings: Settings, number: int) -> None:
    crawler = get_crawler(SourcesSpider, {name: settings[name] for name in settings if name.startswith("RORI_")})
    job, lifecycle, runs, alerts = (
        Job.of(crawler),
        Lifecycle.of(crawler),
        RunsExtension(crawler),
        AlertsExtension(crawler),
    )
    with closing(open_ledger(settings["RORI_DATABASE_URL"])) as ledger, ledger.connect() as conn:
        read_queue_snapshot(conn)
    await job.open()
    try:
        await runs._queued.take_over()
        async for run in lifecycle.begin_each(job.manifests.catalog.sources):
            await job.leasing.hold(job.manifests.group(host_of(_START)))
            visits = [
                FrontierUrl(run.run_id, run.source_id, _START + path, depth=1, found_by="link")
                for path in ("changes", "fails", "stays")
            ]
            for visit in await lifecycle.register_urls(run, await lifecycle.load_pending(run), visits):
                await _end_page(crawler, run, visit, number)
            await lifecycle.end(run)
        runs._compare_new_versions()
        await runs._sign_head()
    finally:
        await job.close()
    alerts._do_last()
    print_summary(job)
    draft_after_job(job, job.now())


async def _end_page(crawler: Crawler, run: Run, visit: FrontierUrl, number: int) -> None:
    """Do with a page what `PageFlow` does, but convert it here, not in a worker."""
    job = Job.of(crawler)
    item = _failed(job, visit) if visit.url.endswith("fails") else _captured(job, visit, number)
    await ChangeDetector(crawler).compare_with_held(item)
    if item.change is not None and item.change.changed:
        await stage_envelope(job, item)
    await Recorder.of(job).record(run, item)


def _captured(job: Job, visit: FrontierUrl, number: int) -> PageItem:
    now, more = job.now(), "" if visit.url.endswith("stays") else f"Amendment {number}." * (number + 1)
    body, headers = page("A page", text=more).encode(), {"Content-Type": ["text/html"], "ETag": [f'"{number}"']}
    fetched = Fetched(visit.url, visit.url, 200, headers, body, now, "http", "test/1", 1)
    attempts, made = (Attempt("http", now, 200, None, CAPTURED, 1),), digest(body, url=visit.url)
    return PageItem(visit, "captured", fetched=fetched, attempts=attempts, at=now, converted=made, links=(_START,))


def _failed(job: Job, visit: FrontierUrl) -> PageItem:
    now = job.now()
    return PageItem(visit, "failed", _TIMEOUT, attempts=(Attempt("http", now, None, None, _TIMEOUT, 1),), at=now)
