"""The browser's only way out: a forward proxy on loopback that judges each address, and connects to the one judged.

Whatever a page asks for, by whatever means, Chromium can only ask it here (HTTP, and CONNECT for TLS and WebSockets,
which are not looked into). One page's ``Allowance`` says how much that may be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)

from rori_spiders.crawl.tiers.browser.chromium import is_own_connection
from rori_spiders.crawl.tiers.refusals import AddressNotPublic
from rori_spiders.urls.canonical import bracket_ipv6

#: Seconds to a connection that stands, or to a whole head.
_CONNECT_S = 10.0
_HEAD_S = 30.0
_CHUNK = 64 * 1024
#: Connections at once to one host: as many as we promise in docs/explanation/politeness.md.
AT_ONCE = 3


class Allowance:
    """The requests that one page may make, and their results. Hosts are given by name and port."""

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
            raise self._spent("opened too many connections")

    def receives(self, size: int) -> None:
        """Raises _Spent."""
        self._bytes -= size
        if self._bytes < 0:
            raise self._spent("downloaded too many bytes")

    def _spent(self, what: str) -> _AllowanceExceeded:
        if self._exceeds is not None:
            self._exceeds(what)
        return _AllowanceExceeded(what)


class _AllowanceExceeded(Exception):
    """The page has had what it may have."""


class EgressProxy:
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
            if allowance is None or not is_own_connection(writer.get_extra_info("peername")):
                writer.transport.abort()
                return
            async with asyncio.timeout(_HEAD_S):
                request = parse_proxy_request(await reader.readuntil(b"\r\n\r\n"))
            async with allowance.gate(request.host):
                await self._serve(request, allowance, reader, writer)
        except (
            OSError,
            EOFError,
            ValueError,
            TimeoutError,
            asyncio.LimitOverrunError,
            asyncio.CancelledError,
            _AllowanceExceeded,
        ):
            writer.transport.abort()  # never a clean end: a body that was cut off must not pass for a whole one
        finally:
            self._under_way.discard(task)
            writer.close()

    async def _serve(
        self, request: ProxyRequest, allowance: Allowance, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
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
                await _first_to_end(_pump_stream(reader, to_there), _pump_stream(there, writer, allowance))
            else:
                to_there.write(request.head())
                await _copy_bytes(reader, to_there, request.body_size)
                await _first_to_end(reader.read(1), _relay_response(there, writer, allowance))
        finally:
            to_there.transport.abort()

    async def _connected(
        self, request: ProxyRequest, allowance: Allowance
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the first address that takes one. Raises Scrapy's download errors, or why it is refused."""
        failure: Exception = DownloadFailedError(f"{request.host} does not resolve to an address")
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


async def _relay_response(there: asyncio.StreamReader, writer: asyncio.StreamWriter, allowance: Allowance) -> None:
    """One response, marked as the connection's last: whatever the browser asks next is judged anew."""
    while True:
        head = await there.readuntil(b"\r\n\r\n")
        allowance.receives(len(head))
        is_interim = 100 <= parse_status(head) < 200
        writer.write(head if is_interim else rewrite_response_head(head))
        if not is_interim:
            break
    await _pump_stream(there, writer, allowance)


async def _pump_stream(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, allowance: Allowance | None = None
) -> None:
    while chunk := await reader.read(_CHUNK):
        if allowance is not None:
            allowance.receives(len(chunk))
        writer.write(chunk)
        await writer.drain()


async def _copy_bytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int) -> None:
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


# Heads of HTTP/1.1 messages, as far as a forward proxy must understand them (RFC 9110, RFC 9112).

