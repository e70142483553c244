"""The search in all held texts: words, phrases, citations."""

from collections.abc import Sequence
from datetime import datetime  # pydantic reads annotations
from itertools import pairwise
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from rori_spiders.comparison.text_index import FoundText, TextQuery, split_terms
from rori_spiders.exceptions import UnknownName, UsageError
from rori_spiders.ledger.pages.vocabulary import format_version_id
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.rest.params import Instant
from rori_spiders.monitor.rest.schemas import ApiModel
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state.dependencies import (
    AppState,
    AppStateDep,
)

router = APIRouter(tags=["search"])

#: So long a request adds texts to the index; the next one goes on.
_LONGEST_UPDATE_S = 2.0


class SearchQuery(BaseModel):
    """What is looked for, and where."""

    model_config = ConfigDict(extra="forbid")

    q: str = Field("", max_length=500, description="Words; phrases in double quotes.")
    cites: str = Field("", max_length=200, description="Only texts that cite this, such as 12 CFR 1024.41.")
    source: str | None = Field(None, max_length=200)
    agency: str | None = Field(None, max_length=200, description="Only its sources, by the active manifest.")
    since: Instant | None = None
    until: Instant | None = Field(None, description="Before then.")
    past: bool = Field(False, description="Also texts that a page had before its newest one.")
    limit: int = Field(20, ge=1, le=100)


class SnippetPart(ApiModel):
    """A piece of a snippet."""

    text: str
    found: bool = Field(description="Whether it is what was looked for.")


class SearchHit(ApiModel):
    """A version whose text has the words, or cites what was named."""

    source_id: str
    page_id: int
    url: str
    title: str | None
    version: str = Field(description="As 12-3.")
    captured_at: datetime
    content_hash: str = Field(description="sha256: and the hash of the text.")
    is_current: bool = Field(description="Whether the page has this text now.")
    snippet: list[SnippetPart]


class SearchAnswer(ApiModel):
    """What was found, the best match first; without words the newest first."""

    items: list[SearchHit]
    has_more: bool
    waiting: int = Field(description="Texts that are not searched yet: the index is still being made.")
    missing: int = Field(description="Texts that could not be searched: missing in the staging area.")


@router.get("/search")
def search(_: Viewer, served: AppStateDep, query: Annotated[SearchQuery, Query()]) -> SearchAnswer:
    """Search the held texts, and those of the past, for words and citations."""
    wanted = TextQuery(
        terms=split_terms(query.q),
        cites=query.cites,
        sources=_list_sources(served, query),
        since=query.since,
        until=query.until,
        past=query.past,
    )
    try:
        wanted.check()
    except UsageError as error:
        raise ApiError(409, "refused", f"{str(error)[0].upper()}{str(error)[1:]}.") from None
    index = served.text_index
    waiting = index.update(served.ledger, served.store, longest_s=_LONGEST_UPDATE_S)
    found = index.find(served.ledger, served.store, wanted, limit=query.limit + 1)
    return SearchAnswer(
        items=[_search_hit(one) for one in found[: query.limit]],
        has_more=len(found) > query.limit,
        waiting=waiting,
        missing=index.count_missing(),
    )


@router.get("/search/agencies")
def list_agencies(_: Viewer, served: AppStateDep) -> list[str]:
    """List the agencies that publish the active sources."""
    with served.ledger.connect() as conn:
        return sorted(served.catalog(conn).agencies)


def _list_sources(served: AppState, query: SearchQuery) -> Sequence[str] | None:
    if query.agency is None:
        return None if query.source is None else [query.source]
    with served.ledger.connect() as conn:
        try:
            ids = served.catalog(conn).require_agency(query.agency)
        except UnknownName as error:
            raise ApiError(404, "unknown_agency", f"{str(error)[0].upper()}{str(error)[1:]}.") from None
    return [one for one in ids if query.source in {None, one}]


def _search_hit(found: FoundText) -> SearchHit:
    return SearchHit(
        source_id=found.source_id,
        page_id=found.page_id,
        url=found.url,
        title=found.title,
        version=format_version_id(found.page_id, found.seq),
        captured_at=found.captured_at,
        content_hash=f"sha256:{found.content_hash}",
        is_current=found.is_current,
        snippet=_snippet_parts(found),
    )


def _snippet_parts(found: FoundText) -> list[SnippetPart]:
    text, marks = found.snippet, found.marks
    cuts = [0, *(place for mark in marks for place in mark), len(text)]
    parts = (
        SnippetPart(text=text[start:end], found=number % 2 == 1) for number, (start, end) in enumerate(pairwise(cuts))
    )
    return [part for part in parts if part.text]
