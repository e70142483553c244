"""/api/jobs: run sources now, see the queue, cancel a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request

from rori_spiders.fleet import acts
from rori_spiders.fleet.now import queue_now
from rori_spiders.fleet.outlook import read_outlook
from rori_spiders.ledger import jobs
from rori_spiders.monitor.answers.control import Job, JobMade, JobOrder, Jobs, JobsMade, NotQueued
from rori_spiders.monitor.api import known
from rori_spiders.monitor.asked import Limit  # noqa: TC001
from rori_spiders.monitor.errors import Refused
from rori_spiders.monitor.guards.people import Operator, Viewer  # noqa: TC001  # FastAPI reads annotations
from rori_spiders.monitor.served import Serving  # noqa: TC001

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.manifest.models import Source
    from rori_spiders.monitor.served import Served

router = APIRouter(tags=["jobs"])


@router.get("/jobs")
def listed(_: Viewer, served: Serving, limit: Limit = 50) -> Jobs:
    """What runs, what waits in its order, and the last `limit` that ended."""
    with served.ledger.connect() as conn:
        return Jobs(items=[Job.model_validate(one) for one in jobs.listed(conn, ended=limit)])


@router.post("/jobs")
def run(order: JobOrder, person: Operator, served: Serving, request: Request) -> JobsMade:
    """Collect sources now, whatever their intervals; `all_due` takes what is due, and keeps to the hours of sites."""
    with served.ledger.begin() as conn:
        chosen, refused = _chosen(conn, served, order)
        made, why = queue_now(conn, served.catalog(conn), chosen, actor=person.name, now=served.now())
    if (runner := request.app.state.runner) is not None:
        runner.wake()
    return JobsMade(
        jobs=[JobMade(job_id=one.job_id, sources=[source.id for source in one.planned.sources]) for one in made],
        refused=[NotQueued(source_id=one, why=said) for one, said in {**refused, **why}.items()],
    )


@router.post("/jobs/{job_id}/cancel")
def cancel(job_id: str, person: Operator, served: Serving) -> Job:
    """Take a job out of the queue; one that runs stops within 15 seconds, and what remains is kept."""
    with served.ledger.begin() as conn:
        before = acts.cancel(conn, job_id, actor=person.name, now=served.now())
        after = jobs.find(conn, job_id)
    if before is None or after is None:
        raise Refused(404, "unknown_job", "The queue has no such job.")
    if before.state not in jobs.OPEN_STATES:
        raise Refused(409, "refused", f"The job is over: {before.state}. Nothing was changed.", state=before.state)
    return Job.model_validate(after)


def _chosen(conn: Connection, served: Served, order: JobOrder) -> tuple[list[Source], dict[str, str]]:
    catalog = served.catalog(conn)
    if order.sources is not None:
        return known.sources(catalog, order.sources), {}
    if order.category is not None:
        return [source for source in catalog.sources if source.effective_category == order.category], {}
    due = read_outlook(conn).due(catalog, served.now())
    held = {one.source.id: f"Held until {one.held_until:%Y-%m-%d %H:%M} UTC." for one in due if one.held_until}
    return [one.source for one in due if not one.held_until], held
