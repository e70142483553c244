"""Endpoints of sources: the list, one source, costs, open alerts."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from rori_spiders.ledger.operations.costs import month_start
from rori_spiders.monitor.rest.params import SourceId
from rori_spiders.monitor.rest.schemas import CountedList
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.sources import queries as reading
from rori_spiders.monitor.sources.schemas import (
    Costs,
    SourceDetail,
)
from rori_spiders.monitor.state import dependencies
from rori_spiders.monitor.state.dependencies import AppStateDep
from rori_spiders.monitor.state.overview import (
    Alert,
    SortKey,
    SortOrder,
    SourceFilters,
    Sources,
    filter_sources,
    open_alerts,
    sort_sources,
    source_rows,
)
from rori_spiders.schedule.status import Status

sources_router = APIRouter(tags=["sources"])


class SourceListQuery(BaseModel):
    """Filters and order of the list."""

    model_config = ConfigDict(extra="forbid")

    status: Status | None = None
    agency: str | None = Field(None, max_length=500, description="'' for sources without one.")
    category: str | None = Field(None, max_length=100)
    domain: str | None = Field(None, max_length=300)
    q: str = Field("", max_length=200, description="Text to find in ID, name, URL or agency.")
    sort: SortKey = "id"
    order: SortOrder = "asc"
    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(50, ge=1, le=500)


@sources_router.get("/sources")
def list_sources(_person: Viewer, served: AppStateDep, query: Annotated[SourceListQuery, Query()]) -> Sources:
    """List the active sources with their status, which may be some seconds old."""
    filters = SourceFilters(query.status, query.agency, query.category, query.domain, query.q)
    overview = served.overview.get()
    found, facets = filter_sources(overview, filters)
    rows = sort_sources(overview, found, query.sort, query.order)[query.offset : query.offset + query.limit]
    with served.ledger.connect() as conn:
        items = source_rows(conn, overview, rows)
    return Sources(items=items, total=len(overview.standings), matching=len(found), facets=facets)


# One source: its status with the reasons, its limits, and its costs.

source_router = APIRouter(tags=["sources"])


@source_router.get("/sources/{source_id}")
def get_source(_: Viewer, served: AppStateDep, source_id: SourceId) -> SourceDetail:
    """Return one source of the active manifest in detail."""
    with served.ledger.connect() as conn:
        catalog = served.catalog(conn)
        return reading.source_detail(
            served, conn, catalog, dependencies.require_source(catalog, source_id), served.now()
        )


@source_router.get("/sources/{source_id}/costs")
def get_source_costs(
    _: Viewer,
    served: AppStateDep,
    source_id: SourceId,
    months: Annotated[int, Query(ge=1, le=60, description="Number of months, including this one.")] = 12,
) -> Costs:
    """Return the source's requests and costs by month, tier and provider."""
    since = month_start(served.now())
    for _month in range(months - 1):
        since = month_start(since - timedelta(days=1))
    with served.ledger.connect() as conn:
        dependencies.require_known_source(conn, served, source_id)
        return reading.source_costs(conn, source_id, since)


# GET /api/v1/alerts: those that are open.

alerts_router = APIRouter(tags=["sources"])


@alerts_router.get("/alerts")
def list_alerts(_person: Viewer, served: AppStateDep) -> CountedList[Alert]:
    """List the open alerts, the most severe first."""
    with served.ledger.connect() as conn:
        found = open_alerts(conn)
    return CountedList[Alert](items=found, total=len(found))
