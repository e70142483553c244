"""Opens ledger and staging before the first request, keeps the leases, and leaves no run and no URL without an end."""

import asyncio
import gc
import logging
from contextlib import suppress

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DontCloseSpider, DropItem, NotConfigured
from scrapy.utils.conf import closest_scrapy_cfg
from sqlalchemy.exc import DBAPIError

from rori_spiders.configuration.setting_values import spelling_hint, unknown_variables
from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.crawl.runs.recorder import Recorder
from rori_spiders.crawl.runs.run import Run
from rori_spiders.exceptions import LeaseLost, LedgerError, RoriError, WriteError
from rori_spiders.items import PageItem
from rori_spiders.ledger.pages import change_records
from rori_spiders.manifest.headers import find_withheld_headers, header_variables
from rori_spiders.nodes.queued_job import JobQueueEntry
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.spiders.sources import SourcesSpider

logger = logging.getLogger(__name__)

#: Looks for garbage: among so many new objects, after five such in what they left, after two of these in all but what
#: stood at the start. Python's own 700, 10, 10 costs more, and leaves more behind it (10,000 pages, 2026-11).
_GC_THRESHOLDS = (5_000, 5, 2)

#: What is under way when a stop comes has this long to end by itself: a stop takes 10 s at most, last writes included.
STOP_GRACE_S = 5.0

#: A job that changed much is not kept from its end by the comparing of it.
_COMPARING_S = 60.0

_STOP_REASONS = {
    "shutdown": Reason(ReasonCode.STOPPED, error="shutdown requested"),
    "store_unavailable": Reason(ReasonCode.NOT_RECORDED),
}


