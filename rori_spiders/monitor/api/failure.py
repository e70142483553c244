"""One failure, or any other end of a URL: GET /api/failures has the list."""

from __future__ import annotations

from fastapi import APIRouter, Response

from rori_spiders.ledger import answers
from rori_spiders.monitor import hostile
from rori_spiders.monitor.answers.failure import FailureDetail  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.asked import AuditId  # noqa: TC001
from rori_spiders.monitor.errors import Refused
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001
from rori_spiders.monitor.reading import failure as reading
from rori_spiders.monitor.served import Serving  # noqa: TC001

router = APIRouter(tags=["failures"])


@router.get("/failures/{audit_id}")
def failure(_: Viewer, served: Serving, audit_id: AuditId) -> FailureDetail:
    """How a URL ended in a run: its headers, its escalation history, what it cost, and whether its answer is kept."""
    with served.ledger.connect() as conn:
        return reading.detail(conn, served.store, reading.row(conn, audit_id))


@router.get("/failures/{audit_id}/response", response_class=Response, responses=hostile.ANSWERS)
def response(_: Viewer, served: Serving, audit_id: AuditId) -> Response:
    """The answer that was kept (of a refusal its first MiB), as a version's `/raw`."""
    with served.ledger.connect() as conn:
        one = reading.row(conn, audit_id)
    state = reading.response_state(served.store, one)
    try:
        if state.state == "kept":
            body = served.store.get_object(one.raw_hash)
            return hostile.shown(body, answers.content_type(one.response_headers), one.url)
    except FileNotFoundError:
        pass
    raise Refused(404, "not_held", state.why or "It is not there any more.", audit_id=audit_id)
