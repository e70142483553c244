"""Serves a folder of the demo site on loopback, with the manners and the oddities of a real server.

In: a folder (`working_copy.prepare_site`). Out: pages over HTTP. Clock and form token of a page are filled in on each
request; files that have neither carry an ETag and a Last-Modified, and are answered 304 when nothing changed. Paths
without a file are answered as `_answers/answers.json` says: gone, missing, or a refusal with status 200.
"""

import json
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

BUILT_FOR = b"http://127.0.0.1:8799"  # the address that the built files name themselves by
_ANSWERS = "_answers"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".xml": "application/xml",
    ".txt": "text/plain; charset=utf-8",
    ".pdf": "application/pdf",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}


@contextmanager
def serve_folder(folder: Path, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve *folder* until the block ends; yields the base URL, without a slash at its end.

    Port 0 takes a free one. Raises OSError when the port is taken.
    """
    server = _Server((host, port), folder)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.base
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(frozen=True)
class _Response:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], folder: Path) -> None:
        self.folder = folder
        self.rules = json.loads((folder / _ANSWERS / "answers.json").read_text(encoding="utf-8"))
        super().__init__(address, _Handler)
        self.base = f"http://{self.server_name}:{self.server_port}"

    def server_bind(self) -> None:
        # The base class asks the resolver for this host's name, which can take seconds.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client may hang up
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def do_GET(self) -> None:
        answer = self._response_for(unquote(urlsplit(self.path).path))
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != 304:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(answer.body)

    do_HEAD = do_GET  # noqa: N815 - the base class asks for this name

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Quiet: the collector tells what it asked."""

    def _response_for(self, path: str) -> _Response:
        try:
            return self._page(path)
        except (OSError, ValueError):  # no such file, a folder, or no path at all: too long, a NUL byte
            return self._instead(path)

    def _page(self, path: str) -> _Response:
        segments = PurePosixPath(path).parts[1:]
        if ".." in segments or segments[:1] == (_ANSWERS,):
            raise FileNotFoundError(path)
        file = self.server.folder.joinpath(*segments)
        if path.endswith("/"):
            return self._file(file / "index.html")
        if (file / "index.html").is_file():
            return _Response(301, headers={"Location": f"{path}/"})
        return self._file(file)

    def _instead(self, path: str) -> _Response:
        rule = self.server.rules.get(path) or self.server.rules["*"]
        body = (self.server.folder / _ANSWERS / rule["body"]).read_bytes()
        return _Response(rule["status"], self._here(body), {"Content-Type": _TYPES[".html"]})

    def _file(self, file: Path) -> _Response:
        body = file.read_bytes()
        headers = {"Content-Type": _TYPES.get(file.suffix, "application/octet-stream")}
        if file.suffix in {".html", ".txt"} or file.name.startswith(("sitemap", "regulation-")):
            body = self._here(body)
        # *body* with what is new on each request: the time of day, and the token of the search form.
        clock = f"{datetime.now(UTC):%H:%M:%S}".encode()
        nonce = secrets.token_hex(16).encode()
        filled = body.replace(b'<!--#echo var="CLOCK"-->', clock).replace(b'<!--#echo var="NONCE"-->', nonce)
        if filled != body:
            return _Response(200, filled, {**headers, "Cache-Control": "no-cache"})
        headers |= {
            "ETag": f'"{sha256(body).hexdigest()[:16]}"',
            "Last-Modified": formatdate(file.stat().st_mtime, usegmt=True),
        }
        return _Response(304, headers=headers) if self._is_known(headers) else _Response(200, body, headers)

    def _here(self, body: bytes) -> bytes:
        return body.replace(BUILT_FOR, self.server.base.encode())

    def _is_known(self, headers: dict[str, str]) -> bool:
        if validator := self.headers.get("If-None-Match"):
            return headers["ETag"] in validator
        if since := self.headers.get("If-Modified-Since"):
            return parsedate_to_datetime(headers["Last-Modified"]) <= parsedate_to_datetime(since)
        return False
