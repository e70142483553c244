"""Corpora: domains, runs and what they wait for, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Request

from rori_spiders.monitor.answers.corpus import (  # noqa: TC001  # FastAPI reads annotations
    CorpusDomains,
    CorpusHistory,
    CorpusRunDetail,
)
from rori_spiders.monitor.asked import RunId  # noqa: TC001
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001
from rori_spiders.monitor.reading import corpus as reading
from rori_spiders.monitor.served import Serving  # noqa: TC001

if TYPE_CHECKING:
    from rori_spiders.monitor.corpus_working import CorpusWorkers
    from rori_spiders.monitor.served import Served

router = APIRouter(tags=["corpus"])
DomainName = Annotated[str, Path(max_length=253, pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")]


@router.get("/corpus")
def domains(_: Viewer, served: Serving) -> CorpusDomains:
    """Domains that have a corpus, with the run that goes on and what is published; and domains that could have one."""
    with served.ledger.connect() as conn:
        return reading.domains(conn, served)


@router.get("/corpus/runs/{run_id}")
def run(_: Viewer, served: Serving, request: Request, run_id: RunId) -> CorpusRunDetail:
    """A run: its state, its pages by section, what stands between it and its approval, and who works on it."""
    return told(served, request, run_id)


@router.get("/corpus/domains/{domain}")
def domain(_: Viewer, served: Serving, domain: DomainName) -> CorpusHistory:
    """The runs of a domain, and what was published of it."""
    with served.ledger.connect() as conn:
        return reading.history(conn, served, domain)


def told(served: Served, request: Request, run_id: str) -> CorpusRunDetail:
    """The run as it is now."""
    workers = workers_of(request)
    with served.ledger.connect() as conn:
        found = reading.find(conn, run_id)
        process = workers.process(found.domain) if workers is not None and found.is_open else None
        return reading.detail(conn, found, served.now(), process, starts=workers is not None)


def workers_of(request: Request) -> CorpusWorkers | None:
    """Who starts the processes that work on runs; None: nobody does from here."""
    workers: CorpusWorkers | None = request.app.state.corpus_workers
    return workers