HEAD_BYTES = 256 * 1024
#: What is between two neighbours only (RFC 9110 §7.6.1), and what is meant for the proxy.
_BETWEEN_US = frozenset({b"connection", b"proxy-connection", b"keep-alive", b"proxy-authorization", b"te", b"upgrade"})


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """A request to a proxy."""

    method: bytes
    host: str
    port: int
    target: str  # path and query; empty for a tunnel
    fields: tuple[tuple[bytes, bytes], ...]

    @property
    def peer(self) -> tuple[str, int]:
        return self.host, self.port

    @property
    def is_tunnel(self) -> bool:
        return self.method == b"CONNECT"

    @property
    def body_size(self) -> int:
        """Raises ValueError for a body whose size is not said beforehand."""
        if _first_field(self.fields, b"transfer-encoding") is not None:
            raise ValueError("chunked requests are not supported")
        return int(_first_field(self.fields, b"content-length") or 0)

    def head(self) -> bytes:
        """The head as its server wants it: no proxy, and one request a connection."""
        return _format_head(self.method + b" " + self.target.encode("latin-1") + b" HTTP/1.1", self.fields)


def parse_proxy_request(head: bytes) -> ProxyRequest:
    """The request that *head* makes. Raises ValueError for what is none, or is not for a proxy."""
    line, fields = _parse_head(head)
    method, target, _ = line.split(b" ")
    address = target.decode("latin-1")
    parts = urlsplit(f"//{address}" if method == b"CONNECT" else address)
    if not parts.hostname or (method == b"CONNECT" and parts.port is None):
        raise ValueError("no host")
    if method == b"CONNECT":
        return ProxyRequest(method, parts.hostname, int(parts.port or 0), "", fields)
    if parts.scheme != "http":
        raise ValueError(f"{parts.scheme} is not supported")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return ProxyRequest(method, parts.hostname, parts.port or 80, path, fields)


def parse_status(head: bytes) -> int:
    """The status of a response's head. Raises ValueError for what is none."""
    version, _, rest = head.partition(b" ")
    if not version.startswith(b"HTTP/1."):
        raise ValueError("not an HTTP/1 response")
    return int(rest[:3])


def rewrite_response_head(head: bytes) -> bytes:
    """A response's head, as the last of its connection."""
    line, fields = _parse_head(head)
    return _format_head(line, fields)


def _parse_head(head: bytes) -> tuple[bytes, tuple[tuple[bytes, bytes], ...]]:
    line, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    pairs = (one.partition(b":") for one in rest)
    return line, tuple((name, value.strip()) for name, colon, value in pairs if colon)


def _format_head(line: bytes, fields: tuple[tuple[bytes, bytes], ...]) -> bytes:
    forwarded = [name + b": " + value for name, value in fields if name.strip().lower() not in _BETWEEN_US]
    return b"\r\n".join([line, *forwarded, b"Connection: close", b"", b""])


def _first_field(fields: tuple[tuple[bytes, bytes], ...], name: bytes) -> bytes | None:
    return next((value for key, value in fields if key.strip().lower() == name), None)


# The addresses that the browser may be connected to: those that the program's own resolver passes, and no other.


class _ResolutionReceiver:
    """An IResolutionReceiver of Twisted's that fulfils a future."""

    def __init__(self) -> None:
        self._found: list[str] = []
        self.answer: asyncio.Future[Sequence[str]] = asyncio.get_running_loop().create_future()

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802 (Twisted's name)
        """Nothing to do yet."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802 (Twisted's name)
        self._found.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802 (Twisted's name)
        if not self.answer.done():
            self.answer.set_result(tuple(self._found))


async def resolve_public_addresses(host: str, port: int) -> Sequence[str]:
    """Addresses of *host*, each judged for *port* by ``crawl/transport/resolver.py``, which the reactor has.

    Raises AddressNotPublic, CannotResolveHostError; DownloadFailedError where the reactor's resolver judges nothing.
    """
    from twisted.internet import reactor  # only now: importing it installs one

    resolver: Any = reactor.nameResolver
    refusal = getattr(resolver, "refusal", None)
    if refusal is None:
        raise DownloadFailedError("no resolver is configured that checks for public addresses")
    receiver = _ResolutionReceiver()
    resolver.resolveHostName(receiver, host, port)
    found = await receiver.answer
    if found:
        return found
    if (why := refusal(host, port)) is not None:
        raise AddressNotPublic(why, f"http://{bracket_ipv6(host)}:{port}/")
    raise CannotResolveHostError(host)
