"""The pool: small work in place, large work in processes that may hang, die and be killed."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest

from rori_spiders.content.html.links import discover
from rori_spiders.exceptions import ConversionCrashed, ConversionTimeout
from rori_spiders.verdicts import judge
from rori_spiders.workers import pool as workers_pool
from rori_spiders.workers.pool import IN_PLACE_BYTES, LARGE_BYTES, SMALL_MEMORY_BYTES, WorkPool
from tests.content import hostile
from tests.workers import work

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGE = IN_PLACE_BYTES + 1
VERY_LARGE = LARGE_BYTES + 1
MEMORY = 1024**3


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkPool]:
    made = WorkPool(workers=1, timeout_s=30, memory_bytes=MEMORY)
    yield made
    made.close()


def test_small_work_is_done_in_place(pool: WorkPool) -> None:
    assert asyncio.run(pool.run(IN_PLACE_BYTES, work.process_id)) == os.getpid()
    assert asyncio.run(pool.run(2, work.double, b"ab", times=3)) == b"ababab"


def test_large_work_is_done_in_a_process(pool: WorkPool) -> None:
    assert asyncio.run(pool.run(LARGE, work.process_id)) != os.getpid()
    assert asyncio.run(pool.run(LARGE, work.double, b"ab", times=3)) == b"ababab"


@pytest.mark.parametrize("size", [1, LARGE])
def test_what_the_work_raises_is_raised(pool: WorkPool, size: int) -> None:
    with pytest.raises(ValueError, match="no document"):
        asyncio.run(pool.run(size, work.refuse, b""))


def test_ctrl_c_is_its_parents_business(pool: WorkPool) -> None:
    assert asyncio.run(pool.run(LARGE, work.ignores_interrupts, b""))


def test_a_process_that_dies_once_is_asked_again(pool: WorkPool, tmp_path: Path) -> None:
    assert asyncio.run(pool.run(LARGE, work.die_once, b"", str(tmp_path / "mark"))) != os.getpid()


def test_a_process_that_dies_while_it_takes_its_work_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was killed between two of pebble's own steps: pebble waits for it for ever."""
    monkeypatch.setattr(workers_pool, "TAKEN_S", 5.0)
    mark = str(tmp_path / "mark")

    async def both(pool: WorkPool) -> tuple[bool, str]:
        other = asyncio.ensure_future(pool.run(LARGE, work.wait_for, b"", mark))
        dies = pool.run(LARGE, work.kind_of, b"", work.DiesOnItsWay(mark))
        return await asyncio.wait_for(asyncio.gather(other, dies), 50)

    with closing(WorkPool(workers=3, timeout_s=30, memory_bytes=MEMORY)) as pool:
        assert tuple(asyncio.run(both(pool))) == (True, "int")


def test_a_page_that_kills_twice_has_crashed_it_and_the_pool_goes_on(pool: WorkPool) -> None:
    with pytest.raises(ConversionCrashed, match="twice"):
        asyncio.run(pool.run(LARGE, work.die, b""))
    assert asyncio.run(pool.run(LARGE, work.double, b"a")) == b"aa"


@pytest.mark.parametrize("size", [LARGE, VERY_LARGE])
def test_more_memory_than_a_process_may_take_is_a_crash(pool: WorkPool, size: int) -> None:
    with pytest.raises(ConversionCrashed, match="memory"):
        asyncio.run(pool.run(size, work.take_memory, b"", 2 * MEMORY))


def test_a_small_body_that_takes_much_is_worked_on_as_a_large_one(pool: WorkPool) -> None:
    assert asyncio.run(pool.run(LARGE, work.take_memory, b"", SMALL_MEMORY_BYTES)) == SMALL_MEMORY_BYTES


def test_want_of_memory_is_reported_whatever_is_made_of_it_on_the_way(pool: WorkPool) -> None:
    with pytest.raises(ConversionCrashed, match="memory"):
        asyncio.run(pool.run(VERY_LARGE, work.hide_want_of_memory, b"", 2 * MEMORY))


def test_want_of_memory_is_reported_where_it_could_not_be_raised(pool: WorkPool) -> None:
    with pytest.raises(ConversionCrashed, match="memory"):
        asyncio.run(pool.run(VERY_LARGE, work.drop_want_of_memory, b""))


def test_a_process_that_kept_much_is_replaced(pool: WorkPool) -> None:
    async def working() -> tuple[int, int, int]:
        first = await pool.run(VERY_LARGE, work.process_id, b"")
        keeping = await pool.run(VERY_LARGE, work.keep_memory, b"", 100 * 2**20)
        return first, keeping, await pool.run(VERY_LARGE, work.process_id, b"")

    first, keeping, after = asyncio.run(working())
    assert first == keeping != after


def test_a_process_knows_nothing_of_the_program_that_started_it(pool: WorkPool) -> None:
    for size in (LARGE, VERY_LARGE):
        assert not asyncio.run(pool.run(size, work.has_imported, b"", "pytest"))


def test_a_page_that_kills_its_process_hurts_no_other(pool: WorkPool) -> None:
    async def beside() -> list[object]:
        dying = [pool.run(size, work.die, b"") for size in (LARGE, VERY_LARGE, LARGE)]
        living = [pool.run(size, work.double, b"a") for size in (LARGE, VERY_LARGE) * 4]
        return await asyncio.gather(*dying, *living, return_exceptions=True)

    ended = asyncio.run(beside())
    assert [type(each) for each in ended[:3]] == [ConversionCrashed] * 3
    assert ended[3:] == [b"aa"] * 8


def test_work_that_does_not_end_is_killed() -> None:
    pool = WorkPool(workers=1, timeout_s=0.2)
    try:
        with pytest.raises(ConversionTimeout, match="not finished within"):
            asyncio.run(pool.run(LARGE, work.never_end, b""))
    finally:
        pool.close()


def test_a_pool_that_was_never_used_closes() -> None:
    WorkPool().close()


def test_a_body_that_a_process_cannot_even_receive_goes_to_a_larger_one(pool: WorkPool) -> None:
    body = bytes(160 * 2**20)  # the process for small work dies of it before it says that it began
    assert len(asyncio.run(pool.run(LARGE, work.double, body, times=1))) == len(body)
    assert asyncio.run(pool.run(LARGE, work.double, b"ab", times=3)) == b"ababab"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to what it writes to")
@pytest.mark.parametrize("mib", [30, 31, 32, 33, 40, 48, 56])
def test_a_page_read_in_too_little_memory_is_read_whole_or_not_at_all(mib: int) -> None:
    pool = WorkPool(workers=1, memory_bytes=mib * 2**20)
    body = hostile.links(LARGE_BYTES)
    url = "http://a.example/"
    try:
        with suppress(ConversionCrashed):
            links = asyncio.run(pool.run(VERY_LARGE, discover, body, url=url)).links
            assert len(links) == body.count(b"<a href")
        with suppress(ConversionCrashed):
            verdict = asyncio.run(pool.run(VERY_LARGE, judge, status=200, url=url, headers={}, body=body))
            assert verdict.kind == "content"
    finally:
        pool.close()
