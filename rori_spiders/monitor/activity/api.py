"""GET /api/activity: what is running now, and what waits; as events, each time that something has happened."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from rori_spiders.monitor.activity.event_stream import ActivityStream
from rori_spiders.monitor.activity.queries import read_activity
from rori_spiders.monitor.activity.schemas import Activity  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.security.permissions import Viewer  # noqa: TC001
from rori_spiders.monitor.state.dependencies import (
    AppState,  # noqa: TC001
    AppStateDep,  # noqa: TC001
)

router = APIRouter(prefix="/activity", tags=["dashboard"])


@router.get("")
def get_activity(_person: Viewer, served: AppStateDep) -> Activity:
    """What goes on now."""
    return _read_now(served)


@router.get("/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def stream_activity(_person: Viewer, request: Request) -> StreamingResponse:
    """The same as events of the name `activity`, at once and then each time that it has changed."""
    following: ActivityStream = request.app.state.following
    # A proxy that gathers answers would keep them from the page.
    return StreamingResponse(following.events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def create_stream(served: AppState) -> ActivityStream:
    """What goes on, for all who follow it."""
    return ActivityStream(lambda: _read_now(served).model_dump_json())


def _read_now(served: AppState) -> Activity:
    with served.ledger.connect() as conn:
        return read_activity(conn, served.now())
