"""One page cleaned by a model: part by part, each judged in its place before it stands, and asked about twice at most.

In: a draft, what the model is asked by. Out: the text, and all that became of it. A part whose cleaning is refused
twice, or of which there is none, stays as the draft has it; a page whose model cannot be asked stays so whole, and one
whose parts may not stand together. What stands has passed the guards as a whole.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rori_spiders.corpus.guards.judgement import CODES
from rori_spiders.corpus.rewriting.answers import read_answer
from rori_spiders.corpus.rewriting.asking import part_limit
from rori_spiders.corpus.rewriting.drafted import parts_of
from rori_spiders.corpus.rewriting.kept import Attempt, Failure, PartKept, Refused, Rewriting
from rori_spiders.corpus.rewriting.prompt import PROMPT_VERSION, messages_of, refused
from rori_spiders.corpus.rewriting.weighing import Weighing
from rori_spiders.exceptions import AllKeysExhaustedError, ExtractionError
from rori_spiders.fields.answers import BadAnswer
from rori_spiders.fields.drawing import EXTRACTION_FAILED
from rori_spiders.fields.prompt import repair
from rori_spiders.llm.client import REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from rori_spiders.corpus.rewriting.answers import Said
    from rori_spiders.corpus.rewriting.asking import Asking
    from rori_spiders.corpus.rewriting.drafted import Drafted, Part

#: Reasons that are the server's, or of keys and money: another part would meet them, too.
_OF_SERVER = frozenset(REASONS) - {"llm_length", "llm_refusal", "llm_empty", "llm_bad_answer"}
#: A cleaning that is so many times as long as its part, and so many characters, need not be read: a table that is told
#: as text repeats its titles, no more than three times in all (``guards/judging.py``).
_MOST_TIMES, _MOST_MORE = 4, 2_000
#: Refusals that are kept of one answer.
_MOST_REFUSALS = 50
TOO_LONG = "too_long_for_the_model"


async def rewrite(page: Drafted, asking: Asking) -> tuple[str, Rewriting]:
    """The text of *page*, and what became of it. Raises WriteError, ConfigError."""
    return await _Rewriter(page, asking).rewrite()


def is_away(became: Rewriting) -> bool:
    """Whether the model could not be asked: by what its server did, or for want of keys or money."""
    return bool(became.failures) and became.failures[-1].code in _OF_SERVER


def not_asked(page: Drafted, asking: Asking, failure: Failure) -> Rewriting:
    """What is kept of a page that nobody was asked about."""
    return _begun(page, asking).model_copy(update={"failures": (failure,)})


def _begun(page: Drafted, asking: Asking) -> Rewriting:
    return Rewriting(
        state="draft",
        prompt_version=PROMPT_VERSION,
        model=asking.model.name,
        parameters=asking.model.parameters,
        url=page.url,
        title=page.title,
        entity=page.entity,
    )


class _Rewriter:
    def __init__(self, page: Drafted, asking: Asking) -> None:
        self._page = page
        self._asking = asking
        self._limit = part_limit(asking.model)
        self._all = parts_of(page.text, self._limit)
        self._weighing = Weighing(page, self._all)
        self._texts: list[str] = []  # of the parts that are done
        self._parts: list[PartKept] = []
        self._said: list[Said] = []  # of those that stand
        self._attempts: list[Attempt] = []  # at the part at hand

    async def rewrite(self) -> tuple[str, Rewriting]:
        for part in self._all:
            self._attempts = []
            try:
                failure = await self._done(part)
            except (ExtractionError, AllKeysExhaustedError) as error:
                answer = error.details.get("answer")
                cut_off = answer if isinstance(answer, str) else None
                failure = Failure(code=error.reason, says=str(error), answer=cut_off)
            self._note(part, failure)
            if failure is not None and failure.code in _OF_SERVER:
                return self._page.text, self._told("draft")
        return await self._whole()

    def _note(self, part: Part, failure: Failure | None) -> None:
        stands = len(self._texts) > len(self._parts)
        if not stands:
            self._texts.append(self._page.text[part.start : part.end])
        kept = PartKept(
            start=part.start,
            end=part.end,
            state="cleaned" if stands else "drafted",
            attempts=tuple(self._attempts),
            failure=failure,
            withheld=tuple(part.marks.values()),
        )
        self._parts.append(kept)

    async def _done(self, part: Part) -> Failure | None:
        """Ask about *part*, twice at most; its text stands then, or why not. Raises ExtractionError."""
        if not any(map(str.isalnum, part.shown)):
            return None
        if part.tokens > self._limit:
            return Failure(code=TOO_LONG, says=f"a block of {part.tokens} tokens is too long to be asked about")
        messages = messages_of(self._page, part)
        for _ in range(2):
            asked = await self._asking.ask(messages, self._page.url)
            try:
                said = read_answer(asked.answer)
            except BadAnswer as bad:
                self._attempts.append(Attempt(asked=asked, problems=bad.problems))
                messages = repair(messages, asked.answer, bad.problems)
                continue
            await self._asking.keep(asked)
            refusals = await self._judged(part, said)
            self._attempts.append(Attempt(asked=asked, refusals=tuple(refusals[:_MOST_REFUSALS])))
            if not refusals:
                return None
            messages = refused(messages, asked.answer, [_point(one) for one in refusals])
        if problems := self._attempts[-1].problems:
            says = f"the answer cannot be used, and the one after it cannot be read: {'; '.join(problems)}"
            return Failure(code=EXTRACTION_FAILED, says=says[:500])
        return None

    async def _judged(self, part: Part, said: Said) -> list[Refused]:
        """What is wrong with a cleaning; where nothing is, it stands."""
        if len(said.cleaned_markdown) > _MOST_TIMES * len(part.shown) + _MOST_MORE:
            return [Refused(code="too_long", says=f"{len(said.cleaned_markdown)} characters of {len(part.shown)}")]
        text = part.put_back(said.cleaned_markdown)
        is_new = text != self._page.text[part.start : part.end]
        if is_new and (refusals := await asyncio.to_thread(self._weighing.of_part, self._texts, text)):
            return refusals
        self._texts.append(text)
        self._said.append(said)
        return []

    async def _whole(self) -> tuple[str, Rewriting]:
        """The parts put together, where the guards let them stand together."""
        text = "".join(self._texts)
        if not self._said or text == self._page.text:
            return self._page.text, self._told("model" if self._said else "draft")
        refusals, removed = await asyncio.to_thread(self._weighing.of_whole, text)
        if refusals:
            return self._page.text, self._told("draft", refusals=refusals[:_MOST_REFUSALS])
        return text, self._told("model", removed)

    def _told(
        self, state: Literal["model", "draft"], removed: Sequence[str] = (), refusals: Sequence[Refused] = ()
    ) -> Rewriting:
        drafted = [part for part in self._parts if part.state == "drafted"]
        said = self._said if state == "model" else []
        of_parts = (one for part in drafted if part.attempts for one in part.attempts[-1].refusals)
        told = {
            "state": state,
            "confidence": min((one.confidence for one in said), default=None),
            "quality_flags": _all(one.quality_flags for one in self._said),
            "changed_sections": _all(one.changed_sections for one in said),
            "removed_boilerplate_examples": _all(one.removed_boilerplate_examples for one in said),
            "removed": tuple(removed),
            "refusals": (*of_parts, *refusals),
            "failures": tuple(part.failure for part in self._parts if part.failure is not None),
            "withheld": tuple(one for part in self._parts for one in part.withheld),
            "parts": tuple(self._parts),
        }
        return _begun(self._page, self._asking).model_copy(update=told)


def _all(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for some in lists for one in some))


def _point(one: Refused) -> str:
    """A refusal as the model is told of it."""
    was = f"; the part has {one.draft!r}" if one.draft else ""
    return f"{CODES.get(one.code, one.code)}: {one.says}{was}" + (f"; you have {one.cleaned!r}" if one.cleaned else "")
