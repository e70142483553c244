"""A pool of processes that work on pages, so that the event loop is left to the network.

They are started before the first page with what pages need imported, all but the first as copies of it, and stay. Each
is asked through a pipe of its own by a thread that waits for it, and can be killed alone; it ignores Ctrl-C (its parent
decides), and ends with its parent even when that is killed. One is replaced when it died, ran out of time, or keeps
memory that it cannot give back. Of large bodies one is worked on at a time, and may take more memory; so all processes
of a job together stay under half a gigabyte.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, cast

from rori_spiders.exceptions import ConversionCrashed, ConversionTimeout
from rori_spiders.workers.multiprocessing_spawn import LeanContext
from rori_spiders.workers.worker import KEPT_BYTES, send_call, serve_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from scrapy.settings import BaseSettings

    from rori_spiders.workers.worker import Answer

#: Larger bodies wait for each other. Up to it the densest of 150 hostile pages (links never closed) take 100 MB, and
#: may take no more than this (benchmarks/content_memory.py, 2026-11).
LARGE_BYTES = 256 * 1024
SMALL_MEMORY_BYTES = 144 * 2**20
#: What one large body may take. A table of 6 MB and 100,000 rows takes 240 MB (same benchmark); with the crawl itself
#: (130 MB) and the other processes (50 MB each) it stays under 512.
LARGE_MEMORY_BYTES = 272 * 2**20
#: A process that is not ready by then never will be: it starts in one to five seconds.
_START_S = 60.0

P = ParamSpec("P")
T = TypeVar("T")


class WorkPool:
    """Runs pure functions of a body in processes, each within its time and its memory."""

    def __init__(self, workers: int = 2, timeout_s: float = 60.0, memory_bytes: int = LARGE_MEMORY_BYTES) -> None:
        workers = max(1, workers)
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._workers = [WorkerProcess(memory_bytes) for _ in range(workers)]
        self._idle = list(self._workers)
        self._choosing = threading.Lock()
        self._one_large = asyncio.Lock()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="worker")
        self._is_warm = False

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        return cls(settings.getint("RORI_CONVERT_WORKERS"), settings.getfloat("RORI_CONVERT_TIMEOUT"))

    def warm_up(self) -> None:
        """Have the processes start, without waiting for them: one, and its copies. Called again it does nothing.

        Where there are no copies, others than the first start with work that finds none ready.
        """
        if self._is_warm:
            return
        self._is_warm = True
        with self._choosing:
            if len(self._idle) < len(self._workers) or any(one.is_launched for one in self._workers):
                return  # work came first, and starts what it needs
            first, *others = self._idle[::-1]
            # Imports take 0.3 CPU-s, a copy next to nothing. Only Linux has what a copy is held by.
            can_copy = hasattr(os, "pidfd_open")
            copies = [end for one in others if (end := one.expect_copy()) is not None] if can_copy else []
            first.launch(copies)  # here, so that no page comes first and starts it without its copies
        for worker in (first, *others) if copies else (first,):
            self._threads.submit(worker.start)

    async def run(self, size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call *function* in a process; *size*: the bytes of its body, by which it is given memory.

        Raises ConversionTimeout, ConversionCrashed when the process died twice or its memory did not suffice, and what
        *function* raises.
        """
        deaths = 0
        if size <= LARGE_BYTES:
            try:
                return cast("T", await self._ask(SMALL_MEMORY_BYTES, function, args, kwargs))
            except WorkerDied:
                deaths = 1
            except MemoryError:  # denser than pages of its size are: as a large one, then
                pass
        async with self._one_large:
            while True:
                try:
                    return cast("T", await self._ask(self._memory_bytes, function, args, kwargs))
                except MemoryError as error:
                    most = self._memory_bytes // 2**20
                    raise ConversionCrashed(f"the conversion needs more than {most} MiB of memory") from error
                except WorkerDied as error:
                    deaths += 1
                    if deaths > 1:
                        raise ConversionCrashed(f"the conversion process died twice on this page ({error})") from error

    async def _ask(self, memory_bytes: int, function: Callable[..., object], args: Any, kwargs: Any) -> object:
        """Raises ConversionTimeout, WorkerDied, MemoryError, and what *function* raises."""
        call = _Call(self._timeout_s)
        work = self._threads.submit(self._answer, call, memory_bytes, function, args, kwargs)
        done = asyncio.wrap_future(work)
        done.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # nobody may be left to ask
        try:
            while not done.done() and (seconds := call.seconds_left()) > 0:
                await asyncio.wait({done}, timeout=seconds)
        finally:
            if not done.done() and not work.cancel():
                call.give_up()
        if not done.done():
            raise ConversionTimeout(f"not finished within {call.seconds:.0f} s")
        answer = done.result()
        if answer.error is not None:
            raise answer.error
        return answer.result

    def _answer(
        self, call: _Call, memory_bytes: int, function: Callable[..., object], args: Any, kwargs: Any
    ) -> Answer:
        """In a thread, which takes the next call as soon as this one is answered: no worker waits for the event loop.

        There are as many threads as workers: one of these is idle.
        """
        with self._choosing:
            worker = next((one for one in self._idle if one.is_ready), self._idle[-1])
            self._idle.remove(worker)
        try:
            if not worker.is_ready:
                call.begin(worker, _START_S)
                worker.start()
            call.begin(worker, self._timeout_s)
            return worker.ask(memory_bytes, function, args, kwargs)
        finally:
            call.end()
            with self._choosing:
                self._idle.append(worker)

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.end()


