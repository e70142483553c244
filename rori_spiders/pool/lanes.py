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


class Lane:
    """Processes that share a limit."""

    def __init__(self, workers: int, timeout_s: float, memory_bytes: int) -> None:
        self._workers = workers
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._pool: ProcessPool | None = None

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Done:
        """Raises ConversionTimeout, ProcessExpired, MemoryError, and what *function* raises."""
        try:
            with spilling(args, kwargs) as (given, named):
                future = self._started().schedule(work, args=[function, *given], kwargs=named, timeout=self._timeout_s)
                return await asyncio.wrap_future(future)
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
                initializer=prepare,
                initargs=[os.getpid(), self._memory_bytes],
                context=LeanContext(),
            )
        return self._pool

    def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()  # type: ignore[no-untyped-call]  # pebble leaves it untyped
            pool.join(timeout=5)
