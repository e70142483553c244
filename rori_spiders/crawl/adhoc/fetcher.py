"""The client of ad hoc fetches: URLs out, pages in, by a worker process that lives as long as the `Fetcher` is
open.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rori_spiders.crawl.adhoc.messages import (
    LINE_BYTES,
    WORKER_MESSAGE,
    ClientMessage,
    FetchDone,
    FetchedPage,
    FetchRequest,
    PageConsumed,
    PageNotFetched,
    StopFetch,
    WorkerMessage,
    encode_message,
)
from rori_spiders.exceptions import FetchError

if TYPE_CHECKING:
    from rori_spiders.crawl.adhoc.forked_worker import ForkedWorker

__all__ = ["FetchDone", "FetchedPage", "Fetcher", "PageNotFetched"]


# A program's end: ad hoc fetches out, pages in, by a process that lives as long as the ``Fetcher`` is open.
#
#     async with Fetcher() as fetcher, fetcher.open_fetch(url, follow=True, max_pages=20) as stream:
#         async for told in stream:
#             ...  # FetchedPage or PageNotFetched; the last is FetchDone
#
# Neither Scrapy nor Twisted is imported here: their reactor cannot live in a caller's event loop.

#: How long the process has to end by itself, seconds: what is under way is cut short at once.
_CLOSE_TIMEOUT_S = 15.0
_ERROR_LINES = 20


class FetchStream:
    """The results of one address and, with ``follow``, of the pages that it links to, as they arrive."""

    def __init__(self, fetcher: Fetcher, wanted: FetchRequest) -> None:
        self._fetcher = fetcher
        self._wanted = wanted
        self._last: WorkerMessage | None = None
        #: What the next pages are to have in their addresses; may be changed at any time.
        self.keywords = wanted.keywords
        #: No more than `ahead` pages wait here, and what the process says between them.
        self.messages: asyncio.Queue[WorkerMessage] = asyncio.Queue()

    @property
    def is_done(self) -> bool:
        return isinstance(self._last, FetchDone)

    def __aiter__(self) -> FetchStream:
        return self

    async def __anext__(self) -> WorkerMessage:
        if self.is_done:
            raise StopAsyncIteration
        if isinstance(self._last, FetchedPage):  # a caller that asks for the next one has finished with it
            await self._fetcher.send(PageConsumed(fetch_id=self._wanted.fetch_id, keywords=self.keywords))
        self._last = await self._fetcher.next_of(self.messages)
        return self._last

    async def stop(self, reason: str) -> None:
        """No more pages are wanted: those that wait end as excluded for *reason*, and ``Done`` follows."""
        await self._fetcher.send(StopFetch(fetch_id=self._wanted.fetch_id, reason=reason))


class Fetcher:
    """Starts the process at the first fetch. *folder* holds scrapy.cfg or lies below it; *env* is added to ours.

    *settings* are Scrapy's and ours, by name, as ``-s`` gives them to a command.
    """

    def __init__(
        self,
        *,
        folder: Path | None = None,
        env: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
        forked: ForkedWorker | None = None,
    ) -> None:
        """*forked*: a process that has started already, in the folder and with the settings that it is to have."""
        self._folder = folder
        self._forked = forked
        self._settings = [f"{name}={value}" for name, value in (settings or {}).items()]
        self._env = {"SCRAPY_SETTINGS_MODULE": "rori_spiders.settings", **os.environ, **(env or {})}
        self._process: asyncio.subprocess.Process | ForkedWorker | None = None
        self._starting = asyncio.Lock()
        self._numbers = count(1)
        self._streams: dict[int, FetchStream] = {}
        self._reading: list[asyncio.Task[None]] = []
        self._errors: deque[str] = deque(maxlen=_ERROR_LINES)

    async def __aenter__(self) -> Fetcher:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @asynccontextmanager
    async def open_fetch(self, url: str, **wanted: Any) -> AsyncIterator[FetchStream]:
        """Ask for *url*; *wanted* are other fields of ``FetchRequest``. What is not done when it is left is stopped.

        Raises FetchError, here or while it is read, when the process cannot work, and pydantic's ValidationError for
        fields that are wrong.
        """
        wanted_fetch = FetchRequest(fetch_id=next(self._numbers), url=url, **wanted)
        await self._ensure_started()
        stream = self._streams[wanted_fetch.fetch_id] = FetchStream(self, wanted_fetch)
        try:
            await self.send(wanted_fetch)
            yield stream
        finally:
            del self._streams[wanted_fetch.fetch_id]
            if not stream.is_done:
                with suppress(FetchError):
                    await stream.stop("cancelled by the caller")

    async def close(self) -> None:
        """End the process, and what it has under way."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _CLOSE_TIMEOUT_S)
        except TimeoutError:
            process.kill()
            await process.wait()
        finally:
            for task in self._reading:
                task.cancel()
            await asyncio.gather(*self._reading, return_exceptions=True)

    # --- for its ad hoc fetches ---------------------------------------------------------------------------------------

    async def send(self, message: ClientMessage) -> None:
        process = self._process
        if process is None or process.stdin is None or process.returncode is not None:
            raise await self._gone()
        try:
            process.stdin.write(encode_message(message))
            await process.stdin.drain()
        except ConnectionError as error:
            raise await self._gone() from error

    async def next_of(self, messages: asyncio.Queue[WorkerMessage]) -> WorkerMessage:
        """What comes next of *messages*. Raises FetchError when the process has ended, and nothing is left."""
        coming = asyncio.ensure_future(messages.get())
        try:
            await asyncio.wait({coming, self._reading[0]}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done() and messages.empty():
                raise await self._gone()
            return await coming
        finally:
            coming.cancel()

    # --- the process ----------------------------------------------------------------------------------------------

    async def _ensure_started(self) -> None:
        async with self._starting:
            if self._process is not None:
                return
            self._process = await (self._forked.connect() if self._forked is not None else self._spawn())
            self._reading = [
                asyncio.ensure_future(self._read(self._process)),
                asyncio.ensure_future(self._read_errors(self._process)),
            ]

    async def _spawn(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "rori_spiders.crawl.adhoc.worker",
            getpass.getuser(),
            *self._settings,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LINE_BYTES,
            cwd=self._folder,
            env=self._env,
            start_new_session=True,  # Ctrl-C is for the program, which then closes this
        )

    async def _read(self, process: asyncio.subprocess.Process | ForkedWorker) -> None:
        assert process.stdout is not None
        while message := await process.stdout.readline():
            report = WORKER_MESSAGE.validate_json(message)
            if (stream := self._streams.get(report.fetch_id)) is not None:
                stream.messages.put_nowait(report)

    async def _read_errors(self, process: asyncio.subprocess.Process | ForkedWorker) -> None:
        assert process.stderr is not None
        while message := await process.stderr.readline():
            self._errors.append(message.decode("utf-8", "replace").rstrip())

    async def _gone(self) -> FetchError:
        """Why the process works no more, in its own words."""
        if self._reading:
            await asyncio.wait(self._reading, timeout=1)
        return FetchError("\n".join(["no page can be fetched, because the process for it ended:", *self._errors]))
