"""The states ``section_sampling`` (read a few pages of each section) and ``page_triage`` (decide about every page
that has no decision: people, rules, a model or the default).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from sqlalchemy import Row

from rori_spiders.corpus.auditing.page_checks import detect_language
from rori_spiders.corpus.runs.page_texts import collect_texts
from rori_spiders.corpus.runs.run import RunContext, hosts_of, urls_named_by
from rori_spiders.corpus.triage.model_triage import triage_by_model
from rori_spiders.corpus.triage.rule_triage import MappedPage, Override, RuleTriage, TriageDecision, select_samples
from rori_spiders.ledger.corpus import human_decisions, run_pages, run_states

#: Outcomes of a collection for pages without a text.
_NOT_THERE = frozenset({"excluded", "gone"})


async def run_section_sampling(work: RunContext) -> None:
    """Collect the texts of the samples. One without a text stays a sample, with the reason. Raises StagingError."""
    run_id = work.run.run_id
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=run_id))
    chosen = select_samples(mapped_page(row) for row in rows if row.met not in _NOT_THERE)
    await collect_texts(work, [row for row in rows if row.page_id in chosen and row.got is None])
    marked = [(page_id, {"sampled": 1}) for page_id in sorted(chosen)]
    work.ledger.write(lambda conn: run_pages.update_pages(conn, run_id, marked))


def mapped_page(row: Row[Any], excerpt: str | None = None) -> MappedPage:
    """Convert a row for triage."""
    return MappedPage(
        page_id=row.page_id,
        url=row.url,
        section=row.section,
        template=row.template,
        title=row.title,
        description=row.description,
        dated=row.dated,
        source_id=row.source_id,
        met=row.met,
        met_reason=row.met_reason,
        language=detect_language(excerpt) if excerpt else None,
        excerpt=excerpt,
    )


# The state ``page_triage``: decide about every page without a decision.

#: Characters of a sample's text that are used for a decision.
EXCERPT_CHARS = 2_000


async def run_page_triage(work: RunContext) -> None:
    """Decide about every page of the run. Raises StagingError."""
    run_id = work.run.run_id
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=run_id, decision=None))
    overrides = work.ledger.read(partial(human_decisions.active_overrides, domain=work.run.domain))
    page_overrides = {key: Override(row.decision, row.reason, row.created_by) for key, row in overrides.items()}
    named_urls = urls_named_by(work.sources.values())
    triage = RuleTriage(work.rules.triage, hosts_of(work.run, work.sources), page_overrides, work.now(), named_urls)
    mapped = {row.page_id: mapped_page(row, _page_excerpt(work, row)) for row in rows}
    decided = triage.decide(mapped.values())
    left = [mapped[page_id] for page_id, decision in decided.items() if decision is None]
    decided |= await _decide_by_model(work, left) if work.model is not None else _decide_by_default(triage, left)
    _record_decisions(work, {page_id: decision for page_id, decision in decided.items() if decision is not None})


def _decide_by_default(triage: RuleTriage, left: Sequence[MappedPage]) -> Mapping[str, TriageDecision]:
    return {page.page_id: triage.default(page) for page in left}


async def _decide_by_model(work: RunContext, left: Sequence[MappedPage]) -> Mapping[str, TriageDecision]:
    assert work.model is not None
    decisions = await triage_by_model(left, work.model)
    if decisions.exchanges:
        digest = work.put(json.dumps(decisions.exchanges, ensure_ascii=False))
        work.ledger.write(partial(run_states.save_triage, run_id=work.run.run_id, digest=digest))
    return decisions.decisions


def _page_excerpt(work: RunContext, row: Row[Any]) -> str | None:
    return work.text(row.raw_object)[:EXCERPT_CHARS] if row.sampled and row.raw_object else None


def _record_decisions(work: RunContext, decided: Mapping[str, TriageDecision]) -> None:
    values = [(page_id, {**asdict(one), "evidence": list(one.evidence) or None}) for page_id, one in decided.items()]
    work.ledger.write(lambda conn: run_pages.update_pages(conn, work.run.run_id, values))
