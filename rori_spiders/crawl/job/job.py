"""A job: one process that performs runs, and what its Scrapy components share.

One object a crawler: ``Job.of(crawler)``. Ledger and store are used in one thread of their own, so that the event loop
is left to the network and SQLite has one writer.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, ParamSpec, TypeVar
from uuid import uuid4
from weakref import WeakKeyDictionary

from scrapy.exceptions import DropItem
from scrapy.utils.conf import closest_scrapy_cfg
from sqlalchemy.exc import DBAPIError

from rori_spiders.configuration.active_manifest import (
    ActiveCatalog,
    activate_and_load_catalog,
    load_active_catalog_or_warning,
    load_catalog,
)
from rori_spiders.configuration.locations import Locations
from rori_spiders.configuration.setting_values import check_settings
from rori_spiders.crawl.job.leases import RENEW_INTERVAL_S, JobLeases
from rori_spiders.crawl.job.page_states import PageStates
from rori_spiders.crawl.job.stop_control import StopControl
from rori_spiders.crawl.scrapy_internals import engine
from rori_spiders.exceptions import LeaseLost, LedgerError, RoriError, WriteError
from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.manifest.headers import register_header_secrets
from rori_spiders.manifest.tier_selection import configured_tiers
from rori_spiders.politeness.rate_limiter import RateLimiter
from rori_spiders.runtime.log_formatters import JobFormatter
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.staging.consistency import check_no_staged_files, describe_missing_ledger, is_store_empty
from rori_spiders.staging.steps import recover_staging
from rori_spiders.staging.store_factory import open_store
from rori_spiders.staging.webhook.client import WebhookClient
from rori_spiders.urls.canonical import host_of
from rori_spiders.urls.public_addresses import AddressRules
from rori_spiders.workers.pool import WorkPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from rori_spiders.crawl.runs.run import Run, RunOutcome
    from rori_spiders.items import FrontierUrl
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.politeness.robots_policy import RobotsFile
    from rori_spiders.staging.store import Store

logger = logging.getLogger(__name__)


P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run of this job that has ended."""

    run: Run
    outcome: RunOutcome
    counts: dict[str, int]


