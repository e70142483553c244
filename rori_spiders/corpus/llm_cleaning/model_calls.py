"""Ask the model about a part of a page, once: a question that was answered before is served from the cache.

Input: messages, a client, a cache. Output: a ``CleaningExchange``. Raises ExtractionError, AllKeysExhaustedError;
WriteError for a cache that cannot be read or written.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

from rori_spiders.corpus.llm_cleaning.cleaning_record import CleaningExchange
from rori_spiders.corpus.llm_cleaning.prompt import PROMPT_VERSION, cleaning_answer_schema, overhead_tokens
from rori_spiders.exceptions import ConfigError, ExtractionError
from rori_spiders.fields.extraction.answer_cache import FolderCache
from rori_spiders.fields.extraction.chunks import max_tokens_of
from rori_spiders.llm.client import ModelAnswer, ModelClient
from rori_spiders.llm.model import Model

#: Tokens of an answer in addition to the text: its keys and its notes.
_ANSWER_OVERHEAD = 400
#: No part is smaller: the least that RORI_LLM_CHUNK_TOKENS may be.
_MIN_PART_TOKENS = 128


def part_limit(model: Model) -> int:
    """The most tokens of a part, so that its cleaning fits an answer, and all of it the model's context.

    We count a third of the bytes, on real pages 1.29 times what models count (``auditing/chunks.py``): what is over is
    for the marks of JSON, and for the titles that a table told as text repeats. Raises ConfigError.
    """
    overhead = overhead_tokens() + max_tokens_of(json.dumps(cleaning_answer_schema()))
    context = model.context_tokens - overhead - 2 * model.answer_tokens  # an answer that comes back with its refusal
    limit = min(model.chunk_tokens, model.answer_tokens - _ANSWER_OVERHEAD, context)
    if limit < _MIN_PART_TOKENS:
        raise ConfigError(
            f"{model.name} has too little context to clean texts: instructions ({overhead} tokens) "
            "and an answer with its repair"
            f" ({2 * model.answer_tokens}) leave no room for a part of a page: see RORI_LLM_CONTEXT and"
            " RORI_LLM_ANSWER_TOKENS"
        )
    return limit


def question_key(model: str, messages: Sequence[dict[str, str]]) -> str:
    """By what the answer of *model* to *messages* is found in the cache."""
    return sha256(json.dumps([PROMPT_VERSION, model, list(messages)]).encode()).hexdigest()


def max_answer_tokens(model: Model, part_tokens: int) -> int:
    """The most tokens that the answer about a part may have: all of the part, and its notes."""
    return min(model.answer_tokens, part_tokens + _ANSWER_OVERHEAD)


def make_exchange(key: str, messages: Sequence[dict[str, str]], answer: ModelAnswer, model: Model) -> CleaningExchange:
    """The record of *answer* to *messages*, by its *key*."""
    return CleaningExchange(
        key=key,
        prompt_version=PROMPT_VERSION,
        model=model.name,
        parameters=model.parameters,
        messages=tuple(messages),
        answer=answer.text,
        mode=answer.mode,
        answered_by=answer.model,
        input_tokens=answer.usage.input_tokens,
        output_tokens=answer.usage.output_tokens,
        cached_tokens=answer.usage.cached_tokens,
    )


class CleaningModel:
    """Sends requests to *client*; *answers* is the cache of answers, or None."""

    def __init__(
        self,
        client: ModelClient,
        answers: FolderCache[CleaningExchange] | None,
        errors: Mapping[str, ExtractionError] | None = None,
    ) -> None:
        """*errors*: by question, with what a batch has answered where it is no text."""
        self.model = client.model
        self._errors = dict(errors or {})
        self._client = client
        self._answers = answers

    async def ask(self, messages: Sequence[dict[str, str]], url: str) -> CleaningExchange:
        """The answer to *messages*, about the page *url*."""
        name = self.model.name
        key = question_key(name, messages)
        known = await asyncio.to_thread(self._answers.get, key) if self._answers is not None else None
        if known is not None:
            return known
        if (error := self._errors.pop(key, None)) is not None:
            raise error
        answer = await self._client.ask(messages, cleaning_answer_schema(), url)
        return make_exchange(key, messages, answer, self.model)

    async def keep(self, exchange: CleaningExchange) -> None:
        """Ask this no more: the answer can be read."""
        if self._answers is not None:
            await asyncio.to_thread(self._answers.put, exchange)
