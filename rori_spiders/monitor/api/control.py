"""Pause and resume a source or the schedule, set the next run of a source, and who did all that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from pydantic import TypeAdapter

from rori_spiders.fleet import acts
from rori_spiders.ledger import actions
from rori_spiders.ledger import sources as states
from rori_spiders.monitor.answers.base import Followed
from rori_spiders.monitor.answers.control import Action, Moment, NextRun, Paused, Pausing, Reason
from rori_spiders.monitor.api import known
from rori_spiders.monitor.asked import Limit, Number, Words, further, place
from rori_spiders.monitor.errors import invalid
from rori_spiders.monitor.guards.people import Operator, Viewer  # noqa: TC001  # FastAPI reads annotations
from rori_spiders.monitor.served import Serving  # noqa: TC001
from rori_spiders.schedule import explain, hindrance, next_due

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.sources import SourceState
    from rori_spiders.manifest.models import Source

router = APIRouter(tags=["control"])

_ACTIONS: TypeAdapter[tuple[Number]] = TypeAdapter(tuple[Number])
#: Nobody plans one run further ahead: what is further is a slip.
_FURTHEST_DAYS = 366


@router.get("/schedule")
def schedule(_: Viewer, served: Serving) -> Pausing:
    """Whether all sources are paused together."""
    with served.ledger.connect() as conn:
        return _pausing(conn, states.EVERYTHING, states.state_of(conn, states.EVERYTHING))


@router.post("/schedule/pause")
def pause_schedule(why: Reason, person: Operator, served: Serving) -> Pausing:
    """No schedule starts any source, and jobs of schedules end the runs that they have begun."""
    with served.ledger.begin() as conn:
        acts.pause(conn, states.EVERYTHING, reason=why.reason, actor=person.name, now=served.now())
        return _pausing(conn, states.EVERYTHING, states.state_of(conn, states.EVERYTHING))


@router.post("/schedule/resume")
def resume_schedule(person: Operator, served: Serving) -> Pausing:
    """Schedules go on; sources that were paused one by one stay so."""
    with served.ledger.begin() as conn:
        state = acts.resume(conn, states.EVERYTHING, actor=person.name, now=served.now())
        return _pausing(conn, states.EVERYTHING, state)


@router.post("/sources/{source_id}/pause")
def pause_source(source_id: str, why: Reason, person: Operator, served: Serving) -> Pausing:
    """No schedule starts this source until somebody resumes it."""
    with served.ledger.begin() as conn:
        source = known.source(served.catalog(conn), source_id)
        acts.pause(conn, source.id, reason=why.reason, actor=person.name, now=served.now())
        return _pausing(conn, source.id, states.state_of(conn, source.id), source)


@router.post("/sources/{source_id}/resume")
def resume_source(source_id: str, person: Operator, served: Serving) -> Pausing:
    """Take back a pause by a person or the breaker. What the manifest pauses stays so."""
    with served.ledger.begin() as conn:
        source = known.source(served.catalog(conn), source_id)
        state = acts.resume(conn, source.id, actor=person.name, now=served.now())
        return _pausing(conn, source.id, state, source)


@router.post("/sources/{source_id}/next-run")
def set_next_run(source_id: str, wanted: NextRun, person: Operator, served: Serving) -> Moment:
    """Another moment for the next run, once. The hours of its site hold all the same."""
    now = served.now()
    if wanted.at is not None and (wanted.at - now).days > _FURTHEST_DAYS:
        told = f"The next run may be at most {_FURTHEST_DAYS} days ahead."
        raise invalid([("at", told)], told)
    with served.ledger.begin() as conn:
        catalog = served.catalog(conn)
        source = known.source(catalog, source_id)
        acts.set_next_run(conn, source.id, wanted.at, actor=person.name, now=now)
        state, everything = states.state_of(conn, source.id), states.pause_of_all(conn)
    said = explain(source, state, now, rules=catalog.rules, everything=everything)
    due: datetime | None = next_due(source, state, catalog.rules)
    return Moment(next_run_at=state.next_run_at, next_due=due, explained=said)


@router.get("/actions")
def done(
    _: Viewer,
    served: Serving,
    after: Annotated[str | None, Query(max_length=40, description="The `next` of the list before.")] = None,
    words: Words = "",
    limit: Limit = 50,
) -> Followed[Action]:
    """Who did what, the newest first; with `q` only where person, action, target or reason has it in it."""
    with served.ledger.connect() as conn:
        before = None if after is None else place(after, _ACTIONS)[0]
        found = actions.recent(conn, words=words, limit=limit + 1, before=before)
    items = [Action.model_validate(one) for one in found[:limit]]
    return Followed[Action](items=items, next=further(items[-1].action_id) if len(found) > limit else None)


def _pausing(conn: Connection, target: str, state: SourceState, source: Source | None = None) -> Pausing:
    paused = None
    if state.paused_by is not None:
        paused = Paused(by=_who(conn, target, state), reason=state.paused_reason, at=state.paused_at)
    why = None if source is None else hindrance(source, state, states.pause_of_all(conn))
    return Pausing(paused=paused, hindrance=why)


def _who(conn: Connection, target: str, state: SourceState) -> str:
    """The name behind a pause by a person: its action was recorded with it."""
    assert state.paused_by is not None
    done = actions.recent(conn, target=target, limit=20)
    named = (one["actor"] for one in done if one["action"] == "pause" and one["at"] == state.paused_at)
    return next(named, "a person") if state.paused_by == "person" else state.paused_by
