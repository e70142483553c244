"""Publishing, and rolling back: asked for on their own, confirmed by the domain's name; then the loader is started.

The loader takes as long as it takes: ``scrapy corpus load DOMAIN`` is a process of its own, which outlives the monitor,
and what became of it is in the ledger. Where this monitor starts no processes, a person types that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request

from rori_spiders.corpus.publishing.entries import Request as Publishing
from rori_spiders.corpus.publishing.loading import load
from rori_spiders.corpus.reviewing.turn import said
from rori_spiders.corpus.running import publishing
from rori_spiders.corpus.running.beginning import sources_of
from rori_spiders.corpus.running.work import Work
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import actions
from rori_spiders.ledger.corpus import runs, versions
from rori_spiders.ledger.corpus.naming import filed_as
from rori_spiders.monitor.answers.corpus import CorpusVersion  # noqa: TC001  # FastAPI
from rori_spiders.monitor.answers.corpus_acts import CorpusPublishing, CorpusRollback  # noqa: TC001  # FastAPI
from rori_spiders.monitor.api.corpus import DomainName, workers_of
from rori_spiders.monitor.asked import RunId  # noqa: TC001
from rori_spiders.monitor.guards.people import Operator  # noqa: TC001
from rori_spiders.monitor.reading import corpus as reading
from rori_spiders.monitor.reading import corpus_versions
from rori_spiders.monitor.served import Serving  # noqa: TC001

if TYPE_CHECKING:
    from rori_spiders.monitor.served import Served

router = APIRouter(tags=["corpus"])


@router.post("/corpus/runs/{run_id}/publish")
def publish(
    run_id: RunId, given: CorpusPublishing, person: Operator, served: Serving, request: Request
) -> CorpusVersion:
    """Publish an approved run as the next version, or finish that; then its loader is started."""
    with served.ledger.connect() as conn:
        run = reading.find(conn, run_id)
        sources = sources_of(served.catalog(conn), run)
    _confirm(given.domain, run.domain)
    work = Work(run, served.ledger, served.store, sources, served.now)
    row = publishing.publish_run(work, by=person.name, reason=given.reason or None, leaves_out=given.leave_out)
    return _loaded(served, request, run.domain, row.version)


@router.post("/corpus/domains/{domain}/rollback")
def roll_back(
    domain: DomainName, given: CorpusRollback, person: Operator, served: Serving, request: Request
) -> CorpusVersion:
    """Publish the pages of an older version once more, as a new version; then its loader is started."""
    _confirm(given.domain, domain)
    why, now = said(given.reason), served.now()
    with served.ledger.connect() as conn:
        newest = runs.newest(conn, domain)
        if newest is None:
            raise UsageError(f"{domain} has no corpus")
        sources = sources_of(served.catalog(conn), newest)
    asked = Publishing(domain, person.name, rolled_back_to=given.version, reason=why)
    row = publishing.roll_back(served.ledger, served.store, sources, asked, now=now)
    return _loaded(served, request, domain, row.version)


@router.post("/corpus/domains/{domain}/load")
def load_again(domain: DomainName, person: Operator, served: Serving, request: Request) -> CorpusVersion:
    """Start the loader of the latest version: it failed, was never started, or nothing is heard of it."""
    with served.ledger.connect() as conn:
        latest = corpus_versions.latest(conn, served, domain)
    if latest is None:
        raise UsageError(f"{domain} has no published version")
    if not latest.may_load:
        raise UsageError(f"the loader of version {latest.version} is {latest.loader_state or 'not named'}")
    if workers_of(request) is None:
        raise UsageError(f"this monitor starts no processes (RORI_MONITOR_RUNS). Type: scrapy corpus load {domain}")
    with served.ledger.begin() as conn:
        told = {"version": latest.version}
        target = filed_as(domain)
        actions.record(conn, now=served.now(), actor=person.name, action="corpus_load", target=target, details=told)
    return _loaded(served, request, domain, latest.version)


def _confirm(typed: str, domain: str) -> None:
    if typed.strip().lower() != domain:
        raise UsageError(f"this is not the domain's name: type {domain}")


def _loaded(served: Served, request: Request, domain: str, version: int) -> CorpusVersion:
    """The version as it is now. What keeps a loader from being started is logged, and told as ``not started``."""
    workers = workers_of(request)
    if not served.settings.get("RORI_CORPUS_LOADER"):
        load(served.ledger, served.store, None, domain, version, clock=served.now)  # what was open of it is done
    elif workers is not None:
        workers.load(domain)
    with served.ledger.connect() as conn:
        row = versions.find(conn, domain, version)
        assert row is not None
        return corpus_versions.told(conn, served, row)
