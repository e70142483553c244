"""Ask a model one question: with a working key, in the strictest response format that its server supports.

In: messages, a JSON Schema. Out: a ``ModelAnswer``; raises ExtractionError with a reason code, or
AllKeysExhaustedError. Temporary failures are retried twice; the cost of each call is reserved before it is made.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rori_spiders.exceptions import AllKeysExhaustedError, ExtractionError
from rori_spiders.llm.budget import Spending, TokenBudget, TokenUsage
from rori_spiders.llm.keys import BUSY_S, KeyRotator
from rori_spiders.llm.transport import ServerConnection
from rori_spiders.politeness import retries
from rori_spiders.runtime.api_keys import REFUSED_S
from rori_spiders.runtime.redaction import get_redactor

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from rori_spiders.llm.model import Model
    from rori_spiders.llm.transport import Reply

logger = logging.getLogger(__name__)


T = TypeVar("T")
Message = dict[str, str]

#: Seconds before the first and the second retry of a temporary failure.
WAITS = (2.0, 10.0)
#: Concurrent questions of a process (S2, ``max_concurrent``).
MAX_CONCURRENT_QUESTIONS = 5
#: Seconds between attempts to get a call slot while all are in use.
TURN_S = 1.0
#: Longest wait, in seconds, for a key that cools down; after it the page fails.
PATIENCE_S = 60.0
#: Response formats, strictest first; where a server does not support one, the next is used.
MODES = ("json_schema", "tool_call", "json_object", "plain")
#: Reason codes of an ExtractionError (docs/explanation/fields.md explains each).
REASONS = (
    "llm_unreachable",
    "llm_timeout",
    "llm_error",
    "llm_rejected",
    "llm_bad_answer",
    "llm_refusal",
    "llm_length",
    "llm_empty",
    "llm_keys_exhausted",
    "cost_limit",
)
#: Bytes per token, as in ``fields/extraction/chunks.py``; it overestimates what models count.
_BYTES_A_TOKEN = 3


class _KeyRefused(Exception):
    """Raised inside this module: the server refused the key; another key may work."""

    def __init__(self, says: str, rest_s: float) -> None:
        super().__init__(says)
        self.rest_s = rest_s


class _UnknownMode(Exception):
    """Raised inside this module: the server does not support this response format."""


class ModelClient:
    """Client of one model; an async context manager that closes its connections.

    *waits*: seconds before each retry of a temporary failure.
    """

    def __init__(
        self,
        model: Model,
        keys: KeyRotator,
        token_budget: TokenBudget,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        waits: Sequence[float] = WAITS,
    ) -> None:
        self.model = model
        self._keys = keys
        self._budget = token_budget
        self._sleep = sleep
        self._waits = waits
        self._mode = 0
        self._connection = ServerConnection(model.url)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connection.close()

    async def ask(self, messages: Sequence[Message], schema: dict[str, Any], url: str | None = None) -> ModelAnswer:
        """Return the model's answer. *url*: the page that the question is about, recorded with the cost.

        Raises ExtractionError and AllKeysExhaustedError.
        """
        return await self._retrying(lambda: self._in_some_mode(messages, schema, url))

    async def send(self, method: str, path: str, *, retries: bool = True, **content: Any) -> Reply:
        """Send a request that is not charged by itself, as those about batches; return a successful answer.

        *content*: as ``ServerConnection.send`` takes it. Raises ExtractionError and AllKeysExhaustedError.
        """
        content = {"timeout_s": self.model.timeout_s, **content}

        async def sent(key: str) -> Reply:
            return _successful(await self._connection.send(method, path, key, **content), MODES[-1])

        return await (self._retrying(lambda: self._by_key(sent)) if retries else self._by_key(sent))

    @property
    def spending(self) -> Spending:
        """What the calls so far took."""
        return self._budget.spending

    @property
    def mode(self) -> str:
        """The strictest response format that the server is known to support."""
        return MODES[self._mode]

    def request_body(self, messages: Sequence[Message], mode: str, schema: dict[str, Any]) -> dict[str, Any]:
        """The body of a request for a completion."""
        body = {"model": self.model.name, "messages": list(messages), **self.model.parameters}
        return body | _response_format(mode, schema)

    def estimate(self, messages: Sequence[Message], schema: dict[str, Any]) -> TokenUsage:
        """What a question may cost at most."""
        return TokenUsage(estimate_tokens(messages, schema), self.model.answer_tokens, is_reported=False)

    async def reserve(self, most: TokenUsage, url: str | None = None) -> int:
        """Wait for a call slot and reserve the cost; return the id to settle it with. Raises ExtractionError."""
        is_reported = False
        while not isinstance(found := await asyncio.to_thread(self._budget.reserve, most, url), int):
            if not is_reported:
                logger.info("Waiting to call the model: %(why)s", {"why": found})
                is_reported = True
            await self._sleep(TURN_S)
        return found

    async def settle(self, cost_id: int, usage: TokenUsage) -> None:
        """Record what was spent. Shielded: when the process stops, a call that was made is still counted."""
        await asyncio.shield(asyncio.to_thread(self._budget.settle, cost_id, usage))

    async def sleep(self, seconds: float) -> None:
        await self._sleep(seconds)

    async def _retrying(self, call: Callable[[], Awaitable[T]]) -> T:
        """What *call* gives, which is made again after temporary failures."""
        for wait in (*self._waits, None):
            try:
                return await call()
            except AllKeysExhaustedError as error:
                rest = float(str(error.details["rest_s"]))
                if wait is None or rest > PATIENCE_S:
                    raise
                await self._sleep(max(wait, rest))
            except ExtractionError as error:
                if wait is None or not error.passing:
                    raise
                logger.info("Retrying the model in %(wait).0f s: %(why)s", {"wait": wait, "why": error})
                await self._sleep(wait)
        raise AssertionError("unreachable")

    async def _in_some_mode(self, messages: Sequence[Message], schema: dict[str, Any], url: str | None) -> ModelAnswer:
        for position in range(self._mode, len(MODES)):
            mode = MODES[position]
            with suppress(_UnknownMode):
                answer = await self._by_key(partial(self._paid, messages, mode, schema, url))
                self._mode = position
                return answer
        raise AssertionError("every server supports the last mode")

    async def _by_key(self, call: Callable[[str], Awaitable[T]]) -> T:
        """What *call* gives with a key that is not refused."""
        while True:
            try:
                answer = await call(self._keys.current_key)
            except _KeyRefused as refusal:
                logger.info("The server refused %(key)s: %(why)s", {"key": self._keys.handle, "why": refusal})
                self._keys.rotate(str(refusal), refusal.rest_s)
            else:
                self._keys.reset()
                return answer

    async def _paid(
        self, messages: Sequence[Message], mode: str, schema: dict[str, Any], url: str | None, key: str
    ) -> ModelAnswer:
        most = self.estimate(messages, schema)
        cost_id = await self.reserve(most, url)
        spent = most  # a call that is cut off counts in full: the server may have charged it
        try:
            try:
                body = await self._call(key, messages, mode, schema)
            except (_KeyRefused, _UnknownMode, ExtractionError) as error:
                spent = most if getattr(error, "charged", False) else TokenUsage(0, 0)
                raise
            spent = parse_usage(body, most)
            return parse_answer(body, mode, self.model.name, most)
        finally:
            await self.settle(cost_id, spent)

    async def _call(self, key: str, messages: Sequence[Message], mode: str, schema: dict[str, Any]) -> Any:
        """Return the parsed body of a successful answer."""
        request = self.request_body(messages, mode, schema)
        reply = await self._connection.send(
            "POST", "chat/completions", key, timeout_s=self.model.timeout_s, json=request
        )
        _successful(reply, mode)
        return parse_body(reply.content, reply.headers.get("content-type", "no type"))


def _successful(reply: Reply, mode: str) -> Reply:
    """Return *reply*. Raises the exception for an HTTP error status."""
    if not 200 <= reply.status < 300:
        raise _status_error(reply, mode)
    return reply


#: The one tool that is offered in the mode ``tool_call``: its arguments are the answer, and nothing is run.
_TOOL = "give_fields"


def _response_format(mode: str, schema: dict[str, Any]) -> dict[str, Any]:
    if mode == "json_schema":
        named = {"name": "fields", "strict": _is_closed_schema(schema), "schema": schema}
        return {"response_format": {"type": mode, "json_schema": named}}
    if mode == "tool_call":
        tool = {
            "name": _TOOL,
            "description": "Give the answer.",
            "parameters": schema,
            "strict": _is_closed_schema(schema),
        }
        return {
            "tools": [{"type": "function", "function": tool}],
            "tool_choice": {"type": "function", "function": {"name": _TOOL}},
        }
    return {"response_format": {"type": mode}} if mode == "json_object" else {}


def _is_closed_schema(schema: Any) -> bool:
    """Whether each object in *schema* lists its properties: servers accept only such a schema as strict."""
    if isinstance(schema, dict):
        kinds = schema.get("type")
        is_open = "object" in (kinds if isinstance(kinds, list) else [kinds]) and "properties" not in schema
        return not is_open and all(map(_is_closed_schema, schema.values()))
    return all(map(_is_closed_schema, schema)) if isinstance(schema, list) else True


def estimate_tokens(messages: Sequence[Message], schema: dict[str, Any]) -> int:
    """The most tokens that a question may count, without the model's own tokenizer."""
    sent = json.dumps([list(messages), schema], ensure_ascii=False)
    return -(-len(sent.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN)


def parse_body(content: bytes, kind: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise ExtractionError(
            f"the model's server did not answer with JSON ({kind[:60]})",
            reason="llm_bad_answer",
            charged=True,
        ) from None


def _status_error(reply: Reply, mode: str) -> Exception:
    """Return the exception for an HTTP error status."""
    status = reply.status
    says = get_redactor().text(f"the model's server answered HTTP {status}: {_error_message(reply)}")
    if status in {401, 402, 403}:
        return _KeyRefused(says, REFUSED_S)
    if status == 429:
        wait = retries.parse_retry_after(reply.headers.get("Retry-After"), datetime.now(UTC))
        return _KeyRefused(says, BUSY_S if wait is None else max(wait, 1.0))
    if status == 408 or status >= 500:
        return ExtractionError(says, reason="llm_error", passing=True)
    if status in {400, 415, 422} and mode != MODES[-1]:
        return _UnknownMode(says)
    return ExtractionError(says, reason="llm_rejected")


def _error_message(reply: Reply) -> str:
    """What the server says of an error, in OpenAI's form; else the status in words."""
    try:
        body = json.loads(reply.content)
        error = body.get("error", body)
        message = error if isinstance(error, str) else error.get("message")
    except (ValueError, RecursionError, AttributeError):
        message = None
    return (message if isinstance(message, str) else reply.reason_phrase or "no reason")[:200]


#: No model reads or writes more in one call: a higher count by a server is ignored.
_MOST_TOKENS = 10_000_000
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The answer of a model: its text, and the request's ``mode`` (one of ``MODES``)."""

    text: str
    mode: str
    model: str  # the name that the server gives
    usage: TokenUsage


def parse_answer(body: Any, mode: str, model: str, counted: TokenUsage) -> ModelAnswer:
    """Return the answer in *body*, the parsed body of a chat completion.

    *counted*: our own token counts, for servers that report none. Raises ExtractionError: ``llm_bad_answer``,
    ``llm_refusal``, ``llm_length``, ``llm_empty``; its details hold what the model answered.
    """
    try:
        choice = body["choices"][0]
        message, finish = choice["message"], choice.get("finish_reason")
        content = _tool_arguments(message) if mode == "tool_call" else None
        text = _replace_surrogates(message.get("content") if content is None else content)
        refusal = _replace_surrogates(message.get("refusal"))
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ExtractionError(
            "the answer does not have the form of a chat completion", reason="llm_bad_answer"
        ) from None
    if not (text is None or isinstance(text, str)):
        raise ExtractionError("the answer is not a text", reason="llm_bad_answer")
    details = {"answer": text, "finish_reason": finish}
    if refusal or finish == "content_filter":
        why = refusal if isinstance(refusal, str) else "by its filter"
        raise ExtractionError(f"the model refused: {why[:200]}", {**details, "refusal": why}, reason="llm_refusal")
    if finish == "length":
        raise ExtractionError("the answer was cut off at its length limit", details, reason="llm_length")
    if not text or not text.strip():
        raise ExtractionError("the answer is empty", details, reason="llm_empty")
    name = body.get("model")
    return ModelAnswer(text, mode, name if isinstance(name, str) else model, parse_usage(body, counted))


def _tool_arguments(message: Any) -> Any:
    """The arguments of the first call of a tool; None where the model called none and answered in its text."""
    calls = message.get("tool_calls")
    return calls[0]["function"]["arguments"] if calls else None


def _replace_surrogates(value: Any) -> Any:
    """Replace lone surrogates, which JSON can spell but UTF-8 cannot store."""
    return _HALVES.sub("\ufffd", value) if isinstance(value, str) else value


def parse_usage(body: Any, counted: TokenUsage) -> TokenUsage:
    """Return the tokens that the server reports, else *counted*: so where it reports 0 of a call that it answered."""
    usage = body.get("usage") if isinstance(body, dict) else None
    if not isinstance(usage, dict):
        return counted
    sent, received = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if type(sent) is int and type(received) is int and min(sent, received) > 0 and sent + received <= _MOST_TOKENS:
        details = usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        return TokenUsage(sent, received, cached_tokens=min(max(cached, 0), sent) if type(cached) is int else 0)
    return counted