class RunsExtension(JobComponent):
    """Bound to the spiders of this project; `scrapy shell` opens the ledger only when it asks a server."""

    def __init__(self, crawler: Crawler) -> None:
        if crawler.spidercls is None or not issubclass(crawler.spidercls, SourcesSpider):
            raise NotConfigured
        # Of each page Scrapy makes several records that only DEBUG shows: elsewhere they are not made.
        logging.getLogger("scrapy").setLevel(crawler.settings.get("LOG_LEVEL"))
        super().__init__(crawler)
        self._queued = JobQueueEntry(self._job)
        self._renewing: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._reconciling: asyncio.Task[None] | None = None
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_idle, signal=signals.spider_idle)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        crawler.signals.connect(self.request_left_downloader, signal=signals.request_left_downloader)

    async def spider_opened(self, spider: Spider) -> None:
        try:
            await self._job.open()
            await self._queued.take_over()
            assert isinstance(spider, SourcesSpider)
            spider.chosen()
        except RoriError as error:
            self._job.refused = error
            logger.critical("%(error)s", {"error": error})
            await self._queued.refuse(error)
            raise CloseSpider("refused") from error
        # Once a job: a slip in a variable's name would leave a default as it is, without a word.
        for name, meant in unknown_variables(also=header_variables(self._job.manifests.catalog.sources)).items():
            logger.warning(
                "Unknown setting %(name)s in the environment%(hint)s",
                {"name": name, "hint": spelling_hint(meant)},
            )
        for withheld in find_withheld_headers(self._job.manifests.catalog.sources):
            logger.warning(
                "%(source_id)s: the header %(header)s is not sent, because %(variable)s does not name %(host)s",
                withheld._asdict(),
            )
        _freeze_gc()
        self._renewing = asyncio.ensure_future(self._job.keep_leases(self._queued.renew))
        self._stopping = asyncio.ensure_future(self._job.stop.watch(STOP_GRACE_S))

    def request_left_downloader(self, request: Request) -> None:
        run = self._job.run_of(request)
        if run is not None:
            run.usage.count_request()

    def spider_idle(self) -> None:
        """The engine has nothing left. URLs that are still out were lost on the way: they get their end here."""
        if not self._job.runs or self._job.failure is not None:
            return
        if self._reconciling is None or self._reconciling.done():
            self._reconciling = asyncio.ensure_future(self._reconcile())
        raise DontCloseSpider

    async def _reconcile(self) -> None:
        lifecycle = Lifecycle.of(self._crawler)
        for run in list(self._job.runs.values()):
            if run.limits.stop_reason is not None:
                await lifecycle.end(run)
                continue
            with suppress(DropItem), self._job.stopping_on_write_errors(run):
                await self._end_lost(run)
                await lifecycle.ask_for_stored(run)
                if not run.frontier.outstanding and run.frontier.give_up_stored():
                    run.limits.mark_incomplete(Reason(ReasonCode.NOT_RECORDED))
                await lifecycle.end_if_done(run)

    async def _end_lost(self, run: Run) -> None:
        """Give what is still out its end, together. What cannot be recorded stays pending, and the run stops."""
        recorder, lost = Recorder.of(self._job), list(run.frontier.outstanding.values())
        for visit in lost:
            logger.error("%(url)s ended with neither a response nor an error", {"url": visit.url})
        items = [PageItem(one, "failed", Reason(ReasonCode.NO_RESULT), at=self._job.now()) for one in lost]
        errors = await asyncio.gather(*(recorder.record(run, item) for item in items), return_exceptions=True)
        for error in errors:
            if isinstance(error, (WriteError, LeaseLost, DBAPIError)):
                raise error
            if error is not None and not run.limits.stop_reason:
                logger.error("The outcome of a URL could not be recorded", exc_info=error)
                run.limits.stop(Reason(ReasonCode.NOT_RECORDED))

    async def spider_closed(self, reason: str) -> None:
        for task in (self._renewing, self._stopping, self._reconciling):
            if task is not None:
                task.cancel()
        self._job.check_clock()
        if self._job.storage.is_open and not isinstance(self._job.failure, LedgerError):  # it would only wait once more
            try:
                offline = self._job.connectivity.offline_reason
                why = offline or _STOP_REASONS.get(reason) or Reason(ReasonCode.STOPPED, error=reason)
                await Lifecycle.of(self._crawler).stop(why)
                await self._queued.end(reason)
                try:
                    if reason == "finished":
                        await self._describe_changes()
                finally:
                    await self._sign_head()
            except Exception as error:
                is_known = isinstance(error, (RoriError, DBAPIError))  # which says by itself what it is
                logger.error(  # noqa: TRY400  (a traceback only for a fault of the program)
                    "Open runs could not be closed; the next job resumes them: %(error)s",
                    {"error": error},
                    exc_info=not is_known,
                )
        await self._job.close()

    async def _sign_head(self) -> None:
        """The last thing that is written: what the job has recorded is under the head that is signed."""
        from rori_spiders.operations.alerts import head_alerts  # at the end: a job begins without it

        job = self._job
        await asyncio.to_thread(
            head_alerts.sign_at_end, job.storage.ledger, job.settings, closest_scrapy_cfg(), now=job.now()
        )

    async def _describe_changes(self) -> None:
        """Compare what the job changed, for the list of changes. What is left, `scrapy changes` compares."""
        try:
            left = await asyncio.to_thread(self._compare_new_versions)
        except (RoriError, DBAPIError) as error:
            logger.warning(
                "New versions could not be compared; `scrapy changes` compares them: %(error)s", {"error": error}
            )
        else:
            if left:
                logger.info("%(left)d versions are not compared yet; `scrapy changes` compares them", {"left": left})

    def _compare_new_versions(self) -> int:
        ledger, job = self._job.storage.ledger, self._job
        if not ledger.write(lambda conn: change_records.record_initial_captures(conn, now=job.now())):
            return 0
        from rori_spiders.comparison.change_log import describe_new_versions  # what compares texts is loaded for one
        from rori_spiders.comparison.version_diff import TextArchive

        archive = TextArchive(ledger, job.storage.store, lambda: job.manifests.catalog)
        return describe_new_versions(archive, clock=job.now, longest_s=_COMPARING_S)


def _freeze_gc() -> None:
    """Exclude all current objects from garbage collection: they live until the process ends.

    A twentieth of the CPU of a visit that finds nothing changed (second visits to 2,000 pages, 2026-11).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)
