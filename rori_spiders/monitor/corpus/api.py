"""Corpora: domains, runs and what they wait for, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Request

from rori_spiders.corpus.chunks.references import Resolution  # noqa: TC001  # FastAPI reads annotations
from rori_spiders.corpus.loader.references import find_references
from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.corpus import run_pages
from rori_spiders.monitor.corpus import queries as reading
from rori_spiders.monitor.corpus.schemas import (
    CorpusDomains,  # FastAPI reads annotations
    CorpusHistory,  # FastAPI reads annotations
    CorpusReference,
    CorpusReferences,
    CorpusRunDetail,  # FastAPI reads annotations
)
from rori_spiders.monitor.rest.params import Limit, Offset, RunId  # noqa: TC001
from rori_spiders.monitor.security.permissions import Viewer  # noqa: TC001
from rori_spiders.monitor.state.dependencies import AppStateDep  # noqa: TC001

if TYPE_CHECKING:
    from rori_spiders.monitor.corpus.workers import CorpusWorkers
    from rori_spiders.monitor.state.dependencies import AppState

router = APIRouter(tags=["corpus"])
DomainName = Annotated[str, Path(max_length=253, pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")]


@router.get("/corpus")
def list_domains(_: Viewer, served: AppStateDep) -> CorpusDomains:
    """List domains with a corpus, with their open run and published version; and domains that could have one."""
    with served.ledger.connect() as conn:
        return reading.list_domains(conn, served)


@router.get("/corpus/runs/{run_id}")
def get_run(_: Viewer, served: AppStateDep, request: Request, run_id: RunId) -> CorpusRunDetail:
    """Return a run: its state, pages by section, open questions before approval, and its worker."""
    return run_detail(served, request, run_id)


@router.get("/corpus/domains/{domain}")
def get_domain(_: Viewer, served: AppStateDep, domain: DomainName) -> CorpusHistory:
    """Return the runs and published versions of a domain."""
    with served.ledger.connect() as conn:
        return reading.domain_history(conn, served, domain)


@router.get("/corpus/domains/{domain}/references")
def list_references(
    _: Viewer,
    served: AppStateDep,
    domain: DomainName,
    to: Annotated[
        str | None, Query(max_length=2000, description="A URL, doc_id or chunk, or a citation with what is below it.")
    ] = None,
    from_page: Annotated[
        str | None, Query(alias="from", max_length=2000, description="A URL, doc_id or chunk that refers.")
    ] = None,
    resolution: Resolution | None = None,
    offset: Offset = 0,
    limit: Limit = 50,
) -> CorpusReferences:
    """List who refers to whom in the latest published version; nobody, where no version has references yet."""
    wanted = {"to": to, "from_page": from_page, "resolution": resolution}
    try:
        found = find_references(served.store, domain, **wanted)
    except ActionRefused:
        return CorpusReferences(items=[], total=0, version=None)
    rows = found.rows[offset : offset + limit]
    page_ids = {row["from_page_id"] for row in rows if row["from_page_id"]}
    with served.ledger.connect() as conn:
        runs = run_pages.newest_runs_of_pages(conn, domain, page_ids)
    items = [
        CorpusReference.model_validate(row | {"from_run_id": runs.get(row["from_page_id"])}, extra="ignore")
        for row in rows
    ]
    return CorpusReferences(items=items, total=len(found.rows), version=found.version)


def run_detail(served: AppState, request: Request, run_id: str) -> CorpusRunDetail:
    """Return the current state of the run."""
    workers = workers_of(request)
    with served.ledger.connect() as conn:
        found = reading.get_run(conn, run_id)
        process = workers.process(found.domain) if workers is not None and found.is_open else None
        return reading.run_detail(conn, found, served.now(), process, starts=workers is not None)


def workers_of(request: Request) -> CorpusWorkers | None:
    """Return what starts the worker processes of runs; None: this monitor starts none."""
    workers: CorpusWorkers | None = request.app.state.corpus_workers
    return workers
