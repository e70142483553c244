"""What scripted API servers of the tests share: a server at a loopback address, its answers, and how they go wrong."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Self

GOOD_KEY = "good-key-5f61c8a2"


@dataclass(frozen=True)
class Raw:
    """What goes over the wire. *way*: whole, drop (hangs up), hold (says nothing), endless (never ends)."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    way: str = "whole"


class Scripted:
    """Serves until its block ends; what is held back or endless ends with it. *handler* knows it as ``api``."""

    def __init__(self, address: str, handler: type[Sending]) -> None:
        self.closing = Event()
        bound = type("Bound", (handler,), {"api": self})
        self._server = ThreadingHTTPServer((address, 0), bound)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://{address}:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Sending(BaseHTTPRequestHandler):
    """Sends answers in their way."""

    api: Any
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing: the log is `asked`."""

    def send(self, raw: Raw) -> None:
        if raw.way == "hold":
            self.api.closing.wait(60)
        if raw.way in {"drop", "hold"}:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.send_response(raw.status)
        for name, value in raw.headers.items():
            self.send_header(name, value)
        if raw.way == "endless":
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(raw.body)))
        self.end_headers()
        try:
            self.wfile.write(raw.body)
            while raw.way == "endless" and not self.api.closing.is_set():
                self.wfile.write(raw.body)
        except ConnectionError:
            self.close_connection = True
