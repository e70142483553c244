"""Running jobs, their pace, and the queue: GET /api/v1/activity, once or as server-sent events."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import Field
from sqlalchemy import Connection, Row, func, select
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.operations.source_status import find_global_pause
from rori_spiders.ledger.queue import job_queue, leases
from rori_spiders.ledger.runs.run_records import count_pages
from rori_spiders.ledger.tables import audit
from rori_spiders.ledger.tables import jobs as queue
from rori_spiders.ledger.tables import runs as run_rows
from rori_spiders.monitor.rest.schemas import ApiModel
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state.dependencies import (
    AppState,
    AppStateDep,
)
from rori_spiders.schedule import percent_done


class RunAtWork(ApiModel):
    """A run in progress."""

    run_id: str
    source_id: str
    started_at: datetime
    counts: dict[str, int] = Field(description="Pages by state; `discovered` is their sum, and grows.")
    percent: int | None = Field(description="Share of the known pages; null: no pages known yet.")
    per_minute: float | None = Field(
        description="Pages finished per minute, over the last minutes; null: just started."
    )


class JobAtWork(ApiModel):
    """A running job with its runs."""

    job_id: str
    node: str | None
    started_at: datetime
    is_heard_of: bool = Field(description="False: no heartbeat arrived in time, neither for a lease nor in the queue.")
    runs: list[RunAtWork]


class JobWaiting(ApiModel):
    """A queued job."""

    job_id: str
    state: str = Field(description="queued, or leased to a node that is starting it.")
    sources: list[str]
    queued_at: datetime
    operator: str
    node: str | None


class PauseOfAll(ApiModel):
    """The pause of all sources."""

    by: str
    reason: str | None
    at: datetime | None


class Activity(ApiModel):
    """Running jobs and the queue."""

    running: list[JobAtWork]
    waiting: list[JobWaiting] = Field(description="The first 100, in queue order.")
    waiting_total: int
    schedule_paused: PauseOfAll | None


#: Period over which the pace is measured: at one request in two seconds about a hundred pages of one server.
_PACE_WINDOW = timedelta(minutes=5)
_MAX_WAITING = 100


def read_activity(conn: Connection, now: datetime) -> Activity:
    """Read running jobs and the queue as of *now*."""
    waits = queue.c.state.in_(("waiting", "leased"))
    pause = find_global_pause(conn)
    return Activity(
        running=_running_jobs(conn, now),
        waiting=[
            JobWaiting.model_validate(one)
            for one in job_queue.load_jobs(
                conn, select(queue).where(waits).order_by(*job_queue.queue_order()).limit(_MAX_WAITING)
            )
        ],
        waiting_total=conn.execute(select(func.count()).select_from(queue).where(waits)).scalar_one(),
        schedule_paused=pause and PauseOfAll(by=pause.paused_by or "", reason=pause.paused_reason, at=pause.paused_at),
    )


def _running_jobs(conn: Connection, now: datetime) -> list[JobAtWork]:
    its = run_rows.c
    columns = (its.run_id, its.source_id, its.job_id, its.started_at, its.resumed_at)
    query = select(*columns).where(its.state == "running").order_by(its.job_id, its.started_at)
    open_runs = conn.execute(query).all()
    owners = {lease.owner.rpartition(":")[2]: lease for lease in leases.lease_holders(conn) if lease.expires_at > now}
    of_jobs: dict[str, list[Any]] = {}
    for run in open_runs:
        of_jobs.setdefault(run.job_id, []).append(run)
    found = [_job_row(conn, job_id, some, owners, now) for job_id, some in of_jobs.items()]
    return sorted(found, key=lambda job: (job.started_at, job.job_id))


def _job_row(
    conn: Connection, job_id: str, open_runs: Sequence[Row[Any]], owners: Mapping[str, leases.Lease], now: datetime
) -> JobAtWork:
    queued, lease = job_queue.find_job(conn, job_id), owners.get(job_id)
    begun = min(run.resumed_at or run.started_at for run in open_runs)
    is_alive = queued is not None and queued.state == "running" and (queued.leased_until or now) > now
    return JobAtWork(
        job_id=job_id,
        node=(queued and queued.node) or (lease.owner.partition(":")[0] if lease else None),
        started_at=(queued and queued.started_at) or begun,
        is_heard_of=is_alive or lease is not None,
        runs=[_run_row(conn, run, now) for run in open_runs],
    )


def _run_row(conn: Connection, run: Row[Any], now: datetime) -> RunAtWork:
    found = count_pages(conn, run.run_id)
    return RunAtWork(
        run_id=run.run_id,
        source_id=run.source_id,
        started_at=run.started_at,
        counts=found,
        percent=percent_done(found),
        per_minute=_pages_per_minute(conn, run, now),
    )


def _pages_per_minute(conn: Connection, run: Row[Any], now: datetime) -> float | None:
    """Return pages per minute since the job resumed the run, or over the last minutes; None: just started."""
    since = max(run.resumed_at or run.started_at, now - _PACE_WINDOW)
    minutes: float = (now - since).total_seconds() / 60
    if minutes < 0.1:  # less than six seconds is too short to measure
        return None
    ended = select(func.count()).where(
        audit.c.manifest_id == run.source_id,
        audit.c.timestamp >= since,
        audit.c.run_id == run.run_id,
        audit.c.kind == "page",
    )
    pages: int = conn.execute(ended).scalar_one()
    return round(pages / minutes, 1)


#: Pause between two readings: at least this many seconds, and this many times the duration of a reading.
POLL_INTERVAL_S = 1.0
_REST_FACTOR = 10
#: Comment that keeps proxies from closing an idle connection.
HEARTBEAT_S = 15.0
#: The browser then reconnects by itself, which ends the stream of a person whose session has ended.
MAX_STREAM_S = 300.0


class ActivityStream:
    """Send the text of *read* to each follower when it changes. For one event loop; *read* runs in a thread."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read
        self._followers: set[asyncio.Queue[str | None]] = set()
        self._reading: asyncio.Task[None] | None = None
        self._last: str | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def events(self) -> AsyncGenerator[str]:
        """Yield server-sent events: the state at once, then each change, with comments in between."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._followers.add(queue)
        if self._reading is None:
            self._last = None
            self._reading = asyncio.create_task(self._go_on())
        elif self._last is not None:
            queue.put_nowait(self._last)
        loop = self._loop = asyncio.get_running_loop()
        ends = loop.time() + MAX_STREAM_S
        try:
            yield "retry: 3000\n\n"
            while (left := ends - loop.time()) > 0:
                try:
                    async with asyncio.timeout(min(HEARTBEAT_S, left)):
                        event = await queue.get()
                except TimeoutError:
                    yield ": still here\n\n"
                else:
                    if event is None:
                        return
                    yield f"event: activity\ndata: {event}\n\n"
        finally:
            self._leave(queue)

    @property
    def followers(self) -> int:
        """The number of current followers."""
        return len(self._followers)

    def end(self) -> None:
        """End all streams at once when the server stops. Safe from other threads and signal handlers."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._broadcast, None)

    def _broadcast(self, event: str | None) -> None:
        for one in self._followers:
            one.put_nowait(event)

    def _leave(self, queue: asyncio.Queue[str | None]) -> None:
        self._followers.discard(queue)
        if not self._followers and self._reading is not None:
            self._reading.cancel()
            self._reading = None

    async def _go_on(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            with suppress(LedgerError, SQLAlchemyError):  # temporarily unavailable: the page's other requests report it
                event = await run_in_threadpool(self._read)
                if event != self._last:
                    self._last = event
                    self._broadcast(event)
            await asyncio.sleep(max(POLL_INTERVAL_S, _REST_FACTOR * (loop.time() - began)))


router = APIRouter(prefix="/activity", tags=["activity"])


@router.get("")
def get_activity(_person: Viewer, served: AppStateDep) -> Activity:
    """Return running jobs and the queue."""
    return _read_now(served)


@router.get("/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def stream_activity(_person: Viewer, request: Request) -> StreamingResponse:
    """Stream the same as events named `activity`: at once, then after each change."""
    following: ActivityStream = request.app.state.following
    # Keep a buffering proxy from delaying the events.
    return StreamingResponse(following.events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def create_stream(served: AppState) -> ActivityStream:
    """Create the stream of activity events."""
    return ActivityStream(lambda: _read_now(served).model_dump_json())


def _read_now(served: AppState) -> Activity:
    with served.ledger.connect() as conn:
        return read_activity(conn, served.now())
