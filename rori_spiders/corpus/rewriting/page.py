"""One page cleaned by a model: part by part, each judged in its place before it stands, and asked about twice at most.

In: a draft, what the model is asked by. Out: the text, and all that became of it. A part whose cleaning is refused
twice, or of which there is none, stays as the draft has it; a page whose model cannot be asked stays so whole. What
stands has passed the guards together with all that stands before it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rori_spiders.corpus.cleaning.page import has_words
from rori_spiders.corpus.guards.judgement import CODES
from rori_spiders.corpus.guards.judging import judge
from rori_spiders.corpus.rewriting.answers import read_answer
from rori_spiders.corpus.rewriting.asking import part_limit
from rori_spiders.corpus.rewriting.drafted import parts_of
from rori_spiders.corpus.rewriting.kept import Attempt, Failure, PartKept, Refused, Rewriting
from rori_spiders.corpus.rewriting.prompt import PROMPT_VERSION, messages_of, refused, unreadable
from rori_spiders.exceptions import AllKeysExhaustedError, ExtractionError
from rori_spiders.fields.answers import BadAnswer
from rori_spiders.fields.drawing import EXTRACTION_FAILED
from rori_spiders.llm.client import REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from rori_spiders.corpus.guards.judgement import Judgement, Place, Refusal
    from rori_spiders.corpus.rewriting.answers import Said
    from rori_spiders.corpus.rewriting.asking import Asking
    from rori_spiders.corpus.rewriting.drafted import Drafted, Part

#: What an answer about one part is; all other reasons are the server's, and another part would meet them, too.
_OF_ONE_PART = frozenset({"llm_length", "llm_refusal", "llm_empty", "llm_bad_answer"})
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
    code = became.failures[-1].code if became.failures else ""
    return code in REASONS and code not in _OF_ONE_PART


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
        self._texts: list[str] = []  # of the parts that are done
        self._parts: list[PartKept] = []
        self._said: list[Said] = []  # of those that stand
        self._removed: Sequence[Place] = ()
        self._attempts: list[Attempt] = []  # at the part at hand

    async def rewrite(self) -> tuple[str, Rewriting]:
        for part in parts_of(self._page.text, self._limit):
            self._attempts = []
            try:
                failure = await self._done(part)
            except (ExtractionError, AllKeysExhaustedError) as error:
                answer = error.details.get("answer")
                failure = Failure(
                    code=error.reason, says=str(error), answer=answer if isinstance(answer, str) else None
                )
                if error.reason not in _OF_ONE_PART:
                    self._note(part, failure)
                    return self._page.text, self._told(state="draft")
            self._note(part, failure)
        return "".join(self._texts), self._told(state="model" if self._said else "draft")

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
                messages = unreadable(messages, asked.answer, bad.problems)
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
        page = self._page
        if len(said.cleaned_markdown) > _MOST_TIMES * len(part.shown) + _MOST_MORE:
            return [Refused(code="too_long", says=f"{len(said.cleaned_markdown)} characters of {len(part.shown)}")]
        text = part.put_back(said.cleaned_markdown)
        if text != page.text[part.start : part.end]:
            found = await asyncio.to_thread(self._judge, "".join([*self._texts, text]) + page.text[part.end :])
            if refusals := [*map(_refused, found.refusals), *self._kept_by_rule(found)]:
                return refusals
            self._removed = found.removed
        self._texts.append(text)
        self._said.append(said)
        return []

    def _judge(self, text: str) -> Judgement:
        page = self._page
        told = {"title": page.title, "source_url": page.url, "entity": page.entity}
        return judge(page.text, text, **told, boilerplate=page.boilerplate)

    def _kept_by_rule(self, found: Judgement) -> list[Refused]:
        """What a person has said that it stays, and is gone."""
        gone = [self._page.text[place.start : place.end] for place in found.removed]
        return [
            Refused(code="removed_substance", says=f"a site rule keeps blocks with {words!r}", draft=text)
            for text in gone
            for words in self._page.kept
            if has_words(text, words)
        ]

    def _told(self, state: Literal["model", "draft"]) -> Rewriting:
        drafted = [part for part in self._parts if part.state == "drafted"]
        said = self._said if state == "model" else []
        told = {
            "state": state,
            "confidence": min((one.confidence for one in said), default=None),
            "quality_flags": _all(one.quality_flags for one in self._said),
            "changed_sections": _all(one.changed_sections for one in said),
            "removed_boilerplate_examples": _all(one.removed_boilerplate_examples for one in said),
            "removed": tuple(self._page.text[one.start : one.end].strip() for one in self._removed) if said else (),
            "refusals": tuple(one for part in drafted if part.attempts for one in part.attempts[-1].refusals),
            "failures": tuple(part.failure for part in self._parts if part.failure is not None),
            "withheld": tuple(one for part in self._parts for one in part.withheld),
            "parts": tuple(self._parts),
        }
        return _begun(self._page, self._asking).model_copy(update=told)


def _all(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for some in lists for one in some))


def _text(given: object) -> str | None:
    return given if isinstance(given, str) else None


def _refused(one: Refusal) -> Refused:
    quotes = {"draft": one.draft, "cleaned": one.cleaned}
    return Refused(code=one.code, says=one.says, **{name: at.quote for name, at in quotes.items() if at is not None})


def _point(one: Refused) -> str:
    """A refusal as the model is told of it."""
    was = f"; the part has {one.draft!r}" if one.draft else ""
    return f"{CODES.get(one.code, one.code)}: {one.says}{was}" + (f"; you have {one.cleaned!r}" if one.cleaned else "")
