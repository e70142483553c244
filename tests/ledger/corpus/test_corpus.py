"""The corpus in the ledger, on both databases: one run a domain, one worker a run, one number a version."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rori_spiders.ledger.corpus import human_decisions, published_versions, run_pages, run_states
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.ledger.dialects import lease_clock
from tests.ledger.factories import OTHER_RUN, RUN, at

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

DOMAIN = "example.gov"
NEW = CorpusRun(
    RUN,
    DOMAIN,
    "full",
    "mapping",
    {"sources": ["reg-x"]},
    None,
    "",
    None,
    None,
    "ann",
    at(),
    at(),
    *[None] * 5,
)
HOUR = timedelta(hours=1)


def begun(ledger: Ledger) -> CorpusRun:
    with ledger.begin() as conn:
        assert run_states.begin_run(conn, NEW) is None
    return NEW


def now_of(ledger: Ledger, run_id: str = RUN) -> CorpusRun:
    with ledger.connect() as conn:
        found = run_states.find_run(conn, run_id)
    assert found is not None
    return found


def test_corpus_run_is_the_only_open_one_of_its_domain(ledger: Ledger) -> None:
    run = begun(ledger)
    other = replace(NEW, run_id=OTHER_RUN, requested_by="bob", started_at=at(1))
    with ledger.begin() as conn:
        assert run_states.begin_run(conn, other) == run
        assert run_states.begin_run(conn, replace(other, domain="other.gov")) is None
        assert run_states.move_run(conn, run, "cancelled", now=at(2), ends=True)
        assert run_states.find_open_run(conn, DOMAIN) is None
        assert run_states.begin_run(conn, replace(other, run_id="4" * 36)) is None
        assert [one.run_id for one in run_states.list_runs(conn, domain=DOMAIN)] == ["4" * 36, RUN]


def test_corpus_run_state_changes_only_from_expected_state(ledger: Ledger) -> None:
    run = begun(ledger)
    with ledger.begin() as conn:
        assert run_states.move_run(conn, run, "section_sampling", now=at(1))
        assert not run_states.move_run(conn, run, "cancelled", now=at(2), ends=True)
    assert (now_of(ledger).state, now_of(ledger).moved_at) == ("section_sampling", at(1))


def test_corpus_run_failed_releases_domain_and_resumes_where_it_stopped(ledger: Ledger) -> None:
    run = begun(ledger)
    with ledger.begin() as conn:
        assert run_states.stop_run(conn, run, "failed", now=at(1), says="the disk is full")
    failed = now_of(ledger)
    assert (failed.state, failed.stopped_in, failed.says, failed.ended_at) == (
        "failed", "mapping", "the disk is full", at(1),
    )  # fmt: skip
    other = replace(NEW, run_id=OTHER_RUN)
    with ledger.begin() as conn:
        assert run_states.begin_run(conn, other) is None
        assert run_states.resume_run(conn, failed, now=at(2)) == other
        assert run_states.move_run(conn, other, "cancelled", now=at(3), ends=True)
        assert run_states.resume_run(conn, failed, now=at(4)) is None
    resumed = now_of(ledger)
    assert (resumed.state, resumed.stopped_in, resumed.says, resumed.is_open) == ("mapping", None, None, True)


def test_corpus_run_is_worked_on_by_one_process(ledger: Ledger) -> None:
    begun(ledger)
    with ledger.begin() as conn:
        now = lease_clock(conn, at())
        assert run_states.claim_run(conn, RUN, "a", now=now, for_=HOUR)
        assert run_states.claim_run(conn, RUN, "a", now=now, for_=HOUR)
        assert not run_states.claim_run(conn, RUN, "b", now=now, for_=HOUR)
        run_states.release_run(conn, RUN, "b")
        assert not run_states.claim_run(conn, RUN, "b", now=now, for_=HOUR)
        run_states.release_run(conn, RUN, "a")
        assert run_states.claim_run(conn, RUN, "b", now=now, for_=-HOUR)
        assert run_states.claim_run(conn, RUN, "a", now=now, for_=HOUR)  # b has died: its time is over


def page(name: str, **known: Any) -> dict[str, Any]:
    found = {"page_id": name, "url": f"https://{DOMAIN}/{name}", "found_by": "map", "section": "/", "template": "/{}"}
    return found | known


def test_corpus_pages_are_found_once_and_filled_step_by_step(ledger: Ledger) -> None:
    begun(ledger)
    with ledger.begin() as conn:
        run_pages.add_pages(conn, RUN, [page("a", title="A"), page("b")])
        run_pages.update_page(
            conn, RUN, "a", {"decision": "include", "rule": "default", "evidence": ["/a"], "confidence": 1.0}
        )
        run_pages.add_pages(conn, RUN, [page("a", title="other"), page("c")])
        run_pages.update_pages(conn, RUN, [("b", {"decision": "exclude"}), ("c", {"decision": "include"})])
        assert [row.page_id for row in run_pages.list_pages(conn, RUN)] == ["a", "b", "c"]
        assert [row.page_id for row in run_pages.list_pages(conn, RUN, decision="include", got=None)] == ["a", "c"]
        assert run_pages.count_values(conn, RUN, "decision") == {"include": 2, "exclude": 1}
        row = run_pages.find_page(conn, RUN, "a")
        assert row is not None
        assert (row.title, row.evidence, row.confidence, row.sampled) == ("A", ["/a"], 1.0, 0)
        run_pages.reset_columns(conn, RUN, ["a", "c"], ["decision", "rule"])
        assert run_pages.count_values(conn, RUN, "decision") == {None: 2, "exclude": 1}


def test_corpus_override_holds_until_replaced(ledger: Ledger) -> None:
    def say(decision: str | None, reason: str, minute: int) -> None:
        with ledger.begin() as conn:
            human_decisions.set_override(
                conn, DOMAIN, "a", "https://x/a", decision, reason=reason, by="ann", now=at(minute)
            )

    say("exclude", "a form", 1)
    say("include", "no form any more", 2)
    with ledger.connect() as conn:
        assert {key: row.decision for key, row in human_decisions.active_overrides(conn, DOMAIN).items()} == {
            "a": "include"
        }
        assert human_decisions.active_overrides(conn, "other.gov") == {}
    say(None, "as the rules say", 3)
    with ledger.connect() as conn:
        assert human_decisions.active_overrides(conn, DOMAIN) == {}
        listed = [
            (row.decision, row.reason, row.created_at) for row in human_decisions.list_overrides(conn, DOMAIN, "a")
        ]
    assert listed == [
        ("exclude", "a form", at(1)), ("include", "no form any more", at(2)), (None, "as the rules say", at(3)),
    ]  # fmt: skip


def test_corpus_approval_is_for_one_source_text(ledger: Ledger) -> None:
    approval: dict[str, Any] = {"title": "A", "by": "ann", "now": at()}
    with ledger.begin() as conn:
        human_decisions.approve_text(conn, DOMAIN, "a", raw="1" * 64, clean="2" * 64, **approval)
        human_decisions.approve_text(conn, DOMAIN, "a", raw="3" * 64, clean="4" * 64, **approval)
        human_decisions.approve_text(
            conn, DOMAIN, "a", raw="1" * 64, clean="5" * 64, **approval
        )  # cleaned anew, looked at again
        found = {key: row.clean_object for key, row in human_decisions.list_approvals(conn, DOMAIN).items()}
        assert found == {("a", "1" * 64): "5" * 64, ("a", "3" * 64): "4" * 64}
        human_decisions.withdraw_approval(conn, DOMAIN, "a", "1" * 64)
        assert list(human_decisions.list_approvals(conn, DOMAIN)) == [("a", "3" * 64)]


def reserved(ledger: Ledger, run_id: str | None, back: int | None = None) -> Any:
    version = {
        "run_id": run_id,
        "rolled_back_to": back,
        "approved_by": "ann",
        "approved_at": at(),
        "published_by": "bob",
    }
    version["contents_hash"] = f"{run_id} {back}"
    with ledger.begin() as conn:
        return published_versions.reserve_version(conn, DOMAIN, version, now=at())


def test_corpus_version_half_written_is_resumed_only_for_same_contents(ledger: Ledger) -> None:
    begun(ledger)
    assert reserved(ledger, RUN).version == reserved(ledger, RUN).version == 1
    assert reserved(ledger, OTHER_RUN).version == 2
    with ledger.begin() as conn:
        assert published_versions.latest_version(conn, DOMAIN) is None
        published_versions.mark_published(conn, DOMAIN, 2, manifest_hash="a" * 64, pages=7, tombstones=1, now=at(1))
        published_versions.record_loader_state(conn, DOMAIN, 2, "done", now=at(2), execution="e-1", says=None)
        last = published_versions.latest_version(conn, DOMAIN)
        assert last is not None
        assert (last.version, last.pages, last.loader_execution, last.prefix) == (
            2, 7, "e-1", f"domains/{DOMAIN}/corpora/v2",
        )  # fmt: skip
        assert [(row.version, row.state) for row in published_versions.list_versions(conn, DOMAIN)] == [
            (2, "published"), (1, "abandoned"),
        ]  # fmt: skip
    assert reserved(ledger, None, back=1).version == 3
