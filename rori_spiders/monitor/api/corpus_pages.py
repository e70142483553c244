"""Pages of a run of the corpus: the list, one page, its texts, and what cleaning has made of it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from rori_spiders.ledger.corpus.page_lists import Asked
from rori_spiders.monitor import hostile
from rori_spiders.monitor.answers.corpus_pages import (  # noqa: TC001  # FastAPI reads annotations
    CorpusDifference,
    CorpusPage,
    CorpusPages,
    TextOf,
)
from rori_spiders.monitor.asked import Limit, Offset, RunId, Words  # noqa: TC001
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001
from rori_spiders.monitor.reading import corpus as runs
from rori_spiders.monitor.reading import corpus_pages as reading
from rori_spiders.monitor.served import Serving  # noqa: TC001

router = APIRouter(tags=["corpus"])
CorpusPageId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="Id of a URL, the same in every run.")]
_Section = Annotated[str | None, Query(max_length=2000, pattern=r"^[^\x00]*$")]


@router.get("/corpus/runs/{run_id}/pages")
def listed(
    _: Viewer,
    served: Serving,
    run_id: RunId,
    section: _Section = None,
    decision: Literal["include", "exclude", "needs_review", "undecided"] | None = None,
    got: Literal["staged", "fetched", "failed", "gone"] | None = None,
    gate: Literal["publishable", "needs_review", "excluded"] | None = None,
    review: Literal["approved", "rejected", "waiting"] | None = None,
    added: Annotated[bool, Query(description="Only those that a person has added.")] = False,
    q: Words = "",
    offset: Offset = 0,
    limit: Limit = 50,
) -> CorpusPages:
    """Pages with the decision about each and why, section by section. With `gate` and `review`, included ones only."""
    if (gate or review or got) and decision is None:
        decision = "include"
    asked = Asked(
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
        runs.find(conn, run_id)
        return reading.listed(conn, run_id, asked, offset=offset, limit=limit)


@router.get("/corpus/runs/{run_id}/pages/{page_id}")
def page(_: Viewer, served: Serving, run_id: RunId, page_id: CorpusPageId) -> CorpusPage:
    """One page: decision, texts, what was taken out, what was refused, what the audit found, what people said."""
    with served.ledger.connect() as conn:
        run = runs.find(conn, run_id)
        return reading.detail(conn, served.store, run, reading.find(conn, run_id, page_id))


@router.get("/corpus/runs/{run_id}/pages/{page_id}/texts/{which}", response_class=Response, responses=hostile.ANSWERS)
def text(_: Viewer, served: Serving, run_id: RunId, page_id: CorpusPageId, which: TextOf) -> Response:
    """A text of a page: as converted, after the rules, after the model, as it would be published."""
    with served.ledger.connect() as conn:
        row = reading.find(conn, run_id, page_id)
    return hostile.text(reading.text(served.store, row, which).encode("utf-8", "replace"), "text/markdown")


@router.get("/corpus/runs/{run_id}/pages/{page_id}/difference")
def difference(
    _: Viewer,
    served: Serving,
    run_id: RunId,
    page_id: CorpusPageId,
    older: Annotated[Literal["raw", "draft"], Query(alias="from")] = "raw",
    newer: Annotated[Literal["draft", "clean"], Query(alias="to")] = "clean",
) -> CorpusDifference:
    """What cleaning has changed: sections, words, tables cell by cell, what moved; figures, dates, negations marked."""
    with served.ledger.connect() as conn:
        row = reading.find(conn, run_id, page_id)
    return reading.difference(served.store, row, older, newer)
