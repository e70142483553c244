"""Extract the fields of one page: split, ask, ground, merge; keep every question and answer.

Input: a page, definitions, a client. Output: an ``ExtractionResult``: every value in its record has its quote; a
page for which the model did not answer has no record. The same text, prompt and model are not asked twice.
"""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from rori_spiders.exceptions import AllKeysExhaustedError, ConfigError, ExtractionError
from rori_spiders.fields.extraction.chunks import Chunk, max_tokens_of, split_markdown
from rori_spiders.fields.extraction.prompt import (
    PROMPT_VERSION,
    BadAnswer,
    Claim,
    answer_schema,
    extraction_messages,
    parse_answer,
    repair_messages,
    system_message,
)
from rori_spiders.fields.grounding.evidence import ground, ground_item
from rori_spiders.fields.records import CachedAnswer, GroundedValue, Record, RecordModel, UngroundedValue, merge_records
from rori_spiders.llm.client import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.fields.grounding.page import Page
    from rori_spiders.llm.client import ModelClient
    from rori_spiders.llm.model import Model
    from rori_spiders.manifest.models import FieldDefinition

    class Cache(Protocol):
        """Cache of extraction results."""

        def get(self, key: str) -> ExtractionResult | None: ...
        def put(self, result: ExtractionResult) -> None: ...


#: Reason code of an answer that stayed unreadable, beside those of ``llm.client`` (docs/explanation/fields.md).
EXTRACTION_FAILED = "extraction_failed"


class Exchange(RecordModel):
    """The messages sent about ``body[start:end]`` and every answer, verbatim."""

    start: int
    end: int
    messages: tuple[dict[str, str], ...]
    answers: tuple[str, ...] = ()
    mode: str | None = None
    model: str | None = None  # as the server calls it
    input_tokens: int = 0
    output_tokens: int = 0


class ExtractionResult(CachedAnswer):
    """Result of one page. ``left_out``: parts too long for the model; ``withheld``: sentences hidden from it."""

    url: str | None
    content_hash: str
    schema_hash: str
    prompt_version: str
    model: str
    parameters: dict[str, Any]
    state: Literal["drawn", "failed"]
    reason: str | None = None
    says: str | None = None
    record: Record = Record()
    exchanges: tuple[Exchange, ...] = ()
    left_out: tuple[tuple[int, int], ...] = ()
    withheld: tuple[tuple[int, int], ...] = ()

    @property
    def failed(self) -> bool:
        return self.state == "failed"


def check_fit(fields: Sequence[FieldDefinition], model: Model) -> None:
    """Raise ConfigError when the fields leave no room for a chunk of a page and an answer."""
    instructions = max_tokens_of(system_message(fields)["content"]) + max_tokens_of(json.dumps(answer_schema(fields)))
    # The chunk with its heading path, and the answer twice: a repair sends the first one back.
    needed = instructions + model.chunk_tokens + 2 * model.answer_tokens + 800
    if needed > model.context_tokens:
        raise ConfigError(
            f"the fields need {instructions} tokens; with a chunk of a page and an answer {needed}, "
            "more than the context"
            f" of {model.name} ({model.context_tokens}): define fewer fields, or correct RORI_LLM_CONTEXT"
        )


async def extract(
    page: Page, fields: Sequence[FieldDefinition], client: ModelClient, cache: Cache | None = None
) -> ExtractionResult:
    """Extract *fields* from *page*. Raises ConfigError when they do not fit the model; other failures are in the
    result.
    """
    check_fit(fields, client.model)
    schema = _schema_hash(fields)
    key = _cache_key(page, schema, client.model)
    known = cache.get(key) if cache is not None else None
    if known is not None:
        return _result_for_page(known, page)
    result = await _PageExtraction(page, fields, client).extract_page(
        ExtractionResult(
            key=key,
            url=page.url,
            content_hash=page.content_hash,
            schema_hash=schema,
            prompt_version=PROMPT_VERSION,
            model=client.model.name,
            parameters=client.model.parameters,
            state="drawn",
            withheld=tuple(page.instructions),
        )
    )
    if cache is not None:
        cache.put(result)
    return result


class Estimate(NamedTuple):
    """The most that the questions about a page may take: *parts* are asked about, none of a page that is cached.

    An answer that cannot be read is asked for once more, which is not counted.
    """

    parts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    left_out: int = 0  # parts that are too long for the model
    is_cached: bool = False


def estimate(page: Page, fields: Sequence[FieldDefinition], model: Model, cache: Cache | None = None) -> Estimate:
    """Estimate ``extract`` without asking the model. Raises ConfigError as it does."""
    check_fit(fields, model)
    schema = _schema_hash(fields)
    if cache is not None and cache.get(_cache_key(page, schema, model)) is not None:
        return Estimate(is_cached=True)
    chunks = _split_page(page, model)
    fitting = [chunk for chunk in chunks if chunk.tokens <= model.chunk_tokens]
    sent = sum(estimate_tokens(extraction_messages(page, chunk, fields), answer_schema(fields)) for chunk in fitting)
    return Estimate(len(fitting), sent, len(fitting) * model.answer_tokens, len(chunks) - len(fitting))


def _schema_hash(fields: Sequence[FieldDefinition]) -> str:
    return _hash_json([_plain_definition(field) for field in fields])


