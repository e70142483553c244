"""Start or resume a corpus run and advance it to a state, for ``scrapy corpus run`` and its partial verbs."""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rori_spiders.corpus.run_states import WORK, State
from rori_spiders.corpus.runs.review import lock_run, resume_run
from rori_spiders.corpus.runs.state_machine import STEPS, advance_corpus_run
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.ledger.corpus import run_states
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.corpus.listings import run_lines
from rori_spiders.terminal.corpus.publishing import publish_if_allowed
from rori_spiders.terminal.corpus.session import (
    CorpusSession,
    answer_cache,
    batch_records,
    open_model,
    start_page_fetcher,
)
from rori_spiders.terminal.listing import print_hint

#: The last state of each verb that advances a run only in part.
UNTIL: dict[str, State] = {
    "map": "section_sampling",
    "triage": "page_triage",
    "clean": "llm_cleanup",
    "validate": "validation_audit",
}


def advance_run(session: CorpusSession, opts: argparse.Namespace) -> int:
    """Start or resume the run of a domain, advance it as far as the verb says, and print it. 1: a loader failed."""
    is_estimate = getattr(opts, "estimate", False)
    run, until = _resume_run(session, opts), UNTIL.get("map" if is_estimate else opts.verb)
    if run is not None and is_estimate and (run.state == "failed" or _is_past_state(run, until)):
        return _print_estimate(session, run)
    if run is not None and _is_past_state(run, until):
        print(*run_lines(session, run), sep="\n")
        print_hint(f"`{opts.verb}` is already done in this run. Continue with: scrapy corpus run {run.domain}")
        return 0
    if run is None:
        named = {"depth": opts.depth, "with_model": not opts.without_model}
        run = session.begun(opts.domain, opts.source or (), opts.site, **named)
    elif run.state == "failed":
        with lock_run(session.ledger, run.run_id, by=session.by, now=session.now()) as locked:
            resume_run(locked)
        run = _mapped_rows(session, run)
    found = _map_unlisted_site(session, run)
    run = asyncio.run(_advance_until(session, run, until, found))
    if is_estimate:
        return _print_estimate(session, run)
    print(*run_lines(session, run), sep="\n")
    return publish_if_allowed(session, run)


def _print_estimate(session: CorpusSession, run: CorpusRun) -> int:
    """Print what cleaning the texts by the configured model would take at most. Raises ConfigError without one."""
    from rori_spiders.corpus.runs.cleaning_steps import estimate_llm_cleanup
    from rori_spiders.llm.model import load_model

    model = load_model(session.settings)
    found = estimate_llm_cleanup(session.work(run, answers=answer_cache(session)), model)
    print(
        f"{format_count(found.pages, 'page')}, {format_count(found.parts, 'question')} of {model.name}: at most"
        f" {found.input_tokens:,} tokens asked and {found.output_tokens:,} answered, {found.usd:.2f} USD, about"
        f" {max(1, round(found.seconds / 60))} min"
    )
    if found.batch_usd is not None and found.parts:
        is_on = session.settings.getbool("RORI_LLM_BATCH")
        hint = "" if is_on else "; set RORI_LLM_BATCH=1"
        print(f"By a batch (RORI_LLM_BATCH_SHARE): at most {found.batch_usd:.2f} USD, within a day{hint}")
    rest = (
        (found.cached, "part", "answered before"),
        (found.too_long, "part", "too long for the model, not sent"),
        (found.without_text, "page", "without a text yet, not counted"),
    )
    for count, noun, what in rest:
        if count:
            print(f"{format_count(count, noun)} {what}")
    print("A rejected answer is asked for once more, which is not counted. Nothing was asked.")
    return 0


def _resume_run(session: CorpusSession, opts: argparse.Namespace) -> CorpusRun | None:
    """The run to resume, or None to start a new one. Raises UsageError if the run of ``--run`` has ended."""
    if opts.depth is not None and not opts.site:
        raise UsageError(
            "--depth goes with --site: a source's own depth is in its manifest (`scrape_config.max_depth`)"
        )
    wants_new = bool(opts.source or opts.site or opts.without_model)
    if opts.run is None:
        found = None if opts.source or opts.site else session.open_run(opts.domain)
        if found is not None and found.model and opts.without_model:
            raise ActionRefused(
                f"the current run of {found.domain} uses the model {found.model}: resume it without --without-model,"
                f" or cancel it first (scrapy corpus cancel {found.domain} --reason ...)"
            )
        return found
    if wants_new:
        raise UsageError("--run resumes a run: it cannot be combined with --source, --site or --without-model")
    return session.run_named(opts.domain, opts.run)


def _is_past_state(run: CorpusRun, until: State | None) -> bool:
    """Whether the run has already passed the verb's last state."""
    at = run.stopped_in if run.state == "failed" else run.state
    return until is not None and at in WORK and WORK.index(at) > WORK.index(until)


async def _advance_until(
    session: CorpusSession, run: CorpusRun, until: State | None, found: Sequence[Mapping[str, Any]] | None
) -> CorpusRun:
    async def mapped(_: CorpusRun) -> list[Mapping[str, Any]]:
        return list(found or ())

    async with open_model(session, run) as model, start_page_fetcher() as fetch:
        cached = {"answers": answer_cache(session), "batches": batch_records(session)}
        begins = session.settings.getbool("RORI_LLM_BATCH")
        work = session.work(run, model=model, begins_batches=begins, fetch=fetch, map=mapped, **cached)
        return await advance_corpus_run(work, STEPS, until=until)


def _map_unlisted_site(session: CorpusSession, run: CorpusRun) -> list[Mapping[str, Any]] | None:
    """The map of a site without a source. Scrapy's event loop must end before ours starts."""
    if run.state != "mapping" or "url" not in run.target:
        return None
    from rori_spiders.terminal.corpus.site_mapping import map_site

    sys.stderr.write(f"Mapping {run.target['url']}\n")
    return map_site(session, run)


def _mapped_rows(session: CorpusSession, run: CorpusRun) -> CorpusRun:
    found = session.ledger.read(partial(run_states.find_run, run_id=run.run_id))
    assert found is not None
    return found
