"""A version of a page: its facts, its text, the bytes as received, its envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Response

from rori_spiders.comparison.texts import is_removal
from rori_spiders.exceptions import DamagedObject
from rori_spiders.ledger import answers
from rori_spiders.monitor import hostile
from rori_spiders.monitor.answers.versions import Version  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.asked import VersionId, numbers
from rori_spiders.monitor.errors import Refused
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001
from rori_spiders.monitor.reading import pages
from rori_spiders.monitor.reading import versions as reading
from rori_spiders.monitor.served import Serving  # noqa: TC001

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.monitor.reading.versions import Found

router = APIRouter(tags=["versions"])
_FILES = hostile.ANSWERS | {410: {"description": "Pruned"}}


@router.get("/versions/{version_id}")
def version(_: Viewer, served: Serving, version_id: VersionId) -> Version:
    """One version: its facts, its citations, and what the staging area still has of it."""
    with served.ledger.connect() as conn:
        return reading.detail(conn, served.store, _found(conn, version_id))


@router.get("/versions/{version_id}/markdown", response_class=Response, responses=_FILES)
def markdown(_: Viewer, served: Serving, version_id: VersionId) -> Response:
    """The text, exactly as it is in the envelope."""
    with served.ledger.connect() as conn:
        found = _found(conn, version_id)
    text, state = reading.text_of(served.store, found.version)
    if text is None:
        raise _not_held(found, 404, state.why or "It is not there.")
    return hostile.text(text.encode("utf-8", "replace"), "text/markdown")


@router.get("/versions/{version_id}/raw", response_class=Response, responses=_FILES)
def raw(_: Viewer, served: Serving, version_id: VersionId) -> Response:
    """The bytes as received: a page under a sandbox in which nothing runs, documents as files to be saved."""
    with served.ledger.connect() as conn:
        found = _found(conn, version_id)
        came = answers.of_version(conn, found.version.run_id, found.page.url_hash)
    if is_removal(found.version):
        raise _not_held(found, 404, "This version is the page's removal: nothing was received.")
    try:
        body = served.store.get_object(found.version.raw_object)
    except FileNotFoundError:
        why = f"The bytes of this version, object {found.version.raw_object}, are not in {served.store.location}."
        raise _not_held(found, 404, why) from None
    except DamagedObject as error:
        raise _not_held(found, 404, str(error)) from None
    return hostile.shown(body, came.content_type if came else None, found.page.url)


@router.get("/versions/{version_id}/envelope", response_class=Response, responses=_FILES)
def envelope(_: Viewer, served: Serving, version_id: VersionId) -> Response:
    """The version's envelope, byte by byte as it was staged."""
    with served.ledger.connect() as conn:
        found = _found(conn, version_id)
    state = reading.envelope_state(served.store, found.envelope)
    if state.state != "kept" or found.envelope is None:
        raise _not_held(found, 410 if state.state == "pruned" else 404, state.why or "It is not there.")
    try:
        body = served.store.read(found.envelope.path)
    except FileNotFoundError:
        raise _not_held(found, 404, f"The file {found.envelope.path} is not in {served.store.location}.") from None
    return hostile.text(body, "application/json")


def _found(conn: Connection, version_id: str) -> Found:
    page_id, seq = numbers(version_id)
    return reading.find(conn, pages.page(conn, page_id), seq)


def _not_held(found: Found, status: int, why: str) -> Refused:
    return Refused(status, "not_held", why, **reading.known_still(found))
