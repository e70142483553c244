"""What a person does: in their turn alone, with a reason, over what they have seen; all of it is kept."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.runs import review
from rori_spiders.corpus.runs.review import lock_run
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.corpus import human_decisions, run_states
from rori_spiders.ledger.operations import activity_log
from tests.corpus.factories import DOMAIN, a_page, a_run, address, digest, now_of, page_id, row_of
from tests.ledger.factories import at
from tests.support.cases import cases

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.corpus.runs.review import LockedRun
    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger


def do(ledger: Ledger, run: CorpusRun, act: Callable[..., Any], *given: Any, by: str = "ann", **states: Any) -> Any:
    with lock_run(ledger, run.run_id, by=by, now=at(1), **states) as mine:
        return act(mine, *given)


def refused(ledger: Ledger, run: CorpusRun, act: Callable[..., Any], *given: Any, **states: Any) -> str:
    with pytest.raises(UsageError) as told:
        do(ledger, run, act, *given, **states)
    return str(told.value)


@pytest.fixture
def run(ledger: Ledger) -> CorpusRun:
    return a_run(ledger, state="ready_for_review")


def acted(ledger: Ledger) -> list[tuple[str, str, str | None]]:
    with ledger.connect() as conn:
        rows = activity_log.recent_actions(conn, target=f"corpus {DOMAIN}")
    return [(row["actor"], row["action"], row["reason"]) for row in reversed(rows)][1:]  # the first: it began


def test_approve_page_needs_text_that_was_shown(ledger: Ledger, run: CorpusRun) -> None:
    a = a_page(ledger, run, "a")
    assert "review it again" in refused(ledger, run, review.approve_page, a, digest("b3"))
    do(ledger, run, review.approve_page, a, digest("a3"))
    row = row_of(ledger, run, "a")
    assert (row.review, row.reviewed_by, row.reviewed_at) == ("approved", "ann", at(1))
    with ledger.connect() as conn:
        (approval,) = human_decisions.list_approvals(conn, DOMAIN).values()
    assert (approval.raw_object, approval.clean_object) == (digest("a1"), digest("a2"))
    assert acted(ledger) == [("ann", "corpus_approve_page", None)]


def test_approve_page_held_by_gate_needs_reason_excluded_is_refused(ledger: Ledger, run: CorpusRun) -> None:
    held = a_page(ledger, run, "a", gate="needs_review")
    assert "a reason is required" in refused(ledger, run, review.approve_page, held, digest("a3"))
    do(ledger, run, review.approve_page, held, digest("a3"), "read it: it is short by nature")
    shut = a_page(ledger, run, "b", gate="excluded", findings=[{"says": "a key stands in it"}])
    assert "a key stands in it" in refused(ledger, run, review.approve_page, shut, digest("b3"), "all the same")
    bare = a_page(ledger, run, "c", document_object=None)
    assert "has no text" in refused(ledger, run, review.approve_page, bare, digest("c3"))


def test_approve_passed_pages_approves_nothing_else(ledger: Ledger, run: CorpusRun) -> None:
    pages: dict[str, dict[str, Any]] = {
        "a": {}, "b": {}, "c": {"gate": "needs_review"}, "d": {"review": "rejected"}, "e": {"decision": "exclude"},
    }  # fmt: skip
    for name, known in pages.items():
        a_page(ledger, run, name, **known)
    assert do(ledger, run, review.approve_publishable) == 2
    assert [row_of(ledger, run, name).review for name in "abcde"] == ["approved", "approved", None, "rejected", None]


def test_approve_run_needs_no_open_question(ledger: Ledger, run: CorpusRun) -> None:
    assert "no page is included" in refused(ledger, run, review.approve_run)
    a_page(ledger, run, "a", review="approved")
    a_page(ledger, run, "gone", got="gone", document_object=None)
    pages: dict[str, dict[str, Any]] = {
        "b": {"decision": "needs_review"}, "c": {"document_object": None}, "d": {"gate": "excluded"},
        "e": {"review": "rejected"}, "f": {},
    }  # fmt: skip
    for name, known in pages.items():
        a_page(ledger, run, name, **known)
    told = refused(ledger, run, review.approve_run).splitlines()[1:]
    assert [line.rpartition("/")[2] for line in told] == ["b", "c", "d", "e", "f"]
    for name in "bcdef":
        do(ledger, run, review.decide_page, page_id(name), "exclude", "not for now")
    do(ledger, run, review.approve_run)
    assert now_of(ledger, run.run_id).state == "approved"
    assert "cannot become approved" in refused(ledger, run, review.approve_run)
    do(ledger, run, review.withdraw_approval, "one page more is wanted")
    assert now_of(ledger, run.run_id).state == "ready_for_review"


def test_clean_again_rejected_page_loses_approval(ledger: Ledger, run: CorpusRun) -> None:
    a = a_page(ledger, run, "a")
    do(ledger, run, review.approve_page, a, digest("a3"))
    do(ledger, run, review.reject_page, a, "its table is gone", by="bob")
    with ledger.connect() as conn:
        assert human_decisions.list_approvals(conn, DOMAIN) == {}
    do(ledger, run, review.clean_again, [a], "")
    row = row_of(ledger, run, "a")
    assert (row.raw_object, row.draft_object, row.document_object, row.review) == (digest("a1"), None, None, None)
    assert now_of(ledger, run.run_id).state == "deterministic_preflight"
    assert "cannot become" in refused(ledger, run, review.clean_again, [a], "")
    assert acted(ledger)[1:] == [
        ("bob", "corpus_reject_page", "its table is gone"),
        ("ann", "corpus_clean_again", None),
    ]


def test_clean_again_takes_current_rules_and_leaves_approval(ledger: Ledger, run: CorpusRun) -> None:
    a = a_page(ledger, run, "a")
    do(ledger, run, review.approve_page, a, digest("a3"))
    do(ledger, run, review.clean_again, [a], "remove_boilerplate: false\n")
    row = row_of(ledger, run, "a")
    assert (row.clean_object, row.cleaned_by, row.review) == (None, "again", None)
    assert now_of(ledger, run.run_id).rules == "remove_boilerplate: false\n"
    with ledger.connect() as conn:
        (approval,) = human_decisions.list_approvals(conn, DOMAIN).values()
    assert approval.clean_object == digest("a2"), "it holds until another text is approved"


def test_write_text_replaces_cleaned_text_and_is_validated(ledger: Ledger, run: CorpusRun) -> None:
    a = a_page(ledger, run, "a")
    other = a_page(ledger, run, "b", raw_object=None)
    store = SimpleNamespace(put_object=lambda _: digest("a9"))
    assert "a reason is required" in refused(ledger, run, review.write_text, a, "# A\n", " ", store)
    assert "with a text" in refused(ledger, run, review.write_text, other, "# A\n", "ok", store)
    do(ledger, run, review.approve_page, a, digest("a3"))
    do(ledger, run, review.write_text, a, "# A\n", "two plans in one table", store)
    row = row_of(ledger, run, "a")
    assert (row.clean_object, row.cleaned_by, row.document_object, row.review) == (digest("a9"), "person", None, None)
    assert (row.raw_object, row.draft_object) == (digest("a1"), digest("a2"))
    assert now_of(ledger, run.run_id).state == "validation_audit"
    assert acted(ledger)[-1] == ("ann", "corpus_write_text", "two plans in one table")


@cases(
    "text, marked",
    [
        ("# Fees\n\nThe fee is $5.\n", "# Fees\n\n> MARK\n\nThe fee is $5.\n"),
        ("The fee is $5.", "> MARK\n\nThe fee is $5.\n"),
        ("# Fees", "# Fees\n\n> MARK\n"),
    ],
)
def test_mark_written_text_says_whose_words_these_are(text: str, marked: str) -> None:
    mark = f"Written by ann on {at():%Y-%m-%d} from {address('a')}, {address('b')}. Not the publisher's own words."
    of = [address("a"), address("b")]
    assert review.mark_written_text(text, by="ann", now=at(), from_urls=of) == marked.replace("MARK", mark)


def test_decide_page_holds_in_later_runs_and_fetches_missing_text(ledger: Ledger, run: CorpusRun) -> None:
    a = a_page(ledger, run, "a")
    do(ledger, run, review.decide_page, a, "exclude", "a form")
    assert now_of(ledger, run.run_id).state == "ready_for_review"
    b = a_page(ledger, run, "b", decision="exclude", got="failed", document_object=None, raw_object=None)
    do(ledger, run, review.decide_page, b, "include", "it is the law")
    row = row_of(ledger, run, "b")
    assert (row.decision, row.decided_by, row.rule, row.got) == ("include", "override", "ann", None)
    assert now_of(ledger, run.run_id).state == "scraping"
    with ledger.connect() as conn:
        found = human_decisions.active_overrides(conn, DOMAIN)
    assert {one.url: (one.decision, one.reason) for one in found.values()} == {
        address("a"): ("exclude", "a form"), address("b"): ("include", "it is the law"),
    }  # fmt: skip
    do(ledger, run, review.clear_decision, a, "as before")
    assert row_of(ledger, run, "a").decision == "needs_review"
    assert "no decision that could be cleared" in refused(ledger, run, review.clear_decision, a, "as before")


def test_add_page_missed_by_map_must_be_on_corpus_host(ledger: Ledger, run: CorpusRun) -> None:
    hosts = {DOMAIN}
    for wrong in ("https://evil.example/a", "ftp://example.gov/a", "no address", f"https://{DOMAIN}.evil.example/"):
        refused(ledger, run, review.add_url, wrong, "wanted", hosts)
    assert "a reason is required" in refused(ledger, run, review.add_url, address("new"), " ", hosts)
    added = do(ledger, run, review.add_url, f"https://{DOMAIN}/new/../new#part", "wanted", hosts)
    row = row_of(ledger, run, "new")
    assert (row.page_id, row.found_by, row.decision, row.got) == (added, "person", "include", None)
    assert now_of(ledger, run.run_id).state == "scraping"


@pytest.mark.parametrize("state", ["mapping", "approved", "published"])
def test_lock_run_other_state_is_refused(ledger: Ledger, state: str) -> None:
    run = a_run(ledger, state=state)
    said = refused(ledger, run, review.approve_publishable, states=["ready_for_review"])
    assert said == f"the run of {DOMAIN} is {state}: this can be done while it is ready_for_review"


def test_review_two_persons_at_once_do_not_overwrite_each_other(ledger: Ledger, run: CorpusRun) -> None:
    a_page(ledger, run, "a", review="approved")
    with lock_run(ledger, run.run_id, by="ann", now=at(1)) as first:
        review.approve_run(first)
    told = refused(ledger, run, review.decide_page, page_id("a"), "exclude", "too old", states=review.DECIDED_IN)
    assert "is approved: this can be done" in told
    assert row_of(ledger, run, "a").decision == "include"


def test_review_action_impossible_in_part_does_nothing(ledger: Ledger, run: CorpusRun) -> None:
    a = a_page(ledger, run, "a")
    b = a_page(ledger, run, "b", raw_object=None)
    assert "no text to clean" in refused(ledger, run, review.clean_again, [a, b], "")
    assert row_of(ledger, run, "a").document_object == digest("a3")


def test_cancel_run_then_failed_run_is_resumed(ledger: Ledger, run: CorpusRun) -> None:
    do(ledger, run, review.cancel_run, "the site is rebuilt")
    given_up = now_of(ledger, run.run_id)
    assert (given_up.state, given_up.is_open, given_up.says) == ("cancelled", False, "the site is rebuilt")
    other = a_run(ledger)
    with ledger.begin() as conn:
        run_states.stop_run(conn, other, "failed", now=at(2), says="no disk")
    assert "only a failed run" in refused(ledger, run, review.resume_run)
    do(ledger, other, review.resume_run)
    assert (now_of(ledger, other.run_id).state, now_of(ledger, other.run_id).is_open) == ("mapping", True)


def test_lock_run_held_by_other_process_is_refused(ledger: Ledger) -> None:
    def act(_: LockedRun) -> None: ...

    with pytest.raises(UsageError, match="unknown run x"), lock_run(ledger, "x", by="ann", now=at()) as mine:
        act(mine)
