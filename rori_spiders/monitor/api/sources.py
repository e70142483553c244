"""GET /api/sources: how the sources stand."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from rori_spiders.monitor.answers.dashboard import Sources
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.reading.choosing import Filters, Key, Order, chosen, in_order
from rori_spiders.monitor.reading.overview import rows
from rori_spiders.monitor.served import Serving  # noqa: TC001
from rori_spiders.standing import Status  # noqa: TC001

router = APIRouter(tags=["dashboard"])


class Asked(BaseModel):
    """What the list is asked for."""

    model_config = ConfigDict(extra="forbid")

    status: Status | None = None
    agency: str | None = Field(None, max_length=500, description="'' for those without one.")
    category: str | None = Field(None, max_length=100)
    domain: str | None = Field(None, max_length=300)
    q: str = Field("", max_length=200, description="A word of id, name, URL or agency.")
    sort: Key = "id"
    order: Order = "asc"
    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(50, ge=1, le=500)


@router.get("/sources")
def sources(_person: Viewer, served: Serving, asked: Annotated[Asked, Query()]) -> Sources:
    """The sources in force and how they stand, or stood a moment ago."""
    filters = Filters(asked.status, asked.agency, asked.category, asked.domain, asked.q)
    whole = served.overview.get()
    found, facets = chosen(whole, filters)
    shown = in_order(whole, found, asked.sort, asked.order)[asked.offset : asked.offset + asked.limit]
    with served.ledger.connect() as conn:
        items = rows(conn, whole, shown)
    return Sources(items=items, total=len(whole.standings), matching=len(found), facets=facets)
