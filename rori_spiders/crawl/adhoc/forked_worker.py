"""The worker process of ad hoc fetches as a fork of a command: what the command has imported is not imported again.

Only for a command that has neither a thread nor an event loop yet. Programs that use the ``Fetcher`` spawn the process.
"""

import asyncio
import getpass
import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping
from typing import Self

from rori_spiders.crawl.adhoc.messages import LINE_BYTES


class ForkedWorker:
    """The process and its pipes; ``connect`` gives them the interface of ``asyncio.subprocess.Process``."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start the process, in the current folder. *settings*: by name, as ``-s`` gives them to a command."""
        requests, replies, errors = os.pipe(), os.pipe(), os.pipe()
        self._ends: tuple[int, ...] = (requests[1], replies[0], errors[0])
        ends = (requests[0], replies[1], errors[1])
        overrides = [f"{name}={value}" for name, value in settings.items()]
        # Not a daemon: it has processes of its own, which convert pages. It ends when its requests do.
        context = multiprocessing.get_context("fork")
        self._process = context.Process(target=_serve, args=(ends, self._ends, overrides))
        self._process.start()
        for end in ends:
            os.close(end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process if nobody has connected to it, and so asked for anything."""
        ends, self._ends = self._ends, ()
        for end in ends:
            os.close(end)
        if ends:
            self.kill()

    async def connect(self) -> Self:
        """Open the pipes in the running event loop."""
        loop = asyncio.get_running_loop()
        (requests, *others), self._ends = self._ends, ()
        self.stdout, self.stderr = [await _open_reader(end) for end in others]
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(requests, "wb"))
        self.stdin = asyncio.StreamWriter(transport, protocol, None, loop)
        return self

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    async def wait(self) -> int | None:
        await asyncio.to_thread(self._process.join)
        return self.returncode

    def kill(self) -> None:
        self._process.kill()


async def _open_reader(end: int) -> asyncio.StreamReader:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_BYTES, loop=loop)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader, loop=loop), os.fdopen(end, "rb"))
    return reader


def _serve(ends: tuple[int, int, int], parents_ends: tuple[int, ...], overrides: list[str]) -> None:
    """The process: answers requests until their pipe is closed."""
    for end in parents_ends:
        os.close(end)
    os.setsid()  # Ctrl-C is for the command, which then closes this
    signal.signal(signal.SIGINT, signal.default_int_handler)
    requests, replies, errors = ends
    for stream in (1, 2):
        os.dup2(errors, stream)
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "rori_spiders.settings")
    from rori_spiders.crawl.adhoc.worker import MessagePipe, serve_fetches

    pipe = MessagePipe(os.fdopen(requests, "rb"), os.fdopen(replies, "wb", buffering=0))
    sys.exit(serve_fetches(pipe, getpass.getuser(), *overrides))
