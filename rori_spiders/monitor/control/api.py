"""Endpoints of control: run, cancel, pause, resume, reschedule; the activity log."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import TypeAdapter
from sqlalchemy import Connection

from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.operations import source_status as states
from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.ledger.queue import job_queue
from rori_spiders.manifest.models import Source
from rori_spiders.monitor.control.schemas import (
    Action,
    Job,
    JobMade,
    JobOrder,
    Jobs,
    JobsMade,
    Moment,
    NextRun,
    NotQueued,
    Paused,
    Pausing,
    Reason,
)
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.rest.params import CursorInt, Limit, SearchText, decode_cursor, encode_cursor
from rori_spiders.monitor.rest.schemas import CursorList
from rori_spiders.monitor.security.permissions import (
    Operator,
    Viewer,
)
from rori_spiders.monitor.state import dependencies
from rori_spiders.monitor.state.dependencies import (
    AppState,
    AppStateDep,
)
from rori_spiders.nodes.dispatcher import enqueue_now, read_queue_snapshot
from rori_spiders.operations import operator_actions
from rori_spiders.runtime.redacted_output import name_rori
from rori_spiders.schedule import blocked_reason, explain_schedule, next_due

jobs_router = APIRouter(tags=["jobs"])


@jobs_router.get("/jobs")
def list_jobs(_: Viewer, served: AppStateDep, limit: Limit = 50) -> Jobs:
    """List running jobs, queued jobs in queue order, and the last `limit` ended jobs."""
    with served.ledger.connect() as conn:
        return Jobs(items=[Job.model_validate(one) for one in job_queue.list_jobs(conn, ended=limit)])


@jobs_router.post("/jobs")
def queue_sources(order: JobOrder, person: Operator, served: AppStateDep, request: Request) -> JobsMade:
    """Queue sources now, whatever their intervals; `all_due` queues due sources and keeps their crawl windows."""
    with served.ledger.begin() as conn:
        chosen, refused = _ordered_sources(conn, served, order)
        made, why = enqueue_now(conn, served.catalog(conn), chosen, actor=person.name, now=served.now())
    if (runner := request.app.state.runner) is not None:
        runner.wake()
    return JobsMade(
        jobs=[JobMade(job_id=one.job_id, sources=[source.id for source in one.planned.sources]) for one in made],
        refused=[NotQueued(source_id=one, why=reason) for one, reason in {**refused, **why}.items()],
    )


@jobs_router.post("/jobs/{job_id}/cancel")
def cancel_job(job_id: str, person: Operator, served: AppStateDep) -> Job:
    """Cancel a queued job; a running one stops within 15 seconds, and its remaining pages are kept."""
    with served.ledger.begin() as conn:
        before = operator_actions.cancel_job(conn, job_id, actor=person.name, now=served.now())
        after = job_queue.find_job(conn, job_id)
    if before is None or after is None:
        raise ApiError(404, "unknown_job", "Job not found.")
    if before.state not in job_queue.OPEN_STATES:
        raise ApiError(
            409, "refused", f"The job has already ended ({before.state}). Nothing was changed.", state=before.state
        )
    return Job.model_validate(after)


def _ordered_sources(conn: Connection, served: AppState, order: JobOrder) -> tuple[list[Source], dict[str, str]]:
    catalog = served.catalog(conn)
    if order.sources is not None:
        return dependencies.require_sources(catalog, order.sources), {}
    if order.category is not None:
        return [source for source in catalog.sources if source.effective_category == order.category], {}
    due = read_queue_snapshot(conn).due(catalog, served.now())
    held = {one.source.id: f"Held until {one.held_until:%Y-%m-%d %H:%M} UTC." for one in due if one.held_until}
    return [one.source for one in due if not one.held_until], held


# Pause and resume a source or the schedule, set the next run of a source, and who did all that.

router = APIRouter(tags=["control"])

_ACTION_CURSOR: TypeAdapter[tuple[CursorInt]] = TypeAdapter(tuple[CursorInt])
#: Latest date for the next run; a later one is probably a typing error.
_MAX_DAYS_AHEAD = 366


@router.get("/schedule")
def get_schedule(_: Viewer, served: AppStateDep) -> Pausing:
    """Return whether all sources are paused."""
    with served.ledger.connect() as conn:
        return _pause_state(conn, states.ALL_SOURCES, states.load_state(conn, states.ALL_SOURCES))


@router.post("/schedule/pause")
def pause_schedule(why: Reason, person: Operator, served: AppStateDep) -> Pausing:
    """Pause all sources: no scheduled run starts; scheduled jobs complete the runs in progress."""
    with served.ledger.begin() as conn:
        operator_actions.pause_source(conn, states.ALL_SOURCES, reason=why.reason, actor=person.name, now=served.now())
        return _pause_state(conn, states.ALL_SOURCES, states.load_state(conn, states.ALL_SOURCES))


@router.post("/schedule/resume")
def resume_schedule(person: Operator, served: AppStateDep) -> Pausing:
    """Resume the schedule; individually paused sources stay paused."""
    with served.ledger.begin() as conn:
        state = operator_actions.resume_source(conn, states.ALL_SOURCES, actor=person.name, now=served.now())
        return _pause_state(conn, states.ALL_SOURCES, state)


@router.post("/sources/{source_id}/pause")
def pause_source(source_id: str, why: Reason, person: Operator, served: AppStateDep) -> Pausing:
    """Pause a source: no scheduled run starts until someone resumes it."""
    with served.ledger.begin() as conn:
        source = dependencies.require_source(served.catalog(conn), source_id)
        operator_actions.pause_source(conn, source.id, reason=why.reason, actor=person.name, now=served.now())
        return _pause_state(conn, source.id, states.load_state(conn, source.id), source)


@router.post("/sources/{source_id}/resume")
def resume_source(source_id: str, person: Operator, served: AppStateDep) -> Pausing:
    """End a pause by a person or the breaker. A source that the manifest pauses stays paused."""
    with served.ledger.begin() as conn:
        source = dependencies.require_source(served.catalog(conn), source_id)
        state = operator_actions.resume_source(conn, source.id, actor=person.name, now=served.now())
        return _pause_state(conn, source.id, state, source)


@router.post("/sources/{source_id}/next-run")
def set_next_run(source_id: str, wanted: NextRun, person: Operator, served: AppStateDep) -> Moment:
    """Set the time of the next run, once. Its crawl window still applies."""
    now = served.now()
    if wanted.at is not None and abs((wanted.at - now).days) > _MAX_DAYS_AHEAD:
        message = f"The next run may be at most {_MAX_DAYS_AHEAD} days from now."
        raise ApiError(409, "refused", message)
    with served.ledger.begin() as conn:
        catalog = served.catalog(conn)
        source = dependencies.require_source(catalog, source_id)
        operator_actions.set_next_run(conn, source.id, wanted.at, actor=person.name, now=now)
        state, everything = states.load_state(conn, source.id), states.find_global_pause(conn)
    explanation = explain_schedule(source, state, now, rules=catalog.rules, everything=everything)
    due: datetime | None = next_due(source, state, catalog.rules)
    return Moment(next_run_at=state.next_run_at, next_due=due, explained=list(map(name_rori, explanation)))


@router.get("/actions")
def list_actions(
    _: Viewer,
    served: AppStateDep,
    after: Annotated[str | None, Query(max_length=40, description="Cursor: `next` of the previous list.")] = None,
    words: SearchText = "",
    limit: Limit = 50,
) -> CursorList[Action]:
    """List the activity log, newest first; `q` searches person, action, target and reason."""
    with served.ledger.connect() as conn:
        before = None if after is None else decode_cursor(after, _ACTION_CURSOR)[0]
        found = activity_log.recent_actions(conn, words=words, limit=limit + 1, before=before)
    items = [Action.model_validate(one) for one in found[:limit]]
    return CursorList[Action](items=items, next=encode_cursor(items[-1].action_id) if len(found) > limit else None)


def _pause_state(conn: Connection, target: str, state: SourceState, source: Source | None = None) -> Pausing:
    paused = None
    if state.paused_by is not None:
        paused = Paused(by=_paused_by(conn, target, state), reason=state.paused_reason, at=state.paused_at)
    why = None if source is None else blocked_reason(source, state, states.find_global_pause(conn))
    return Pausing(paused=paused, hindrance=why)


def _paused_by(conn: Connection, target: str, state: SourceState) -> str:
    """Return who paused *target*, from the recorded action."""
    assert state.paused_by is not None
    done = activity_log.recent_actions(conn, target=target, limit=20)
    named = (one["actor"] for one in done if one["action"] == "pause" and one["at"] == state.paused_at)
    return next(named, "a person") if state.paused_by == "person" else state.paused_by
