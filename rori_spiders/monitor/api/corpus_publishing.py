"""Publishing, and rolling back: asked for on their own, confirmed by the domain's name; then the loader is started."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter

from rori_spiders.corpus.publishing.entries import Request
from rori_spiders.corpus.publishing.knowing import with_rights
from rori_spiders.corpus.publishing.loading import Loader, load
from rori_spiders.corpus.publishing.publishing import rollback
from rori_spiders.corpus.reviewing.turn import TARGET, said
from rori_spiders.corpus.running.beginning import sources_of
from rori_spiders.corpus.running.publishing import publish_run
from rori_spiders.corpus.running.work import Work
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import actions
from rori_spiders.ledger.corpus import runs
from rori_spiders.monitor.answers.corpus import CorpusVersion
from rori_spiders.monitor.answers.corpus_acts import CorpusPublishing, CorpusRollback  # noqa: TC001  # FastAPI
from rori_spiders.monitor.api.corpus import DomainName  # noqa: TC001
from rori_spiders.monitor.asked import RunId  # noqa: TC001
from rori_spiders.monitor.guards.people import Operator  # noqa: TC001
from rori_spiders.monitor.reading import corpus as reading
from rori_spiders.monitor.served import Serving  # noqa: TC001

if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Row

    from rori_spiders.monitor.served import Served

router = APIRouter(tags=["corpus"])


@router.post("/corpus/runs/{run_id}/publish")
def publish(run_id: RunId, given: CorpusPublishing, person: Operator, served: Serving) -> CorpusVersion:
    """Publish an approved run as the next version, or finish that; then its loader is started."""
    with served.ledger.connect() as conn:
        run = reading.find(conn, run_id)
        sources = sources_of(served.catalog(conn), run)
    _confirm(given.domain, run.domain)
    work = Work(run, served.ledger, served.store, sources, served.now)
    row = publish_run(work, by=person.name, reason=given.reason or None, leaves_out=given.leave_out)
    return _loaded(served, run.domain, row)


@router.post("/corpus/domains/{domain}/rollback")
def roll_back(domain: DomainName, given: CorpusRollback, person: Operator, served: Serving) -> CorpusVersion:
    """Publish the pages of an older version once more, as a new version; then its loader is started."""
    _confirm(given.domain, domain)
    why, now = said(given.reason), served.now()
    with served.ledger.begin() as conn:
        newest = runs.newest(conn, domain)
        if newest is None:
            raise UsageError(f"{domain} has no corpus")
        sources = sources_of(served.catalog(conn), newest)
        told = {"action": "corpus_roll_back", "target": TARGET.format(domain=domain), "reason": why}
        actions.record(conn, now=now, actor=person.name, details={"to": given.version}, **told)
    request = Request(domain, person.name, rolled_back_to=given.version, reason=why)
    judged = partial(with_rights, served.ledger, served.store, sources, now=now)
    return _loaded(served, domain, rollback(served.ledger, served.store, request, now=now, judged=judged))


def _confirm(typed: str, domain: str) -> None:
    if typed.strip().lower() != domain:
        raise UsageError(f"this is not the domain's name: type {domain}")


def _loaded(served: Served, domain: str, row: Row[Any]) -> CorpusVersion:
    """The loader takes as long as it takes: it is waited for beside the requests, and its end is in the ledger."""
    if (loader := Loader.from_settings(served.settings)) is not None:
        does = partial(load, served.ledger, served.store, loader, domain, row.version, clock=served.now)
        threading.Thread(target=does, name=f"loader of {domain}", daemon=True).start()
    return CorpusVersion.model_validate(row)
