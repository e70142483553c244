"""POST /hooks/corpus: a signed message that pages of a corpus have changed starts a draft."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rori_spiders.corpus.run_states import WORK
from rori_spiders.corpus.runs.delta_drafts import open_draft
from rori_spiders.ledger.corpus import run_states
from rori_spiders.ledger.operations.activity_log import HOOK
from rori_spiders.monitor.corpus.api import workers_of
from rori_spiders.monitor.rest.errors import ApiError, invalid_input
from rori_spiders.monitor.rest.schemas import ApiModel
from rori_spiders.monitor.security.webhook_signature import CORPUS_HOOK_PATH, SignedBody
from rori_spiders.monitor.state.dependencies import AppStateDep

#: Not used by the page: described in docs/explanation/corpus.md, not in the OpenAPI document.
router = APIRouter(include_in_schema=False)
NOTHING_TO_DO = "no changes, or a run is already in progress"


class _HookModel(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _ChangedCorpus(_HookModel):
    domain: str = Field(max_length=253, pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")


class CorpusChanged(_HookModel):
    """The message of the webhook."""

    type: Literal["corpus.changed"]
    data: _ChangedCorpus


class Draft(ApiModel):
    """The result. ``run_id``: the draft that was started or updated; None: no changes, or another run is open."""

    domain: str
    run_id: str | None
    says: str


@router.post(CORPUS_HOOK_PATH)
def corpus_changed(body: SignedBody, served: AppStateDep, request: Request) -> Draft:
    """Compare the stored pages of a corpus with its latest version, and start a draft of the changes."""
    try:
        domain = CorpusChanged.model_validate_json(body).data.domain
    except ValidationError as error:
        problems = [(".".join(map(str, one["loc"])), str(one["msg"])) for one in error.errors(include_url=False)]
        raise invalid_input(problems) from None
    with served.ledger.connect() as conn:
        if run_states.newest_run(conn, domain, state="published") is None:
            raise ApiError(404, "unknown_path", f"{domain} has no published corpus.")
        catalog = served.catalog(conn)
    run = open_draft(served.ledger, served.store, catalog, domain, by=HOOK, now=served.now())
    if run is None:
        return Draft(domain=domain, run_id=None, says=NOTHING_TO_DO)
    workers = workers_of(request)
    if workers is not None and run.state in WORK:
        workers.order(domain)
    return Draft(domain=domain, run_id=run.run_id, says=run.says or "updating changed pages")
