"""A person's turn: one transaction over the run as it is now, refused where it is not theirs; who did what is kept."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.corpus.states import may_move
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.corpus import run_pages, run_states
from rori_spiders.ledger.corpus.page_ids import action_target
from rori_spiders.ledger.operations import activity_log

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from datetime import datetime
    from typing import Any

    from sqlalchemy import Connection, Row

    from rori_spiders.corpus.states import State
    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger


@dataclass(frozen=True)
class Turn:
    """The run of a domain in the hands of one person. Methods of the reviewing room raise UsageError, in words."""

    conn: Connection
    run: CorpusRun
    by: str
    now: datetime

    def page(self, page_id: str) -> Row[Any]:
        """A page of the run."""
        row = run_pages.find_page(self.conn, self.run.run_id, page_id)
        if row is None:
            raise UsageError(f"the run has no page {page_id}")
        return row

    def record(self, action: str, *, reason: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        """Keep who did it, to which run."""
        told = {"run_id": self.run.run_id, **(details or {})}
        target = action_target(self.run.domain)
        activity_log.record_action(
            self.conn, now=self.now, actor=self.by, action=action, target=target, reason=reason, details=told
        )

    def move(self, to: State, *, ends: bool = False, says: str | None = None) -> None:
        """Bring the run into another state."""
        if not may_move(self.run.state, to, "operator"):  # type: ignore[arg-type]  # a row's text
            raise UsageError(f"a run that is {self.run.state} cannot become {to}")
        if not run_states.move_run(self.conn, self.run, to, now=self.now, ends=ends, says=says):
            raise UsageError("somebody else has moved the run meanwhile: look again")


@contextmanager
def turn(ledger: Ledger, run_id: str, *, by: str, now: datetime, states: Collection[str] = ()) -> Iterator[Turn]:
    """The turn of *by* with a run that is in one of *states*. What is done in it is done as a whole, or not at all."""
    with ledger.begin() as conn:
        run = run_states.find_run(conn, run_id)
        if run is None:
            raise UsageError(f"there is no run {run_id}")
        if states and run.state not in states:
            raise UsageError(f"the run of {run.domain} is {run.state}: this can be done while it is {_or(states)}")
        yield Turn(conn, run, by, now)


def said(reason: str) -> str:
    """A person's reason, which may not be missing. Raises UsageError."""
    text = " ".join(reason.split())
    if len(text) < 3:
        raise UsageError("say why, in a few words: whoever looks at this later needs to know")
    return text[:1000]


def _or(states: Collection[str]) -> str:
    return " or ".join(states)
