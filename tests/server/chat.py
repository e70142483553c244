"""A chat server for tests: OpenAI's protocol at a loopback address, and what such servers do wrong.

In: what it answers, as a function of what it was asked, and what it says before. Out: completions, the log of calls.
"""

from __future__ import annotations

import json
import socket
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD_KEY = "good-key-5f61c8a2"


@dataclass(frozen=True)
class Asked:
    """One call: its key, and all that was asked."""

    key: str
    fields: dict[str, Any]
    headers: dict[str, str]

    @property
    def messages(self) -> list[dict[str, str]]:
        return list(self.fields["messages"])

    @property
    def text(self) -> str:
        """The last message."""
        return self.messages[-1]["content"]

    @property
    def mode(self) -> str:
        return str(self.fields.get("response_format", {}).get("type", "plain"))


@dataclass(frozen=True)
class Raw:
    """What goes over the wire. *way*: whole, drop (hangs up), hold (says nothing), endless (never ends)."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    way: str = "whole"


def said(text: object, finish: str = "stop", refusal: str | None = None, usage: object = "told") -> Raw:
    """A completion; what is no text is said as JSON."""
    content = text if text is None or isinstance(text, str) else json.dumps(text)
    told = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120} if usage == "told" else usage
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "test-model", "choices": [choice]}
    return Raw(200, json.dumps({**body, "usage": told}).encode())


def fault(status: int, message: str = "fault", **headers: str) -> Raw:
    """A refusal in OpenAI's form."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    told = {"error": {"message": message, "type": "error", "param": None, "code": None}}
    return Raw(status, json.dumps(told).encode(), {"Content-Type": "application/json", **named})


HTML = Raw(200, b"<html><title>Welcome</title></html>", {"Content-Type": "text/html"})


class Chat:
    """``first`` what it says before anything else, ``answer`` what it says then; ``asked`` what it was asked."""

    def __init__(self, address: str, *keys: str) -> None:
        self._keys = set(keys or (GOOD_KEY,))
        self._first: deque[Raw] = deque()
        self._lock = Lock()
        self.asked: list[Asked] = []
        self.answer: Callable[[Asked], Raw] = lambda _: said({})
        self.closing = Event()
        handler = type("Handler", (_Handler,), {"chat": self})
        self._server = ThreadingHTTPServer((address, 0), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://{address}:{self._server.server_port}/v1"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def first(self, *answers: Raw) -> None:
        """Say these, one a call, whatever the key."""
        self._first.extend(answers)

    def take(self, asked: Asked) -> Raw:
        with self._lock:
            self.asked.append(asked)
            if self._first:
                return self._first.popleft()
        return self.answer(asked) if asked.key in self._keys else fault(401, f"Incorrect API key: {asked.key}")


class _Handler(BaseHTTPRequestHandler):
    chat: Chat
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing: the log is `asked`."""

    def do_GET(self) -> None:
        self._send(Raw(200, b"where a redirect leads"))

    def do_POST(self) -> None:
        fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self._send(fault(404))
            return
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        self._send(self.chat.take(Asked(key, fields, {name.lower(): value for name, value in self.headers.items()})))

    def _send(self, raw: Raw) -> None:
        if raw.way == "hold":
            self.chat.closing.wait(60)
        if raw.way in {"drop", "hold"}:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.send_response(raw.status)
        for name, value in raw.headers.items():
            self.send_header(name, value)
        self.send_header("Connection" if raw.way == "endless" else "Content-Length", _length(raw))
        self.end_headers()
        try:
            self.wfile.write(raw.body)
            while raw.way == "endless" and not self.chat.closing.is_set():
                self.wfile.write(raw.body)
        except ConnectionError:
            self.close_connection = True


def _length(raw: Raw) -> str:
    return "close" if raw.way == "endless" else str(len(raw.body))
