"""What a scripted chat server answers that is asked to clean: truly, or with a lie."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.support.server.chat import said

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.server.chat import ChatRequest, Raw

#: What an honest cleaning leaves out.
DEMO = "[Book a demo](https://www.acme.example/demo)"


class Question(NamedTuple):
    """What was asked: what was told of the page, its part, and whether it is asked once more."""

    told: dict[str, Any]
    text: str
    is_repair: bool


def question(asked: ChatRequest) -> Question:
    line, _, text = asked.messages[1]["content"].partition("\n\n")
    return Question(json.loads(line), text, len(asked.messages) > 2)


def answer(text: str, **other: Any) -> dict[str, Any]:
    """An answer in the form that is asked for."""
    told = {"changed_sections": [], "removed_boilerplate_examples": [], "quality_flags": [], "confidence": 0.9}
    return {"cleaned_markdown": text, **told, **other}


def cleaning(change: Callable[[Question], str], **other: Any) -> Callable[[ChatRequest], Raw]:
    """A server that cleans each part by *change*."""
    return lambda asked: said(answer(change(question(asked)), **other))


def honest(asked: Question) -> str:
    """The call to action goes, nothing else."""
    return without_demo(asked.text)


def without_demo(text: str) -> str:
    """*text* without the call to action."""
    return "\n\n".join(block for block in text.split("\n\n") if block.strip() != DEMO)


def lying(asked: Question) -> str:
    """The call to action goes, and a figure is another."""
    return honest(asked).replace("$12", "$10")
