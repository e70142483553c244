"""GET /api/alerts: those that are open."""

from __future__ import annotations

from fastapi import APIRouter

from rori_spiders.monitor.answers.base import Listed
from rori_spiders.monitor.answers.dashboard import Alert
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.reading.alerting import open_alerts
from rori_spiders.monitor.served import Serving  # noqa: TC001

router = APIRouter(tags=["dashboard"])


@router.get("/alerts")
def alerts(_person: Viewer, served: Serving) -> Listed[Alert]:
    """The open alerts, the worst first."""
    with served.ledger.connect() as conn:
        found = open_alerts(conn)
    return Listed[Alert](items=found, total=len(found))
