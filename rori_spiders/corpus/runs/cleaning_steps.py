"""The states ``deterministic_preflight`` (clean the text of each included page by rules) and ``llm_cleanup`` (clean
each draft by a model, between guards).

Boilerplate is counted over all texts of the run, and over those of the version that a delta changes. Approved texts
stay until a person asks for them to be cleaned again; one that other rules or another model made is marked
(``OLDER_CLEANING``). Without a model the draft is the text; after ``GIVEN_UP_AFTER`` pages without an answer in a row
the model is not asked about the rest: these keep their drafts, with the reason.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy import Row

from rori_spiders.content.sections import outline
from rori_spiders.corpus.cleaning.blocks import visible_text
from rori_spiders.corpus.cleaning.boilerplate import Boilerplate, count_boilerplate
from rori_spiders.corpus.cleaning.cleaner import Draft, ReviewFlag, clean_body
from rori_spiders.corpus.documents.document import one_line
from rori_spiders.corpus.documents.titles import TitlesOfHosts
from rori_spiders.corpus.llm_cleaning.cleaning_record import CleaningRecord, FailureRecord
from rori_spiders.corpus.llm_cleaning.model_calls import (
    CleaningModel,
    max_answer_tokens,
    part_limit,
    question_key,
)
from rori_spiders.corpus.llm_cleaning.page_cleaner import clean_page_by_model, is_model_unavailable, record_not_asked
from rori_spiders.corpus.llm_cleaning.prompt import (
    PageDraft,
    cleaning_answer_schema,
    cleaning_messages,
    split_draft,
)
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.runs.page_map import title_endings
from rori_spiders.corpus.runs.run import DELTA, RunContext
from rori_spiders.exceptions import ExtractionError
from rori_spiders.ledger.corpus import human_decisions, run_pages, source_texts
from rori_spiders.llm.client import MAX_CONCURRENT_QUESTIONS, ModelClient, estimate_tokens
from rori_spiders.llm.model import Model
from rori_spiders.staging.verification.parallel_reads import map_in_threads


def add_title_heading(body: str, title: str | None) -> str:
    """Return *body* with its title as a heading, if it has no heading of level 1."""
    named = one_line(title or "")
    if not named or any(section.level == 1 for section in outline(body)):
        return body
    return f"# {named}\n\n{body.lstrip(chr(10))}"


# The state ``deterministic_preflight``.

#: The author of a cleaned text.
APPROVED, DRAFT, MODEL = "approved", "draft", "model"
#: Flag: the approved text was made by other rules, or by another model, than the run has.
OLDER_CLEANING = "older_cleaning"


async def run_preflight(work: RunContext) -> None:
    """Create a draft for each included page that has a text and no draft yet. Raises StagingError."""
    run = work.run
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=run.run_id, decision="include"))
    waiting = [row for row in rows if row.raw_object is not None and row.draft_object is None]
    if not waiting:
        return
    approvals = work.ledger.read(partial(human_decisions.list_approvals, domain=run.domain))
    made_of = work.ledger.read(partial(human_decisions.approved_drafts, domain=run.domain))
    # In threads: while a step blocks the event loop, the process sends no heartbeat.
    counted = await asyncio.to_thread(lambda: count_boilerplate(_corpus_texts(work, rows)))
    endings = await asyncio.to_thread(title_endings, work)

    def draft(row: Row[Any]) -> Mapping[str, Any]:
        text = (row.page_id, row.raw_object)
        approval = None if row.cleaned_by == run_pages.CLEANED_AGAIN else approvals.get(text)
        known = _draft_values(work, row, counted, endings, made_of.get(text) if approval is not None else None)
        if approval is not None:
            known = {**known, "clean_object": approval.clean_object, "cleaned_by": APPROVED}
        return known

    size = work.store.concurrent_reads
    for at in range(0, len(waiting), size):  # a kill costs no more than these
        batch = waiting[at : at + size]
        found = [(row.page_id, known) for row, known in zip(batch, await work.in_threads(draft, batch), strict=True)]
        work.ledger.write(partial(run_pages.update_pages, run_id=run.run_id, values=found))


def _draft_values(
    work: RunContext,
    row: Row[Any],
    counted: Boilerplate,
    endings: TitlesOfHosts,
    older: tuple[str | None, str | None] | None,
) -> Mapping[str, Any]:
    """*older*: draft and model that the approved text was made with."""
    text = work.text(row.raw_object)
    draft = clean_body(text, url=row.url, title=row.title or "", rules=work.rules, boilerplate=counted)
    body = add_title_heading(draft.body, endings.strip(row.url, row.title))
    digest = work.put(body)
    if older is not None and older != (digest, work.run.model):
        what = "the rules make another draft" if older[0] != digest else f"by the model {older[1]}"
        draft = replace(draft, flags=(*draft.flags, ReviewFlag(OLDER_CLEANING, what)))
    return {
        "draft_object": digest,
        "removals_object": work.put(cleaning_report(draft, headed=body != draft.body)),
    }


def cleaning_report(draft: Draft, *, headed: bool = False) -> str:
    """Return the changes of a text as JSON: removals, repairs, flags, its linked document, an added title."""
    done = {
        "removals": [asdict(one) for one in draft.removals],
        "repairs": [asdict(one) for one in draft.repairs],
        "flags": [asdict(one) for one in draft.flags],
        "document": draft.document,
        "headed_with_title": headed,
    }
    return json.dumps(done, ensure_ascii=False)


def _corpus_texts(work: RunContext, rows: Sequence[Row[Any]]) -> Iterator[tuple[str, str]]:
    here = {row.url for row in rows}
    known = [(row.url, row.raw_object) for row in rows if row.raw_object is not None]
    if work.run.kind == DELTA and (base := read_current_version(work.store, work.run.domain).manifest) is not None:
        known += [(one.source_url, one.raw_hash) for one in base.pages if one.source_url not in here and one.raw_hash]

    def read(page: tuple[str, str]) -> tuple[str, str] | None:
        url, digest = page
        return (url, work.text(digest)) if url in here or work.store.has_object(digest) else None

    yield from filter(None, map_in_threads(read, known, threads=work.store.concurrent_reads))


# The state ``llm_cleanup``: several pages at once; each is written when it is done, with all that was said.

#: After this many failed pages in a row, each with all retries, the remaining pages are not sent to the model.
GIVEN_UP_AFTER = 5
NOT_ASKED = "not_asked"


async def run_llm_cleanup(work: RunContext) -> None:
    """Clean each draft without a cleaned text. Raises StagingError, WriteError; ConfigError for too small a context."""
    included = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id, decision="include"))
    waiting = [row for row in included if row.clean_object is None and row.draft_object is not None]
    if work.model is None or not waiting:
        for row in waiting:
            _record_cleaning(
                work, row, {"clean_object": row.draft_object, "cleaned_by": DRAFT, "cleaning_object": None}
            )
        return
    part_limit(work.model.model)
    removed = await work.in_threads(partial(_rule_removals, work), included)
    removals = {row.page_id: some for row, some in zip(included, removed, strict=True)}
    errors = await _ask_by_batch(work, work.model, removals, waiting)
    await _LlmCleanup(work, CleaningModel(work.model, work.answers, errors), removals).all(waiting)


async def _ask_by_batch(
    work: RunContext, client: ModelClient, removals: Mapping[str, Sequence[Mapping[str, Any]]], rows: Sequence[Row[Any]]
) -> Mapping[str, ExtractionError]:
    """Have a batch answer the first question about each part, if batches are wanted; those that it answered without
    a text, with the reason.
    """
    if work.batches is None or work.answers is None:
        return {}
    from rori_spiders.corpus.llm_cleaning.batch_cleaning import CleaningBatch

    def list_questions() -> dict[str, tuple[dict[str, str], ...]]:
        limit = part_limit(client.model)
        found = {}
        for row in rows:
            page = _page_draft(work, row, removals[row.page_id])
            for part in split_draft(page.text, limit):
                if part.is_asked:
                    messages = tuple(cleaning_messages(page, part))
                    found[question_key(client.model.name, messages)] = messages
        return found

    batch = CleaningBatch(work.run.domain, client, work.answers, work.batches)
    await batch.ask(await asyncio.to_thread(list_questions), begins=work.begins_batches)
    return batch.errors


class _LlmCleanup:
    """Clean the drafts of a run. *removals*: page id -> blocks that rules removed."""

    def __init__(
        self, work: RunContext, asking: CleaningModel, removals: Mapping[str, Sequence[Mapping[str, Any]]]
    ) -> None:
        self._work = work
        self._asking = asking
        self._removals = removals
        found = (one for some in removals.values() for one in some if one["operation"] == "remove_boilerplate")
        self._boilerplate = frozenset(visible_text(one["text"]).text for one in found)
        self._in_vain = 0
        self._last: FailureRecord | None = None

    async def all(self, rows: Sequence[Row[Any]]) -> None:
        waiting = iter(rows)
        tasks = [asyncio.create_task(self._some(waiting)) for _ in range(MAX_CONCURRENT_QUESTIONS)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _some(self, waiting: Iterator[Row[Any]]) -> None:
        for row in waiting:
            text, became = await self._of(await asyncio.to_thread(self._drafted, row))
            await asyncio.to_thread(self._keep, row, text, became)

    async def _of(self, page: PageDraft) -> tuple[str, CleaningRecord]:
        if self._in_vain >= GIVEN_UP_AFTER and self._last is not None:
            says = f"not asked: the model failed on {self._in_vain} pages in a row: {self._last.says}"
            return page.text, record_not_asked(page, self._asking, FailureRecord(code=NOT_ASKED, says=says))
        text, became = await clean_page_by_model(page, self._asking)
        in_vain = is_model_unavailable(became)
        self._in_vain = self._in_vain + 1 if in_vain else 0
        self._last = became.failures[-1] if in_vain else None
        return text, became

    def _drafted(self, row: Row[Any]) -> PageDraft:
        return _page_draft(self._work, row, self._removals[row.page_id], self._boilerplate)

    def _keep(self, row: Row[Any], text: str, became: CleaningRecord) -> None:
        is_new = became.state == "model"
        known = {
            "clean_object": self._work.put(text) if is_new else row.draft_object,
            "cleaned_by": MODEL if is_new else DRAFT,
            "cleaning_object": self._work.put(became.model_dump_json()),
        }
        _record_cleaning(self._work, row, known)


def _page_draft(
    work: RunContext, row: Row[Any], removals: Sequence[Mapping[str, Any]], boilerplate: frozenset[str] = frozenset()
) -> PageDraft:
    return PageDraft(
        url=row.url,
        text=work.text(row.draft_object),
        title=row.title,
        entity=work.rules.entity,
        removed=tuple(one["text"] for one in removals),
        boilerplate=boilerplate,
        kept=tuple(work.rules.keep_blocks_matching),
    )


def _rule_removals(work: RunContext, row: Row[Any]) -> Sequence[Mapping[str, Any]]:
    removals = json.loads(work.text(row.removals_object)) if row.removals_object else {}
    found: Sequence[Mapping[str, Any]] = removals.get("removals", ())
    return found


def _record_cleaning(work: RunContext, row: Row[Any], known: Mapping[str, Any]) -> None:
    work.ledger.write(partial(run_pages.update_page, run_id=work.run.run_id, page_id=row.page_id, values=known))


# What asking the model about a run would take at most, before anything is spent.

#: A guess, for the time alone: hosted models write 30 to 100 tokens a second.
_ANSWERED_TOKENS_A_SECOND = 50


@dataclass(slots=True)
class CleanupEstimate:
    """The most that the first questions about a run's texts may take. A rejected answer is asked for once more."""

    pages: int = 0
    without_text: int = 0  # pages of which no text is held: nothing is known of them
    parts: int = 0
    cached: int = 0  # parts that were answered before
    too_long: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    batch_usd: float | None = None  # by a batch; None: what it would cost is not known
    seconds: int = 0


