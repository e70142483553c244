"""Pages of a source with their states, one page with its versions and tries, and what differs between two versions."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query

from rori_spiders.comparison.bounded import compared
from rori_spiders.comparison.document import document
from rori_spiders.comparison.texts import Shelf, TextMissing, read_texts
from rori_spiders.monitor.answers.difference import DifferenceOf
from rori_spiders.monitor.answers.pages import PageDetail, Pages, PageState  # noqa: TC001  # FastAPI reads annotations
from rori_spiders.monitor.api import known
from rori_spiders.monitor.asked import Limit, Offset, PageId, SourceId, Words, numbers
from rori_spiders.monitor.errors import Refused
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001
from rori_spiders.monitor.reading import pages as reading
from rori_spiders.monitor.reading import versions
from rori_spiders.monitor.served import Serving  # noqa: TC001

router = APIRouter(tags=["pages"])
_Version = Annotated[str | None, Query(max_length=21, pattern=r"^\d{1,10}-\d{1,10}$")]


@router.get("/sources/{source_id}/pages")
def pages_of_source(
    _: Viewer,
    served: Serving,
    source_id: SourceId,
    state: Annotated[list[PageState] | None, Query(description="Those in one of these states.")] = None,
    q: Words = "",
    offset: Offset = 0,
    limit: Limit = 50,
) -> Pages:
    """The pages of a source: what is held, and what the last run met and did not collect, with the reason."""
    with served.ledger.connect() as conn:
        known.ever(conn, served, source_id)
        return reading.of_source(conn, source_id, states=tuple(state or ()), words=q, offset=offset, limit=limit)


@router.get("/pages/{page_id}")
def page(_: Viewer, served: Serving, page_id: PageId) -> PageDetail:
    """One page, with its versions under all of its addresses, and its tries."""
    with served.ledger.connect() as conn:
        return reading.detail(conn, page_id)


@router.get("/pages/{page_id}/difference")
def difference(
    _: Viewer,
    served: Serving,
    page_id: PageId,
    older: Annotated[_Version, Query(alias="from", description="A version's id; without: the one before.")] = None,
    newer: Annotated[_Version, Query(alias="to", description="A version's id; without: the newest.")] = None,
) -> DifferenceOf:
    """What differs between two versions: sections, words, tables cell by cell, what moved; figures and dates marked.

    Very large texts are compared within a time; where that does not do, sections are told by their hashes, with a note.
    """
    with served.ledger.connect() as conn:
        this = reading.page(conn, page_id)
        wanted = [None if one is None else numbers(one) for one in (older, newer)]
        old, new, addresses = versions.two(conn, this, *wanted)
        catalog = partial(served.catalog, conn)
        at = {one.page_id: one for one in addresses}
        try:
            texts = read_texts(Shelf(served.ledger, served.store, catalog), at, old, new)
        except TextMissing as error:
            found = versions.find(conn, at[error.version.page_id], error.version.seq)
            raise Refused(404, "not_held", str(error), **versions.known_still(found)) from None
    told = document(compared(texts, old, new), addresses[0], old, new, texts.notes, at)
    return DifferenceOf.model_validate(told)
