"""Tells people what they must know: now and then while a job runs, and at its end, for a few seconds at most.

What is not sent by then is in the ledger; the next job, a dispatcher or ``scrapy alerts send`` sends it.
"""

import asyncio
import logging

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from sqlalchemy.exc import DBAPIError

from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.exceptions import ManifestError, RoriError, UsageError, WriteError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.operations.alerts import alert_dispatcher, job_failure_alerts
from rori_spiders.operations.alerts.alert_dispatcher import BackgroundTask
from rori_spiders.operations.alerts.channels import configured_channels
from rori_spiders.operations.alerts.delivery import DailyDigest
from rori_spiders.spiders.sources import SourcesSpider

logger = logging.getLogger(__name__)

#: While a job runs, seconds: events are gathered and sent together.
ALERT_INTERVAL_S = 60.0


class AlertsExtension(JobComponent):
    """Bound to collections; `scrapy demo` and `scrapy shell` tell nobody."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if crawler.spidercls is None or not issubclass(crawler.spidercls, SourcesSpider):
            raise NotConfigured
        if not settings.getbool("RORI_ACTIVATE"):
            raise NotConfigured
        super().__init__(crawler)
        self._settings = settings
        self._ticking: asyncio.Task[None] | None = None
        self._background_task = BackgroundTask()
        self._has_ended = False
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        crawler.signals.connect(self.engine_stopped, signal=signals.engine_stopped)

    def spider_opened(self) -> None:
        self._ticking = asyncio.ensure_future(self._tick())

    def _check(self) -> None:
        try:
            configured_channels(self._settings)
            DailyDigest.parse(self._settings.get("RORI_ALERT_DIGEST"))
        except UsageError as error:
            # A typing error in an address must not stop the collection; but nobody would get the alert.
            logger.error("Alerts cannot be sent: %(error)s", {"error": error})  # noqa: TRY400  (a setting, no fault)

    async def _tick(self) -> None:
        await asyncio.to_thread(self._check)  # what speaks to mail servers takes a second to import
        while True:
            await asyncio.sleep(ALERT_INTERVAL_S)
            self._background_task.begin(self._do)

    async def spider_closed(self) -> None:
        """A job that is refused ends here: its engine never starts, so it never stops."""
        if self._job.refused is not None:
            await self._end()

    async def engine_stopped(self) -> None:
        if not self._has_ended:
            await self._end()

    async def _end(self) -> None:
        self._has_ended = True
        if self._ticking is not None:
            self._ticking.cancel()
        await asyncio.to_thread(self._background_task.wait)
        self._background_task.begin(self._do_last)
        if not await asyncio.to_thread(self._background_task.wait):
            logger.warning("Alerts are still being sent; the next job sends those that fail")

    def _do_last(self) -> None:
        self._do(is_last=True)

    def _do(self, *, is_last: bool = False) -> None:
        failure = self._job.failure or self._job.refused
        try:
            if isinstance(self._job.refused, UsageError):
                return  # the command has already said so to whoever typed it
            with open_ledger(self._job.places.database_url, migrate=False) as ledger:
                if is_last:
                    job_failure_alerts.update_storage_alert(ledger, failure, now=self._job.now())
                    network = self._job.connectivity
                    job_failure_alerts.update_offline_alert(
                        ledger, network.offline_reason, has_answered=network.has_answered, now=self._job.now()
                    )
                    job_failure_alerts.update_clock_alert(ledger, self._job.wall_clock.jumps, now=self._job.now())
                if isinstance(self._job.refused, ManifestError):
                    job_failure_alerts.note_manifest_refused(ledger, self._job.refused, now=self._job.now())
                elif self._job.refused is None and (is_last or self._job.storage.is_open):
                    job_failure_alerts.note_job_begun(ledger, now=self._job.now())
                alert_dispatcher.run_alert_round(ledger, self._job.manifests.catalog, self._settings, self._job.now())
        except UsageError:
            return  # reported at the start
        except (RoriError, DBAPIError) as error:
            logger.error("Alerts are deferred to the next job: %(error)s", {"error": error})  # noqa: TRY400  (it says what it is)
            if is_last and isinstance(failure, WriteError):
                job_failure_alerts.report_without_ledger(self._settings, failure, now=self._job.now())
