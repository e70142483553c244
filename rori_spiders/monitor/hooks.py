"""POST /hooks/corpus: another program says that pages of a corpus have changed, and a draft of them is begun.

``{"type": "corpus.changed", "data": {"domain": "www.hud.gov"}}``, signed (``guards/signed.py``). The same message twice
begins nothing twice: a corpus has one draft at a time.
"""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rori_spiders.corpus.running.freshness import open_draft
from rori_spiders.corpus.states import WORK
from rori_spiders.ledger.actions import HOOK
from rori_spiders.ledger.corpus import runs
from rori_spiders.monitor.answers.base import Answer
from rori_spiders.monitor.api.corpus import workers_of
from rori_spiders.monitor.errors import Refused, invalid
from rori_spiders.monitor.guards.signed import CORPUS, Signed
from rori_spiders.monitor.served import Serving  # noqa: TC001  # FastAPI reads annotations

#: The page does not ask it: it is in docs/corpus.md, not in the API's document.
router = APIRouter(include_in_schema=False)
NOTHING = "nothing has changed, or a run of it is under way"


class _Asked(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _About(_Asked):
    domain: str = Field(max_length=253, pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")


class CorpusChanged(_Asked):
    """What is sent."""

    type: Literal["corpus.changed"]
    data: _About


class Draft(Answer):
    """What came of it. ``run_id``: the draft that was begun, or taken up; None: there is nothing to do, or not now."""

    domain: str
    run_id: str | None
    says: str


@router.post(CORPUS)
def corpus_changed(body: Signed, served: Serving, request: Request) -> Draft:
    """Compare what is held of a corpus with its latest version; what differs becomes a draft, as by a collection."""
    try:
        domain = CorpusChanged.model_validate_json(body).data.domain
    except ValidationError as error:
        problems = [(".".join(map(str, one["loc"])), str(one["msg"])) for one in error.errors(include_url=False)]
        raise invalid(problems) from None
    with served.ledger.connect() as conn:
        if runs.newest(conn, domain, state="published") is None:
            raise Refused(404, "unknown_path", f"{domain} has no published corpus.")
        catalog = served.catalog(conn)
    run = open_draft(served.ledger, served.store, catalog, domain, by=HOOK, now=served.now())
    if run is None:
        return Draft(domain=domain, run_id=None, says=NOTHING)
    workers = workers_of(request)
    if workers is not None and run.state in WORK:
        workers.order(domain)
    return Draft(domain=domain, run_id=run.run_id, says=run.says or "pages that changed are taken anew")
