"""Runs: of a source, one with what it came to, and its URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query

from rori_spiders.ledger import runs
from rori_spiders.monitor.answers.base import Followed  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.answers.runs import Run, RunDetail, RunUrl  # noqa: TC001
from rori_spiders.monitor.api import known
from rori_spiders.monitor.asked import After, Limit, RunId, SourceId, Words  # noqa: TC001
from rori_spiders.monitor.errors import Refused
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001
from rori_spiders.monitor.reading import runs as reading
from rori_spiders.monitor.served import Serving  # noqa: TC001

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.runs import RunRow

router = APIRouter(tags=["runs"])
UrlState = Literal["pending", "captured", "unchanged", "excluded", "failed", "gone"]


@router.get("/sources/{source_id}/runs")
def runs_of_source(
    _: Viewer, served: Serving, source_id: SourceId, after: After = None, limit: Limit = 50
) -> Followed[Run]:
    """The runs of a source, newest first; also of one that no manifest has any more."""
    with served.ledger.connect() as conn:
        known.ever(conn, served, source_id)
        return reading.of_source(conn, source_id, after, limit)


@router.get("/runs/{run_id}")
def run(_: Viewer, served: Serving, run_id: RunId) -> RunDetail:
    """All about one run: what it came to, what it did not collect, and why."""
    with served.ledger.connect() as conn:
        return reading.detail(conn, _run(conn, run_id))


@router.get("/runs/{run_id}/urls")
def urls_of_run(
    _: Viewer,
    served: Serving,
    run_id: RunId,
    state: Annotated[list[UrlState] | None, Query(description="Those in one of these states.")] = None,
    kind: Literal["page", "sitemap", "api"] | None = None,
    q: Words = "",
    after: After = None,
    limit: Limit = 50,
) -> Followed[RunUrl]:
    """The URLs that the run discovered, each with its final state and the reason."""
    with served.ledger.connect() as conn:
        found, states = _run(conn, run_id), tuple(state or ())
        return reading.urls(conn, found, states=states, kind=kind, words=q, after=after, limit=limit)


def _run(conn: Connection, run_id: str) -> RunRow:
    try:
        return runs.run(conn, run_id)
    except KeyError:
        raise Refused(404, "unknown_run", f"There is no run {run_id!r}.") from None
