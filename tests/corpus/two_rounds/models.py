"""Scripted models that clean: one that leaves out the calls to action and nothing else, and one that always lies."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

from tests.corpus.llm_cleaning.scripted_model import answer, honest, question, without_demo
from tests.support.server.chat import GOOD_KEY, Chat, said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.server.chat import ChatRequest, Raw

__all__ = ["ANSWERS", "served", "without_demo"]

_FIGURE = re.compile(r"\d")
_SERIAL = re.compile(r"edition number \d+")
_LINK = re.compile(r"\]\((?!#)[^)\s]+\)")
#: What a liar does to a text that it cleans; each changes any text with the mark of its edition.
LIES: tuple[Callable[[str], str], ...] = (
    lambda text: _FIGURE.sub(lambda found: str((int(found[0]) + 1) % 10), text, count=1),
    lambda text: f"{text.rstrip()}\n\nNobody has to pay this fee before the year 2031.\n",
    lambda text: _SERIAL.sub("edition number 77", text),
    lambda text: text.replace("This record bears", "This record never bears", 1),
    lambda text: _LINK.sub("](https://other.example/)", text, count=1) + "\n\nIt may be waived.",
    lambda text: "\n\n".join(block for block in text.split("\n\n") if "This record bears" not in block),
)


@contextmanager
def served(address: str, answered: Callable[[ChatRequest], Raw]) -> Iterator[tuple[Chat, dict[str, str]]]:
    """The model at *address*, and the variables that name it."""
    with Chat(address) as chat:
        chat.answer = answered
        yield chat, {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "scripted", "RORI_LLM_KEYS": GOOD_KEY}


def _triaged(asked: ChatRequest) -> Raw:
    told = {"decision": "include", "reason": "a record of the agency", "confidence": 0.9}
    return said({"decisions": [{"page": json.loads(line)["page"], **told} for line in asked.text.splitlines()]})


def _is_triage(asked: ChatRequest) -> bool:
    return "decisions" in asked.messages[0]["content"]


def honest_answer(asked: ChatRequest) -> Raw:
    """All pages belong to it; what asks for something goes."""
    return _triaged(asked) if _is_triage(asked) else said(answer(honest(question(asked))))


_lies = count()


def lying_answer(asked: ChatRequest) -> Raw:
    """All pages belong to it; every text is another."""
    if _is_triage(asked):
        return _triaged(asked)
    text = question(asked).text
    lie = next(changed for _ in LIES if (changed := LIES[next(_lies) % len(LIES)](text)) != text)
    return said(answer(lie))


ANSWERS = {"honest": honest_answer, "lying": lying_answer}