class Job:
    """What one process's components share. Opened by ``extensions/runs.py``, before the first request."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self.settings = settings
        self.stop = StopControl(crawler)
        self.job_id = JobFormatter.job_id = settings.get("RORI_JOB_ID") or str(uuid4())
        self.operator = settings.get("RORI_OPERATOR")
        self.environment = settings.get("RORI_ENVIRONMENT")
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{self.job_id}"
        self.addresses = AddressRules(settings.getlist("RORI_ALLOWED_ADDRESSES"))
        self.redactor = get_redactor()
        self.places = Locations.from_settings(settings, closest_scrapy_cfg())
        self.pool = WorkPool(settings.getint("RORI_CONVERT_WORKERS"), settings.getfloat("RORI_CONVERT_TIMEOUT"))
        self.politeness = RateLimiter(lambda group: self.catalog.rules_of_group(group))
        self.leasing = JobLeases(self)
        self.known = PageStates(self)
        self.robots: dict[str, RobotsFile] = {}
        self.runs: dict[str, Run] = {}  # in progress; begun and ended by crawl/runs/lifecycle.py
        self.ended: list[EndedRun] = []
        self.resting: set[str] = set()  # ids of runs whose hours have ended
        self.held: dict[str, str] = {}  # id of a source that a schedule does not start any more -> why
        self.locked: dict[str, str] = {}  # id of a source that could not be begun -> why
        self.hook: WebhookClient | None = None  # who is told of what is staged
        self.failure: WriteError | None = None  # why nothing can be recorded any more
        self.refused: RoriError | None = None  # why the job did not begin
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._broken: tuple[float, LedgerError] | None = None  # when the ledger failed last, and how
        self._ledger: Ledger | None = None
        self._store: Store | None = None
        self._in_force: ActiveCatalog | None = None

    @classmethod
    def of(cls, crawler: Crawler) -> Job:
        if crawler not in _jobs:
            _jobs[crawler] = cls(crawler)
        return _jobs[crawler]

    def now(self) -> datetime:
        return datetime.now(UTC)

    # --- the sources ----------------------------------------------------------------------------------------------

    @property
    def catalog(self) -> Catalog:
        if self._in_force is None:
            self._in_force = load_active_catalog_or_warning(self.places)
        return self._in_force.catalog

    def group(self, host: str) -> str:
        return self.catalog.group(host)

    def run_of(self, request: Request) -> Run | None:
        """The run in progress that *request* belongs to; None in the shell, and once it has ended."""
        visit: FrontierUrl | None = request.meta.get("visit")
        return None if visit is None else self.runs.get(visit.run_id)

    def retry_scale(self, url: str) -> float:
        """What waits before retries are multiplied by: 1, or RORI_RETRY_SCALE for hosts that the operator named."""
        scale = self.settings.getfloat("RORI_RETRY_SCALE")
        return scale if scale >= 1 or self.addresses.names(host_of(url)) else 1.0

    # --- ledger and store, each in the one thread -----------------------------------------------------------------

    async def open(self) -> None:
        """Open, check and recover ledger and staging. Raises WriteError or ManifestError before anything is fetched."""
        await self.in_thread(self._open)

    def _open(self) -> None:
        if self._ledger is not None:
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
                    staged_envelopes.begin_announcing(conn, now=self.now())
        except BaseException:
            ledger.close()
            raise
        self._in_force = ActiveCatalog(catalog)
        register_header_secrets(catalog.sources, self.redactor)
        self._ledger, self._store = ledger, store
        self.recover()

    async def open_to_ask(self, catalog: Catalog) -> None:
        """Open the ledger alone, for its leases: sources of *catalog* are asked, nothing is collected or staged.

        Raises LedgerError.
        """

        def opening() -> None:
            self._in_force = ActiveCatalog(catalog)
            register_header_secrets(catalog.sources, self.redactor)
            self._ledger = self._opened_ledger()

        await self.in_thread(opening)

    def ask_also(self, catalog: Catalog) -> None:
        """From now on the sources asked are those of *catalog*; the ledger is open (``open_to_ask``)."""
        self._in_force = ActiveCatalog(catalog)

    def _opened_ledger(self) -> Ledger:
        return open_ledger(self.places.database_url, timeout_s=self.settings.getfloat("RORI_LEDGER_TIMEOUT"))

    def recover(self) -> None:
        """Mend what dead jobs left, as far as no live one holds it. In the ledger thread."""
        if mended := recover_staging(self.ledger, self.store, now=self.now()):
            logger.warning("Mended what a job that died had left: %(mended)s", {"mended": mended})

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

    @property
    def ledger(self) -> Ledger:
        assert self._ledger is not None, "the job is not open"
        return self._ledger

    @property
    def store(self) -> Store:
        assert self._store is not None, "the job is not open"
        return self._store

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
                logger.critical("Nothing can be recorded any more, the job stops: %(error)s", {"error": self.failure})
                self.stop.close_engine("store_unavailable")
            raise _unrecorded_error() from error
        except LeaseLost as error:
            logger.error("%(error)s", {"error": error})  # noqa: TRY400  (no traceback: it is no fault of the program)
            if run is not None:
                run.limits.stop(str(error))
            raise DropItem(str(error), log_level="DEBUG") from error

    # --- the engine -------------------------------------------------------------------------------------------------

    def urls_in_progress(self, run_id: str) -> Iterator[str]:
        """The URLs of the run whose requests have left the queue, and whose ends are not recorded yet."""
        for request in engine.requests_in_progress(self._crawler):
            visit: FrontierUrl | None = request.meta.get("visit")
            if visit is not None and visit.run_id == run_id:
                yield visit.url

    async def in_pool(self, size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """``WorkPool.run``, unless the job is stopped meanwhile."""
        return await self.stop.unless_stopped(self.pool.run(size, function, *args, **kwargs))

    def schedule_next_request(self) -> None:
        """Have the engine ask the queue again: a group may be ready now."""
        engine.schedule_next_request(self._crawler)

    async def keep_leases(self) -> None:
        """Renew them for as long as the job goes on; until this is cancelled."""
        while True:
            await asyncio.sleep(RENEW_INTERVAL_S)
            with suppress(DropItem), self.stopping_on_write_errors():
                await self.leasing.renew()

    # --- in the ledger's thread -------------------------------------------------------------------------------------

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run *work* there. What waited behind a failure of the ledger fails with it: each would wait 30 s again."""
        since = monotonic()

        def guarded() -> T:
            if self._broken is not None and since < self._broken[0]:
                raise self._broken[1]
            try:
                return work()
            except LedgerError as error:
                self._broken = (monotonic(), error)
                raise

        return await asyncio.get_running_loop().run_in_executor(self._thread, guarded)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run *work* in one write transaction of the ledger; see ``Ledger.write`` for what *work* must not do."""
        return await self.in_thread(lambda: self.ledger.write(work))

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self.in_thread(lambda: self.ledger.read(work))

    @property
    def is_open(self) -> bool:
        return self._ledger is not None

    async def close(self) -> None:
        def closing() -> None:
            if self._ledger is not None:
                self._ledger.analyze()
                self._ledger.close()
                self._ledger = None

        await self.in_thread(closing)
        self._thread.shutdown()
        self.pool.close()


def _unrecorded_error() -> DropItem:
    """What becomes of each page then; why, the log has said once."""
    return DropItem("nothing can be recorded any more", log_level="DEBUG")


_jobs: WeakKeyDictionary[Crawler, Job] = WeakKeyDictionary()
