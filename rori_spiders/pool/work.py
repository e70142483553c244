"""The pool as the rest of the program sees it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pebble import ProcessExpired

from rori_spiders.exceptions import ConversionCrashed
from rori_spiders.pool.lanes import Lane
from rori_spiders.pool.sizes import IN_PLACE_BYTES, KEPT_BYTES, LARGE_BYTES, LARGE_MEMORY_BYTES, SMALL_MEMORY_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


class WorkPool:
    """Runs pure functions of a body, in place or in a process, each within its time and its memory."""

    def __init__(self, workers: int = 2, timeout_s: float = 60.0, memory_bytes: int = LARGE_MEMORY_BYTES) -> None:
        self._small = Lane(max(1, workers - 1), timeout_s, min(SMALL_MEMORY_BYTES, memory_bytes))
        self._large = Lane(1, timeout_s, memory_bytes)
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
                raise ConversionCrashed(f"converting this page takes more than {most} MiB of memory") from error
            except ProcessExpired as error:
                deaths += 1
                if deaths > 1:
                    raise ConversionCrashed(f"the converting process ended twice on this page ({error})") from error
            else:
                return result  # type: ignore[return-value]
            finally:
                if kept > KEPT_BYTES:
                    await asyncio.shield(asyncio.to_thread(self._large.close))

    def close(self) -> None:
        self._small.close()
        self._large.close()
