"""The states of a corpus run and the allowed transitions: one table.

``machine``: the process that works on the run; ``operator``: a person. A transition that is not listed here does
not exist.
"""

from typing import Literal, NamedTuple, get_args

#: States that a machine moves, in order.
WorkState = Literal[
    "mapping",
    "section_sampling",
    "page_triage",
    "scraping",
    "deterministic_preflight",
    "llm_cleanup",
    "validation_audit",
]
#: States that wait for a person.
WaitingState = Literal["ready_for_review", "approved"]
#: Final states; a `failed` run can be resumed in the state where it stopped.
EndedState = Literal["published", "failed", "cancelled"]
State = Literal[WorkState, WaitingState, EndedState]
WORK: tuple[State, ...] = get_args(WorkState)
WAITING: tuple[State, ...] = get_args(WaitingState)
STATES: tuple[State, ...] = get_args(State)
Mover = Literal["machine", "operator"]


class Move(NamedTuple):
    """A transition: the next state, who triggers it, and when."""

    to: State
    by: Mover
    when: str


_CANCELLED = Move("cancelled", "operator", "an operator cancelled the run; decisions about pages are kept")
_FAILED = Move("failed", "machine", "a step failed; the run can be resumed from here")


def _moves_while_working(at: State, following: State) -> tuple[Move, ...]:
    return (Move(following, "machine", f"{at} is done for every page"), _FAILED, _CANCELLED)


MOVES: dict[State, tuple[Move, ...]] = {
    **{at: _moves_while_working(at, then) for at, then in zip(WORK, (*WORK[1:], WAITING[0]), strict=True)},
    "ready_for_review": (
        Move("scraping", "operator", "a decision changed or a page was added: missing texts are fetched and cleaned"),
        Move("deterministic_preflight", "operator", "an operator asked for pages to be cleaned again"),
        Move("validation_audit", "operator", "an operator wrote the text of a page"),
        Move("scraping", "machine", "a page changed while its draft waited for review"),
        Move("approved", "operator", "every included page is approved and passed its gates"),
        _CANCELLED,
    ),
    "approved": (
        Move("published", "machine", "the version is complete and `latest` points to it"),
        Move("ready_for_review", "operator", "the approval is withdrawn, or a version was rolled back"),
        Move("scraping", "machine", "a page changed before it was published"),
        _CANCELLED,
    ),
    "published": (),
    "failed": tuple(Move(at, "operator", "an operator resumed the run") for at in WORK),
    "cancelled": (),
}


def next_state(state: State) -> State:
    """Return the state that follows a completed machine state."""
    return MOVES[state][0].to


def may_move(state: State, to: State, by: Mover) -> bool:
    """Return whether *by* may move a run from *state* to *to*."""
    return any((move.to, move.by) == (to, by) for move in MOVES[state])
