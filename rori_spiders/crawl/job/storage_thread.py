"""The ledger and the staging store of a job, used in threads of their own: the event loop is left to the network. One
reads and records, the other one stages envelopes; the ledger lets one of them write at a time.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from time import monotonic
from typing import TypeVar

from sqlalchemy import Connection

from rori_spiders.exceptions import LedgerError, StagingError
from rori_spiders.ledger.database import Ledger
from rori_spiders.staging.store import Store

logger = logging.getLogger(__name__)

T = TypeVar("T")


class StorageThread:
    """Open once it has its ledger. A map and an ad hoc fetch have no store."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._staging_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="staging")
        self._broken: tuple[float, LedgerError] | None = None  # when the ledger failed last, and how
        self._ledger: Ledger | None = None
        self._store: Store | None = None

    @property
    def is_open(self) -> bool:
        return self._ledger is not None

    @property
    def ledger(self) -> Ledger:
        assert self._ledger is not None, "the job is not open"
        return self._ledger

    @property
    def store(self) -> Store:
        assert self._store is not None, "the job is not open"
        return self._store

    def use(self, ledger: Ledger, store: Store | None = None) -> None:
        """Read and write these from now on."""
        self._ledger, self._store = ledger, store

    async def run(self, work: Callable[[], T]) -> T:
        """Run *work* in the thread. What waited behind a failure of the ledger fails with it: each would wait 30 s."""
        return await self._run_in(self._thread, work)

    async def run_staging(self, work: Callable[[], T]) -> T:
        """As ``run``, in the thread that stages: nothing that is read or recorded waits for files to be flushed."""
        return await self._run_in(self._staging_thread, work)

    async def _run_in(self, thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        since = monotonic()

        def guarded() -> T:
            if self._broken is not None and since < self._broken[0]:
                raise self._broken[1]
            try:
                return work()
            except LedgerError as error:
                self._broken = (monotonic(), error)
                raise

        return await asyncio.get_running_loop().run_in_executor(thread, guarded)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run *work* in one write transaction of the ledger; see ``Ledger.write`` for what *work* must not do."""
        return await self.run(lambda: self.ledger.write(work))

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self.run(lambda: self.ledger.read(work))

    async def load_object(self, digest: str) -> bytes | None:
        """The bytes of an object; None where it cannot be read."""
        try:
            return await self.run(lambda: self.store.get_object(digest))
        except (OSError, StagingError):
            return None

    def recover(self, now: datetime) -> None:
        """Mend what dead jobs left, as far as no live one holds it. In the thread."""
        # What commands that only look need not load: `collect --dry-run` and `tiers` make a job, too.
        from rori_spiders.staging.recovery import recover_staging

        if mended := recover_staging(self.ledger, self.store, now=now):
            logger.warning("Repaired unfinished writes of a lost job: %(mended)s", {"mended": mended})

    async def close(self) -> None:
        def closing() -> None:
            if self._ledger is not None:
                self._ledger.analyze()
                self._ledger.close()
                self._ledger = None

        self._staging_thread.shutdown()
        await self.run(closing)
        self._thread.shutdown()
