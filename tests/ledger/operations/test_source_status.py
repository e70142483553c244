"""How sources stand after their runs, and the automatic stop."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.operations.source_status import BREAKER_FAILURES, SourceState
from rori_spiders.ledger.tables import runs, source_state
from tests.ledger.factories import RUN, SOURCE, a_run, at

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger


def _end(
    conn: Connection,
    state: str,
    *,
    operator: str = "system",
    changed: bool = False,
    day: int = 0,
    rate_limited: bool = False,
) -> SourceState:
    return source_status.record_outcome(
        conn,
        SOURCE,
        run_id=RUN,
        state=state,
        operator=operator,
        changed=changed,
        now=at(days=day),
        rate_limited=rate_limited,
    )


def test_source_status_without_row_is_ok(ledger: Ledger) -> None:
    with ledger.connect() as conn:
        assert source_status.load_state(conn, SOURCE) == SourceState()
        assert source_status.load_states(conn) == {}


def test_source_status_complete_run_counts_as_checked(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _end(conn, "complete", changed=True)
        state = _end(conn, "complete", day=7)
        assert source_status.load_states(conn) == {SOURCE: state}
    assert (state.last_run_id, state.last_checked_at, state.last_changed_at) == (RUN, at(days=7), at())
    assert state.good_runs_in_row == 2


def test_source_status_five_failed_scheduled_runs_pause_source(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for day in range(BREAKER_FAILURES - 1):
            assert _end(conn, "failed", day=day).paused_by is None
        state = _end(conn, "failed", day=9)
    assert (state.paused_by, state.paused_at, state.failures_in_row) == ("breaker", at(days=9), BREAKER_FAILURES)
    assert state.paused_reason == "5 scheduled runs failed in a row"
    assert state.last_checked_at is None


def test_source_status_failed_manual_runs_do_not_count(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for _ in range(10):
            state = _end(conn, "failed", operator="manual")
    assert (state.failures_in_row, state.paused_by) == (0, None)


@pytest.mark.parametrize("operator", ["system", "manual"])
def test_source_status_success_resets_failures(ledger: Ledger, operator: str) -> None:
    with ledger.begin() as conn:
        for _ in range(4):
            _end(conn, "failed")
        assert _end(conn, "complete", operator=operator).failures_in_row == 0
        assert _end(conn, "failed").failures_in_row == 1


@pytest.mark.parametrize("state", ["partial", "incomplete", "suspect", "cancelled"])
def test_source_status_other_outcomes_change_nothing(ledger: Ledger, state: str) -> None:
    with ledger.begin() as conn:
        _end(conn, "failed")
        after = _end(conn, state, day=3)
    assert (after.failures_in_row, after.last_checked_at) == (1, None)


def test_source_status_pause_by_person_is_not_overwritten(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        source_status.pause_source(conn, SOURCE, by="person", reason="the agency asked us to wait", now=at())
        for day in range(6):
            state = _end(conn, "failed", day=day)
    assert (state.paused_by, state.paused_reason) == ("person", "the agency asked us to wait")
    assert (state.paused_at, state.failures_in_row) == (at(), 6)


def test_source_status_resuming_clears_reason(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for _ in range(BREAKER_FAILURES):
            _end(conn, "failed")
        source_status.resume_source(conn, SOURCE)
        state = source_status.load_state(conn, SOURCE)
        assert (state.paused_by, state.paused_reason, state.paused_at, state.failures_in_row) == (None, None, None, 0)
        assert _end(conn, "failed").paused_by is None


@pytest.mark.parametrize("state", ["failed", "complete", "partial"])
def test_source_status_rate_limited_run_doubles_interval_once(ledger: Ledger, state: str) -> None:
    with ledger.begin() as conn:
        _end(conn, "complete")
        for _ in range(3):
            after = _end(conn, state, rate_limited=True)
    assert (after.interval_factor, after.good_runs_in_row) == (2, 0)


def test_source_status_two_successes_restore_interval(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        ends = ["complete", "failed", "complete", "partial", "complete", "complete"]
        _end(conn, "failed", rate_limited=True)
        factors = [_end(conn, state).interval_factor for state in ends]
    assert factors == [2, 2, 2, 2, 1, 1]


def test_source_status_earlier_successes_do_not_count(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for _ in range(5):
            _end(conn, "complete")
        _end(conn, "complete", rate_limited=True)
        assert _end(conn, "complete").interval_factor == 2
        assert _end(conn, "complete").interval_factor == 1


def test_source_status_last_failed_scheduled_run_is_same_for_one_and_all(ledger: Ledger, run_id: str) -> None:
    """Of a run by hand, and of what failed before the last check, nothing is said."""
    with ledger.begin() as conn:
        _end(conn, "failed")
        conn.execute(update(runs).values(state="failed", finished_at=at(days=1)))
        assert source_status.load_state(conn, SOURCE).failed_at == at(days=1)
        assert source_status.load_states(conn) == {SOURCE: source_status.load_state(conn, SOURCE)}
        _end(conn, "complete", day=2)
        assert source_status.load_states(conn)[SOURCE].failed_at is None
        conn.execute(update(runs).values(operator="manual", finished_at=at(days=3)))
        assert source_status.load_states(conn)[SOURCE].failed_at is None


def test_source_status_all_equals_each_alone(ledger: Ledger) -> None:
    """Runs that were doubted, failed, begun by hand or are open, before and after the last check or without one."""
    ends = ("complete", "suspect", "incomplete", "failed", "cancelled", "partial")
    with ledger.begin() as conn:
        for number, (state, operator, checked) in enumerate(
            product(ends, ("system", "manual"), (None, -1, 5)),
        ):
            source_id = f"source-{number}"
            source_status.pause_source(conn, source_id, by="person", reason="moved", now=at())
            if number % 2:
                source_status.resume_source(conn, source_id)
            conn.execute(
                update(source_state)
                .where(source_state.c.source_id == source_id)
                .values(last_checked_at=None if checked is None else at(days=checked))
            )
            for day in range(2):
                run_id = f"00000000-0000-4000-8000-{number:06}{day:06}"
                a_run(conn, run_id, source_id=source_id, state="running" if state == "partial" else state)
                if state != "partial":
                    conn.execute(
                        update(runs).where(runs.c.run_id == run_id).values(operator=operator, finished_at=at(days=day))
                    )
                else:
                    break
        source_status.pause_source(conn, source_status.ALL_SOURCES, by="person", reason="moving", now=at())
        together = source_status.load_states(conn)
        assert together == {source_id: source_status.load_state(conn, source_id) for source_id in together}
    assert len(together) == 36
    assert {state.doubted_in_row for state in together.values()} == {0, 2}
    assert {state.failed_at for state in together.values()} == {None, at(days=1)}
