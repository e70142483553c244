"""GET /api/v1/activity: running jobs and the queue, once or as server-sent events."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from rori_spiders.monitor.control.activity.event_stream import ActivityStream
from rori_spiders.monitor.control.activity.queries import read_activity
from rori_spiders.monitor.control.activity.schemas import Activity  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.security.permissions import Viewer  # noqa: TC001
from rori_spiders.monitor.state.dependencies import (
    AppState,  # noqa: TC001
    AppStateDep,  # noqa: TC001
)

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
