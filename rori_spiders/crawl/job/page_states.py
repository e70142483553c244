"""The state of pages that a run is about to request, prefetched from the ledger in batches.

The leases of a source belong to its job while its run lasts: no other job changes the state of its pages.
"""

import asyncio

from rori_spiders.crawl.job.storage_thread import StorageThread
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.pages import page_state
from rori_spiders.ledger.pages.page_state import PageState

#: Pages that are read together: at one request in 2 s, two minutes ahead of their turn; with their links some 500 KB.
PREFETCH_SIZE = 50


class _Batch:
    """Pages of one source that are read together, when the first of them is wanted."""

    def __init__(self, source_id: str) -> None:
        self.source_id = source_id
        self.urls: list[str] = []
        self.reading: asyncio.Task[dict[str, PageState]] | None = None

    @property
    def is_open(self) -> bool:
        return self.reading is None and len(self.urls) < PREFETCH_SIZE


class PageStates:
    """The page states of all runs of a job: loaded when a page is discovered, dropped when it has ended."""

    def __init__(self, storage: StorageThread) -> None:
        self._storage = storage
        self._batches: dict[tuple[str, str], _Batch] = {}  # by source and URL
        self._open: dict[str, _Batch] = {}  # by source

    def expect(self, visit: FrontierUrl) -> None:
        """*visit* is going to be asked for."""
        key = (visit.source_id, visit.url)
        if visit.kind != "page" or key in self._batches:
            return
        batch = self._open.get(visit.source_id)
        if batch is None or not batch.is_open:
            batch = self._open[visit.source_id] = _Batch(visit.source_id)
        batch.urls.append(visit.url)
        self._batches[key] = batch

    async def of(self, visit: FrontierUrl) -> PageState | None:
        """What is known of the page; None: the source never had it. Raises LedgerError."""
        self.expect(visit)
        batch = self._batches[visit.source_id, visit.url]
        if batch.reading is None:
            batch.reading = asyncio.ensure_future(
                self._storage.read(lambda conn: page_state.load_page_states(conn, batch.source_id, batch.urls))
            )
        try:
            found = batch.reading.result() if batch.reading.done() else await asyncio.shield(batch.reading)
            return found.get(visit.url)
        except BaseException:
            if batch.reading is not None and batch.reading.done():
                batch.reading = None  # the next who wants it asks again
            raise

    def forget(self, visit: FrontierUrl) -> None:
        """The page has ended: what was known of it is of no more use."""
        self._batches.pop((visit.source_id, visit.url), None)

    def forget_run(self, source_id: str) -> None:
        """The source's run has ended, also for pages that it leaves pending."""
        self._open.pop(source_id, None)
        for key in [key for key in self._batches if key[0] == source_id]:
            del self._batches[key]
