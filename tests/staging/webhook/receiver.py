"""A receiver of webhooks on a port of its own: answers what the test scripts, and keeps what was signed rightly."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from standardwebhooks import Webhook

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "d2hhdCB3YXMgc3RhZ2VkIGlzIGFubm91bmNlZCBoZXJl"


class Receiver(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.answers: list[int] = []  # the next ones; then 204, or 200 with a body
        self.body = b""
        self.hangs = Event()  # once set, no request is answered until `let_go`
        self.let_go = Event()
        self.messages: list[tuple[str, dict[str, Any]]] = []  # id and payload of each that was answered 2xx
        self.request_count = 0
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/secret-path"

    @property
    def taken(self) -> list[str]:
        return [one["envelope_id"] for _, payload in self.messages for one in payload["data"]["envelopes"]]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        payload = Webhook(SECRET).verify(body, {name.lower(): value for name, value in self.headers.items()})
        assert payload == json.loads(body)
        self.server.request_count += 1
        if self.server.hangs.is_set():
            self.server.let_go.wait(30)
            return
        status = self.server.answers.pop(0) if self.server.answers else 200 if self.server.body else 204
        if status < 300:
            self.server.messages.append((self.headers["webhook-id"], payload))
        self.send_response(status)
        self.send_header("location", f"{self.server.url}/elsewhere")
        self.send_header("content-length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def receiving() -> Iterator[Receiver]:
    server = Receiver()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.let_go.set()
        server.shutdown()
        thread.join()
        server.server_close()
