"""The thread of the ledger: what waits behind a write that failed does not wait for the ledger once more."""

from __future__ import annotations

import asyncio
import threading

import pytest
from scrapy.utils.test import get_crawler

from rori_spiders.crawl.job.job import Job
from rori_spiders.exceptions import LedgerError


def test_write_behind_failed_one_fails_and_later_one_is_tried() -> None:
    asked: list[str] = []
    queued = threading.Event()

    def locked() -> None:
        queued.wait(60)
        asked.append("locked")
        raise LedgerError("the ledger is locked")

    async def working() -> None:
        job = Job(get_crawler())
        first, second = (
            asyncio.ensure_future(job.storage.run(work)) for work in (locked, lambda: asked.append("waited"))
        )
        await asyncio.sleep(0)
        queued.set()
        for work in (first, second):
            with pytest.raises(LedgerError, match="is locked"):
                await work
        await job.storage.run(lambda: asked.append("later"))

    asyncio.run(working())
    assert asked == ["locked", "later"]
