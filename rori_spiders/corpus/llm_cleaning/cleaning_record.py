"""The record of a page that a model was asked to clean: every question and answer, and the result.

``CleaningRecord`` as JSON is the ``cleaning_object`` of a page (docs/explanation/corpus.md).
"""

from typing import Any, Literal

from rori_spiders.fields.records import CachedAnswer, RecordModel


class CleaningExchange(CachedAnswer):
    """A question, and its answer as it came."""

    prompt_version: str
    model: str
    parameters: dict[str, Any]
    messages: tuple[dict[str, str], ...]
    answer: str
    mode: str
    answered_by: str  # as the server calls the model
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0  # of the input, in the server's prompt cache


class RefusalRecord(RecordModel):
    """Why a cleaning is refused: a code of the guards, a sentence, the block in the draft and in the cleaned text."""

    code: str
    says: str
    draft: str | None = None
    cleaned: str | None = None


class FailureRecord(RecordModel):
    """Why a part, or a page, has no cleaning: the word of an ExtractionError or one of ours, and a sentence."""

    code: str
    says: str
    answer: str | None = None  # one that was cut off


class AttemptRecord(RecordModel):
    """An answer with its parse problems and refusals; without either it was accepted."""

    exchange: CleaningExchange
    problems: tuple[str, ...] = ()
    refusals: tuple[RefusalRecord, ...] = ()


class PartRecord(RecordModel):
    """What became of ``draft[start:end]``; ``withheld``: sentences in it that talk to a model."""

    start: int
    end: int
    state: Literal["cleaned", "drafted"]
    attempts: tuple[AttemptRecord, ...] = ()
    failure: FailureRecord | None = None
    withheld: tuple[str, ...] = ()


class CleaningRecord(RecordModel):
    """What became of a page. ``state`` draft: nothing of it is the model's.

    ``removed`` is what the guards saw leave, the lists before it what the model says. ``refusals`` and ``failures`` are
    of parts that stay as the draft has them. ``confidence`` is the least of the parts that stand; None: none does.
    """

    state: Literal["model", "draft"]
    prompt_version: str
    model: str
    parameters: dict[str, Any]
    url: str
    title: str | None
    entity: str | None
    confidence: float | None = None
    quality_flags: tuple[str, ...] = ()
    changed_sections: tuple[str, ...] = ()
    removed_boilerplate_examples: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    refusals: tuple[RefusalRecord, ...] = ()
    failures: tuple[FailureRecord, ...] = ()
    withheld: tuple[str, ...] = ()
    parts: tuple[PartRecord, ...] = ()
