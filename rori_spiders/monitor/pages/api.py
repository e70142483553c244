"""Endpoints of pages, versions and differences."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from sqlalchemy import Connection

from rori_spiders.comparison.diff_report import version_diff_document
from rori_spiders.comparison.staged_text import TextMissing
from rori_spiders.comparison.version_diff import (
    TextArchive,
    compare_versions,
    read_version_texts,
)
from rori_spiders.evidence.point_in_time import describe_page
from rori_spiders.exceptions import DamagedObject
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.pages.imported_captures import IMPORTED
from rori_spiders.ledger.pages.vocabulary import VERSION_ID
from rori_spiders.ledger.tables.base import to_utc
from rori_spiders.monitor.pages import queries
from rori_spiders.monitor.pages.queries import FoundVersion
from rori_spiders.monitor.pages.schemas import DifferenceOf, PageAt, PageDetail, Pages, PageState, Version
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.rest.params import (
    Instant,
    Limit,
    Offset,
    PageId,
    SearchText,
    SourceId,
    VersionId,
    require_version_id,
)
from rori_spiders.monitor.security import untrusted_content
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state import dependencies
from rori_spiders.monitor.state.dependencies import AppStateDep
from rori_spiders.runtime.redacted_output import name_rori

router = APIRouter(tags=["pages"])
_VersionQuery = Annotated[str | None, Query(max_length=21, pattern=VERSION_ID)]


@router.get("/sources/{source_id}/pages")
def list_source_pages(
    _: Viewer,
    served: AppStateDep,
    source_id: SourceId,
    state: Annotated[list[PageState] | None, Query(description="Pages in one of these states.")] = None,
    q: SearchText = "",
    offset: Offset = 0,
    limit: Limit = 50,
) -> Pages:
    """List the pages of a source: stored ones, and those that the last run did not collect, with the reason."""
    with served.ledger.connect() as conn:
        dependencies.require_known_source(conn, served, source_id)
        return queries.list_pages(conn, source_id, states=tuple(state or ()), words=q, offset=offset, limit=limit)


@router.get("/pages/{page_id}")
def get_page(_: Viewer, served: AppStateDep, page_id: PageId) -> PageDetail:
    """Return one page with its versions under all of its URLs, and its attempts."""
    with served.ledger.connect() as conn:
        return queries.page_detail(conn, page_id)


@router.get("/pages/{page_id}/difference")
def get_difference(
    _: Viewer,
    served: AppStateDep,
    page_id: PageId,
    older: Annotated[
        _VersionQuery, Query(alias="from", description="ID of a version; default: the previous version.")
    ] = None,
    newer: Annotated[_VersionQuery, Query(alias="to", description="A version's id; without: the newest.")] = None,
) -> DifferenceOf:
    """Compare two versions: sections, words, table cells, moved text; figures and dates marked.

    Very large texts are compared within a time; else sections are compared by their hashes, with a note.
    """
    with served.ledger.connect() as conn:
        this = queries.get_page(conn, page_id)
        wanted = [None if one is None else require_version_id(one) for one in (older, newer)]
        old, new, addresses = queries.versions_to_compare(conn, this, *wanted)
        catalog = partial(served.catalog, conn)
        at = {one.page_id: one for one in addresses}
        try:
            texts = read_version_texts(TextArchive(served.ledger, served.store, catalog), at, old, new)
        except TextMissing as error:
            found = queries.find_version(conn, at[error.version.page_id], error.version.seq)
            raise ApiError(404, "not_held", str(error), **queries.ledger_facts(found)) from None
    document = version_diff_document(
        compare_versions(texts, old, new), addresses[0], old, new, list(map(name_rori, texts.notes)), at
    )
    return DifferenceOf.model_validate(document)


@router.get("/pages/{page_id}/as-of")
def get_page_at(
    _: Viewer,
    served: AppStateDep,
    page_id: PageId,
    at: Annotated[Instant, Query(description="An instant; one to come is answered as of now.")],
) -> PageAt:
    """Return which text of the page was held at an instant, by four clocks, and what is not known between two looks."""
    instant = min(to_utc(at), served.now())
    with served.ledger.connect() as conn:
        this = queries.get_page(conn, page_id)
        rows = describe_page(conn, this.url, instant, this.source_id)
        own = [row for row in rows if row["state"] != IMPORTED]
        held = next((row for row in own if row["state"] == "held"), own[0] if own else None)
        if held is None:
            raise ApiError(404, "not_held", "Nothing is recorded of this page.", page_id=page_id)
        version_id = queries.find_version_id(conn, this, held)
    imported = next((row["says"] for row in rows if row["state"] == IMPORTED), None)
    return PageAt.model_validate(held | {"version_id": version_id, "imported_says": imported})


_ContentHash = Annotated[str, Path(pattern=r"^sha256:[0-9a-f]{64}$", description="As sha256:...")]


@router.get(
    "/pages/{page_id}/imported/{content_hash}", response_class=Response, responses=untrusted_content.BINARY_RESPONSES
)
def get_imported_text(_: Viewer, served: AppStateDep, page_id: PageId, content_hash: _ContentHash) -> Response:
    """Return a text of the page that was imported: what others captured, not what was seen."""
    with served.ledger.connect() as conn:
        addresses = page_history.page_addresses(conn, queries.get_page(conn, page_id))
        known = {one.content_hash for one in queries.list_imported_texts(conn, addresses)}
    if content_hash not in known:
        raise ApiError(404, "not_held", "No such text of this page was imported.", page_id=page_id)
    try:
        text = served.store.get_object(content_hash.removeprefix("sha256:"))
    except FileNotFoundError:
        why = f"The text (object {content_hash}) is missing from {served.store.location}."
        raise ApiError(404, "not_held", why, page_id=page_id) from None
    except DamagedObject as error:
        raise ApiError(404, "not_held", str(error), page_id=page_id) from None
    return untrusted_content.text_response(text, "text/markdown")


# A version of a page: its facts, its text, the bytes as received, its envelope.

versions_router = APIRouter(tags=["versions"])
_FILE_RESPONSES = untrusted_content.BINARY_RESPONSES | {410: {"description": "Pruned"}}


@versions_router.get("/versions/{version_id}")
def get_version(_: Viewer, served: AppStateDep, version_id: VersionId) -> Version:
    """Return one version: its facts, its citations, and which of its files are stored."""
    with served.ledger.connect() as conn:
        return queries.version_detail(conn, served.store, _require_version(conn, version_id))


@versions_router.get("/versions/{version_id}/markdown", response_class=Response, responses=_FILE_RESPONSES)
def get_version_markdown(_: Viewer, served: AppStateDep, version_id: VersionId) -> Response:
    """Return the text exactly as in the envelope."""
    with served.ledger.connect() as conn:
        found = _require_version(conn, version_id)
    text, state = queries.read_text(served.store, found.version)
    if text is None:
        raise _not_held_error(found, 404, state.why or "Not found.")
    return untrusted_content.text_response(text.encode("utf-8", "replace"), "text/markdown")


@versions_router.get("/versions/{version_id}/raw", response_class=Response, responses=_FILE_RESPONSES)
def get_version_raw(_: Viewer, served: AppStateDep, version_id: VersionId) -> Response:
    """Return the bytes as received: a page in a sandbox without scripts, a document as a download."""
    with served.ledger.connect() as conn:
        found = _require_version(conn, version_id)
        came = audit_log.response_of_version(conn, found.version.run_id, found.page.url_hash)
    if found.version.is_removal:
        raise _not_held_error(found, 404, "This version records the removal of the page; no bytes were received.")
    try:
        body = served.store.get_object(found.version.raw_object)
    except FileNotFoundError:
        why = f"The bytes of this version (object {found.version.raw_object}) are missing from {served.store.location}."
        raise _not_held_error(found, 404, why) from None
    except DamagedObject as error:
        raise _not_held_error(found, 404, str(error)) from None
    return untrusted_content.untrusted_response(body, came.content_type if came else None, found.page.url)


@versions_router.get("/versions/{version_id}/screenshot", response_class=Response, responses=_FILE_RESPONSES)
def get_version_screenshot(_: Viewer, served: AppStateDep, version_id: VersionId) -> Response:
    """Return the picture of the page, as the browser read it: JPEG."""
    with served.ledger.connect() as conn:
        found = _require_version(conn, version_id)
    state = queries.screenshot_state(served.store, found.version)
    if state.state != "stored" or found.version.screenshot_object is None:
        raise _not_held_error(found, 404, state.why or "Not found.")
    try:
        picture = served.store.get_object(found.version.screenshot_object)
    except (FileNotFoundError, DamagedObject) as error:
        raise _not_held_error(found, 404, str(error)) from None
    return untrusted_content.picture_response(picture)


@versions_router.get(
    "/versions/{version_id}/envelope",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}}, 410: {"description": "Pruned"}},
)
def get_version_envelope(_: Viewer, served: AppStateDep, version_id: VersionId) -> Response:
    """Return the version's envelope exactly as staged."""
    with served.ledger.connect() as conn:
        found = _require_version(conn, version_id)
    state = queries.envelope_state(served.store, found.envelope)
    if state.state != "stored" or found.envelope is None:
        raise _not_held_error(found, 410 if state.state == "pruned" else 404, state.why or "Not found.")
    try:
        body = served.store.read(found.envelope.path)
    except FileNotFoundError:
        raise _not_held_error(
            found, 404, f"The file {found.envelope.path} is missing from {served.store.location}."
        ) from None
    return untrusted_content.text_response(body, "application/json")


def _require_version(conn: Connection, version_id: str) -> FoundVersion:
    page_id, seq = require_version_id(version_id)
    return queries.find_version(conn, queries.get_page(conn, page_id), seq)


def _not_held_error(found: FoundVersion, status: int, why: str) -> ApiError:
    return ApiError(status, "not_held", why, **queries.ledger_facts(found))
