"""A chat server for tests: OpenAI's protocol at a loopback address, and what such servers do wrong.

In: what it answers, as a function of what it was asked, and what it says before. Out: completions, the log of calls.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Lock
from typing import TYPE_CHECKING, Any

from tests.support.server import scripted
from tests.support.server.scripted import GOOD_KEY, Scripted, Sending

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["GOOD_KEY", "HTML", "Chat", "ChatRequest", "Raw", "fault", "said"]


@dataclass(frozen=True)
class ChatRequest:
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
        named = "tool_call" if "tools" in self.fields else "plain"
        return str(self.fields.get("response_format", {}).get("type", named))


@dataclass(frozen=True)
class Raw(scripted.Raw):
    """JSON, where nothing else is said."""

    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


def said(text: object, finish: str = "stop", refusal: str | None = None, usage: object = "told") -> Raw:
    """A completion; what is no text is said as JSON."""
    content = text if text is None or isinstance(text, str) else json.dumps(text)
    told = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120} if usage == "told" else usage
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "test-model", "choices": [choice]}
    return Raw(200, json.dumps({**body, "usage": told}).encode())


def called(arguments: str) -> Raw:
    """A completion that calls the one tool, with these *arguments*."""
    body = json.loads(said(None, finish="tool_calls").body)
    call = {"id": "t", "type": "function", "function": {"name": "fields", "arguments": arguments}}
    body["choices"][0]["message"]["tool_calls"] = [call]
    return Raw(200, json.dumps(body).encode())


def fault(status: int, message: str = "fault", **headers: str) -> Raw:
    """A refusal in OpenAI's form."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    told = {"error": {"message": message, "type": "error", "param": None, "code": None}}
    return Raw(status, json.dumps(told).encode(), {"Content-Type": "application/json", **named})


HTML = Raw(200, b"<html><title>Welcome</title></html>", {"Content-Type": "text/html"})


class Chat(Scripted):
    """``first`` what it says before anything else, ``answer`` what it says then; ``requests`` those that came."""

    def __init__(self, address: str, *keys: str, handler: type[Sending] | None = None) -> None:
        self._keys = set(keys or (GOOD_KEY,))
        self._first: deque[Raw] = deque()
        self._lock = Lock()
        self.requests: list[ChatRequest] = []
        self.answer: Callable[[ChatRequest], Raw] = lambda _: said({})
        super().__init__(address, handler or _Handler)
        self.url += "/v1"

    def first(self, *answers: Raw) -> None:
        """Say these, one a call, whatever the key."""
        self._first.extend(answers)

    def take(self, asked: ChatRequest) -> Raw:
        with self._lock:
            self.requests.append(asked)
            if self._first:
                return self._first.popleft()
        return self.answer(asked) if asked.key in self._keys else fault(401, f"Incorrect API key: {asked.key}")


class _Handler(Sending, BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send(Raw(200, b"where a redirect leads"))

    def do_POST(self) -> None:
        fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self.send(fault(404))
            return
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        self.send(
            self.api.take(ChatRequest(key, fields, {name.lower(): value for name, value in self.headers.items()}))
        )
