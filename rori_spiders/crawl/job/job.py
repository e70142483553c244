"""A job: one process that performs runs, and what its Scrapy components share.

One object a crawler: ``Job.of(crawler)``. It opens and closes its parts; who needs one takes it from the job.
``JobComponent`` is the base of the Scrapy components that work with it.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar
from uuid import uuid4
from weakref import WeakKeyDictionary

from scrapy.exceptions import DropItem
from scrapy.utils.conf import closest_scrapy_cfg
from sqlalchemy.exc import DBAPIError

from rori_spiders.configuration.active_manifest import (
    activate_and_load_catalog,
    load_catalog,
)
from rori_spiders.configuration.locations import Locations
from rori_spiders.configuration.setting_values import check_settings
from rori_spiders.crawl.job.active_manifests import ActiveManifests
from rori_spiders.crawl.job.connectivity import Connectivity
from rori_spiders.crawl.job.leases import RENEW_INTERVAL_S, JobLeases, permit_limits
from rori_spiders.crawl.job.page_states import PageStates
from rori_spiders.crawl.job.request_permits import RequestPermits
from rori_spiders.crawl.job.stop_control import StopControl
from rori_spiders.crawl.job.storage_thread import StorageThread
from rori_spiders.crawl.page_request import visit_of
from rori_spiders.crawl.scrapy_internals import engine
from rori_spiders.exceptions import LeaseLost, LedgerError, RoriError, WriteError
from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.queue.owners import find_dead_owners, owner_of, release_owners
from rori_spiders.manifest.tier_selection import configured_tiers
from rori_spiders.politeness.rate_limiter import RateLimiter
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.runtime.log_formatters import JobFormatter
from rori_spiders.runtime.plugins import load_plugins
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.runtime.wall_clock import WallClock
from rori_spiders.staging.consistency import check_no_staged_files, describe_missing_ledger, is_store_empty
from rori_spiders.staging.store_factory import open_store
from rori_spiders.staging.webhook.client import WebhookClient
from rori_spiders.urls.canonical import host_of
from rori_spiders.urls.public_addresses import AddressRules
from rori_spiders.workers.pool import WorkPool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from rori_spiders.crawl.runs.run import Run, RunOutcome
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.politeness.robots_policy import RobotsFile

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


class JobWorkers:
    """``pool``, for work that a stop cancels."""

    def __init__(self, pool: WorkPool, stop: StopControl) -> None:
        self.pool = pool
        self._stop = stop

    async def run(self, size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """``WorkPool.run``, unless the job is stopped meanwhile."""
        return await self._stop.unless_stopped(self.pool.run(size, function, *args, **kwargs))


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run of this job that has ended."""

    run: Run
    outcome: RunOutcome
    counts: dict[str, int]


