"""Site rules that change: tried before they hold, and brought to texts that were approved under other rules."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.runs import review
from rori_spiders.corpus.runs.audit_step import run_validation_audit
from rori_spiders.corpus.runs.cleaning_steps import run_llm_cleanup, run_preflight
from rori_spiders.corpus.runs.page_texts import run_scraping
from rori_spiders.corpus.runs.review import lock_run
from rori_spiders.corpus.runs.rule_trial import try_rules
from rori_spiders.corpus.site_rules import parse_site_rules
from rori_spiders.ledger.corpus import run_pages, run_states
from tests.corpus.factories import now_of, row_of
from tests.corpus.runs.test_steps import Site, through_triage
from tests.ledger.factories import at

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger

RULES = "remove_blocks_matching: ['Its text']\n"


class Reviewed(Site):
    """A run whose texts are cleaned and validated, step by step, by the rules that it has."""

    def advance(self, run: CorpusRun, rules: str) -> None:
        work = self.work(run, rules)
        for step in (run_scraping, run_preflight, run_llm_cleanup, run_validation_audit):
            asyncio.run(step(work))
        with self.ledger.begin() as conn:
            assert run_states.move_run(conn, now_of(self.ledger, run.run_id), "ready_for_review", now=at())

    def act(self, run: CorpusRun, does: Any, *given: Any) -> None:
        with lock_run(self.ledger, run.run_id, by="ann", now=at(1)) as locked:
            does(locked, *given)

    def approve(self, run: CorpusRun, *names: str) -> None:
        for name in names:
            row = row_of(self.ledger, run, name)
            self.act(run, review.approve_page, row.page_id, row.document_object, "looked at")


@pytest.fixture
def site(ledger: Ledger, path: Path) -> Reviewed:
    return Reviewed(ledger, path)


def test_changed_rules_reach_approved_texts_and_equal_texts_stay_approved(site: Reviewed) -> None:
    run = through_triage(site)
    site.advance(run, "")
    site.approve(run, "rules/1", "rules/2")
    rules = "drop_sections: [{heading: 'Page rules/1', when_path_matches: '/rules/1'}]\npromote_faq_questions: true\n"
    rules += "remove_blocks_matching: ['Its text.']\n"
    ids = [row_of(site.ledger, run, name).page_id for name in ("rules/1", "rules/2")]
    before = [row_of(site.ledger, run, name).clean_object for name in ("rules/1", "rules/2")]
    site.act(run, review.clean_again, ids, "promote_faq_questions: true\n")
    site.advance(run, "promote_faq_questions: true\n")
    rows = [row_of(site.ledger, run, name) for name in ("rules/1", "rules/2")]
    assert [(row.clean_object, row.cleaned_by, row.review) for row in rows] == [
        (before[0], "draft", "approved"),
        (before[1], "draft", "approved"),
    ]
    site.act(run, review.clean_again, ids[:1], rules)
    site.advance(run, rules)
    row = row_of(site.ledger, run, "rules/1")
    assert row.clean_object != before[0] and row.review is None, "another text takes another look"


def test_approved_text_of_older_rules_is_marked_in_later_runs(site: Reviewed) -> None:
    run = through_triage(site)
    site.advance(run, "")
    site.approve(run, "rules/1", "rules/2")
    with site.ledger.begin() as conn:
        run_states.move_run(conn, now_of(site.ledger, run.run_id), "cancelled", now=at(2), ends=True)
    same = through_triage(site)
    site.advance(same, "")
    assert row_of(site.ledger, same, "rules/1").cleaned_by == "approved"
    assert "older_cleaning" not in row_of(site.ledger, same, "rules/1").flags
    with site.ledger.begin() as conn:
        run_states.move_run(conn, now_of(site.ledger, same.run_id), "cancelled", now=at(2), ends=True)
    changed = through_triage(site)
    site.advance(changed, RULES)
    row = row_of(site.ledger, changed, "rules/1")
    assert (row.cleaned_by, row.review) == ("approved", "approved") and "older_cleaning" in row.flags
    assert "clean the page again" in row.findings[-1]["says"]


def test_written_text_is_held_for_review_and_stays_marked(site: Reviewed) -> None:
    run = through_triage(site)
    site.advance(run, "")
    page_id = row_of(site.ledger, run, "rules/1").page_id
    text = review.mark_written_text("# Rule 1\n\nBoth plans.\n", by="ann", now=at(), from_urls=["https://x.gov/a"])
    site.act(run, review.write_text, page_id, text, "two plans", site.store)
    site.advance(run, "")
    row = row_of(site.ledger, run, "rules/1")
    assert (row.gate, row.cleaned_by) == ("needs_review", "person") and "written_by_person" in row.flags
    document = site.store.get_object(row.document_object).decode()
    assert "> Written by ann on " in document and "https://x.gov/a" in document
    site.approve(run, "rules/1")
    with site.ledger.begin() as conn:
        run_states.move_run(conn, now_of(site.ledger, run.run_id), "cancelled", now=at(2), ends=True)
    later = through_triage(site)
    site.advance(later, "")
    again = row_of(site.ledger, later, "rules/1")
    assert (again.cleaned_by, again.clean_object, again.review) == ("approved", row.clean_object, "approved")


def test_try_rules_says_what_each_rule_would_do_and_changes_nothing(site: Reviewed) -> None:
    run = through_triage(site)
    asyncio.run(run_scraping(site.work(run)))
    with site.ledger.connect() as conn:
        before = run_pages.list_pages(conn, run.run_id)
    trial = try_rules(site.work(run), parse_site_rules(RULES))
    [effect] = [one for one in trial.effects if one.operation == "remove_matching"]
    assert (effect.rule, effect.pages, effect.blocks, effect.before) == (
        "remove_blocks_matching: Its text",
        trial.texts,
        trial.texts,
        0,
    )
    assert (effect.binds, effect.example) == (0, "Its text.") and trial.changed == trial.texts
    with site.ledger.connect() as conn:
        assert run_pages.list_pages(conn, run.run_id) == before
    assert (
        try_rules(replace(site.work(run), rules=parse_site_rules(RULES)), parse_site_rules("")).changed == trial.texts
    )
