"""Clean one page by a model, part by part: judge each answer before accepting it, ask at most twice.

In: a draft, what the model is asked by. Out: the text, and all that became of it. A part whose cleaning is refused
twice, or of which there is none, stays as the draft has it; a page whose model cannot be asked stays so whole, and one
whose parts may not stand together. What stands has passed the guards as a whole.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Literal

from rori_spiders.content.sections import outline
from rori_spiders.corpus.cleaning.operations import has_words
from rori_spiders.corpus.guards.judgement import judge_cleaned_text
from rori_spiders.corpus.guards.refusal import CODES, Refusal
from rori_spiders.corpus.llm_cleaning.cleaning_record import (
    AttemptRecord,
    CleaningRecord,
    FailureRecord,
    PartRecord,
    RefusalRecord,
)
from rori_spiders.corpus.llm_cleaning.model_calls import CleaningModel, part_limit
from rori_spiders.corpus.llm_cleaning.prompt import (
    PROMPT_VERSION,
    CleaningAnswer,
    DraftPart,
    PageDraft,
    cleaning_messages,
    messages_after_refusal,
    parse_cleaning_answer,
    split_draft,
)
from rori_spiders.exceptions import AllKeysExhaustedError, ExtractionError
from rori_spiders.fields.extraction.page_extraction import EXTRACTION_FAILED
from rori_spiders.fields.extraction.prompt import BadAnswer, repair_messages
from rori_spiders.llm.client import REASONS

#: Reasons that are the server's, or of keys and money: another part would meet them, too.
_OF_SERVER = frozenset(REASONS) - {"llm_length", "llm_refusal", "llm_empty", "llm_bad_answer"}
#: A cleaning that is so many times as long as its part, and so many characters, need not be read: a table that is told
#: as text repeats its titles, no more than three times in all (``guards/judgement.py``).
_MOST_TIMES, _MOST_MORE = 4, 2_000
#: Refusals that are kept of one answer.
_MAX_REFUSALS = 50
TOO_LONG = "too_long_for_the_model"


async def clean_page_by_model(page: PageDraft, asking: CleaningModel) -> tuple[str, CleaningRecord]:
    """The text of *page*, and what became of it. Raises WriteError, ConfigError."""
    return await _PageCleaner(page, asking).rewrite()


def is_model_unavailable(became: CleaningRecord) -> bool:
    """Whether the model could not be asked: by what its server did, or for want of keys or money."""
    return bool(became.failures) and became.failures[-1].code in _OF_SERVER


def record_not_asked(page: PageDraft, asking: CleaningModel, failure: FailureRecord) -> CleaningRecord:
    """The record of a page that was not sent to a model."""
    return _start_record(page, asking).model_copy(update={"failures": (failure,)})


def _start_record(page: PageDraft, asking: CleaningModel) -> CleaningRecord:
    return CleaningRecord(
        state="draft",
        prompt_version=PROMPT_VERSION,
        model=asking.model.name,
        parameters=asking.model.parameters,
        url=page.url,
        title=page.title,
        entity=page.entity,
    )


class _PageCleaner:
    def __init__(self, page: PageDraft, asking: CleaningModel) -> None:
        self._page = page
        self._asking = asking
        self._all = split_draft(page.text, part_limit(asking.model))
        self._validator = CleaningValidator(page, self._all)
        self._texts: list[str] = []  # of the parts that are done
        self._parts: list[PartRecord] = []
        self._accepted_answers: list[CleaningAnswer] = []  # of those that stand
        self._attempts: list[AttemptRecord] = []  # at the part at hand

    async def rewrite(self) -> tuple[str, CleaningRecord]:
        for part in self._all:
            self._attempts = []
            try:
                failure = await self._done(part)
            except (ExtractionError, AllKeysExhaustedError) as error:
                answer = error.details.get("answer")
                cut_off = answer if isinstance(answer, str) else None
                failure = FailureRecord(code=error.reason, says=str(error), answer=cut_off)
            self._note(part, failure)
            if failure is not None and failure.code in _OF_SERVER:
                return self._page.text, self._make_record("draft")
        return await self._whole()

    def _note(self, part: DraftPart, failure: FailureRecord | None) -> None:
        stands = len(self._texts) > len(self._parts)
        if not stands:
            self._texts.append(self._page.text[part.start : part.end])
        record = PartRecord(
            start=part.start,
            end=part.end,
            state="cleaned" if stands else "drafted",
            attempts=tuple(self._attempts),
            failure=failure,
            withheld=tuple(part.marks.values()),
        )
        self._parts.append(record)

    async def _done(self, part: DraftPart) -> FailureRecord | None:
        """Ask about *part*, twice at most; its text stands then, or why not. Raises ExtractionError."""
        if part.is_blank:
            return None
        if part.is_too_long:
            return FailureRecord(code=TOO_LONG, says=f"a block of {part.tokens} tokens is too long for the model")
        messages = cleaning_messages(self._page, part)
        for _ in range(2):
            exchange = await self._asking.ask(messages, self._page.url)
            try:
                answer = parse_cleaning_answer(exchange.answer)
            except BadAnswer as bad:
                self._attempts.append(AttemptRecord(exchange=exchange, problems=bad.problems))
                messages = repair_messages(messages, exchange.answer, bad.problems)
                continue
            await self._asking.keep(exchange)
            refusals = await self._judged(part, answer)
            self._attempts.append(AttemptRecord(exchange=exchange, refusals=tuple(refusals[:_MAX_REFUSALS])))
            if not refusals:
                return None
            messages = messages_after_refusal(messages, exchange.answer, [_describe_refusal(one) for one in refusals])
        if problems := self._attempts[-1].problems:
            says = f"the guards rejected the answer, and the second answer cannot be read: {'; '.join(problems)}"
            return FailureRecord(code=EXTRACTION_FAILED, says=says[:500])
        return None

    async def _judged(self, part: DraftPart, answer: CleaningAnswer) -> list[RefusalRecord]:
        """What is wrong with a cleaning; where nothing is, it stands."""
        if len(answer.cleaned_markdown) > _MOST_TIMES * len(part.shown) + _MOST_MORE:
            return [
                RefusalRecord(code="too_long", says=f"{len(answer.cleaned_markdown)} characters of {len(part.shown)}")
            ]
        text = part.put_back(answer.cleaned_markdown)
        is_new = text != self._page.text[part.start : part.end]
        if is_new and (refusals := await asyncio.to_thread(self._validator.of_part, self._texts, text)):
            return refusals
        self._texts.append(text)
        self._accepted_answers.append(answer)
        return []

    async def _whole(self) -> tuple[str, CleaningRecord]:
        """The parts put together, where the guards let them stand together."""
        text = "".join(self._texts)
        if not self._accepted_answers or text == self._page.text:
            return self._page.text, self._make_record("model" if self._accepted_answers else "draft")
        refusals, removed = await asyncio.to_thread(self._validator.of_whole, text)
        if refusals:
            return self._page.text, self._make_record("draft", refusals=refusals[:_MAX_REFUSALS])
        return text, self._make_record("model", removed)

    def _make_record(
        self, state: Literal["model", "draft"], removed: Sequence[str] = (), refusals: Sequence[RefusalRecord] = ()
    ) -> CleaningRecord:
        drafted = [part for part in self._parts if part.state == "drafted"]
        answers = self._accepted_answers if state == "model" else []
        of_parts = (one for part in drafted if part.attempts for one in part.attempts[-1].refusals)
        fields = {
            "state": state,
            "confidence": min((one.confidence for one in answers), default=None),
            "quality_flags": _concatenate(one.quality_flags for one in self._accepted_answers),
            "changed_sections": _concatenate(one.changed_sections for one in answers),
            "removed_boilerplate_examples": _concatenate(one.removed_boilerplate_examples for one in answers),
            "removed": tuple(removed),
            "refusals": (*of_parts, *refusals),
            "failures": tuple(part.failure for part in self._parts if part.failure is not None),
            "withheld": tuple(one for part in self._parts for one in part.withheld),
            "parts": tuple(self._parts),
        }
        return _start_record(self._page, self._asking).model_copy(update=fields)


def _concatenate(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for some in lists for one in some))


def _describe_refusal(one: RefusalRecord) -> str:
    """A refusal in the words that the model gets."""
    was = f"; the part has {one.draft!r}" if one.draft else ""
    return f"{CODES.get(one.code, one.code)}: {one.says}{was}" + (f"; you have {one.cleaned!r}" if one.cleaned else "")


# Validate a cleaning by the guards: each part between its neighbours, below the headings above it; then the whole page.
# Judging a part within all of a long page would take the square of its length; what its neighbours do not show, the
# judgement of the whole does.


class CleaningValidator:
    """Judges the cleaning of *page*, whose *parts* are all of it."""

    def __init__(self, page: PageDraft, parts: Sequence[DraftPart]) -> None:
        self._page = page
        self._drafts = [page.text[part.start : part.end] for part in parts]
        self._starts = [part.start for part in parts]
        self._sections = outline(page.text)

    def of_part(self, texts: Sequence[str], text: str) -> list[RefusalRecord]:
        """Why *text* is refused for the part that follows *texts*; empty: it is accepted."""
        at = len(texts)
        first = max(0, at - 1)
        above, after = self._above(self._starts[first]), "".join(self._drafts[at + 1 : at + 2])
        old = "".join([above, *self._drafts[first : at + 1], after])
        return self._refusals(old, "".join([above, *texts[first:], text, after]))[0]

    def of_whole(self, text: str) -> tuple[list[RefusalRecord], list[str]]:
        """Why *text* is refused for the page, and the blocks that it omits."""
        return self._refusals(self._page.text, text)

    def _refusals(self, old: str, new: str) -> tuple[list[RefusalRecord], list[str]]:
        page = self._page
        is_elsewhere = page.text.count(page.url) > old.count(page.url)
        found = judge_cleaned_text(
            old,
            new,
            title=page.title,
            source_url=None if is_elsewhere else page.url,
            entity=page.entity,
            boilerplate=page.boilerplate,
        )
        removed = [old[place.start : place.end].strip() for place in found.removed]
        return [*map(_refusal_record, found.refusals), *self._kept_by_rule(removed)], removed

    def _kept_by_rule(self, removed: Sequence[str]) -> list[RefusalRecord]:
        """What a person has said that it stays, and is gone."""
        return [
            RefusalRecord(code="removed_substance", says=f"a site rule keeps blocks with {words!r}", draft=text)
            for text in removed
            for words in self._page.kept
            if has_words(text, words)
        ]

    def _above(self, start: int) -> str:
        """The headings above *start*, each as its line."""
        lines: list[tuple[int, str]] = []
        for section in self._sections:
            if section.start >= start:
                break
            lines = [(level, line) for level, line in lines if level < section.level]
            if section.level:
                lines.append((section.level, self._page.text[section.start :].partition("\n")[0]))
        return "".join(f"{line}\n\n" for _, line in lines)


def _refusal_record(one: Refusal) -> RefusalRecord:
    quotes = {"draft": one.draft, "cleaned": one.cleaned}
    return RefusalRecord(
        code=one.code, says=one.says, **{name: at.quote for name, at in quotes.items() if at is not None}
    )
