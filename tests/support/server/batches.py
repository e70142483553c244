"""A chat server that answers batches, too: files, batches of them, their output and error files; and how they end."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

from tests.support.server.chat import Chat, ChatRequest, Raw, fault
from tests.support.server.scripted import Sending

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class ServedBatch:
    """A batch: its requests, and for how many looks it is still open."""

    batch_id: str
    file_id: str
    open_looks: int
    requests: list[dict[str, Any]] = field(default_factory=list)


class BatchChat(Chat):
    """``ends`` is the status of batches when they have ended, ``leaves`` which of their questions they leave out.

    ``open_looks``: how often a batch is open before it ends. ``before``: what goes wrong, by method and path.
    ``output``: the lines of answers as they are served.
    """

    def __init__(self, address: str) -> None:
        self.files: dict[str, bytes] = {}
        self.batches: list[ServedBatch] = []
        self.ends = "completed"
        self.open_looks = 1
        self.leaves: Callable[[ChatRequest], bool] = lambda _: False
        self.before: Callable[[str, str], Raw | None] = lambda *_: None
        self.output: Callable[[list[str]], list[str]] = lambda lines: lines
        self.calls: list[str] = []
        super().__init__(address, handler=_Handler)

    def serve(self, method: str, path: str, body: bytes) -> Raw:
        called = f"{method} {path.removeprefix('/v1/').partition('?')[0]}"
        self.calls.append(re.sub(r"(file|batch)-\d+", "ID", called))
        wrong = self.before(method, path)
        if wrong is not None and wrong.status != 200:
            return wrong
        answer = self._serve(called, body)
        return wrong if wrong is not None else answer  # done, and the answer is lost

    def _serve(self, called: str, body: bytes) -> Raw:
        if called == "POST files":
            return self._told({"id": self._keep(_uploaded(body)), "object": "file"})
        if called == "POST batches":
            asked = json.loads(body)
            assert (asked["endpoint"], asked["completion_window"]) == ("/v1/chat/completions", "24h")
            rows = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
            number = f"batch-{len(self.batches)}"
            self.batches.append(ServedBatch(number, asked["input_file_id"], self.open_looks, rows))
            return self._told(self._batch(self.batches[-1]))
        if called == "GET batches":
            return self._told({"data": [self._batch(one) for one in reversed(self.batches)], "has_more": False})
        if found := re.fullmatch(r"GET batches/(.+)", called):
            batch = next((one for one in self.batches if one.batch_id == found[1]), None)
            return fault(404, "no such batch") if batch is None else self._told(self._looked_at(batch))
        if found := re.fullmatch(r"GET files/(.+)/content", called):
            return Raw(200, self.files[found[1]])
        return fault(404)

    def _looked_at(self, batch: ServedBatch) -> dict[str, Any]:
        told = self._batch(batch)
        batch.open_looks -= 1
        if told["status"] in {"completed", "expired"}:
            done: list[dict[str, Any]] = []
            left: list[dict[str, Any]] = []
            for row in batch.requests:
                asked = ChatRequest("", row["body"], {})
                answer = None if self.leaves(asked) else self.answer(asked)
                line = {"id": "r", "custom_id": row["custom_id"], "response": None, "error": None}
                if answer is None:
                    left.append({**line, "error": {"code": "batch_expired", "message": "not in time"}})
                else:
                    response = {"status_code": answer.status, "body": json.loads(answer.body)}
                    (done if answer.status == 200 else left).append({**line, "response": response})
            told["request_counts"]["completed"] = len(done)
            told["output_file_id"], told["error_file_id"] = (
                self._keep("".join(f"{line}\n" for line in lines).encode()) if lines else None
                for lines in (self.output([json.dumps(row) for row in done]), [json.dumps(row) for row in left])
            )
        return told

    def _batch(self, batch: ServedBatch) -> dict[str, Any]:
        status = "in_progress" if batch.open_looks > 0 else self.ends
        counts = {"total": len(batch.requests), "completed": 0, "failed": 0}
        return {"id": batch.batch_id, "status": status, "input_file_id": batch.file_id, "request_counts": counts}

    def _keep(self, content: bytes) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    @staticmethod
    def _told(body: dict[str, Any]) -> Raw:
        return Raw(200, json.dumps(body).encode())


def _uploaded(body: bytes) -> bytes:
    """The file of a multipart form."""
    boundary = body.partition(b"\r\n")[0]
    parts = [part.partition(b"\r\n\r\n") for part in body.split(boundary) if b"\r\n\r\n" in part]
    assert any(b'name="purpose"' in head and text.strip() == b"batch" for head, _, text in parts)
    return next(text.removesuffix(b"\r\n") for head, _, text in parts if b'name="file"' in head)


class _Handler(Sending, BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send(self.api.serve("GET", self.path, b""))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/chat/completions":
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            self.send(self.api.take(ChatRequest(key, json.loads(body), {})))
        else:
            self.send(self.api.serve("POST", self.path, body))
