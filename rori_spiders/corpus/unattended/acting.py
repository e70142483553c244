"""A draft published without a person, where the site's rules allow it and nothing in it is for a person.

What a person does, the policy does in its own name: it approves each page with the reason, and the run, and publishes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.corpus.documents.document import read
from rori_spiders.corpus.publishing.judging import REDESIGNED, forbidden
from rori_spiders.corpus.publishing.standing import standing
from rori_spiders.corpus.reviewing import approving
from rori_spiders.corpus.reviewing.approving import PUBLISHABLE
from rori_spiders.corpus.reviewing.turn import turn
from rori_spiders.corpus.running.beginning import DELTA, MACHINES
from rori_spiders.corpus.running.freshness import CHANGED
from rori_spiders.corpus.running.publishing import entries_of_run, publish_run
from rori_spiders.corpus.running.scraping import GONE, STAGED
from rori_spiders.corpus.unattended.risk import objections
from rori_spiders.exceptions import PublishingRefused, UsageError
from rori_spiders.ledger.corpus import run_pages, run_states
from rori_spiders.ledger.operations.activity_log import POLICY
from rori_spiders.reviews.corpus_alerts import note_draft, note_unattended
from rori_spiders.runtime.plurals import format_count

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Row

    from rori_spiders.corpus.publishing.version import Page
    from rori_spiders.corpus.running.work import Work
    from rori_spiders.corpus.unattended.rules import UnattendedRules
    from rori_spiders.ledger.corpus.run_states import CorpusRun

_MOST_TOLD = 3
_REASON = "the site's rules: published without a person, for its change is of little risk"


def publish_unattended(work: Work, rules: UnattendedRules) -> tuple[Row[Any] | None, list[str]]:
    """Publish the draft of *work*, which waits for a person; the version's row, or None and why it goes on waiting.

    Raises StagingError and LedgerError when publishing could not be finished: `scrapy corpus publish` does.
    """
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    row, why = _published(work, rules, rows)
    says = work.run.says or format_count(len(rows), "page")
    if row is not None:
        told = {"domain": work.run.domain, "version": row.version, "says": says}
        work.ledger.write(partial(note_unattended, **told, now=work.now()))
    elif work.ledger.read(partial(run_states.find_run, run_id=work.run.run_id)) == work.run:
        # Whoever reads the alert sees what it waits for.
        told = {"domain": work.run.domain, "says": f"{says}. For a person: {'; '.join(why[:_MOST_TOLD])}"}
        work.ledger.write(partial(note_draft, **told, now=work.now()))
    return row, why


def _published(work: Work, rules: UnattendedRules, rows: Sequence[Row[Any]]) -> tuple[Row[Any] | None, list[str]]:
    if why := _for_a_person(work, rules, rows):
        return None, why
    try:
        run = _approved(work, rows)
    except UsageError as error:  # somebody has acted meanwhile
        return None, [str(error)]
    try:
        return publish_run(replace(work, run=run), by=POLICY), []
    except PublishingRefused as error:
        _withdraw(work, rows, str(error))
        return None, [str(error)]


def _for_a_person(work: Work, rules: UnattendedRules, rows: Sequence[Row[Any]]) -> list[str]:
    run, base = work.run, standing(work.store, work.run.domain).manifest
    if run.kind != DELTA or run.requested_by not in MACHINES or base is None or base.version != run.base_version:
        return ["a person began it, or another version is published by now"]
    if len(rows) > rules.most_pages:
        return [f"{format_count(len(rows), 'page')} of it changed, more than {rules.most_pages}"]
    if len(rows) > len(base.pages) * REDESIGNED:
        return [f"{len(rows)} of {format_count(len(base.pages), 'page')} changed, more than a third"]
    published = {page.source_url: page for page in base.pages}
    found = [f"{row.url}: {why}" for row in rows for why in _of_page(work, rules, row, published.get(row.url))]
    return found or forbidden(entries_of_run(work))


def _of_page(work: Work, rules: UnattendedRules, row: Row[Any], old: Page | None) -> list[str]:
    if row.got == GONE:
        return ["it is gone"]
    if old is None:
        return ["it is new"]
    if (row.decision, row.rule, row.got) != ("include", CHANGED, STAGED) or row.document_object is None:
        return [f"it is no page that only changed ({row.decision}, {row.rule}, {row.got})"]
    if row.gate != PUBLISHABLE or row.review is not None:
        return [f"its gate is {row.gate}" if row.review is None else f"a person has {row.review} it"]
    if row.cleaning_object and json.loads(work.text(row.cleaning_object)).get("removed"):
        return ["a model has left something out"]
    return objections(read(work.text(old.sha256)), read(work.text(row.document_object)), rules.most_words)


def _approved(work: Work, rows: Sequence[Row[Any]]) -> CorpusRun:
    """The run, approved page by page, as it was judged: UsageError when anything in it is otherwise by now."""
    with turn(work.ledger, work.run.run_id, by=POLICY, now=work.now(), states=("ready_for_review",)) as mine:
        if run_pages.list_pages(mine.conn, mine.run.run_id) != rows:
            raise UsageError("somebody has acted on it meanwhile")
        for row in rows:
            approving.approve_page(mine, row.page_id, row.document_object, _REASON)
        approving.approve_run(mine)
    run = work.ledger.read(partial(run_states.find_run, run_id=work.run.run_id))
    assert run is not None
    return run


def _withdraw(work: Work, rows: Sequence[Row[Any]], why: str) -> None:
    """All of it is taken back: it waits for a person as if nothing had been said."""
    with turn(work.ledger, work.run.run_id, by=POLICY, now=work.now(), states=("approved",)) as mine:
        approving.withdraw(mine, why)
        for row in rows:
            approving.withdraw_page(mine, row)
        note_draft(mine.conn, mine.run.domain, work.run.says, now=mine.now)
