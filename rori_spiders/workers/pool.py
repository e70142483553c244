"""A pool of processes for conversion and judging, so that the event loop is left to the network.

Small bodies are worked on in place: a round trip to a process costs more than they do. Of large bodies one is worked
on at a time, in a process of its own that may take more memory, and ends when it keeps what it took; so all processes
of a job together stay under half a gigabyte. The processes are spawned on first use, can be killed one by one, ignore
Ctrl-C (their parent decides), and end with their parent even when it is killed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from typing import ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

from rori_spiders.exceptions import ConversionCrashed, ConversionTimeout
from rori_spiders.runtime.multiprocessing_spawn import LeanContext
from rori_spiders.workers.worker import (
    IN_PLACE_BYTES,
    KEPT_BYTES,
    LARGE_BYTES,
    LARGE_MEMORY_BYTES,
    SMALL_MEMORY_BYTES,
    WorkResult,
    prepare_process,
    run_work,
    spill_large_bodies,
)

__all__ = ["IN_PLACE_BYTES", "LARGE_BYTES", "LARGE_MEMORY_BYTES", "SMALL_MEMORY_BYTES", "WorkPool"]


# The pool as the rest of the program sees it.

P = ParamSpec("P")
T = TypeVar("T")


class WorkPool:
    """Runs pure functions of a body, in place or in a process, each within its time and its memory."""

    def __init__(self, workers: int = 2, timeout_s: float = 60.0, memory_bytes: int = LARGE_MEMORY_BYTES) -> None:
        self._small = ProcessQueue(max(1, workers - 1), timeout_s, min(SMALL_MEMORY_BYTES, memory_bytes))
        self._large = ProcessQueue(1, timeout_s, memory_bytes)
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
            kept = KEPT_BYTES + 1  # unless it says otherwise
            try:
                result, kept = await self._large.run(function, *args, **kwargs)
            except MemoryError as error:
                most = self._memory_bytes // 2**20
                raise ConversionCrashed(f"the conversion needs more than {most} MiB of memory") from error
            except ProcessExpired as error:
                deaths += 1
                if deaths > 1:
                    raise ConversionCrashed(f"the conversion process died twice on this page ({error})") from error
            else:
                return result  # type: ignore[return-value]
            finally:
                if kept > KEPT_BYTES:
                    await asyncio.shield(asyncio.to_thread(self._large.close))

    def close(self) -> None:
        self._small.close()
        self._large.close()


# Processes that share a limit: those for small bodies, and the one for large ones.


#: Within so many seconds a process that has nothing else to do takes its work: it starts in one to five.
TAKEN_S = 30.0
_TRIES = 2


class ProcessQueue:
    """Processes that share a limit."""

    def __init__(self, workers: int, timeout_s: float, memory_bytes: int) -> None:
        self._workers = workers
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._pool: ProcessPool | None = None
        #: Nothing waits inside the pool: what is not taken at once never is.
        self._free = asyncio.Semaphore(workers)
        self._out: set[asyncio.Future[WorkResult]] = set()

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> WorkResult:
        """Raises ConversionTimeout, ProcessExpired, MemoryError, and what *function* raises."""
        async with self._free:
            for _ in range(_TRIES):
                with spill_large_bodies(args, kwargs) as (given, named):
                    if (done := await self._given(function, given, named)) is not None:
                        return done
        raise ProcessExpired("no process took the page")  # type: ignore[no-untyped-call]

    async def _given(
        self, function: Callable[..., T], args: list[object], kwargs: dict[str, object]
    ) -> WorkResult | None:
        """What a process makes of it; None when none takes it, or when another page gave the pool up.

        A process that is killed while it takes its work takes it along, and leaves a lock that nobody frees: pebble
        would wait for ever.
        """
        try:
            future = self._started().schedule(run_work, args=[function, *args], kwargs=kwargs, timeout=self._timeout_s)
            result = asyncio.wrap_future(future)
            self._out.add(result)
            result.add_done_callback(self._out.discard)
            try:
                await asyncio.wait({result}, timeout=TAKEN_S)
                if not result.done() and not future.running():
                    self._give_up()
                return await result
            finally:
                result.cancel()  # when a stop cuts this short, its process is stopped too
        except asyncio.CancelledError:
            if (waiting := asyncio.current_task()) is not None and waiting.cancelling():
                raise
            return None
        except TimeoutError as error:
            raise ConversionTimeout(f"not finished within {self._timeout_s:.0f} s") from error
        except BrokenProcessPool as error:  # it died while it was given the body: pebble gives up the whole pool
            self._give_up()
            # The error is that of every page which waits, and holds their bodies.
            raise ProcessExpired(str(error)) from None  # type: ignore[no-untyped-call]

    def _started(self) -> ProcessPool:
        if self._pool is None or not self._pool.active:
            self._pool = ProcessPool(
                max_workers=self._workers,
                initializer=prepare_process,
                initargs=[os.getpid(), self._memory_bytes],
                context=LeanContext(),
            )
        return self._pool

    def _give_up(self) -> None:
        """Close the pool, and tell whoever waits for it, which pebble does not."""
        self.close()
        for result in list(self._out):
            result.cancel()

    def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()  # type: ignore[no-untyped-call]  # pebble leaves it untyped
            pool.join(timeout=5)
