"""GET /api/activity: what is running now, and what waits; as events, each time that something has happened."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from rori_spiders.monitor.answers.activity import Activity  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.following import Following
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001
from rori_spiders.monitor.reading.working import activity as read_activity
from rori_spiders.monitor.served import Served, Serving  # noqa: TC001

router = APIRouter(prefix="/activity", tags=["dashboard"])


@router.get("")
def activity(_person: Viewer, served: Serving) -> Activity:
    """What goes on now."""
    return _read(served)


@router.get("/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def events(_person: Viewer, request: Request) -> StreamingResponse:
    """The same as events of the name `activity`, at once and then each time that it has changed."""
    following: Following = request.app.state.following
    # A proxy that gathers answers would keep them from the page.
    return StreamingResponse(following.events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def following(served: Served) -> Following:
    """What goes on, for all who follow it."""
    return Following(lambda: _read(served).model_dump_json())


def _read(served: Served) -> Activity:
    with served.ledger.connect() as conn:
        return read_activity(conn, served.now())
