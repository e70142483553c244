"""Endpoints of runs: those of a source, one in detail, and its URLs."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from sqlalchemy import Connection

from rori_spiders.ledger.runs import run_records
from rori_spiders.ledger.runs.run_records import RunRow
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.rest.params import (
    After,
    Limit,
    RunId,
    SearchText,
    SourceId,
)
from rori_spiders.monitor.rest.schemas import CursorList
from rori_spiders.monitor.runs import queries as reading
from rori_spiders.monitor.runs.schemas import (
    Run,
    RunDetail,
    RunUrl,
)
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state import dependencies
from rori_spiders.monitor.state.dependencies import AppStateDep

router = APIRouter(tags=["runs"])
UrlState = Literal["pending", "captured", "unchanged", "excluded", "failed", "gone"]


@router.get("/sources/{source_id}/runs")
def list_source_runs(
    _: Viewer, served: AppStateDep, source_id: SourceId, after: After = None, limit: Limit = 50
) -> CursorList[Run]:
    """List the runs of a source, newest first; also of a source that is no longer in a manifest."""
    with served.ledger.connect() as conn:
        dependencies.require_known_source(conn, served, source_id)
        return reading.list_runs(conn, source_id, after, limit)


@router.get("/runs/{run_id}")
def get_run(_: Viewer, served: AppStateDep, run_id: RunId) -> RunDetail:
    """Return one run in detail: its results, and which pages were not collected and why."""
    with served.ledger.connect() as conn:
        return reading.run_detail(conn, _require_run(conn, run_id))


@router.get("/runs/{run_id}/urls")
def list_run_urls(
    _: Viewer,
    served: AppStateDep,
    run_id: RunId,
    state: Annotated[list[UrlState] | None, Query(description="Pages in one of these states.")] = None,
    kind: Literal["page", "sitemap", "api"] | None = None,
    q: SearchText = "",
    after: After = None,
    limit: Limit = 50,
) -> CursorList[RunUrl]:
    """List the URLs that the run discovered, with their final state and reason."""
    with served.ledger.connect() as conn:
        found, states = _require_run(conn, run_id), tuple(state or ())
        return reading.list_urls(conn, found, states=states, kind=kind, words=q, after=after, limit=limit)


def _require_run(conn: Connection, run_id: str) -> RunRow:
    try:
        return run_records.get_run(conn, run_id)
    except KeyError:
        raise ApiError(404, "unknown_run", f"Run {run_id!r} not found.") from None
