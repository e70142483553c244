"""A pool of processes for conversion and judging, so that the event loop is left to the network.

Small bodies are worked on in place: a round trip to a process costs more than they do. The processes are spawned on
first use, can be killed one by one, ignore Ctrl-C (their parent decides), are limited in memory, and end with their
parent even when it is killed.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import signal
import threading
import time
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

from rori_spiders.exceptions import ConversionCrashed, ConversionTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")

#: Bodies up to this size are worked on in place (64 KiB: about 30 ms for a whole conversion on one core, 2026-11).
IN_PLACE_BYTES = 64 * 1024
#: What one process may take; a 6.9 MB table needs about 1 GB in BeautifulSoup and markdownify (2026-11).
WORKER_MEMORY_BYTES = 2 * 1024**3


def _prepare_worker(parent: int, memory_bytes: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


class WorkPool:
    """Runs pure functions of a body, in place or in a process, each within its time."""

    def __init__(self, workers: int = 2, timeout_s: float = 60.0, memory_bytes: int = WORKER_MEMORY_BYTES) -> None:
        self._workers = workers
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._pool: ProcessPool | None = None

    async def run(self, size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call *function*, in a process when *size* (bytes of its body) is over IN_PLACE_BYTES.

        Raises ConversionTimeout, ConversionCrashed when the process died twice, and what *function* raises.
        """
        if size <= IN_PLACE_BYTES:
            return function(*args, **kwargs)
        for last_try in (False, True):
            future = self._started().schedule(function, args=list(args), kwargs=dict(kwargs), timeout=self._timeout_s)
            try:
                return await asyncio.wrap_future(future)
            except TimeoutError as error:
                raise ConversionTimeout(f"not converted within {self._timeout_s:.0f} s") from error
            except (ProcessExpired, MemoryError) as error:
                if last_try:
                    raise ConversionCrashed(f"the converting process ended twice on this page ({error})") from error
        raise AssertionError("unreachable")

    def _started(self) -> ProcessPool:
        if self._pool is None or not self._pool.active:
            self._pool = ProcessPool(
                max_workers=self._workers,
                initializer=_prepare_worker,
                initargs=[os.getpid(), self._memory_bytes],
                context=multiprocessing.get_context("spawn"),
            )
        return self._pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]  # pebble leaves it untyped
            self._pool.join(timeout=5)
            self._pool = None
