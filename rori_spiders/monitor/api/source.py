"""One source: how it stands and why, what it may not be asked, and what it costs."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from rori_spiders.ledger.costs import month_of
from rori_spiders.monitor.answers.costs import Costs  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.answers.source import SourceDetail  # noqa: TC001
from rori_spiders.monitor.api import known
from rori_spiders.monitor.asked import SourceId  # noqa: TC001
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001
from rori_spiders.monitor.reading import source as reading
from rori_spiders.monitor.served import Serving  # noqa: TC001

router = APIRouter(tags=["sources"])


@router.get("/sources/{source_id}")
def source(_: Viewer, served: Serving, source_id: SourceId) -> SourceDetail:
    """What a person asks first about a source of the manifest in force."""
    with served.ledger.connect() as conn:
        catalog = served.catalog(conn)
        return reading.detail(served, conn, catalog, known.source(catalog, source_id), served.now())


@router.get("/sources/{source_id}/costs")
def costs_of_source(
    _: Viewer,
    served: Serving,
    source_id: SourceId,
    months: Annotated[int, Query(ge=1, le=60, description="The last so many, this one among them.")] = 12,
) -> Costs:
    """What the source's requests came to, by month, tier and provider."""
    since = month_of(served.now())
    for _month in range(months - 1):
        since = month_of(since - timedelta(days=1))
    with served.ledger.connect() as conn:
        known.ever(conn, served, source_id)
        return reading.costs(conn, source_id, since)
