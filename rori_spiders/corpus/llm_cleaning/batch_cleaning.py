"""Have the first questions about a run's texts answered by a batch, which costs less and takes up to a day.

Input: questions. Their answers go to the cache of answers, from which the cleaning takes them: what is checked does not
depend on how it was asked. What a batch leaves unanswered is asked one by one. A batch is recorded in the cache's
folder, by corpus and model, before anything waits for it: the next run takes it up, and it is never paid twice.
"""

from __future__ import annotations

import asyncio
import logging
from hashlib import sha256
from typing import TYPE_CHECKING

from rori_spiders.corpus.llm_cleaning.model_calls import make_exchange
from rori_spiders.corpus.llm_cleaning.prompt import cleaning_answer_schema
from rori_spiders.exceptions import AllKeysExhaustedError, ExtractionError
from rori_spiders.fields.records import CachedAnswer
from rori_spiders.llm.batches import (
    MAX_INPUT_BYTES,
    MAX_REQUESTS,
    Batch,
    BatchClient,
    input_line,
    parse_output,
    read_error_messages,
)
from rori_spiders.llm.budget import TokenUsage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rori_spiders.corpus.llm_cleaning.cleaning_record import CleaningExchange
    from rori_spiders.fields.extraction.answer_cache import FolderCache
    from rori_spiders.llm.client import ModelClient

    Messages = tuple[dict[str, str], ...]

logger = logging.getLogger(__name__)

#: Seconds between two looks at a batch: from the first to the last, each twice the one before.
_POLL_S, _MOST_POLL_S = 5.0, 60.0
#: Looks in a row that may fail, each with its own retries, before the run stops. The batch goes on meanwhile.
_MOST_FAILED_LOOKS = 10
#: Attempts to create a batch whose answer was lost on the way.
_CREATE_ATTEMPTS = 3


_MAY_EXIST = "Whether the batch was created is not known: the next run looks for it, and pays nothing twice"
_GOES_ON = "The batch goes on at the server: the next run takes it up, and pays nothing twice"


class BatchRecord(CachedAnswer):
    """A batch that is under way: what was asked, and how far it is. Each step is recorded before the next."""

    mode: str
    questions: dict[str, tuple[dict[str, str], ...]]  # by the key of their answers
    cost_id: int
    file_id: str
    batch_id: str | None = None