class Job:
    """The state that one process's components share. ``extensions/runs.py`` opens it before the first request."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self.settings = settings
        self.stop = StopControl(crawler)
        self.job_id = JobFormatter.job_id = settings.get("RORI_JOB_ID") or str(uuid4())
        self.operator = settings.get("RORI_OPERATOR")
        self.environment = settings.get("RORI_ENVIRONMENT")
        self.owner = owner_of(self.job_id)
        self.addresses = AddressRules(settings.getlist("RORI_ALLOWED_ADDRESSES"))
        self.redactor = get_redactor()
        self.places = Locations.from_settings(settings, closest_scrapy_cfg())
        self.storage = StorageThread()
        self.manifests = ActiveManifests(self.places, self.redactor)
        self.workers = JobWorkers(_pools.get(crawler) or WorkPool.from_settings(settings), self.stop)
        self.politeness = RateLimiter(lambda group: self.manifests.catalog.rules_of_group(group))
        self.permits = RequestPermits(
            permit_limits(settings),
            owner=self.owner,
            storage=self.storage,
            now=self.now,
            stopping_on_write_errors=self.stopping_on_write_errors,
            schedule_next_request=self.schedule_next_request,
        )
        self.leasing = JobLeases(
            owner=self.owner, storage=self.storage, politeness=self.politeness, permits=self.permits, now=self.now
        )
        self.connectivity = Connectivity(
            self.manifests,
            self.addresses,
            named_host=settings.get("RORI_CONNECTIVITY_HOST"),
            asked_sources=self._asked_sources,
            stop=self._stop_offline,
        )
        self.wall_clock = WallClock()
        self.page_states = PageStates(self.storage)
        self.robots: dict[str, RobotsFile] = {}
        self.claimed_documents: dict[str, str] = {}  # hash of a document's URL -> the source that asks for it
        self.runs: dict[str, Run] = {}  # in progress; begun and ended by crawl/runs/lifecycle.py
        self.ended: list[EndedRun] = []
        self.runs_outside_window: set[str] = set()  # ids of runs whose hours have ended
        self.sources_waiting: list[Source] = []  # whose runs are still to be begun
        self.is_full = False  # none of them is begun before a run ends
        self.paused_sources: dict[str, str] = {}  # id of a source that a schedule does not start any more -> why
        self.locked_sources: dict[str, str] = {}  # id of a source that could not be begun -> why
        self.hook: WebhookClient | None = None  # announces what is staged
        self.failed_feeds: dict[str, str] = {}  # Scrapy's, of -o and FEEDS -> why
        self.failure: WriteError | None = None  # why nothing can be recorded any more
        self.refused: RoriError | None = None  # why the job did not begin

    @classmethod
    def of(cls, crawler: Crawler) -> Job:
        if crawler not in _jobs:
            _jobs[crawler] = cls(crawler)
        return _jobs[crawler]

    def now(self) -> datetime:
        return datetime.now(UTC)

    def raise_problem(self) -> None:
        """Raise why the job did not begin, or could not record; nothing where it did."""
        for problem in (self.refused, self.failure):
            if problem is not None:
                raise problem

    def run_of(self, request: Request) -> Run | None:
        """The run in progress that *request* belongs to; None in the shell, and once it has ended."""
        visit = visit_of(request)
        return None if visit is None else self.runs.get(visit.run_id)

    def retry_scale(self, url: str) -> float:
        """What waits before retries are multiplied by: 1, or RORI_RETRY_SCALE for hosts that the operator named."""
        scale = self.settings.getfloat("RORI_RETRY_SCALE")
        return scale if scale >= 1 or self.addresses.names(host_of(url)) else 1.0

    # --- opening and closing ----------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Open, check and recover ledger and staging. Raises WriteError or ManifestError before anything is fetched."""
        await self.storage.run(self._open)

    def _open(self) -> None:
        if self.storage.is_open:
            return
        self.hook = WebhookClient.from_settings(self.settings.get("RORI_WEBHOOK_URL"))
        check_settings(self.settings)  # what every envelope will carry must be right before the first page
        store = open_store(self.places.staging)
        was_empty = is_store_empty(store)
        if not was_empty and not self.places.has_ledger:
            raise describe_missing_ledger(store, self.places.shown_ledger)
        store.check_writable()
        ledger = self._opened_ledger()
        try:
            if was_empty:
                check_no_staged_files(ledger, store)
            catalog = self._sources(ledger)
            if self.hook is not None:
                with ledger.begin() as conn:
                    staged_envelopes.start_notifications(conn, now=self.now())
        except BaseException:
            ledger.close()
            raise
        plugins = load_plugins()
        for one in plugins.active:
            logger.info("Plug-in %(plugin)s is active", {"plugin": one})
        for broken in plugins.broken:
            logger.warning("A plug-in is left out: %(plugin)s", {"plugin": broken})
        self.manifests.use(catalog)
        self.storage.use(ledger, store)
        self.storage.recover(self.now())

    async def open_to_ask(self, catalog: Catalog) -> None:
        """Open the ledger alone, for its leases: sources of *catalog* are asked, nothing is collected or staged.

        Raises LedgerError.
        """

        def opening() -> None:
            self.manifests.use(catalog)
            self.storage.use(self._opened_ledger())

        await self.storage.run(opening)

    def _opened_ledger(self) -> Ledger:
        ledger = open_ledger(self.places.database_url, timeout_s=self.settings.getfloat("RORI_LEDGER_TIMEOUT"))
        if dead := ledger.read(find_dead_owners):
            ledger.write(lambda conn: release_owners(conn, dead, lease_clock(conn, self.now())))
            logger.warning("Released the leases of a killed process: %(owners)s", {"owners": ", ".join(dead)})
        return ledger

    def _sources(self, ledger: Ledger) -> Catalog:
        manifests, allowed = self.places.manifests, self.places.allowed_addresses
        if not self.settings.getbool("RORI_ACTIVATE"):
            return load_catalog(manifests, ledger, allowed_addresses=allowed)
        return activate_and_load_catalog(
            manifests,
            ledger,
            actor=self.operator,
            now=self.now(),
            allowed_addresses=allowed,
            tiers=configured_tiers(self.settings),
        )

    async def close(self) -> None:
        self.permits.close()
        await self.storage.close()
        self.workers.pool.close()

    def _asked_sources(self) -> list[Source]:
        """Those that requests are in progress for, or follow by themselves."""
        return [run.source for run in self.runs.values()] + ([] if self.is_full else self.sources_waiting)

    def _stop_offline(self, reason: Reason) -> None:
        for run in self.runs.values():
            run.limits.stop(reason)
        self.stop.close_engine("offline")

    # --- recording ----------------------------------------------------------------------------------------------------

    @contextmanager
    def stopping_on_write_errors(self, run: Run | None = None) -> Iterator[None]:
        """Within: when nothing can be recorded, the job stops, and what is out stays pending for the next one.

        When only the lease of *run* is lost, it is that run which stops here.
        """
        if self.failure is not None:
            raise _unrecorded_error()  # each would wait for the ledger once more
        try:
            yield
        except (WriteError, DBAPIError) as error:
            if self.failure is None:
                self.failure = (
                    error if isinstance(error, WriteError) else LedgerError(f"the ledger failed: {error.orig}")
                )
                logger.critical("The job stops because results cannot be stored: %(error)s", {"error": self.failure})
                self.stop.close_engine("store_unavailable")
            raise _unrecorded_error() from error
        except LeaseLost as error:
            logger.error("%(error)s", {"error": error})  # noqa: TRY400  (no traceback: the program is not at fault)
            if run is not None:
                run.limits.stop(Reason(ReasonCode.LEASE_LOST, error=str(error)))
            raise DropItem(str(error), log_level="DEBUG") from error

    async def keep_leases(self, renew: Callable[[], Awaitable[str | None]]) -> None:
        """Renew them for as long as the job goes on, which *renew* may answer with why it stops; until cancelled."""
        while True:
            await asyncio.sleep(RENEW_INTERVAL_S)
            self.check_clock()
            with suppress(DropItem), self.stopping_on_write_errors():
                if (why := await renew()) is not None:
                    logger.warning("Stopping the job: %(why)s", {"why": why})
                    self.stop.close_engine("cancelled")

    def check_clock(self) -> None:
        """Report a calendar's clock that was set since the last look. Recorded times depend on it, deadlines do not."""
        if (jump := self.wall_clock.check()) is not None:
            logger.warning("The clock of %(host)s was %(jump)s", {"host": socket.gethostname(), "jump": jump})

    # --- the engine -------------------------------------------------------------------------------------------------

    def urls_in_progress(self, run_id: str) -> Iterator[str]:
        """The URLs of the run whose requests have left the queue, and whose ends are not recorded yet."""
        for request in engine.requests_in_progress(self._crawler):
            visit = visit_of(request)
            if visit is not None and visit.run_id == run_id:
                yield visit.url

    @property
    def is_held_back(self) -> bool:
        """Whether no page is asked for before some of those that were judged have ended: nobody need wait for more."""
        return engine.is_held_back(self._crawler)

    def schedule_next_request(self) -> None:
        """Have the engine ask the queue again: a group may be ready now."""
        engine.schedule_next_request(self._crawler)


def _unrecorded_error() -> DropItem:
    """What becomes of each page then; why, the log has said once."""
    return DropItem("results cannot be stored", log_level="DEBUG")


_jobs: WeakKeyDictionary[Crawler, Job] = WeakKeyDictionary()
_pools: WeakKeyDictionary[Crawler, WorkPool] = WeakKeyDictionary()


def hand_over_workers(crawler: Crawler, pool: WorkPool) -> None:
    """Have the job of *crawler*, which is still to be made, work with *pool*, which may have begun to start."""
    _pools[crawler] = pool


class JobComponent:
    """A middleware, an extension or a pipeline. Scrapy makes it with its crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the component for *crawler*."""
        return cls(crawler)
