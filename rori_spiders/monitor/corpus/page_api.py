"""Pages of a corpus run: the list, one page, its texts, and the changes by cleaning."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from rori_spiders.ledger.corpus.run_pages import PageFilter
from rori_spiders.monitor.corpus import page_queries as reading
from rori_spiders.monitor.corpus import queries as runs
from rori_spiders.monitor.corpus.schemas import (
    CorpusDifference,
    CorpusPage,
    CorpusPages,
    TextOf,
)
from rori_spiders.monitor.rest.params import (
    Limit,
    Offset,
    RunId,
    SearchText,
)
from rori_spiders.monitor.security import untrusted_content
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state.dependencies import AppStateDep

router = APIRouter(tags=["corpus"])
CorpusPageId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="ID of a URL, the same in every run.")]
_Section = Annotated[str | None, Query(max_length=2000, pattern=r"^[^\x00]*$")]


@router.get("/corpus/runs/{run_id}/pages")
def list_pages(
    _: Viewer,
    served: AppStateDep,
    run_id: RunId,
    section: _Section = None,
    decision: Literal["include", "exclude", "needs_review", "undecided"] | None = None,
    got: Literal["staged", "fetched", "failed", "gone"] | None = None,
    gate: Literal["publishable", "needs_review", "excluded"] | None = None,
    review: Literal["approved", "rejected", "waiting"] | None = None,
    added: Annotated[bool, Query(description="Only pages that a person added.")] = False,
    q: SearchText = "",
    offset: Offset = 0,
    limit: Limit = 50,
) -> CorpusPages:
    """List pages with their decisions and reasons, by section. `gate` and `review` list included pages only."""
    if (gate or review or got) and decision is None:
        decision = "include"
    page_filter = PageFilter(
        section=section,
        decision="" if decision == "undecided" else decision,
        got=got,
        gate=gate,
        review=None if review == "waiting" else review,
        waiting=review == "waiting",
        found_by="person" if added else None,
        words=q,
    )
    with served.ledger.connect() as conn:
        runs.get_run(conn, run_id)
        return reading.list_pages(conn, run_id, page_filter, offset=offset, limit=limit)


@router.get("/corpus/runs/{run_id}/pages/{page_id}")
def get_page(_: Viewer, served: AppStateDep, run_id: RunId, page_id: CorpusPageId) -> CorpusPage:
    """Return one page: decision, texts, removals, rejected edits, audit findings, manual decisions."""
    with served.ledger.connect() as conn:
        run = runs.get_run(conn, run_id)
        return reading.page_detail(conn, served.store, run, reading.get_page(conn, run_id, page_id))


@router.get(
    "/corpus/runs/{run_id}/pages/{page_id}/texts/{which}",
    response_class=Response,
    responses=untrusted_content.BINARY_RESPONSES,
)
def get_text(_: Viewer, served: AppStateDep, run_id: RunId, page_id: CorpusPageId, which: TextOf) -> Response:
    """Return a text of a page: as converted, after the rules, after the model, or as it would be published."""
    with served.ledger.connect() as conn:
        row = reading.get_page(conn, run_id, page_id)
    return untrusted_content.text_response(
        reading.read_text(served.store, row, which).encode("utf-8", "replace"), "text/markdown"
    )


@router.get("/corpus/runs/{run_id}/pages/{page_id}/difference")
def get_difference(
    _: Viewer,
    served: AppStateDep,
    run_id: RunId,
    page_id: CorpusPageId,
    older: Annotated[Literal["raw", "draft"], Query(alias="from")] = "raw",
    newer: Annotated[Literal["draft", "clean"], Query(alias="to")] = "clean",
) -> CorpusDifference:
    """Return the changes by cleaning: sections, words, table cells, moves; figures, dates and negations marked."""
    with served.ledger.connect() as conn:
        row = reading.get_page(conn, run_id, page_id)
    return reading.read_difference(served.store, row, older, newer)
