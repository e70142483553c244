"""How the fleet stands, as `scrapy doctor --fleet` has it: GET /api/v1/fleet."""

from collections.abc import Iterator
from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from rori_spiders.monitor.rest.schemas import ApiModel
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state.dependencies import (
    AppState,
    AppStateDep,
)
from rori_spiders.operations.doctor.checks import CheckResult, Severity, redact_results
from rori_spiders.operations.doctor.fleet_checks import describe_replica, read_fleet


class FleetCheck(ApiModel):
    """What one check found over all nodes."""

    check: str = Field(description="`node NAME`, `backlog`, `freshness`, ...")
    result: Severity
    found: str
    do: str = Field(description="What to do about a warning; may be empty.")


class FleetStatus(ApiModel):
    """Nodes, leases, backlog, objectives of service, dead letters, slowest groups, budgets, the replica."""

    at: datetime
    checks: list[FleetCheck]


router = APIRouter(prefix="/fleet", tags=["activity"])


@router.get("")
def get_fleet(_person: Viewer, served: AppStateDep) -> FleetStatus:
    """Return what `scrapy doctor --fleet` finds; nodes are missed only where jobs wait for them."""
    found = redact_results(_read_checks(served))
    return FleetStatus(at=served.now(), checks=[FleetCheck.model_validate(one) for one in found])


def _read_checks(served: AppState) -> Iterator[CheckResult]:
    with served.ledger.connect() as conn:
        has_nodes = not served.runs_here
        yield from read_fleet(conn, served.catalog(conn), served.settings, served.now(), has_nodes=has_nodes)
    if served.places.replica_url:
        yield describe_replica(served.ledger.replica_age)
