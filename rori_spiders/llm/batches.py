"""Batches of an OpenAI-compatible server: many questions in one file, answered within a day for less.

In: request bodies by custom id. Out: a ``Batch`` and its files. Raises ExtractionError, AllKeysExhaustedError. A batch
belongs to the account of the key that created it.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from rori_spiders.exceptions import ExtractionError
from rori_spiders.llm.budget import TokenUsage
from rori_spiders.llm.client import ModelAnswer, ModelClient, parse_answer, parse_body, parse_usage
from rori_spiders.runtime.redaction import get_redactor

#: What one batch may hold (OpenAI's limits are 50,000 requests and 200 MB).
MAX_REQUESTS = 50_000
MAX_INPUT_BYTES = 100 * 2**20
_MAX_FILE_BYTES = 512 * 2**20
_FILE_TIMEOUT_S = 600.0
_ENDPOINT = "/v1/chat/completions"
#: States in which a batch may still be answered.
_OPEN = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
#: Pages of a listing in which a batch is looked for.
_LIST_PAGES = 10
#: Lines of an error file that are looked at for reasons.
_ERROR_LINES = 100


class Batch(NamedTuple):
    """A batch as the server reports it."""

    id: str
    status: str
    input_file_id: str | None
    output_file_id: str | None  # answers
    error_file_id: str | None  # requests that failed or expired
    completed: int
    total: int

    @property
    def is_open(self) -> bool:
        return self.status in _OPEN


class BatchClient:
    """Creates batches and reads them, through *client* with its keys and retries."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client

    async def upload(self, bodies: Mapping[str, dict[str, Any]]) -> str:
        """Upload the requests, by custom id; return the id of their file."""
        file = ("questions.jsonl", b"".join(input_line(name, body) for name, body in bodies.items()))
        content: dict[str, Any] = {"data": {"purpose": "batch"}, "files": {"file": file}}
        reply = await self._client.send("POST", "files", timeout_s=_FILE_TIMEOUT_S, **content)
        return _text(parse_body(reply.content, "the uploaded file"), "id")

    async def create(self, file_id: str) -> Batch:
        """Create the batch of an uploaded file. It is not tried twice: ``find`` tells whether it exists."""
        body = {"input_file_id": file_id, "endpoint": _ENDPOINT, "completion_window": "24h"}
        reply = await self._client.send("POST", "batches", json=body, retries=False)
        return _parse_batch(parse_body(reply.content, "the created batch"))

    async def find(self, file_id: str) -> Batch | None:
        """Return the batch that was created for an uploaded file; None if there is none."""
        after = ""
        for _ in range(_LIST_PAGES):
            reply = await self._client.send("GET", f"batches?limit=100{after}")
            listed = parse_body(reply.content, "the list of batches")
            rows = listed.get("data") if isinstance(listed, dict) else None
            if not isinstance(rows, list):
                break
            found = [_parse_batch(row) for row in rows]
            if (batch := next((one for one in found if one.input_file_id == file_id), None)) is not None:
                return batch
            if not (found and listed.get("has_more") is True):
                break
            after = f"&after={quote(found[-1].id, safe='')}"
        return None

    async def get(self, batch_id: str) -> Batch:
        reply = await self._client.send("GET", f"batches/{quote(batch_id, safe='')}")
        return _parse_batch(parse_body(reply.content, "the batch"))

    async def download(self, file_id: str) -> bytes:
        path = f"files/{quote(file_id, safe='')}/content"
        reply = await self._client.send("GET", path, timeout_s=_FILE_TIMEOUT_S, max_bytes=_MAX_FILE_BYTES)
        return reply.content


class BatchRow(NamedTuple):
    """The answer to one request of a batch, or the error with which a completed request has none."""

    custom_id: str
    answer: ModelAnswer | None
    error: ExtractionError | None
    usage: TokenUsage


def input_line(custom_id: str, body: dict[str, Any]) -> bytes:
    """One request as a line of a batch's file."""
    row = {"custom_id": custom_id, "method": "POST", "url": _ENDPOINT, "body": body}
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def parse_output(content: bytes, mode: str, model: str, counted: Mapping[str, TokenUsage]) -> list[BatchRow]:
    """Return the completed requests of an output file, the first of each custom id in *counted*.

    *counted*: our own token counts, for answers without. Lines of other requests, and lines that cannot be read, are
    left out.
    """
    rows: dict[str, BatchRow] = {}
    for line in content.splitlines():
        try:
            row = json.loads(line)
            name, response = row["custom_id"], row["response"]
            status, body = response["status_code"], response["body"]
        except (ValueError, RecursionError, KeyError, TypeError):
            continue
        if not isinstance(name, str) or name not in counted or name in rows or status != 200:
            continue
        try:
            answer = parse_answer(body, mode, model, counted[name])
            rows[name] = BatchRow(name, answer, None, answer.usage)
        except ExtractionError as error:
            rows[name] = BatchRow(name, None, error, parse_usage(body, counted[name]))
    return list(rows.values())


def read_error_messages(content: bytes) -> str:
    """The distinct reasons of an error file, those of its first lines."""
    found: dict[str, None] = {}
    for line in content.splitlines()[:_ERROR_LINES]:
        try:
            row = json.loads(line)
            error = row.get("error") or row["response"]["body"]["error"]
            found[str(error.get("code") or error["message"])[:100]] = None
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            continue
    return get_redactor().text("; ".join(list(found)[:3]))


def _parse_batch(body: Any) -> Batch:
    """Raises ExtractionError (``llm_bad_answer``)."""
    counts = body.get("request_counts") if isinstance(body, dict) else None
    completed, total = (counts.get(name) for name in ("completed", "total")) if isinstance(counts, dict) else (0, 0)
    requests, answers, errors = (
        body[name] if isinstance(body, dict) and isinstance(body.get(name), str) else None for name in _FILES
    )
    return Batch(
        id=_text(body, "id"),
        status=_text(body, "status"),
        input_file_id=requests,
        output_file_id=answers,
        error_file_id=errors,
        completed=completed if type(completed) is int else 0,
        total=total if type(total) is int else 0,
    )


_FILES = ("input_file_id", "output_file_id", "error_file_id")


def _text(body: Any, name: str) -> str:
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, str) or not value:
        says = f"the server's answer has no {name!r}: it does not support batches"
        raise ExtractionError(says, reason="llm_bad_answer")
    return value