def _plain_definition(field: FieldDefinition) -> dict[str, Any]:
    """*field* as it was before objects had fields, so that what was drawn by others stays valid."""
    plain = field.model_dump(mode="json", exclude={"fields"})
    return plain | ({"fields": [_plain_definition(one) for one in field.fields]} if field.fields else {})


def _cache_key(page: Page, schema_hash: str, model: Model) -> str:
    return _hash_json([page.content_hash, page.title, schema_hash, PROMPT_VERSION, model.name, model.chunk_tokens])


def _split_page(page: Page, model: Model) -> list[Chunk]:
    """The parts of *page* that have text; those over the model's limit, too."""
    return [one for one in split_markdown(page.body, model.chunk_tokens) if page.body[one.start : one.end].strip()]


class _PageExtraction:
    def __init__(self, page: Page, fields: Sequence[FieldDefinition], client: ModelClient) -> None:
        self._page = page
        self._fields = fields
        self._client = client
        self._schema = answer_schema(fields)
        self._exchanges: list[Exchange] = []

    async def extract_page(self, begun: ExtractionResult) -> ExtractionResult:
        limit = self._client.model.chunk_tokens
        chunks = _split_page(self._page, self._client.model)
        left_out = tuple((one.start, one.end) for one in chunks if one.tokens > limit)
        try:
            records = [self._proven(await self._ask_about(chunk), chunk) for chunk in chunks if chunk.tokens <= limit]
        except (ExtractionError, AllKeysExhaustedError) as error:
            failure = {"state": "failed", "reason": error.reason, "says": str(error)}
            return begun.model_copy(update={**failure, "exchanges": tuple(self._exchanges), "left_out": left_out})
        record = merge_records(records, self._fields)
        return begun.model_copy(update={"record": record, "exchanges": tuple(self._exchanges), "left_out": left_out})

    async def _ask_about(self, chunk: Chunk) -> list[Claim]:
        """Ask the model about one chunk; a bad answer is repaired once. Raises ExtractionError."""
        messages = extraction_messages(self._page, chunk, self._fields)
        self._exchanges.append(Exchange(start=chunk.start, end=chunk.end, messages=tuple(messages)))
        text = await self._answer(messages)
        try:
            return parse_answer(text, self._fields)
        except BadAnswer as bad:
            text = await self._answer(repair_messages(messages, text, bad.problems))
        try:
            return parse_answer(text, self._fields)
        except BadAnswer as bad:
            says = f"the answer and its repair, which begins {text[:60]!r}, cannot be read: {bad}"
            raise ExtractionError(says[:500], {"answer": text}, reason=EXTRACTION_FAILED) from None

    async def _answer(self, messages: Sequence[dict[str, str]]) -> str:
        try:
            answer = await self._client.ask(messages, self._schema, self._page.url)
        except ExtractionError as error:
            text = error.details.get("answer") or error.details.get("refusal")
            if isinstance(text, str):
                self._note(text)
            raise
        usage = answer.usage
        self._note(answer.text, answer.mode, answer.model, usage.input_tokens, usage.output_tokens)
        return answer.text

    def _note(
        self, text: str, mode: str | None = None, model: str | None = None, tokens_in: int = 0, tokens_out: int = 0
    ) -> None:
        last = self._exchanges[-1]
        counted = {"input_tokens": last.input_tokens + tokens_in, "output_tokens": last.output_tokens + tokens_out}
        fields = {"answers": (*last.answers, text), "mode": mode or last.mode, "model": model or last.model}
        self._exchanges[-1] = last.model_copy(update={**fields, **counted})

    def _proven(self, claims: Sequence[Claim], chunk: Chunk) -> Record:
        part = (chunk.start, chunk.end)
        found: list[GroundedValue] = []
        unsupported: list[UngroundedValue] = []
        items: Counter[str] = Counter()
        for claim in claims:
            is_item = bool(claim.parts)
            answers = [
                ground(one.field, one.value, one.quote, self._page, part, is_item=is_item)
                for one in claim.parts or (claim,)
            ]
            if claim.parts:
                item, rejected = ground_item(claim.field, answers, self._page)
                found += [item] if item else []
                number = items[claim.field.name]
                unsupported += [one.model_copy(update={"item": number}) for one in rejected]
                items[claim.field.name] += 1
            else:
                found += [one for one in answers if isinstance(one, GroundedValue)]
                unsupported += [one for one in answers if isinstance(one, UngroundedValue)]
        return Record(found=tuple(found), unsupported=tuple(unsupported))


def _result_for_page(known: ExtractionResult, page: Page) -> ExtractionResult:
    """Return the cached result of the same text at another URL, as that of *page*."""
    if known.url == page.url:
        return known
    record = known.record
    moved = Record(
        found=tuple(_value_at_url(one, page.url) for one in record.found),
        conflicts=tuple(
            one.model_copy(
                update={"kept": _value_at_url(one.kept, page.url), "other": _value_at_url(one.other, page.url)}
            )
            for one in record.conflicts
        ),
        unsupported=tuple(one.model_copy(update={"url": page.url}) for one in record.unsupported),
    )
    return known.model_copy(update={"url": page.url, "record": moved})


def _value_at_url(found: GroundedValue, url: str | None) -> GroundedValue:
    moved = tuple(_value_at_url(one, url) for one in found.parts)
    return found.model_copy(update={"proof": found.proof.model_copy(update={"url": url}), "parts": moved})


def _hash_json(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
