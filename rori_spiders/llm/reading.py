"""What a chat server's answer says, read strictly: whatever else it sends is no answer.

In: the parsed body of an answer. Out: text, why it ended, tokens; or ExtractionError in a word that says what is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rori_spiders.exceptions import ExtractionError
from rori_spiders.llm.purse import Usage

#: No model reads or writes more in one call: what a server counts above it is no count.
_MOST_TOKENS = 10_000_000
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered: its text, and with what it was asked (``mode``: json_schema, json_object or plain)."""

    text: str
    mode: str
    model: str  # as the server calls it
    usage: Usage


def answer_in(body: Any, mode: str, asked: str, counted: Usage) -> Answer:
    """The answer in *body*; *counted* are our own counts, for servers that do not tell theirs.

    Raises ExtractionError: ``llm_bad_answer``, ``llm_refusal``, ``llm_length``, ``llm_empty``; its details hold what
    was answered.
    """
    try:
        choice = body["choices"][0]
        message, finish = choice["message"], choice.get("finish_reason")
        text, refusal = _whole(message.get("content")), _whole(message.get("refusal"))
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ExtractionError("no answer in the form of a chat server", reason="llm_bad_answer") from None
    if not (text is None or isinstance(text, str)):
        raise ExtractionError("the answer is no text", reason="llm_bad_answer")
    told = {"answer": text, "finish_reason": finish}
    if refusal or finish == "content_filter":
        said = refusal if isinstance(refusal, str) else "by its filter"
        raise ExtractionError(f"the model refuses: {said[:200]}", {**told, "refusal": said}, reason="llm_refusal")
    if finish == "length":
        raise ExtractionError("the answer stops at its length limit", told, reason="llm_length")
    if not text or not text.strip():
        raise ExtractionError("the answer is empty", told, reason="llm_empty")
    name = body.get("model")
    return Answer(text, mode, name if isinstance(name, str) else asked, usage_in(body, counted))


def _whole(given: Any) -> Any:
    """*given*; a text without halves of characters, which JSON can name and nothing can keep."""
    return _HALVES.sub("\ufffd", given) if isinstance(given, str) else given


def usage_in(body: Any, counted: Usage) -> Usage:
    """The tokens that the server tells, else *counted*."""
    told = body.get("usage") if isinstance(body, dict) else None
    if not isinstance(told, dict):
        return counted
    asked, answered = told.get("prompt_tokens"), told.get("completion_tokens")
    if type(asked) is int and type(answered) is int and min(asked, answered) >= 0 and asked + answered <= _MOST_TOKENS:
        return Usage(asked, answered)
    return counted
