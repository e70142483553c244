"""A pool of processes for conversion and judging, so that the event loop is left to the network.

Small bodies are worked on in place: a round trip to a process costs more than they do. Of large bodies one is worked
on at a time, in a process of its own that may take more memory, and ends when it keeps what it took; so all processes
of a job together stay under half a gigabyte. The processes are spawned on first use, can be killed one by one, ignore
Ctrl-C (their parent decides), and end with their parent even when it is killed.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import resource
import signal
import tempfile
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

from rori_spiders.content.tree import is_want_of_memory
from rori_spiders.exceptions import ConversionCrashed, ConversionTimeout
from rori_spiders.spawning import LeanContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

P = ParamSpec("P")
T = TypeVar("T")

#: Bodies up to this size are worked on in place (64 KiB: about 30 ms for a whole conversion on one core, 2026-11).
IN_PLACE_BYTES = 64 * 1024
#: Larger bodies wait for each other. Up to it the densest of 150 hostile pages (links never closed) take 100 MB, and
#: the processes for them may take no more (benchmarks/content_memory.py, 2026-11).
LARGE_BYTES = 256 * 1024
SMALL_MEMORY_BYTES = 144 * 2**20
#: What the one process for large bodies may take. A table of 6 MB and 100,000 rows takes 240 MB (same benchmark); with
#: the crawl itself (130 MB) and the other processes (50 MB each) it stays under 512.
LARGE_MEMORY_BYTES = 272 * 2**20
# A process for large bodies that holds more than this behind its work gives it back by ending. A fresh one: 45 MB.
_KEPT_BYTES = 80 * 2**20


def _prepare_worker(parent: int, memory_bytes: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # What is written to counts, mapped libraries do not: nearly what the process weighs.
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


class _Spilled(NamedTuple):
    """A body on its way to a process, in a file: through a pipe it would be in memory five times."""

    path: str

    def taken(self) -> bytes:
        body = Path(self.path).read_bytes()
        Path(self.path).unlink()
        return body


class _Done(NamedTuple):
    result: object
    kept_bytes: int


def _work(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> _Done:
    """In the process: *function*, its memory given back. MemoryError gets out whatever was made of it on the way."""
    try:
        given = [each.taken() if isinstance(each, _Spilled) else each for each in args]
        named = {name: each.taken() if isinstance(each, _Spilled) else each for name, each in kwargs.items()}
        result = function(*given, **named)  # type: ignore[arg-type]
    except Exception as error:
        if _ran_out(error):
            raise MemoryError from None  # its traceback would hold all that was taken
        raise
    _give_back()
    return _Done(result, _resident_bytes())


def _ran_out(error: BaseException) -> bool:
    links: BaseException | None = error
    while links is not None:
        if is_want_of_memory(links):
            return True
        links = links.__cause__ or links.__context__
    return False


def _give_back() -> None:
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:  # not glibc
        return


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    except OSError:  # not Linux: the most that it ever held is all that can be known
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@contextmanager
def _spilling(args: tuple[object, ...], kwargs: dict[str, object]) -> Iterator[tuple[list[object], dict[str, object]]]:
    """*args* and *kwargs* with large bodies in files, which are there no longer than the work."""
    with ExitStack() as files:

        def spilled(each: object) -> object:
            if not isinstance(each, bytes) or len(each) <= LARGE_BYTES:
                return each
            handle, path = tempfile.mkstemp(prefix="rori-body-")
            files.callback(Path(path).unlink, missing_ok=True)
            with os.fdopen(handle, "wb") as file:
                file.write(each)
            return _Spilled(path)

        yield [spilled(each) for each in args], {name: spilled(each) for name, each in kwargs.items()}


class _Lane:
    """Processes that share a limit."""

    def __init__(self, workers: int, timeout_s: float, memory_bytes: int) -> None:
        self._workers = workers
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._pool: ProcessPool | None = None

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> _Done:
        """Raises ConversionTimeout, ProcessExpired, MemoryError, and what *function* raises."""
        try:
            with _spilling(args, kwargs) as (given, named):
                work = self._started().schedule(_work, args=[function, *given], kwargs=named, timeout=self._timeout_s)
                return await asyncio.wrap_future(work)
        except TimeoutError as error:
            raise ConversionTimeout(f"not converted within {self._timeout_s:.0f} s") from error
        except BrokenProcessPool as error:  # it died while it was given the body: pebble gives up the whole pool
            self.close()
            # The error is that of every page which waits, and holds their bodies.
            raise ProcessExpired(str(error)) from None  # type: ignore[no-untyped-call]

    def _started(self) -> ProcessPool:
        if self._pool is None or not self._pool.active:
            self._pool = ProcessPool(
                max_workers=self._workers,
                initializer=_prepare_worker,
                initargs=[os.getpid(), self._memory_bytes],
                context=LeanContext(),
            )
        return self._pool

    def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()  # type: ignore[no-untyped-call]  # pebble leaves it untyped
            pool.join(timeout=5)


class WorkPool:
    """Runs pure functions of a body, in place or in a process, each within its time and its memory."""

    def __init__(self, workers: int = 2, timeout_s: float = 60.0, memory_bytes: int = LARGE_MEMORY_BYTES) -> None:
        self._small = _Lane(max(1, workers - 1), timeout_s, min(SMALL_MEMORY_BYTES, memory_bytes))
        self._large = _Lane(1, timeout_s, memory_bytes)
        self._one_large = asyncio.Lock()
        self._memory_bytes = memory_bytes

    async def run(self, size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call *function*, in a process when *size* (bytes of its body) is over IN_PLACE_BYTES.

        Raises ConversionTimeout, ConversionCrashed when the process died twice or its memory did not suffice, and what
        *function* raises.
        """
        if size <= IN_PLACE_BYTES:
            return function(*args, **kwargs)
        deaths = 0
        if size <= LARGE_BYTES:
            try:
                return (await self._small.run(function, *args, **kwargs)).result  # type: ignore[return-value]
            except ProcessExpired:
                deaths = 1
            except MemoryError:  # denser than pages of its size are: as a large one, then
                pass
        async with self._one_large:
            return await self._as_large(deaths, function, *args, **kwargs)

    async def _as_large(self, deaths: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        while True:
            kept = _KEPT_BYTES + 1  # unless it says otherwise
            try:
                result, kept = await self._large.run(function, *args, **kwargs)
            except MemoryError as error:
                most = self._memory_bytes // 2**20
                raise ConversionCrashed(f"converting this page takes more than {most} MiB of memory") from error
            except ProcessExpired as error:
                deaths += 1
                if deaths > 1:
                    raise ConversionCrashed(f"the converting process ended twice on this page ({error})") from error
            else:
                return result  # type: ignore[return-value]
            finally:
                if kept > _KEPT_BYTES:
                    await asyncio.shield(asyncio.to_thread(self._large.close))

    def close(self) -> None:
        self._small.close()
        self._large.close()
