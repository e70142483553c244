"""A question about a part of a page, asked once: what was answered to the same question is not asked again.

In: messages, a client, a cache. Out: an ``Asked``. Raises ExtractionError, AllKeysExhaustedError; WriteError for a
cache that cannot be read or written.
"""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from typing import TYPE_CHECKING

from rori_spiders.corpus.rewriting.answers import answer_schema
from rori_spiders.corpus.rewriting.kept import Asked
from rori_spiders.corpus.rewriting.prompt import PROMPT_VERSION, tokens_beside
from rori_spiders.exceptions import ConfigError
from rori_spiders.fields.chunks import tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.fields.cache import FolderCache
    from rori_spiders.llm.client import ModelClient
    from rori_spiders.llm.model import Model

#: Tokens of an answer beside the text: its keys, and what it says of its work.
_EXPLAINED = 400
#: No part is smaller: the least that RORI_LLM_CHUNK_TOKENS may be.
_LEAST = 128


def part_limit(model: Model) -> int:
    """The most tokens of a part, so that its cleaning fits an answer, and all of it the model's context.

    We count a third of the bytes, on real pages 1.29 times what models count (``auditing/tokens.py``): what is over is
    for the marks of JSON, and for the titles that a table told as text repeats. Raises ConfigError.
    """
    beside = tokens_beside() + tokens_of(json.dumps(answer_schema()))
    context = model.context_tokens - beside - 2 * model.answer_tokens  # an answer that comes back with its refusal
    limit = min(model.chunk_tokens, model.answer_tokens - _EXPLAINED, context)
    if limit < _LEAST:
        raise ConfigError(
            f"{model.name} cannot be asked to clean texts: beside instructions ({beside} tokens) and an answer with its"
            f" repair ({2 * model.answer_tokens}) there is no room for a part of a page: see RORI_LLM_CONTEXT and"
            " RORI_LLM_ANSWER_TOKENS"
        )
    return limit


class Asking:
    """Asks *client*; *answers*: what was answered before, None without."""

    def __init__(self, client: ModelClient, answers: FolderCache[Asked] | None) -> None:
        self.model = client.model
        self._client = client
        self._answers = answers

    async def ask(self, messages: Sequence[dict[str, str]], url: str) -> Asked:
        """The answer to *messages*, about the page *url*."""
        name = self.model.name
        key = sha256(json.dumps([PROMPT_VERSION, name, list(messages)]).encode()).hexdigest()
        known = await asyncio.to_thread(self._answers.get, key) if self._answers is not None else None
        if known is not None:
            return known
        answer = await self._client.ask(messages, answer_schema(), url)
        return Asked(
            key=key,
            prompt_version=PROMPT_VERSION,
            model=name,
            parameters=self.model.parameters,
            messages=tuple(messages),
            answer=answer.text,
            mode=answer.mode,
            answered_by=answer.model,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
        )

    async def keep(self, asked: Asked) -> None:
        """Ask this no more: the answer can be read."""
        if self._answers is not None:
            await asyncio.to_thread(self._answers.put, asked)
