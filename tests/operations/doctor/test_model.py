"""`scrapy doctor` on a language model: asked one tiny question, which is paid for; and what such servers do wrong."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from tests.operations.doctor.doctor_output import told
from tests.support.server.chat import GOOD_KEY, HTML, Chat, ChatRequest, Raw, fault, said
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.operations.doctor.doctor_output import Typed
    from tests.support.project import Project


@pytest.fixture
def chat() -> Iterator[Chat]:
    with Chat(next_address()) as opened:
        opened.answer = lambda _: said({"sum": 4})
        yield opened


@pytest.fixture
def asking(collected: Project, chat: Chat) -> Project:
    collected.env |= {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "small", "RORI_LLM_KEYS": GOOD_KEY}
    return collected


def costs(project: Project) -> list[tuple[Any, ...]]:
    with sqlite3.connect(project.ledger) as ledger:
        return ledger.execute("SELECT provider, unit, settled, url FROM costs").fetchall()


def test_doctor_model_answer_is_charged(asking: Project, typed: Typed, chat: Chat) -> None:
    found = told(typed)
    assert "model" not in found
    [row] = found["llm"]
    said_of_it = f"small at {chat.url} answers as json_schema; 120 of 2000000 of this month's limit are spent"
    assert (row["result"], row["found"]) == ("ok", said_of_it)
    assert costs(asking) == [("llm", "token", 120, None)] and len(chat.requests) == 1
    assert GOOD_KEY not in str(found)


@pytest.mark.parametrize(
    ("answers", "word", "do"),
    [
        (
            fault(404, "no such model"),
            "llm_rejected: the model's server answered HTTP 404: no such model",
            "RORI_LLM_MODEL",
        ),
        (fault(401, "who are you"), "llm_keys_exhausted", "RORI_LLM_KEYS"),
        (fault(503), "llm_error", "server's log"),
        (HTML, "llm_bad_answer", "/v1"),
        (said(None, refusal="no sums"), "llm_refusal", "another model"),
        (said("{", finish="length"), "llm_length", "RORI_LLM_ANSWER_TOKENS"),
    ],
)
def test_doctor_model_problems_are_named(
    asking: Project, typed: Typed, chat: Chat, answers: Raw, word: str, do: str
) -> None:
    chat.answer = lambda _: answers
    [row] = told(typed, code=1)["model"]
    assert row["result"] == "failed" and word in row["found"] and do in row["do"]
    assert len(chat.requests) == 1, "it is not asked again"


def test_doctor_model_down_or_without_json_modes_fails(asking: Project, typed: Typed, chat: Chat) -> None:
    def plain(asked: ChatRequest) -> Raw:
        return said("four") if asked.mode == "plain" else fault(400, "unknown response_format")

    chat.answer = plain
    [row] = told(typed)["model"]
    assert row["result"] == "warning" and "not in the requested format" in row["found"]
    chat.answer = lambda asked: said({"sum": 4}) if asked.mode == "json_object" else fault(400)
    [row] = told(typed)["model"]
    assert row["result"] == "warning" and "as json_object: the server does not support json_schema" in row["found"]
    asking.env["RORI_LLM_URL"] = "http://127.0.0.1:1/v1"
    [row] = told(typed, code=1)["model"]
    assert "llm_unreachable" in row["found"] and "the model server is running" in row["do"]


def test_doctor_model_budget_spent_is_reported(asking: Project, typed: Typed, chat: Chat) -> None:
    asking.env["RORI_LLM_MONTHLY_TOKENS"] = "100"
    [row] = told(typed, code=1)["model"]
    assert "cost_limit" in row["found"] and "RORI_LLM_MONTHLY_TOKENS" in row["do"] and chat.requests == []


def test_doctor_model_incomplete_settings_fail(three: Project, typed: Typed, chat: Chat) -> None:
    assert told(typed)["model"][0]["found"].startswith("not configured")
    three.env["RORI_LLM_URL"] = chat.url
    [row] = told(typed, code=1)["model"]
    assert "set RORI_LLM_MODEL" in row["found"]
    three.env["RORI_LLM_MODEL"] = "small"
    [row] = told(typed)["model"]
    assert row["result"] == "warning" and "cannot be recorded without a ledger" in row["found"] and chat.requests == []
