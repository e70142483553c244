"""Publish and roll back: confirmed with the domain's name; then the loader starts.

The loader takes as long as it takes: ``scrapy corpus load DOMAIN`` is a process of its own, which outlives the monitor,
and what became of it is in the ledger. Where this monitor starts no processes, a person types that.
"""

from fastapi import APIRouter, Request

from rori_spiders.corpus.publishing.loader_runner import start_loader
from rori_spiders.corpus.publishing.version_plan import PublishRequest as Publishing
from rori_spiders.corpus.runs import publication
from rori_spiders.corpus.runs.review import require_reason
from rori_spiders.corpus.runs.run import RunContext, sources_of
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.ledger.corpus import published_versions
from rori_spiders.ledger.corpus.page_ids import action_target
from rori_spiders.ledger.operations import activity_log
from rori_spiders.monitor.corpus import queries
from rori_spiders.monitor.corpus.api import DomainName, workers_of
from rori_spiders.monitor.corpus.schemas import (
    CorpusPublishing,  # FastAPI
    CorpusRollback,  # FastAPI
    CorpusVersion,  # FastAPI
)
from rori_spiders.monitor.rest.params import RunId
from rori_spiders.monitor.security.permissions import Operator
from rori_spiders.monitor.state.dependencies import (
    AppState,
    AppStateDep,
)

router = APIRouter(tags=["corpus"])


@router.post("/corpus/runs/{run_id}/publish")
def publish_run(
    run_id: RunId, order: CorpusPublishing, person: Operator, served: AppStateDep, request: Request
) -> CorpusVersion:
    """Publish an approved run as the next version, or complete an interrupted publication; then start its loader."""
    with served.ledger.connect() as conn:
        run = queries.get_run(conn, run_id)
        sources = sources_of(served.catalog(conn), run)
    _confirm_domain(order.domain, run.domain)
    work = RunContext(run, served.ledger, served.store, sources, served.now)
    row = publication.publish_run(work, by=person.name, reason=order.reason or None, leaves_out=order.leave_out)
    return _start_loader(served, request, run.domain, row.version)


@router.post("/corpus/domains/{domain}/rollback")
def roll_back(
    domain: DomainName, order: CorpusRollback, person: Operator, served: AppStateDep, request: Request
) -> CorpusVersion:
    """Publish the pages of an older version as a new version; then start its loader."""
    _confirm_domain(order.domain, domain)
    why, now = require_reason(order.reason), served.now()
    with served.ledger.connect() as conn:
        sources = {one.id: one for one in served.catalog(conn).sources}
    request_to_publish = Publishing(domain, person.name, rolled_back_to=order.version, reason=why)
    row = publication.roll_back(served.ledger, served.store, sources, request_to_publish, now=now)
    return _start_loader(served, request, domain, row.version)


@router.post("/corpus/domains/{domain}/load")
def restart_loader(domain: DomainName, person: Operator, served: AppStateDep, request: Request) -> CorpusVersion:
    """Start the loader of the latest version again: it failed, was never started, or does not report."""
    with served.ledger.connect() as conn:
        latest = queries.latest_version(conn, served, domain)
    if latest is None:
        raise ActionRefused(f"{domain} has no published version")
    if not latest.may_load:
        raise UsageError(f"the loader of version {latest.version} is {latest.loader_state or 'not configured'}")
    if workers_of(request) is None:
        raise UsageError(
            f"this monitor does not start processes (RORI_MONITOR_EXECUTOR). Run: scrapy corpus load {domain}"
        )
    with served.ledger.begin() as conn:
        details = {"version": latest.version}
        target = action_target(domain)
        activity_log.record_action(
            conn, now=served.now(), actor=person.name, action="corpus_load", target=target, details=details
        )
    return _start_loader(served, request, domain, latest.version)


def _confirm_domain(typed: str, domain: str) -> None:
    if typed.strip().lower() != domain:
        raise UsageError(f"The name does not match. Type {domain} to confirm.")


def _start_loader(served: AppState, request: Request, domain: str, version: int) -> CorpusVersion:
    """Start the loader and return the version. A failure to start is logged and reported as ``not started``."""
    workers = workers_of(request)
    if not served.settings.get("RORI_CORPUS_LOADER"):
        start_loader(
            served.ledger, served.store, None, domain, version, clock=served.now
        )  # what was open of it is done
    elif workers is not None:
        workers.load(domain)
    with served.ledger.connect() as conn:
        row = published_versions.find_version(conn, domain, version)
        assert row is not None
        return queries.version_detail(conn, served, row)
