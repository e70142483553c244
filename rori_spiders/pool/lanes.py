"""Processes that share a limit: those for small bodies, and the one for large ones."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

from rori_spiders.exceptions import ConversionTimeout
from rori_spiders.pool.bodies import spilling
from rori_spiders.pool.inside import prepare, work
from rori_spiders.spawning import LeanContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.pool.inside import Done

P = ParamSpec("P")
T = TypeVar("T")


#: Within so many seconds a process that has nothing else to do takes its work: it starts in one to five.
TAKEN_S = 30.0
_TRIES = 2


class Lane:
    """Processes that share a limit."""

    def __init__(self, workers: int, timeout_s: float, memory_bytes: int) -> None:
        self._workers = workers
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._pool: ProcessPool | None = None
        #: Nothing waits inside the pool: what is not taken at once never is.
        self._free = asyncio.Semaphore(workers)
        self._out: set[asyncio.Future[Done]] = set()

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Done:
        """Raises ConversionTimeout, ProcessExpired, MemoryError, and what *function* raises."""
        async with self._free:
            for _ in range(_TRIES):
                with spilling(args, kwargs) as (given, named):
                    if (done := await self._given(function, given, named)) is not None:
                        return done
        raise ProcessExpired("no process took the page")  # type: ignore[no-untyped-call]

    async def _given(self, function: Callable[..., T], args: list[object], kwargs: dict[str, object]) -> Done | None:
        """What a process makes of it; None when none takes it, or when another page gave the pool up.

        A process that is killed while it takes its work takes it along, and leaves a lock that nobody frees: pebble
        would wait for ever.
        """
        try:
            future = self._started().schedule(work, args=[function, *args], kwargs=kwargs, timeout=self._timeout_s)
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
            raise ConversionTimeout(f"not converted within {self._timeout_s:.0f} s") from error
        except BrokenProcessPool as error:  # it died while it was given the body: pebble gives up the whole pool
            self._give_up()
            # The error is that of every page which waits, and holds their bodies.
            raise ProcessExpired(str(error)) from None  # type: ignore[no-untyped-call]

    def _started(self) -> ProcessPool:
        if self._pool is None or not self._pool.active:
            self._pool = ProcessPool(
                max_workers=self._workers,
                initializer=prepare,
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