def estimate_llm_cleanup(work: RunContext, model: Model) -> CleanupEstimate:
    """Estimate ``run_llm_cleanup``; pages that are not decided yet count as included. Asks nothing."""
    limit, found = part_limit(model), CleanupEstimate()
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    rows = [row for row in rows if row.decision in {"include", None} and row.clean_object is None]
    approvals = work.ledger.read(partial(human_decisions.list_approvals, domain=work.run.domain))
    held = work.ledger.read(
        partial(source_texts.load_held_texts, urls=[row.url for row in rows], sources=sorted(work.sources))
    )
    for row in rows:
        raw = row.raw_object or (held[row.url].body_object if row.url in held else None)
        if raw is None or (row.page_id, raw) in approvals:
            found.without_text += raw is None
            continue
        text = work.text(row.draft_object or raw)
        removed = tuple(one["text"] for one in _rule_removals(work, row))
        page = PageDraft(url=row.url, text=text, title=row.title, entity=work.rules.entity, removed=removed)
        found.pages += 1
        _add_page_estimate(found, page, work, model, limit)
    found.usd = model.worth(found.input_tokens, found.output_tokens)
    if model.batch_share < 1:
        found.batch_usd = model.worth(found.input_tokens, found.output_tokens, in_batch=True)
    found.seconds = round(found.output_tokens / _ANSWERED_TOKENS_A_SECOND / MAX_CONCURRENT_QUESTIONS)
    return found


def _add_page_estimate(found: CleanupEstimate, page: PageDraft, work: RunContext, model: Model, limit: int) -> None:
    parts = split_draft(page.text, limit)
    found.too_long += sum(part.is_too_long for part in parts if not part.is_blank)
    for part in (one for one in parts if one.is_asked):
        messages = cleaning_messages(page, part)
        if work.answers is not None and work.answers.get(question_key(model.name, messages)) is not None:
            found.cached += 1
        else:
            found.parts += 1
            found.input_tokens += estimate_tokens(messages, cleaning_answer_schema())
            found.output_tokens += max_answer_tokens(model, part.tokens)
