"""A server on raw sockets: it sends exactly the bytes that a test wrote, at the pace that a test wrote.

In: endpoints by path. Out: answers that no web server would give, and how often each path was asked.
"""

from __future__ import annotations

import socket
import struct
from collections import Counter
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["Endpoint", "HostileServer", "Wire", "html"]


class Wire:
    """One connection while one request is answered. Every method ends quietly when the client has left."""

    def __init__(self, connection: socket.socket, closing: Event) -> None:
        self._connection = connection
        self._closing = closing
        self.keep = False  # whether the connection is kept for the next request
        self.alive = True

    def send(self, content: bytes) -> Self:
        try:
            self._connection.sendall(content)
        except OSError:
            self.alive = False
        return self

    def flood(self, piece: bytes, times: int | None = None) -> Self:
        """Send *piece* again and again: *times*, or until the client leaves or the server stops."""
        sent = 0
        while self.alive and not self._closing.is_set() and (times is None or sent < times):
            self.send(piece)
            sent += 1
        return self

    def drip(self, pieces: Iterable[bytes], every: float = 0.1) -> Self:
        """Send *pieces* one by one, *every* seconds."""
        for piece in pieces:
            if not self.alive or self._closing.wait(every):
                break
            self.send(piece)
        return self

    def hold(self, seconds: float = 60.0) -> Self:
        """Keep the connection open until the client leaves, *seconds* at most."""
        self._connection.settimeout(0.1)
        waited = 0.0
        while self.alive and waited < seconds and not self._closing.is_set():
            try:
                self.alive = bool(self._connection.recv(4096))
            except TimeoutError:
                waited += 0.1
            except OSError:
                self.alive = False
        return self

    def pause(self, seconds: float) -> Self:
        self._closing.wait(seconds)
        return self

    def reset(self) -> None:
        """End the connection with RST instead of FIN."""
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._connection.close()
        self.alive = False


@dataclass(frozen=True)
class Endpoint:
    """What a path answers, and what has to become of it: a word of a failure ("" for a page that is captured)."""

    answer: bytes | Callable[[Wire], object]
    word: str = ""
    asked: int = 1
    state: str = field(default="")

    @property
    def final(self) -> str:
        return self.state or ("failed" if self.word else "captured")


def html(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A sound answer with its length, kept alive unless *headers* say otherwise."""
    lines = (f"HTTP/1.1 {status}", "Content-Type: text/html; charset=utf-8", f"Content-Length: {len(body)}", *headers)
    return "\r\n".join((*lines, "", "")).encode("latin-1") + body


class HostileServer:
    """Answers *endpoints* on one loopback address; 404 for the rest. With *tls*, over TLS."""

    def __init__(self, address: str, endpoints: Mapping[str, Endpoint], tls: ssl.SSLContext | None = None) -> None:
        self.endpoints = dict(endpoints)
        self.hits: Counter[str] = Counter()
        self.faults: list[BaseException] = []
        self._tls = tls
        self._closing = Event()
        self._lock = Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server((address, 0), backlog=128)
        self.netloc = f"{address}:{self._listener.getsockname()[1]}"
        self.url = f"{'https' if tls else 'http'}://{self.netloc}"
        self._thread = Thread(target=self._accept, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop. Raises ExceptionGroup when the server itself went wrong: then its figures prove nothing."""
        self._closing.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        with self._lock:
            for connection in self._open:
                connection.close()
        if self.faults:
            raise BaseExceptionGroup("the hostile server failed", self.faults)

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with self._lock:
                self._open.add(connection)
            while (path := _asked(connection)) and self._answer(connection, path):
                pass
        except OSError:  # the client left, or did not like our certificate
            pass
        except BaseException as fault:
            self.faults.append(fault)
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def _answer(self, connection: socket.socket, path: str) -> bool:
        """Answer one request; whether the connection goes on."""
        with self._lock:
            self.hits[path] += 1
        endpoint = self.endpoints.get(path, _MISSING)
        wire = Wire(connection, self._closing)
        if isinstance(endpoint.answer, bytes):
            wire.send(endpoint.answer)
            wire.keep = endpoint.word == "" and b"\r\nContent-Length: " in endpoint.answer
        else:
            endpoint.answer(wire)
        return wire.keep and wire.alive


def _asked(connection: socket.socket) -> str:
    """The path of the next request; empty when there is none."""
    head = b""
    while b"\r\n\r\n" not in head:
        received = connection.recv(65536)
        if not received:
            return ""
        head += received
    return head.split(b" ", 2)[1].decode("latin-1")


_MISSING = Endpoint(html(b"<h1>Not found</h1>", status="404 Not Found"), "not_found")
