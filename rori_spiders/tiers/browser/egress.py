"""The browser's only way out: a forward proxy on loopback that judges each address, and connects to the one judged.

Whatever a page asks for, by whatever means, Chromium can only ask it here (HTTP, and CONNECT for TLS and WebSockets,
which are not looked into). One page's ``Allowance`` says how much that may be.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from scrapy.exceptions import DownloadConnectionRefusedError, DownloadFailedError, DownloadTimeoutError

from rori_spiders.tiers.browser.chromium import is_of_this_user
from rori_spiders.tiers.browser.heads import HEAD_BYTES, Asked, answer_head, asked, status_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

#: Seconds to a connection that stands, or to a whole head.
_CONNECT_S = 10.0
_HEAD_S = 30.0
_CHUNK = 64 * 1024
#: Connections at once to one host: as many as we promise in docs/politeness.md.
AT_ONCE = 3


class Allowance:
    """What one page may fetch, and what came of it. Hosts are told by name and port."""

    def __init__(self, max_connections: int, max_bytes: int, exceeds: Callable[[str], object] | None = None) -> None:
        self._connections = max_connections
        self._bytes = max_bytes
        self._exceeds = exceeds
        self._gates: dict[str, asyncio.Semaphore] = {}
        self.peers: dict[tuple[str, int], str] = {}  # the address connected to
        self.failures: dict[tuple[str, int], Exception] = {}  # why nothing was

    def gate(self, host: str) -> asyncio.Semaphore:
        return self._gates.setdefault(host, asyncio.Semaphore(AT_ONCE))

    def connects(self) -> None:
        """Raises _Spent."""
        self._connections -= 1
        if self._connections < 0:
            raise self._spent("makes more connections than a page may")

    def receives(self, size: int) -> None:
        """Raises _Spent."""
        self._bytes -= size
        if self._bytes < 0:
            raise self._spent("fetches more bytes than a page may")

    def _spent(self, what: str) -> _Spent:
        if self._exceeds is not None:
            self._exceeds(what)
        return _Spent(what)


class _Spent(Exception):
    """The page has had what it may have."""


class Egress:
    """The way out of one browser context: nothing passes but what its page's ``allowance`` allows.

    *resolve* gives the addresses of a host that may be connected to with a port, or raises why there is none.
    """

    def __init__(self, resolve: Callable[[str, int], Awaitable[Sequence[str]]]) -> None:
        self._resolve = resolve
        self._under_way: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.allowance: Allowance | None = None  # None: no page is open

    async def open(self) -> str:
        """Listen on a port of its own, if not already; returns the address of the proxy."""
        if self._server is None:
            self._server = await asyncio.start_server(self._client, "127.0.0.1", 0, limit=HEAD_BYTES)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """Nothing more passes until there is a new allowance, and what is under way is cut off."""
        self.allowance = None
        for task in self._under_way:
            task.cancel()

    def close(self) -> None:
        self.cut()
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._under_way.add(task)
        try:
            allowance = self.allowance
            if allowance is None or not is_of_this_user(writer.get_extra_info("peername")):
                writer.transport.abort()
                return
            async with asyncio.timeout(_HEAD_S):
                request = asked(await reader.readuntil(b"\r\n\r\n"))
            async with allowance.gate(request.host):
                await self._serve(request, allowance, reader, writer)
        except (OSError, EOFError, ValueError, TimeoutError, asyncio.LimitOverrunError, asyncio.CancelledError, _Spent):
            writer.transport.abort()  # never a clean end: a body that was cut off must not pass for a whole one
        finally:
            self._under_way.discard(task)
            writer.close()

    async def _serve(
        self, request: Asked, allowance: Allowance, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        allowance.connects()
        try:
            there, to_there = await self._connected(request, allowance)
        except Exception as error:  # whatever it is, the page's failure tells it
            allowance.failures[request.peer] = error
            if request.is_tunnel:
                writer.write(_NO_WAY)
                await writer.drain()
                return
            raise EOFError from error  # an answer of ours would pass for the site's
        try:
            if request.is_tunnel:
                writer.write(_STANDS)
                await _first_to_end(_pump(reader, to_there), _pump(there, writer, allowance))
            else:
                to_there.write(request.head())
                await _copy(reader, to_there, request.body_size)
                await _first_to_end(reader.read(1), _answer(there, writer, allowance))
        finally:
            to_there.transport.abort()

    async def _connected(
        self, request: Asked, allowance: Allowance
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the first address that takes one. Raises Scrapy's download errors, or why it is refused."""
        failure: Exception = DownloadFailedError(f"{request.host} has no address")
        for address in await self._resolve(*request.peer):
            try:
                async with asyncio.timeout(_CONNECT_S):
                    stands = await asyncio.open_connection(address, request.port, limit=HEAD_BYTES)
            except TimeoutError:
                failure = DownloadTimeoutError(f"no connection to {address} within {_CONNECT_S:.0f} s")
            except ConnectionRefusedError as error:
                failure = DownloadConnectionRefusedError(str(error))
            except OSError as error:
                failure = DownloadFailedError(str(error))
            else:
                allowance.peers[request.peer] = address
                return stands
        raise failure


async def _answer(there: asyncio.StreamReader, writer: asyncio.StreamWriter, allowance: Allowance) -> None:
    """One response, marked as the connection's last: whatever the browser asks next is judged anew."""
    while True:
        head = await there.readuntil(b"\r\n\r\n")
        allowance.receives(len(head))
        is_interim = 100 <= status_of(head) < 200
        writer.write(head if is_interim else answer_head(head))
        if not is_interim:
            break
    await _pump(there, writer, allowance)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, allowance: Allowance | None = None) -> None:
    while chunk := await reader.read(_CHUNK):
        if allowance is not None:
            allowance.receives(len(chunk))
        writer.write(chunk)
        await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int) -> None:
    while size > 0:
        chunk = await reader.read(min(_CHUNK, size))
        if not chunk:
            raise EOFError
        size -= len(chunk)
        writer.write(chunk)
        await writer.drain()
    await writer.drain()


async def _first_to_end(*pumps: Awaitable[object]) -> None:
    """Until one of them ends; the others are cancelled. Raises what it raised."""
    tasks = [asyncio.ensure_future(pump) for pump in pumps]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)


_STANDS = b"HTTP/1.1 200 OK\r\n\r\n"
_NO_WAY = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
