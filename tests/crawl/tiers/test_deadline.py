"""A download's time does not run while we keep the download waiting ourselves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from scrapy.exceptions import DownloadTimeoutError
from scrapy.utils.test import get_crawler

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.tiers.http.tier import Deadline
from rori_spiders.exceptions import JobStopped

if TYPE_CHECKING:
    from collections.abc import Coroutine

LONG_S = 600.0


async def _answered() -> str:
    await asyncio.sleep(0)
    return "answered"


def test_deadline_result_in_time_is_returned() -> None:
    assert asyncio.run(Deadline(LONG_S).keep(_answered())) == "answered"


def test_deadline_exceeded_cancels_work() -> None:
    with pytest.raises(DownloadTimeoutError, match=r"longer than 0\.01 seconds"):
        asyncio.run(Deadline(0.01).keep(asyncio.sleep(LONG_S)))


def test_deadline_timeout_of_work_itself_passes_through() -> None:
    async def failing() -> None:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        asyncio.run(Deadline(LONG_S).keep(failing()))


def test_deadline_excludes_held_time() -> None:
    deadline = Deadline(0.05)

    async def held() -> str:
        deadline.hold()
        deadline.hold()
        await asyncio.sleep(0.2)
        deadline.go_on()
        return await _answered()

    async def held_and_late() -> None:
        deadline.hold()
        deadline.go_on()
        await asyncio.sleep(LONG_S)

    assert asyncio.run(deadline.keep(held())) == "answered"
    with pytest.raises(DownloadTimeoutError):
        asyncio.run(deadline.keep(held_and_late()))


def test_deadline_leaves_no_timer_running() -> None:
    deadline = Deadline(LONG_S)
    deadline.go_on()
    deadline.hold()
    assert asyncio.run(deadline.keep(_answered())) == "answered"
    deadline.hold()
    deadline.go_on()


def test_deadline_stop_cancels_download_in_its_own_task() -> None:
    async def downloading(job: Job, work: Coroutine[object, object, object]) -> object:
        asyncio.get_running_loop().call_later(0.01, job.stop.cut_short)
        return await job.stop.unless_stopped(work)

    job = Job(get_crawler())
    with pytest.raises(JobStopped):
        asyncio.run(downloading(job, Deadline(LONG_S).keep(asyncio.sleep(LONG_S))))


def test_deadline_after_stop_starts_nothing() -> None:
    begun: list[int] = []

    async def work() -> None:
        begun.append(1)

    async def stopped() -> None:
        job = Job(get_crawler())
        job.stop.cut_short()
        await job.stop.unless_stopped(work())

    with pytest.raises(JobStopped):
        asyncio.run(stopped())
    assert begun == []


def test_deadline_result_before_stop_is_unaffected() -> None:
    async def work() -> str:
        job = Job(get_crawler())
        result = await job.stop.unless_stopped(_answered())
        job.stop.cut_short()
        return result

    assert asyncio.run(work()) == "answered"
