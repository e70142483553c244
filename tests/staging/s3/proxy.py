"""A proxy before an S3 server that fails as it is told to: once for each fault that waits, then it serves again."""

from __future__ import annotations

import http.client
import threading
from contextlib import suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

#: How long a request hangs at most: longer than any client here waits.
HANG_S = 30.0
_CODES = {"404": "NoSuchUpload", "500": "InternalError", "503": "SlowDown"}


class Fault(NamedTuple):
    """What becomes of a request: a status or S3's code, or a word.

    ``refuse`` (closed unheard), ``cut`` (done, closed unanswered), ``hang``, ``drip`` (a header now and then, without
    end), ``empty listing``.
    """

    how: str
    method: str = ""
    part: str = ""  # of the path and query


class Proxy:
    """Serves 127.0.0.1:port. ``faults`` are taken first to last by the requests that they fit; ``always`` stays."""

    def __init__(self, upstream: int) -> None:
        self.faults: list[Fault] = []
        self.always: list[Fault] = []
        self.requests: list[tuple[str, str]] = []  # method, path and query
        self.headers: Message = Message()  # of the last request
        self.on_request: Callable[[str, str], None] = lambda method, path: None
        self.over = threading.Event()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                proxy.answer(self, upstream)

            do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = answer  # noqa: N815

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fault(self, method: str, path: str) -> str:
        for faults in (self.faults, self.always):
            for fault in faults:
                if fault.method in {"", method} and fault.part in path:
                    if faults is self.faults:
                        faults.remove(fault)
                    return fault.how
        return ""

    def answer(self, request: BaseHTTPRequestHandler, upstream: int) -> None:
        method, path = request.command, request.path
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        self.requests.append((method, path))
        self.headers = request.headers
        self.on_request(method, path)
        how = self.fault(method, path)
        if how == "hang":
            self.over.wait(HANG_S)
        if how == "drip":
            self._drip(request)
        if how in {"refuse", "hang", "drip"}:
            request.close_connection = True
            return None
        if how == "empty listing":
            return self._send(request, 200, b"<ListBucketResult></ListBucketResult>", {})
        if how not in {"", "cut"}:
            code, status = _CODES.get(how, how), int(how) if how.isdigit() else 400
            return self._send(request, status, f"<Error><Code>{code}</Code></Error>".encode(), {})
        try:
            status, headers, answer = self._ask(request, upstream, body)
        except ConnectionError:
            request.close_connection = True
            return None
        if how == "cut":
            request.close_connection = True
            return None
        return self._send(request, status, answer, headers)

    def _drip(self, request: BaseHTTPRequestHandler) -> None:
        with suppress(ConnectionError):
            request.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not self.over.wait(0.1):
                request.wfile.write(b"X-More: yes\r\n")

    @staticmethod
    def _ask(request: BaseHTTPRequestHandler, upstream: int, body: bytes) -> tuple[int, dict[str, str], bytes]:
        asking = http.client.HTTPConnection("127.0.0.1", upstream, timeout=60)
        try:
            asking.request(request.command, request.path, body=body, headers=dict(request.headers.items()))
            answer = asking.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            asking.close()

    @staticmethod
    def _send(request: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str]) -> None:
        with suppress(ConnectionError):
            request.send_response_only(status)
            is_head = request.command == "HEAD"
            length = headers.pop("Content-Length", "0") if is_head else str(len(body))
            for name in ("Content-Length", "Transfer-Encoding", "Connection"):
                headers.pop(name, None)
            for name, value in {**headers, "Content-Length": length}.items():
                request.send_header(name, value)
            request.end_headers()
            if not is_head:
                request.wfile.write(body)
