"""The table of states: whole, without a dead end but the ends, and as docs/explanation/corpus.md has it."""

from __future__ import annotations

from pathlib import Path

from rori_spiders.corpus.run_states import MOVES, STATES, WAITING, WORK, State, may_move, next_state
from tests.support.cases import cases

_PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "corpus.md").read_text(encoding="utf-8")


def test_run_states_table_has_each_state_once() -> None:
    assert len(set(STATES)) == len(STATES) == 12
    assert set(MOVES) == set(STATES)
    assert {move.to for moves in MOVES.values() for move in moves} <= set(STATES)


def test_run_states_ten_states_follow_in_order() -> None:
    way: list[State] = ["mapping"]
    while way[-1] not in WAITING:
        way.append(next_state(way[-1]))
    assert tuple(way) == (*WORK, "ready_for_review")
    assert may_move("ready_for_review", "approved", "operator")
    assert may_move("approved", "published", "machine")


@cases("state", STATES)
def test_run_states_only_person_approves_only_machine_publishes(state: State) -> None:
    assert not may_move(state, "approved", "machine")
    assert not may_move(state, "published", "operator")
    assert may_move(state, "published", "machine") == (state == "approved")
    assert may_move(state, "approved", "operator") == (state == "ready_for_review")


@cases("state", sorted({*WORK, *WAITING}))
def test_run_states_open_run_can_be_cancelled(state: State) -> None:
    assert may_move(state, "cancelled", "operator")
    assert not may_move(state, "cancelled", "machine")


@cases("state", WORK)
def test_run_states_failed_run_resumes_where_it_stopped(state: State) -> None:
    assert may_move(state, "failed", "machine")
    assert may_move("failed", state, "operator")


@cases("state", STATES)
def test_run_states_table_in_docs_is_current(state: State) -> None:
    assert f"\n| `{state}` | " in _PAGE
    for move in MOVES[state]:
        assert f"\n| `{state}` | `{move.to}` | {move.by} | {move.when} |" in _PAGE
