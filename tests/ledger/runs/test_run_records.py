"""Runs: begun, gone on with, given up, closed; and their counts, which always add up."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.tables import runs
from rori_spiders.reasons import Reason
from tests.ledger.factories import JOB, SOURCE, a_row, a_run, a_version, a_visit, at, url
from tests.ledger.job_factories import ident

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_WEEK = 7 * 24 * 60


def _open(conn: Connection, **other: Any) -> run_records.RunRow:
    values: dict[str, Any] = {
        "source_id": SOURCE,
        "manifest_version": "1.0.0",
        "method": "crawl",
        "operator": "system",
        "job_id": JOB,
        "now": at(),
        "resume_after": at(-_WEEK),
    }
    return run_records.open_run(conn, **values | other)


def _settle(conn: Connection, run_id: str, **states: str) -> None:
    for name, state in states.items():
        frontier.add_urls(conn, run_id, [a_visit(name)])
        if state != "pending":
            frontier.settle_urls(conn, run_id, [frontier.FinalState(url(name), state)], now=at())


def test_open_run_first_is_new(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        run = _open(conn)
    assert (run.state, run.resumed, run.started_at, run.operator, run.requests) == ("running", False, at(), "system", 0)
    with ledger.connect() as conn:
        assert run_records.get_run(conn, run.run_id) == run


@pytest.mark.parametrize("left", ["running", "partial"])
def test_open_run_within_interval_is_resumed(ledger: Ledger, left: str) -> None:
    with ledger.begin() as conn:
        first = _open(conn)
        _settle(conn, first.run_id, a="captured", b="pending")
        if left == "partial":
            run_records.close_run(
                conn, first.run_id, state="partial", reason=Reason("stopped", error="by a person"), now=at(10)
            )
        again = _open(conn, now=at(60), resume_after=at(60 - _WEEK), job_id="other", operator="manual")
    assert (again.run_id, again.resumed, again.state, again.reason) == (first.run_id, True, "running", None)
    assert (again.job_id, again.operator, again.started_at, again.resumed_at) == ("other", "manual", at(), at(60))
    with ledger.connect() as conn:
        assert [visit.url for visit in frontier.stream_pending_urls(conn, first.run_id)] == [url("b")]


def test_open_run_of_several_nights_is_resumed_while_active(ledger: Ledger) -> None:
    day = 24 * 3600
    with ledger.begin() as conn:
        first = _open(conn)
        for night in range(1, 5):
            pause, longest = at((night - 2) * day), at((night - 4) * day)
            again = _open(conn, now=at(night * day), resume_after=pause, begun_after=longest)
            assert (again.run_id == first.run_id) == (night < 4)  # the pages of its first night are too old then
        assert run_records.find_open_run(conn, "reg-x") == run_records.get_run(conn, again.run_id)


def test_open_run_left_too_long_is_closed_and_replaced(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        first = _open(conn)
        _settle(conn, first.run_id, a="captured", b="pending", c="pending")
        second = _open(conn, now=at(_WEEK), resume_after=at())
        left = run_records.get_run(conn, first.run_id)
    assert second.run_id != first.run_id
    assert not second.resumed
    assert (left.state, left.reason, left.finished_at) == (
        "incomplete",
        Reason("not_in_time", pending=2, discovered=3),
        at(_WEEK),
    )


def test_open_run_left_with_pages_closes_it_as_job_died(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        first = _open(conn)
        _settle(conn, first.run_id, a="captured")
        _open(conn, now=at(_WEEK), resume_after=at())
        assert run_records.get_run(conn, first.run_id).reason_code == "job_died"


def test_open_run_left_without_page_is_cancelled(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        first = _open(conn)
        _open(conn, now=at(_WEEK), resume_after=at())
        assert run_records.get_run(conn, first.run_id).state == "cancelled"


def test_runs_of_sources_are_separate(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert _open(conn).run_id != _open(conn, source_id="reg-z").run_id


def test_run_counts_are_sums_of_states(ledger: Ledger) -> None:
    states = {
        "a": "captured",
        "b": "captured",
        "c": "unchanged",
        "d": "excluded",
        "e": "failed",
        "f": "gone",
        "g": "pending",
    }
    with ledger.begin() as conn:
        run = _open(conn)
        _settle(conn, run.run_id, **states)
        frontier.add_urls(conn, run.run_id, [a_visit("sitemap", kind="sitemap")])
        found = run_records.count_pages(conn, run.run_id)
    assert found == {
        "discovered": 7,
        "pending": 1,
        "captured": 2,
        "unchanged": 1,
        "excluded": 1,
        "failed": 1,
        "gone": 1,
    }
    assert found["discovered"] == sum(found.values()) - found["discovered"]


def test_run_counts_of_empty_run_are_zero(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert set(run_records.count_pages(conn, _open(conn).run_id).values()) == {0}


def test_close_run_preserves_counts(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        run = _open(conn)
        _settle(conn, run.run_id, a="captured", b="unchanged")
        page = page_history.ensure_page(conn, SOURCE, url("a"), now=at())
        page_history.add_version(conn, page.page_id, a_version(run_id=run.run_id), body_chars=900)
        audit_log.append_rows(conn, [a_row("a", run_id=run.run_id), a_row("b", run_id=run.run_id)])
        found = run_records.close_run(conn, run.run_id, state="complete", reason=None, now=at(30))
        closed = run_records.get_run(conn, run.run_id)
    assert (found["captured"], found["changed"]) == (1, 1)
    assert (closed.state, closed.finished_at, closed.counts) == ("complete", at(30), found)


def test_close_run_complete_has_no_pending_page(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        run = _open(conn)
        _settle(conn, run.run_id, a="captured", b="pending")
        found = run_records.close_run(conn, run.run_id, state="complete", reason=None, now=at(30))
        closed = run_records.get_run(conn, run.run_id)
    assert found["pending"] == 1
    assert (closed.state, closed.reason) == ("incomplete", Reason("urls_pending", pending=1, discovered=2))


def test_close_run_partial_is_not_finished(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        run = _open(conn)
        run_records.close_run(conn, run.run_id, state="partial", reason=Reason("window_closed"), now=at(30))
        left = run_records.get_run(conn, run.run_id)
    assert (left.state, left.reason, left.finished_at) == ("partial", Reason("window_closed"), None)


@pytest.mark.parametrize("state", ["running", "finished", ""])
def test_close_run_with_unknown_outcome_raises(ledger: Ledger, run_id: str, state: str) -> None:
    with pytest.raises(ValueError, match="not a state"), ledger.begin() as conn:
        run_records.close_run(conn, run_id, state=state, reason=None, now=at())


def test_run_requests_are_summed(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        run_records.add_requests(conn, run_id, requests=3)
        run_records.add_requests(conn, run_id, requests=2, browser_pages=1, credits=5)
        run = run_records.get_run(conn, run_id)
    assert (run.requests, run.browser_pages, run.credits) == (5, 1, 5)


def test_list_runs_newest_are_first(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for day in range(5):
            run = _open(conn, now=at(days=day))
            run_records.close_run(
                conn, run.run_id, state="failed", reason=Reason("robots_disallowed"), now=at(days=day)
            )
        _open(conn, source_id="reg-z", now=at(days=9))
        assert [run.started_at for run in run_records.recent_runs(conn, SOURCE, limit=2)] == [at(days=4), at(days=3)]
        assert run_records.recent_runs(conn)[0].source_id == "reg-z"
        assert len(run_records.recent_runs(conn)) == 6


def test_get_run_unknown_raises_key_error(ledger: Ledger) -> None:
    with pytest.raises(KeyError), ledger.connect() as conn:
        run_records.get_run(conn, "nobody's")


def test_run_means_are_of_the_newest_complete_runs_of_each_source(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for number, state in enumerate(["complete"] * 6 + ["failed", "complete", "partial"]):
            a_run(conn, ident(number), source_id="many", state=state)
            values = {"started_at": at(days=number), "requests": 10 * number}
            values |= {"counts": {"discovered": number, "excluded": 1, "changed": 2}}
            conn.execute(runs.update().where(runs.c.run_id == ident(number)).values(values))
        a_run(conn, ident(20), source_id="one", state="complete")
        a_run(conn, ident(21), source_id="none", state="failed")
    with ledger.connect() as conn:
        means = run_records.load_run_means(conn)
        assert run_records.list_source_ids(conn) == {"many", "one", "none"}
    newest = (2, 3, 4, 5, 7)
    assert means.keys() == {"many", "one"} and means["many"][0] == mean(10 * one for one in newest)
    assert means["many"][1:3] == (mean(one - 1 for one in newest), 2) and means["one"] == (0, 0, 0, 0, 0, 0)


def test_source_ids_of_empty_ledger_are_none(ledger: Ledger) -> None:
    with ledger.connect() as conn:
        assert run_records.list_source_ids(conn) == set() and run_records.load_run_means(conn) == {}
