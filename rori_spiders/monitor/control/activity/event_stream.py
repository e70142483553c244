"""Push activity to all followers as server-sent events, from one reader."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from rori_spiders.exceptions import LedgerError

#: Pause between two readings: at least this many seconds, and this many times the duration of a reading.
POLL_INTERVAL_S = 1.0
_REST_FACTOR = 10
#: Comment that keeps proxies from closing an idle connection.
HEARTBEAT_S = 15.0
#: The browser then reconnects by itself, which ends the stream of a person whose session has ended.
MAX_STREAM_S = 300.0


class ActivityStream:
    """Send the text of *read* to each follower when it changes. For one event loop; *read* runs in a thread."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read
        self._followers: set[asyncio.Queue[str | None]] = set()
        self._reading: asyncio.Task[None] | None = None
        self._last: str | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def events(self) -> AsyncGenerator[str]:
        """Yield server-sent events: the state at once, then each change, with comments in between."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._followers.add(queue)
        if self._reading is None:
            self._last = None
            self._reading = asyncio.create_task(self._go_on())
        elif self._last is not None:
            queue.put_nowait(self._last)
        loop = self._loop = asyncio.get_running_loop()
        ends = loop.time() + MAX_STREAM_S
        try:
            yield "retry: 3000\n\n"
            while (left := ends - loop.time()) > 0:
                try:
                    async with asyncio.timeout(min(HEARTBEAT_S, left)):
                        event = await queue.get()
                except TimeoutError:
                    yield ": still here\n\n"
                else:
                    if event is None:
                        return
                    yield f"event: activity\ndata: {event}\n\n"
        finally:
            self._leave(queue)

    @property
    def followers(self) -> int:
        """The number of current followers."""
        return len(self._followers)

    def end(self) -> None:
        """End all streams at once when the server stops. Safe from other threads and signal handlers."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._broadcast, None)

    def _broadcast(self, event: str | None) -> None:
        for one in self._followers:
            one.put_nowait(event)

    def _leave(self, queue: asyncio.Queue[str | None]) -> None:
        self._followers.discard(queue)
        if not self._followers and self._reading is not None:
            self._reading.cancel()
            self._reading = None

    async def _go_on(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            with suppress(LedgerError, SQLAlchemyError):  # temporarily unavailable: the page's other requests report it
                event = await run_in_threadpool(self._read)
                if event != self._last:
                    self._last = event
                    self._broadcast(event)
            await asyncio.sleep(max(POLL_INTERVAL_S, _REST_FACTOR * (loop.time() - began)))
