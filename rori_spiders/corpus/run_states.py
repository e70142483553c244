"""The states of a corpus run and the allowed transitions: one table.

``machine``: the process that works on the run; ``operator``: a person. A transition that is not listed here does
not exist.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

#: In these a machine works; each ends in the next.
WorkState = Literal[
    "mapping",
    "section_sampling",
    "page_triage",
    "scraping",
    "deterministic_preflight",
    "llm_cleanup",
    "validation_audit",
]
#: A person's turn.
WaitingState = Literal["ready_for_review", "approved"]
#: Nothing follows but, of `failed`, the state in which it stopped.
EndedState = Literal["published", "failed", "cancelled"]
State = Literal[WorkState, WaitingState, EndedState]
WORK: tuple[State, ...] = get_args(WorkState)
WAITING: tuple[State, ...] = get_args(WaitingState)
ENDED: tuple[State, ...] = get_args(EndedState)
STATES: tuple[State, ...] = get_args(State)
Mover = Literal["machine", "operator"]


class Move(NamedTuple):
    """A state that may follow, who brings it about, and when."""

    to: State
    by: Mover
    when: str


_CANCELLED = Move("cancelled", "operator", "it is given up; what was decided about pages stays")
_FAILED = Move("failed", "machine", "it cannot go on; it is resumed where it stopped")


def _moves_while_working(at: State, following: State) -> tuple[Move, ...]:
    return (Move(following, "machine", f"{at} is done for every page"), _FAILED, _CANCELLED)


MOVES: dict[State, tuple[Move, ...]] = {
    **{at: _moves_while_working(at, then) for at, then in zip(WORK, (*WORK[1:], WAITING[0]), strict=True)},
    "ready_for_review": (
        Move("scraping", "operator", "a decision was changed or a page added: what is missing is fetched and cleaned"),
        Move("deterministic_preflight", "operator", "pages are to be cleaned again"),
        Move("scraping", "machine", "a page changed while its draft waited"),
        Move("approved", "operator", "every included page is approved, and no gate is shut"),
        _CANCELLED,
    ),
    "approved": (
        Move("published", "machine", "its version is whole and `latest` names it"),
        Move("ready_for_review", "operator", "the approval is withdrawn"),
        Move("scraping", "machine", "a page changed before it was published"),
        _CANCELLED,
    ),
    "published": (),
    "failed": tuple(Move(at, "operator", "it is resumed where it stopped") for at in WORK),
    "cancelled": (),
}


def next_state(state: State) -> State:
    """What follows a state of work when it is done."""
    return MOVES[state][0].to


def may_move(state: State, to: State, by: Mover) -> bool:
    """Whether *by* may bring a run from *state* to *to*."""
    return any((move.to, move.by) == (to, by) for move in MOVES[state])