class CleaningBatch:
    """The batch of one corpus. *answers*: the cache of answers; *records*: that of batches under way."""

    def __init__(
        self,
        domain: str,
        client: ModelClient,
        answers: FolderCache[CleaningExchange],
        records: FolderCache[BatchRecord],
    ) -> None:
        self._client = client
        self._batches = BatchClient(client)
        self._answers = answers
        self._records = records
        self._key = sha256(f"{domain}\n{client.model.name}".encode()).hexdigest()
        #: Questions that were answered, but not with a text: they are not paid for again.
        self.errors: dict[str, ExtractionError] = {}

    async def ask(self, questions: Mapping[str, Messages], *, begins: bool) -> None:
        """Have *questions*, by the key of their answers, answered as far as a batch does. Those in the cache are not
        asked; without *begins* only a batch under way is taken up.

        Raises WriteError; ExtractionError and AllKeysExhaustedError where a batch under way cannot be read.
        """
        batched: set[str] = set()
        if (record := await asyncio.to_thread(self._records.get, self._key)) is not None:
            logger.info("Taking up the batch %(batch)s", {"batch": record.batch_id or "that was being created"})
            batched = set(record.questions)
            await self._finish(record)
        waiting = {key: messages for key, messages in questions.items() if begins and key not in batched}
        waiting = await asyncio.to_thread(self._without_answered, waiting)
        if waiting:
            try:
                record = await self._begin(waiting)
            except (ExtractionError, AllKeysExhaustedError) as error:
                if await asyncio.to_thread(self._records.get, self._key) is not None:
                    raise  # it may have been created: the next run looks for it
                logger.warning("No batch was created, each question is asked by itself: %(error)s", {"error": error})
            else:
                await self._finish(record)

    def _without_answered(self, questions: Mapping[str, Messages]) -> dict[str, Messages]:
        """Those that the cache has no answer to, as many as one batch may hold."""
        found: dict[str, Messages] = {}
        size = 0
        for key, messages in questions.items():
            if self._answers.get(key) is None:
                size += len(
                    input_line(key, self._client.request_body(messages, self._client.mode, cleaning_answer_schema()))
                )
                if len(found) >= MAX_REQUESTS or size > MAX_INPUT_BYTES:
                    break  # the rest is asked one by one
                found[key] = messages
        return found

    async def _begin(self, questions: dict[str, Messages]) -> BatchRecord:
        """Reserve the cost, upload the questions. Raises ExtractionError (``cost_limit``, or of the server)."""
        cost_id = await self._client.reserve(_sum_usage([self._estimate(messages) for messages in questions.values()]))
        mode, schema = self._client.mode, cleaning_answer_schema()
        try:
            file_id = await self._batches.upload(
                {key: self._client.request_body(messages, mode, schema) for key, messages in questions.items()}
            )
        except BaseException:
            await self._client.settle(cost_id, TokenUsage(0, 0, in_batch=True))
            raise
        record = BatchRecord(key=self._key, mode=mode, questions=questions, cost_id=cost_id, file_id=file_id)
        await asyncio.to_thread(self._records.put, record)
        try:
            return await self._create(record, may_exist=False)
        except ExtractionError as error:
            if error.passing:
                raise _with_advice(error, _MAY_EXIST) from error
            await self._close(record, TokenUsage(0, 0, in_batch=True))  # it was refused: there is none
            raise

    async def _create(self, record: BatchRecord, *, may_exist: bool) -> BatchRecord:
        for attempt in range(1, _CREATE_ATTEMPTS + 1):
            try:
                found = await self._batches.find(record.file_id) if may_exist or attempt > 1 else None
                batch = found or await self._batches.create(record.file_id)
                break
            except ExtractionError as error:
                if not error.passing or attempt == _CREATE_ATTEMPTS:
                    raise
                await self._client.sleep(_POLL_S)
        else:
            raise AssertionError("unreachable")
        record = record.model_copy(update={"batch_id": batch.id})
        await asyncio.to_thread(self._records.put, record)
        logger.info(
            "The batch %(batch)s has %(count)d questions; it may take a day, and a later run takes it up",
            {"batch": batch.id, "count": len(record.questions)},
        )
        return record

    async def _finish(self, record: BatchRecord) -> None:
        """Wait for the batch of *record*, and put its answers into the cache."""
        counted = {key: self._estimate(messages) for key, messages in record.questions.items()}
        try:
            if record.batch_id is None:
                record = await self._create(record, may_exist=True)
            batch = await self._wait(record)
            output = await self._batches.download(batch.output_file_id) if batch.output_file_id else b""
        except asyncio.CancelledError:
            logger.warning(
                "The batch %(batch)s goes on at the server: the next run takes it up, and pays nothing twice",
                {"batch": record.batch_id or "that was being created"},
            )
            raise
        except ExtractionError as error:
            if error.reason != "llm_rejected":
                raise
            logger.warning(
                "The batch %(batch)s cannot be read any more: its %(count)d questions are asked one by one, and count "
                "as paid: %(error)s",
                {"batch": record.batch_id, "count": len(counted), "error": error},
            )
            await self._close(record, _sum_usage(list(counted.values())))
            return
        rows = parse_output(output, record.mode, self._client.model.name, counted)
        for row in rows:
            if row.answer is not None:
                messages = record.questions[row.custom_id]
                exchange = make_exchange(row.custom_id, messages, row.answer, self._client.model)
                await asyncio.to_thread(self._answers.put, exchange)
            elif row.error is not None:
                self.errors[row.custom_id] = row.error
        found = {"batch": batch.id, "status": batch.status, "answered": len(rows), "count": len(counted)}
        if len(rows) == len(counted):
            logger.info("The batch %(batch)s is answered: %(count)d questions", found)
        else:
            reasons = await self._error_messages(batch)
            logger.warning(
                "The batch %(batch)s ended as %(status)s with %(answered)d of %(count)d answers; the other questions "
                "are asked one by one%(reasons)s",
                {**found, "reasons": f" ({reasons})" if reasons else ""},
            )
        # What the server says it answered is billed, whether or not its line can be read.
        unread = [usage for key, usage in counted.items() if key not in {row.custom_id for row in rows}]
        paid = unread[: max(0, batch.completed - len(rows))]
        await self._close(record, _sum_usage([*(row.usage for row in rows), *paid]))

    async def _wait(self, record: BatchRecord) -> Batch:
        """The batch when it has ended. Raises ExtractionError: ``llm_rejected`` if the server does not know it."""
        assert record.batch_id is not None
        wait, failed, known = _POLL_S, 0, -1
        while True:
            try:
                batch = await self._batches.get(record.batch_id)
            except ExtractionError as error:
                failed += 1
                if error.reason == "llm_rejected":
                    raise
                if failed >= _MOST_FAILED_LOOKS:
                    raise _with_advice(error, _GOES_ON) from error
            else:
                failed = 0
                if not batch.is_open:
                    return batch
                if batch.completed != known:
                    known = batch.completed
                    found = {"batch": batch.id, "done": known, "total": batch.total or len(record.questions)}
                    logger.info("The batch %(batch)s: %(done)d of %(total)d questions answered", found)
            await self._client.sleep(wait)
            wait = min(2 * wait, _MOST_POLL_S)

    async def _error_messages(self, batch: Batch) -> str:
        """The first reasons in the error file, for the log."""
        if not batch.error_file_id:
            return ""
        try:
            content = await self._batches.download(batch.error_file_id)
        except (ExtractionError, AllKeysExhaustedError):
            return ""
        return read_error_messages(content)

    async def _close(self, record: BatchRecord, usage: TokenUsage) -> None:
        """The batch is over: record its cost, and forget it."""
        await self._client.settle(record.cost_id, usage)
        await asyncio.to_thread(self._records.remove, record.key)

    def _estimate(self, messages: Messages) -> TokenUsage:
        return self._client.estimate(messages, cleaning_answer_schema())


def _sum_usage(usages: list[TokenUsage]) -> TokenUsage:
    sums = (sum(getattr(one, name) for one in usages) for name in ("input_tokens", "output_tokens", "cached_tokens"))
    sent, received, cached = sums
    return TokenUsage(sent, received, all(one.is_reported for one in usages), cached, in_batch=True)


def _with_advice(error: ExtractionError, advice: str) -> ExtractionError:
    return ExtractionError(
        f"{error}. {advice}", error.details, reason=error.reason, passing=error.passing, charged=error.charged
    )
