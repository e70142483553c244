"""The endpoint of evidence."""

from __future__ import annotations

from fastapi import APIRouter

from rori_spiders.evidence.delivery.destinations import SETTING
from rori_spiders.monitor.control.evidence.queries import read_evidence_status
from rori_spiders.monitor.control.evidence.schemas import EvidenceStatus  # noqa: TC001  # FastAPI reads annotations
from rori_spiders.monitor.security.permissions import Viewer  # noqa: TC001
from rori_spiders.monitor.state.dependencies import AppStateDep  # noqa: TC001

router = APIRouter(tags=["evidence"])


@router.get("/evidence")
def get_evidence_status(_: Viewer, served: AppStateDep) -> EvidenceStatus:
    """Return the newest signed head, where it was sent and whether it arrived, and what was verified last."""
    with served.ledger.connect() as conn:
        return read_evidence_status(conn, str(served.settings.get(SETTING) or ""))
