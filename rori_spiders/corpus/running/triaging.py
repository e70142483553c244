"""The state ``page_triage``: a decision about every page that has none, by people, rules, a model or the default."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.running.beginning import given_by, hosts_of
from rori_spiders.corpus.running.sampling import mapped_page
from rori_spiders.corpus.triage.asking import ask
from rori_spiders.corpus.triage.deciding import Override, Triage
from rori_spiders.ledger.corpus import human_decisions, run_pages, run_states

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Row

    from rori_spiders.corpus.running.work import Work
    from rori_spiders.corpus.triage.pages import Decision, Mapped

#: Characters of a sample's text that a decision may rest on.
EXCERPT = 2_000


async def triaged(work: Work) -> None:
    """Every page of the run has one decision. Raises StagingError."""
    run_id = work.run.run_id
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=run_id, decision=None))
    overrides = work.ledger.read(partial(human_decisions.active_overrides, domain=work.run.domain))
    said = {key: Override(row.decision, row.reason, row.created_by) for key, row in overrides.items()}
    given = given_by(work.sources.values())
    triage = Triage(work.rules.triage, hosts_of(work.run, work.sources), said, work.now(), given)
    mapped = {row.page_id: mapped_page(row, _excerpt(work, row)) for row in rows}
    decided = triage.decide(mapped.values())
    left = [mapped[page_id] for page_id, decision in decided.items() if decision is None]
    decided |= await _by_model(work, left) if work.model is not None else _by_default(triage, left)
    _note(work, {page_id: decision for page_id, decision in decided.items() if decision is not None})


def _by_default(triage: Triage, left: Sequence[Mapped]) -> Mapping[str, Decision]:
    return {page.page_id: triage.default(page) for page in left}


async def _by_model(work: Work, left: Sequence[Mapped]) -> Mapping[str, Decision]:
    assert work.model is not None
    asked = await ask(left, work.model)
    if asked.exchanges:
        kept = work.put(json.dumps(asked.exchanges, ensure_ascii=False))
        work.ledger.write(partial(run_states.save_triage, run_id=work.run.run_id, digest=kept))
    return asked.decisions


def _excerpt(work: Work, row: Row[Any]) -> str | None:
    return work.text(row.raw_object)[:EXCERPT] if row.sampled and row.raw_object else None


def _note(work: Work, decided: Mapping[str, Decision]) -> None:
    values = [
        (
            page_id,
            {
                "decision": one.decision,
                "decided_by": one.decided_by,
                "rule": one.rule,
                "reason": one.reason,
                "confidence": one.confidence,
                "evidence": list(one.evidence) or None,
            },
        )
        for page_id, one in decided.items()
    ]
    work.ledger.write(lambda conn: run_pages.update_pages(conn, work.run.run_id, values))
