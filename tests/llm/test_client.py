"""Asking a model: what servers do wrong, what is asked again, what it costs, and that no key is ever told."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.exceptions import AllKeysExhaustedError, ConfigError, ExtractionError
from rori_spiders.llm.client import REASONS, WAITS, ModelClient
from rori_spiders.llm.keys import KeyRotator
from rori_spiders.llm.model import Model, load_model
from tests.support.model_budget import UnlimitedBudget
from tests.support.server.chat import GOOD_KEY, HTML, Chat, Raw, called, fault, said
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.llm.client import ModelAnswer

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}
OPEN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": ["object", "null"]}}}
MESSAGES = [{"role": "system", "content": "Draw."}, {"role": "user", "content": "The page."}]
OTHER_KEY = "other-key-77aa31b4"


@pytest.fixture
def chat() -> Iterator[Chat]:
    with Chat(next_address()) as server:
        yield server


class Asking:
    """A client of *chat* whose waits take no time; ``waits`` are what they would have been."""

    def __init__(self, chat: Chat, *keys: str, timeout_s: float = 20.0) -> None:
        self.waits: list[float] = []
        self.token_budget = UnlimitedBudget()
        self.model = Model(chat.url, "test-model", timeout_s=timeout_s)
        self.now = 0.0
        self.keys = KeyRotator(keys or (GOOD_KEY,), lambda: self.now)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def ask(self, times: int = 1, schema: dict[str, Any] = SCHEMA) -> ModelAnswer:
        async def asked() -> ModelAnswer:
            async with ModelClient(self.model, self.keys, self.token_budget, self._sleep) as client:
                answers = [await client.ask(MESSAGES, schema, "https://example.gov/") for _ in range(times)]
                return answers[-1]

        return asyncio.run(asked())

    def fails(self) -> ExtractionError:
        with pytest.raises(ExtractionError) as error:
            self.ask()
        assert GOOD_KEY not in f"{error.value} {error.value.details}"
        return error.value


def test_model_client_answer_has_request_and_usage(chat: Chat) -> None:
    chat.answer = lambda _: said('{"a": 1}')
    asking = Asking(chat)
    answer = asking.ask()
    assert (answer.text, answer.mode, answer.model, answer.usage.total) == (
        '{"a": 1}',
        "json_schema",
        "test-model",
        120,
    )
    (asked,) = chat.requests
    assert asked.messages == MESSAGES and "tools" not in asked.fields
    assert {name: asked.fields[name] for name in ("model", "temperature", "seed", "max_tokens")} == {
        "model": "test-model", "temperature": 0.0, "seed": 20240101, "max_tokens": 2048,
    }  # fmt: skip
    assert asked.fields["response_format"]["json_schema"] == {"name": "fields", "strict": True, "schema": SCHEMA}
    assert asked.headers["user-agent"].startswith("RORI-Collector/") and asked.key == GOOD_KEY
    assert asking.token_budget.tokens == 120


def test_model_client_open_schema_is_sent_without_strict(chat: Chat) -> None:
    Asking(chat).ask(schema=OPEN)
    assert chat.requests[0].fields["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(("known", "modes"), [("tool_call", 2), ("json_object", 3), ("plain", 4)])
def test_model_client_server_without_schema_gets_weaker_mode_from_then_on(chat: Chat, known: str, modes: int) -> None:
    chat.answer = lambda asked: said("{}") if asked.mode == known else fault(400, "response_format is not supported")
    asking = Asking(chat)
    assert asking.ask(times=2).mode == known
    assert [one.mode for one in chat.requests] == [
        *["json_schema", "tool_call", "json_object", "plain"][:modes],
        known,
    ]
    assert asking.token_budget.tokens == 240, "what was not answered cost nothing"


def test_model_client_server_with_tools_alone_answers_by_a_call(chat: Chat) -> None:
    chat.answer = lambda asked: called('{"a": 1}') if asked.mode == "tool_call" else fault(400)
    answer = Asking(chat).ask()
    assert (answer.text, answer.mode) == ('{"a": 1}', "tool_call")
    (tool,) = chat.requests[-1].fields["tools"]
    assert tool["function"]["parameters"] == SCHEMA and tool["function"]["strict"] is True
    assert chat.requests[-1].fields["tool_choice"]["function"] == {"name": tool["function"]["name"]}
    whole = json.loads(called("").body)
    broken: object
    for broken in ({}, [1], [{"function": None}], [{"function": {"arguments": 1}}]):
        whole["choices"][0]["message"]["tool_calls"] = broken
        chat.first(fault(400), Raw(200, json.dumps(whole).encode()))
        with pytest.raises(ExtractionError) as caught:
            Asking(chat).ask()
        assert caught.value.reason in {"llm_empty", "llm_bad_answer"}


@pytest.mark.parametrize(
    ("wrong", "reason", "calls"),
    [
        (fault(500), "llm_error", 3),
        (fault(503), "llm_error", 3),
        (fault(404, "no such model"), "llm_rejected", 1),
        (fault(400, "context too long"), "llm_rejected", 4),  # once a mode
        (Raw(302, b"", {"Location": "/v1/elsewhere"}), "llm_rejected", 1),
        (Raw(way="drop"), "llm_unreachable", 3),
        (HTML, "llm_bad_answer", 1),
        (Raw(200, b"[" * 100_000), "llm_bad_answer", 1),
        (Raw(200, b'{"choices": []}'), "llm_bad_answer", 1),
        (Raw(200, b'{"choices": [{"message": {"content": ["a"]}}]}'), "llm_bad_answer", 1),
        (Raw(200, b"null"), "llm_bad_answer", 1),
        (Raw(200, b"x" * 100_000, way="endless"), "llm_bad_answer", 1),
        (said(None, refusal="I cannot"), "llm_refusal", 1),
        (said("{}", finish="content_filter"), "llm_refusal", 1),
        (said('{"a": ', finish="length"), "llm_length", 1),
        (said(" \n"), "llm_empty", 1),
        (said(None), "llm_empty", 1),
    ],
)
def test_model_client_server_errors_are_classified_and_retried_within_budget(
    chat: Chat, wrong: Raw, reason: str, calls: int
) -> None:
    chat.answer = lambda _: wrong
    asking = Asking(chat)
    error = asking.fails()
    assert (error.reason, len(chat.requests)) == (reason, calls)
    assert asking.waits == (list(WAITS) if error.passing else [])


def test_model_client_temporary_error_is_retried(chat: Chat) -> None:
    chat.first(Raw(way="drop"), fault(502))
    asking = Asking(chat)
    assert asking.ask().text == "{}" and len(chat.requests) == 3


def test_model_client_server_down_is_reported() -> None:
    with Chat(next_address()) as gone:
        pass
    error = Asking(gone).fails()
    assert error.reason == "llm_unreachable" and not error.charged


def test_model_client_call_without_a_whole_answer_counts_in_full(chat: Chat) -> None:
    """The server has the question, and may have charged for it."""
    chat.answer = lambda _: Raw(way="drop")
    error = Asking(chat).fails()
    assert error.charged and "broke off before its answer was whole" in str(error)


def test_model_client_silent_server_times_out(chat: Chat) -> None:
    chat.answer = lambda _: Raw(way="hold")
    asking = Asking(chat, timeout_s=0.2)
    error = asking.fails()
    assert error.reason == "llm_timeout" and asking.waits == list(WAITS)
    assert asking.token_budget.tokens > 3 * 2048, "nobody knows what they cost: as much as was set aside"


def test_model_client_refusal_text_is_stored(chat: Chat) -> None:
    chat.answer = lambda _: said('{"a": 1', finish="length")
    asking = Asking(chat)
    assert asking.fails().details == {"answer": '{"a": 1', "finish_reason": "length"}
    assert asking.token_budget.tokens == 120


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_model_client_lone_surrogate_is_replaced(chat: Chat, finish: str) -> None:
    # JSON can name half of a pair ("\\ud83d"): no file and no database takes such a text.
    chat.answer = lambda _: said("so \ud83d far", finish=finish)
    asking = Asking(chat)
    text = asking.ask().text if finish == "stop" else asking.fails().details["answer"]
    assert text == "so \ufffd far"


@pytest.mark.parametrize(
    "usage",
    [None, {}, "many", {"prompt_tokens": -1, "completion_tokens": True}, {"prompt_tokens": 0, "completion_tokens": 0}],
)
def test_model_client_missing_usage_is_counted(chat: Chat, usage: object) -> None:
    chat.answer = lambda _: said("{}", usage=usage)
    answer = Asking(chat).ask()
    assert not answer.usage.is_reported and answer.usage.output_tokens == 2048


@pytest.mark.parametrize(("details", "cached"), [({"cached_tokens": 90}, 90), ({"cached_tokens": 900}, 100), (None, 0)])
def test_model_client_tokens_of_prompt_cache_are_counted(chat: Chat, details: object, cached: int) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": details}
    chat.answer = lambda _: said("{}", usage=usage)
    assert Asking(chat).ask().usage.cached_tokens == cached


# --- keys ----------------------------------------------------------------------------------------------------------


def test_model_client_refused_key_switches_to_next(chat: Chat, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        assert Asking(chat, OTHER_KEY, GOOD_KEY).ask(times=2).text == "{}"
    assert [one.key for one in chat.requests] == [OTHER_KEY, GOOD_KEY, GOOD_KEY]
    assert "The server refused key_01" in caplog.text


def test_model_client_all_keys_refused_shows_no_key(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    from rori_spiders.llm.keys import load_keys

    asking = Asking(chat, *load_keys({"RORI_LLM_KEYS": f"{OTHER_KEY},{OTHER_KEY}2"}))
    with pytest.raises(AllKeysExhaustedError) as error:
        asking.ask()
    assert OTHER_KEY not in f"{error.value} {error.value.details}" and "[redacted]" in str(error.value)
    assert len(chat.requests) == 2 and asking.waits == []


def test_model_client_key_back_soon_is_awaited(chat: Chat) -> None:
    chat.first(fault(429, retry_after="7"))
    asking = Asking(chat)
    assert asking.ask().text == "{}" and asking.waits == [7.0]


def test_model_client_server_refusing_every_mode_fails_page(chat: Chat) -> None:
    chat.answer = lambda _: fault(429, retry_after="5")
    with pytest.raises(AllKeysExhaustedError):
        Asking(chat).ask()
    assert len(chat.requests) == 3


def test_model_client_sends_nothing_of_environment(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://leak-4711.invalid")
    Asking(chat).ask()
    assert "leak-4711" not in str(chat.requests[0].headers)


def test_llm_failure_reasons_are_all_documented() -> None:
    document = (Path(__file__).parents[2] / "docs" / "explanation" / "fields.md").read_text(encoding="utf-8")
    told = document.partition("## The model")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \| ", told, re.MULTILINE)) == REASONS
    assert AllKeysExhaustedError.reason in REASONS


# --- settings ------------------------------------------------------------------------------------------------------

SETTINGS: dict[str, Any] = {
    "RORI_LLM_URL": "http://127.0.0.1:1/v1/",
    "RORI_LLM_MODEL": "small",
    "RORI_LLM_TIMEOUT": "30",
    "RORI_LLM_CONTEXT": 8192,
    "RORI_LLM_CHUNK_TOKENS": 2048,
    "RORI_LLM_ANSWER_TOKENS": 1024,
    "RORI_LLM_INPUT_PRICE": 0.15,
    "RORI_LLM_OUTPUT_PRICE": 0.6,
    "RORI_LLM_CACHED_PRICE": 0,
    "RORI_LLM_BATCH_SHARE": 1,
    "RORI_LLM_MONTHLY_TOKENS": 1000,
    "RORI_MONTHLY_BUDGET_USD": 5,
    "RORI_MAX_CONCURRENT_PAID_CALLS": 10,
}


def test_load_model_settings_give_model() -> None:
    model = load_model(SETTINGS)
    assert (model.url, model.name, model.timeout_s) == ("http://127.0.0.1:1/v1", "small", 30.0)
    assert model.worth(1_000_000, 500_000) == pytest.approx(0.45)
    assert model.worth(1_000_000, 500_000, cached_tokens=400_000) == pytest.approx(0.45), "no price of its own"
    cheaper = load_model({**SETTINGS, "RORI_LLM_CACHED_PRICE": 0.05, "RORI_LLM_BATCH_SHARE": 0.5})
    assert cheaper.worth(1_000_000, 500_000, cached_tokens=400_000) == pytest.approx(0.41)
    assert cheaper.worth(1_000_000, 500_000, in_batch=True) == pytest.approx(0.225)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"RORI_LLM_URL": "", "RORI_LLM_MODEL": ""}, "set RORI_LLM_URL and RORI_LLM_MODEL"),
        ({"RORI_LLM_MODEL": ""}, "set RORI_LLM_MODEL "),
        ({"RORI_LLM_CONTEXT": 3000}, "exceed the model's context of 3000"),
    ],
)
def test_load_model_incomplete_settings_are_refused(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        load_model({**SETTINGS, **changed})
