"""The pool: work in processes that may hang, die and be killed."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest

from rori_spiders.content.html.links import discover
from rori_spiders.exceptions import ConversionCrashed, ConversionTimeout
from rori_spiders.runtime.child_processes import process_stat
from rori_spiders.verdicts import judge
from rori_spiders.workers.multiprocessing_spawn import LeanContext
from rori_spiders.workers.pool import LARGE_BYTES, SMALL_MEMORY_BYTES, WorkPool
from rori_spiders.workers.worker import serve_calls
from tests.content import hostile
from tests.workers import work

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SMALL = 1
LARGE = LARGE_BYTES + 1
MEMORY = 1024**3
PAGE = (
    b"<html><head><title>Rules</title></head><body><main><h1>Rules</h1><p>"
    + b"Loans have a limit. " * 99
    + b"</p></main>"
)
WARM_PACKAGES = {
    *("bs4", "chardet", "cssselect", "cython_runtime", "dateutil", "lxml", "lxml_html_clean", "markdownify"),
    *("pycld2", "re2", "readability", "reporters_db", "rori_spiders", "six", "soupsieve", "tests", "typing_extensions"),
    "w3lib",
}
#: For the few pages that declare no language.
LANGUAGE_MODULES = {"pycld2", "pycld2._pycld2"}


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkPool]:
    made = WorkPool(workers=1, timeout_s=30, memory_bytes=MEMORY)
    yield made
    made.close()


@pytest.mark.parametrize("size", [1, LARGE])
def test_work_of_any_size_is_done_in_a_process(pool: WorkPool, size: int) -> None:
    assert asyncio.run(pool.run(size, work.process_id)) != os.getpid()
    assert asyncio.run(pool.run(size, work.double, b"ab", times=3)) == b"ababab"


def test_worker_stays_for_all_work(pool: WorkPool) -> None:
    async def working() -> set[int]:
        return {await pool.run(size, work.process_id) for size in (SMALL, LARGE) * 3}

    assert len(asyncio.run(working())) == 1


def _is_alive(pid: int) -> bool:
    return process_stat(pid)[:1] not in ([], ["Z"])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each process is started by itself")
def test_processes_started_before_the_first_page_are_copies_that_die_alone(tmp_path: Path) -> None:
    async def both(pool: WorkPool) -> set[tuple[int, int]]:
        mark = str(tmp_path / str(len(list(tmp_path.iterdir()))))
        both_at_once = [pool.run(SMALL, work.meet, b"", mark) for _ in range(2)]
        return set(await asyncio.wait_for(asyncio.gather(*both_at_once), 60))

    with closing(WorkPool(workers=2, timeout_s=60, memory_bytes=MEMORY)) as pool:
        pool.warm_up()
        (one, above_one), (other, above_other) = asyncio.run(both(pool))
        assert {above_one, above_other} in ({os.getpid(), one}, {os.getpid(), other})
        copy = one if above_one == other else other
        os.kill(copy, signal.SIGKILL)
        assert asyncio.run(pool.run(SMALL, work.double, b"a")) == b"aa"
        assert {pid for pid, _ in asyncio.run(both(pool))} >= {one, other} - {copy}

    with closing(WorkPool(workers=2, timeout_s=60, memory_bytes=MEMORY)) as pool:
        pool.warm_up()
        made = {pid for pid, _ in asyncio.run(both(pool))}
    assert not any(map(_is_alive, made))


def test_pool_warmed_up_after_its_first_page_works_on() -> None:
    async def run(pool: WorkPool) -> list[bytes]:
        first = asyncio.ensure_future(pool.run(SMALL, work.double, b"a"))
        await asyncio.sleep(0)  # it has taken the only worker
        pool.warm_up()
        return [await first, await pool.run(SMALL, work.double, b"b")]

    with closing(WorkPool(workers=1)) as pool:
        assert asyncio.run(run(pool)) == [b"aa", b"bb"]
    with closing(WorkPool(workers=2)) as pool:
        assert asyncio.run(pool.run(SMALL, work.double, b"a")) == b"aa"
        pool.warm_up()
        assert asyncio.run(pool.run(SMALL, work.double, b"b")) == b"bb"


@pytest.mark.parametrize("size", [0, 20_000, 20 * 2**20])
def test_body_of_any_size_crosses_whole(pool: WorkPool, size: int) -> None:
    body = os.urandom(size)
    assert asyncio.run(pool.run(size, work.double, body, times=1)) == body


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_work_errors_are_raised(pool: WorkPool, size: int) -> None:
    with pytest.raises(ValueError, match="no document"):
        asyncio.run(pool.run(size, work.refuse, b""))


def test_ctrl_c_is_its_parents_business(pool: WorkPool) -> None:
    assert asyncio.run(pool.run(SMALL, work.ignores_interrupts, b""))


def test_worker_whose_answer_is_not_read_ends_without_error() -> None:
    """So it finds the pipe when its parent was killed, whose log is no place for its traceback."""
    context = LeanContext()
    here, there = context.Pipe()
    process = context.Process(target=serve_calls, args=(there, MEMORY))
    process.start()
    there.close()
    assert here.poll(30)
    here.close()
    process.join(30)
    assert process.exitcode == 0


def test_worker_that_dies_once_is_asked_again(pool: WorkPool, tmp_path: Path) -> None:
    assert asyncio.run(pool.run(SMALL, work.die_once, b"", str(tmp_path / "mark"))) != os.getpid()


def test_worker_that_dies_while_receiving_is_asked_again(tmp_path: Path) -> None:
    mark = str(tmp_path / "mark")

    async def both(pool: WorkPool) -> tuple[bool, str]:
        other = asyncio.ensure_future(pool.run(SMALL, work.wait_for, b"", mark))
        dies = pool.run(SMALL, work.kind_of, b"", work.DiesOnItsWay(mark))
        return await asyncio.wait_for(asyncio.gather(other, dies), 50)

    with closing(WorkPool(workers=2, timeout_s=30, memory_bytes=MEMORY)) as pool:
        assert tuple(asyncio.run(both(pool))) == (True, "int")


def test_page_that_kills_twice_fails_and_pool_continues(pool: WorkPool) -> None:
    with pytest.raises(ConversionCrashed, match="twice"):
        asyncio.run(pool.run(SMALL, work.die, b""))
    assert asyncio.run(pool.run(SMALL, work.double, b"a")) == b"aa"


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_more_memory_than_a_process_may_take_is_a_crash(pool: WorkPool, size: int) -> None:
    with pytest.raises(ConversionCrashed, match="memory"):
        asyncio.run(pool.run(size, work.take_memory, b"", 2 * MEMORY))


def test_small_body_that_takes_much_memory_is_tried_as_large_one(pool: WorkPool) -> None:
    assert asyncio.run(pool.run(SMALL, work.take_memory, b"", SMALL_MEMORY_BYTES)) == SMALL_MEMORY_BYTES


def test_want_of_memory_is_reported_whatever_is_made_of_it_on_the_way(pool: WorkPool) -> None:
    with pytest.raises(ConversionCrashed, match="memory"):
        asyncio.run(pool.run(LARGE, work.hide_want_of_memory, b"", 2 * MEMORY))


def test_want_of_memory_is_reported_where_it_could_not_be_raised(pool: WorkPool) -> None:
    with pytest.raises(ConversionCrashed, match="memory"):
        asyncio.run(pool.run(LARGE, work.drop_want_of_memory, b""))


def test_worker_that_holds_much_memory_is_replaced(pool: WorkPool) -> None:
    async def working() -> tuple[int, int, int]:
        first = await pool.run(LARGE, work.process_id, b"")
        keeping = await pool.run(LARGE, work.keep_memory, b"", 100 * 2**20)
        return first, keeping, await pool.run(LARGE, work.process_id, b"")

    first, keeping, after = asyncio.run(working())
    assert first == keeping != after


def test_worker_does_not_import_main_module(pool: WorkPool) -> None:
    for size in (SMALL, LARGE):
        assert not asyncio.run(pool.run(size, work.has_imported, b"", "pytest"))


def test_warm_worker_has_imported_what_pages_need_and_no_more() -> None:
    """Scrapy and SQLAlchemy would weigh 50 MB more in each process, and take a second to import."""
    with closing(WorkPool(workers=1)) as pool:
        before = asyncio.run(pool.run(SMALL, work.list_modules, b""))
        after = asyncio.run(pool.run(SMALL, work.convert_and_list_modules, PAGE, url="https://a.example/"))
    imported = {module for module in set(after) - set(before) if not module.startswith("encodings.")}
    assert imported == LANGUAGE_MODULES, "imported with the first page, not before it"
    packages = {module.partition(".")[0] for module in after} - sys.stdlib_module_names
    assert packages.isdisjoint({"scrapy", "twisted", "sqlalchemy"})
    assert {name for name in packages if not name.startswith("_")} == WARM_PACKAGES
    ours = {module.split(".")[1] for module in after if module.startswith("rori_spiders.")}
    assert ours == {"content", "exceptions", "runtime", "urls", "verdicts", "workers"}


def test_page_that_kills_its_worker_hurts_no_other(pool: WorkPool) -> None:
    async def beside() -> list[object]:
        dying = [pool.run(size, work.die, b"") for size in (SMALL, LARGE, SMALL)]
        living = [pool.run(size, work.double, b"a") for size in (SMALL, LARGE) * 4]
        return await asyncio.gather(*dying, *living, return_exceptions=True)

    ended = asyncio.run(beside())
    assert [type(each) for each in ended[:3]] == [ConversionCrashed] * 3
    assert ended[3:] == [b"aa"] * 8


def test_waiting_call_begins_while_the_event_loop_is_busy(pool: WorkPool, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR)  # it has no end of file between two writers

    async def fill() -> bytes:
        calls = [asyncio.ensure_future(pool.run(SMALL, work.write_byte, b"", str(pipe))) for _ in range(2)]
        await asyncio.sleep(0)  # both are on their way
        written = b""
        while len(written) < len(calls) and select.select([end], [], [], 20)[0]:  # the loop does nothing else
            written += os.read(end, 1)
        await asyncio.gather(*calls)
        return written

    try:
        assert asyncio.run(fill()) == b"xx"
    finally:
        os.close(end)


def test_work_that_does_not_end_is_killed() -> None:
    pool = WorkPool(workers=1, timeout_s=0.2)
    try:
        with pytest.raises(ConversionTimeout, match="not finished within"):
            asyncio.run(pool.run(SMALL, work.never_end, b""))
    finally:
        pool.close()


def test_pool_that_was_never_used_closes() -> None:
    WorkPool().close()


def test_body_that_worker_cannot_receive_is_tried_as_large_one(pool: WorkPool) -> None:
    body = bytes(160 * 2**20)  # the process for small work dies of it before it says that it began
    assert len(asyncio.run(pool.run(SMALL, work.double, body, times=1))) == len(body)
    assert asyncio.run(pool.run(SMALL, work.double, b"ab", times=3)) == b"ababab"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to what it writes to")
@pytest.mark.parametrize("mib", [30, 31, 32, 33, 40, 48, 56])
def test_page_in_too_little_memory_is_read_whole_or_not_at_all(mib: int) -> None:
    pool = WorkPool(workers=1, memory_bytes=mib * 2**20)
    body = hostile.links(LARGE_BYTES)
    url = "http://a.example/"
    try:
        with suppress(ConversionCrashed):
            links = asyncio.run(pool.run(LARGE, discover, body, url=url)).links
            assert len(links) == body.count(b"<a href")
        with suppress(ConversionCrashed):
            verdict = asyncio.run(pool.run(LARGE, judge, status=200, url=url, headers={}, body=body))
            assert verdict.kind == "content"
    finally:
        pool.close()