class _Call:
    """A call on its way: how long it may take, from when a worker has it, and how to end it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = self._work_s = seconds
        self._until: float | None = None  # by the monotonic clock; None: it waits for a worker
        self._worker: WorkerProcess | None = None
        self._is_given_up = False
        self._beginning = threading.Lock()

    def begin(self, worker: WorkerProcess, seconds: float) -> None:
        """*worker* has it, for *seconds* at most. Raises WorkerDied when nobody waits for it any more."""
        with self._beginning:
            if self._is_given_up:
                raise WorkerDied
            self.seconds, self._until, self._worker = seconds, time.monotonic() + seconds, worker

    def end(self) -> None:
        """Its worker is free for another one."""
        with self._beginning:
            self._worker = None

    def seconds_left(self) -> float:
        """At least these until its time is up. A worker that starts may begin to work at any moment."""
        return self._work_s if self._until is None else min(self._until - time.monotonic(), self._work_s)

    def give_up(self) -> None:
        """End it, and the process that works on it."""
        with self._beginning:
            self._is_given_up = True
            if self._worker is not None:
                self._worker.kill()


class WorkerDied(Exception):
    """The process ended while it was asked."""


class WorkerProcess:
    """One process and the pipe to it; after it died, the next. All methods but `kill` block."""

    def __init__(self, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._running: tuple[SpawnProcess | _ProcessCopy, Connection] | None = None
        self._is_ready = False
        self._one_call = threading.Lock()  # a thread whose call was given up may not have noticed yet

    @property
    def is_launched(self) -> bool:
        return self._running is not None

    @property
    def is_ready(self) -> bool:
        """Whether it was started and has not been seen to end."""
        return self._running is not None and self._is_ready

    def launch(self, copies: Sequence[Connection] = ()) -> None:
        """Start the process unless it is there; its copies answer at *copies*. Does not wait for its imports."""
        with self._one_call:
            if self._running is None:
                here, there = _context.Pipe()
                process = _context.Process(target=serve_calls, args=(there, self._memory_bytes, copies), daemon=True)
                process.start()
                there.close()
                self._running, self._is_ready = (process, here), False
        for end in copies:
            end.close()

    def expect_copy(self) -> Connection | None:
        """The end of a pipe at which a copy of another process shall answer as this one; None: this one is there."""
        with self._one_call:
            if self._running is not None:
                return None
            here, there = _context.Pipe()
            self._running, self._is_ready = (_ProcessCopy(), here), False
            return there

    def start(self) -> None:
        """Start the process unless it is there, and wait for its imports. Raises WorkerDied."""
        self.launch()
        with self._one_call, self._noticing_death():
            if self._running is None:
                raise EOFError
            process, connection = self._running
            if not self._is_ready:
                pid = int(connection.recv_bytes())
                if isinstance(process, _ProcessCopy):
                    process.open(pid)
                self._is_ready = True

    def ask(self, memory_bytes: int, function: Callable[..., object], args: Any, kwargs: Any) -> Answer:
        """The answer to one call. Raises WorkerDied."""
        with self._one_call, self._noticing_death():
            if self._running is None:
                raise EOFError
            connection = self._running[1]
            send_call(connection, memory_bytes, function, args, kwargs)
            answer: Answer = connection.recv()
            if answer.kept_bytes > KEPT_BYTES:
                self._forget()
        return answer

    def kill(self) -> None:
        """End the process; a call that waits for it finds it dead."""
        if (running := self._running) is not None:
            running[0].kill()

    def end(self) -> None:
        """End the process, and leave nothing of it."""
        with self._one_call:
            self._forget()

    @contextmanager
    def _noticing_death(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, OSError) as error:
            raise WorkerDied(f"exit code {self._forget()}") from error

    def _forget(self) -> int | None:
        """The exit code, if there was a process."""
        running, self._running = self._running, None
        if running is None:
            return None
        process, connection = running
        process.kill()
        process.join()
        connection.close()
        return process.exitcode


class _ProcessCopy:
    """A process that another worker has forked: no child of this one. Linux alone has what it is held by."""

    exitcode = None  # nobody but its parent can know

    def __init__(self) -> None:
        self._fd: int | None = None
        self._is_unwanted = False

    def open(self, pid: int) -> None:
        """Hold the process *pid*. Whatever ends, its number is nobody else's before the first worker has ended."""
        with suppress(ProcessLookupError):  # it ended with the first worker
            self._fd = os.pidfd_open(pid)
        if self._is_unwanted:
            self.kill()

    def kill(self) -> None:
        """End it; one that is not there yet once it is."""
        self._is_unwanted = True
        if self._fd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._fd, signal.SIGKILL)

    def join(self) -> None:
        """Wait until it has ended."""
        if self._fd is not None:
            select.select([self._fd], [], [])
            os.close(self._fd)
            self._fd = None


_context = LeanContext()
