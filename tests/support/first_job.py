"""A job of two runs that asks no server, in this process and without a reactor.

What every crawl asks of its ledger is compiled by it: for a job of three pages that takes as long as to ask it all.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

import rori_spiders
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.crawl.runs.recorder import Recorder
from rori_spiders.items import Attempt, FrontierUrl, PageItem
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.spiders.sources import SourcesSpider
from rori_spiders.terminal.crawl_runner import print_summary

_START = "https://www.example.org/"
_TIMEOUT = Reason(ReasonCode.TIMEOUT)


def run_first_job() -> None:
    """Run it, in a folder that is gone afterwards. The settings are of the environment of who calls it: forget them."""
    from tests.support.project import Project, source  # which starts the process that this one is

    with TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        project = Project(Path(folder))
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
        for _ in range(2):
            asyncio.run(_run_job(settings))
        logging.disable(logging.NOTSET)
    del sys.modules["rori_spiders.settings"], vars(rori_spiders)["settings"]


async def _run_job(settings: Settings) -> None:
    crawler = get_crawler(SourcesSpider, {name: settings[name] for name in settings if name.startswith("RORI_")})
    job, lifecycle = Job.of(crawler), Lifecycle.of(crawler)
    await job.open()
    try:
        async for run in lifecycle.begin_each(job.manifests.catalog.sources):
            visits = [
                FrontierUrl(run.run_id, run.source_id, _START + path, depth=1, found_by="link") for path in ("a", "b")
            ]
            for visit in await lifecycle.register_urls(run, await lifecycle.load_pending(run), visits):
                await Recorder.of(job).record(run, _failed(job, visit))
            await lifecycle.end(run)
    finally:
        await job.close()
    print_summary(job)


def _failed(job: Job, visit: FrontierUrl) -> PageItem:
    now = job.now()
    return PageItem(visit, "failed", _TIMEOUT, attempts=(Attempt("http", now, None, None, _TIMEOUT, 1),), at=now)
