"""The HTTP/1.1 side of a test server: threads, sockets, and the ways in which a reply goes wrong on purpose."""

from __future__ import annotations

import socket
import struct
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from tests.support.server.log import Log
from tests.support.server.replies import Replies, Reply

if TYPE_CHECKING:
    from collections.abc import Callable


class Listener(ThreadingHTTPServer):
    """Listens on one loopback address, in threads of its own, until `stop`."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: str, port: int) -> None:
        self.log = Log()
        self.replies = Replies()
        self.closing = Event()
        self.faults: list[BaseException] = []  # what went wrong in the server itself
        self._sockets: set[socket.socket] = set()
        self._resets: set[socket.socket] = set()
        self._lock = Lock()
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), _Handler)
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening, and end the connections that clients keep open."""
        self.closing.set()
        self.shutdown()
        self._thread.join()
        self.server_close()
        with self._lock:
            for connection in self._sockets:
                _shut(connection)

    def reset(self, connection: socket.socket) -> None:
        """Let *connection* end with a reset (RST) instead of a clean close."""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with self._lock:
            self._resets.add(connection)

    def server_bind(self) -> None:
        # The base class asks the resolver for this host's name: a test server has none.
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._sockets.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._sockets.discard(request)
            reset = request in self._resets
            self._resets.discard(request)
        if reset:
            self.close_request(request)
        else:
            super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        fault = sys.exception()
        # A client that hangs up is no fault of the server.
        if fault is not None and not isinstance(fault, ConnectionError):
            self.faults.append(fault)


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # it ended by itself
        return


class _Handler(BaseHTTPRequestHandler):
    server: Listener
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        hit = self.server.log.arrived(
            self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body
        )
        status, told = 0, False
        try:
            reply = self.server.replies.take(self.path)
            if reply.held is not None:
                reply.held.wait()
            if reply.is_known(hit.headers):
                reply = Reply(304, {k: v for k, v in reply.all_headers().items() if k in {"ETag", "Last-Modified"}})
            status = 0 if reply.way == "reset" else reply.status
            if reply.way != "endless":
                # Told before it is sent: a client that has its answer may ask again before this thread goes on.
                self.server.log.answered(hit, status)
                told = True
            _WAYS[reply.way](self, reply)
        finally:
            if not told:
                self.server.log.answered(hit, status)

    do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Quiet: the log is `Log`."""

    def whole(self, reply: Reply) -> None:
        self._head(reply, {} if reply.status == 304 else {"Content-Length": str(len(reply.body))})
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def truncated(self, reply: Reply) -> None:
        """Promise the whole body, send half of it, hang up."""
        self._head(reply, {"Content-Length": str(len(reply.body))})
        self.wfile.write(reply.body[: len(reply.body) // 2])
        self.close_connection = True

    def reset(self, _reply: Reply) -> None:
        self.server.reset(self.connection)
        self.close_connection = True

    def endless(self, reply: Reply) -> None:
        """Send the body again and again, twenty times a second, until the client leaves or the server stops."""
        self._head(reply, {"Connection": "close"})
        while not self.server.closing.wait(0.05):
            self.wfile.write(reply.body)
        self.close_connection = True

    def _head(self, reply: Reply, framing: dict[str, str]) -> None:
        self.send_response(reply.status)
        for name, value in {**framing, **reply.all_headers()}.items():
            self.send_header(name, value)
        self.end_headers()


_WAYS: dict[str, Callable[[_Handler, Reply], None]] = {
    "whole": _Handler.whole,
    "truncated": _Handler.truncated,
    "reset": _Handler.reset,
    "endless": _Handler.endless,
}
