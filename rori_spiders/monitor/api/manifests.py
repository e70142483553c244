"""Manifests: what is in force, their versions, and activating another, through the function of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Response

from rori_spiders.exceptions import ManifestError
from rori_spiders.inforce import activate_checked
from rori_spiders.ledger import manifests
from rori_spiders.monitor import hostile
from rori_spiders.monitor.answers.base import Listed
from rori_spiders.monitor.answers.manifests import (
    Activated,
    ManifestActivation,
    ManifestCheck,
    Manifests,
    ManifestText,
    ManifestVersionRow,
)
from rori_spiders.monitor.asked import Limit, ManifestVersionId, Offset  # noqa: TC001  # FastAPI reads annotations
from rori_spiders.monitor.errors import Refused, invalid
from rori_spiders.monitor.guards.people import Operator, Viewer  # noqa: TC001
from rori_spiders.monitor.reading import manifests as reading
from rori_spiders.monitor.served import Serving  # noqa: TC001

if TYPE_CHECKING:
    from rori_spiders.monitor.reading.manifests import Checked
    from rori_spiders.monitor.served import Served

router = APIRouter(tags=["manifests"])
_Name = Annotated[str, Path(max_length=200, pattern=r"^[^\x00]+$", description="Name of a manifest.")]
_NOT_VALID = "The manifest is not valid: nothing was changed."


@router.get("/manifests")
def manifests_in_force(_: Viewer, served: Serving) -> Manifests:
    """The manifests in force, and the names that were once."""
    with served.ledger.connect() as conn:
        return reading.listed(served, conn)


@router.get("/manifests/{name}/versions")
def versions_of_manifest(
    _: Viewer, served: Serving, name: _Name, offset: Offset = 0, limit: Limit = 50
) -> Listed[ManifestVersionRow]:
    """What was activated under this name, newest first; none of one that only a file or the package has."""
    with served.ledger.connect() as conn:
        found, total = manifests.history(conn, name, offset=offset, limit=limit)
        if not total and name not in {one.name for one in reading.listed(served, conn).items}:
            raise Refused(404, "unknown_manifest", f"No manifest {name[:80]!r} is in force, or was.")
    return Listed(items=[reading.version_row(one) for one in found], total=total)


@router.get("/manifests/{name}/text", response_class=Response, responses=hostile.ANSWERS)
def text_in_force(_: Viewer, served: Serving, name: _Name) -> Response:
    """The text of a manifest in force, wherever it is from, as a file to be saved."""
    with served.ledger.connect() as conn:
        found = next((one for one in served.catalog(conn).loaded if one.name == name), None)
    if found is None:
        raise Refused(404, "unknown_manifest", f"No manifest {name[:80]!r} is in force.")
    return _file(found.name, found.text)


@router.get("/manifests/versions/{version_id}/text", response_class=Response, responses=hostile.ANSWERS)
def text_of_version(_: Viewer, served: Serving, version_id: ManifestVersionId) -> Response:
    """The text of a version, as a file to be saved."""
    return _file(*_kept(served, version_id))


@router.get("/manifests/versions/{version_id}/check")
def check_version(_: Viewer, served: Serving, version_id: ManifestVersionId) -> ManifestCheck:
    """What rolling back to a version would change, as of a manifest that is checked."""
    name, text = _kept(served, version_id)
    with served.ledger.connect() as conn:
        found = reading.checked(served, conn, name, text, whole_name=True)
    return reading.answer(served, found)


@router.post("/manifests/check")
def check(_: Operator, served: Serving, given: ManifestText) -> ManifestCheck:
    """What is wrong with a manifest, each problem in its place; what it would change, and what it would ask for."""
    with served.ledger.connect() as conn:
        found = reading.checked(served, conn, given.name, given.text)
    return reading.answer(served, found)


@router.post("/manifests/activate")
def activate(person: Operator, served: Serving, given: ManifestActivation) -> Activated:
    """Make a manifest that was checked the active one of its name. Manifests of other names stay active."""
    _check_free(served)
    found = _good(served, given.name, given.text)
    assert found.loaded is not None
    if found.loaded.sha256 != given.sha256:
        raise Refused(409, "refused", "This is not the text that was checked. Check it again, then activate it.")
    return _activate(served, found, person.name)


@router.post("/manifests/versions/{version_id}/activate")
def activate_version(person: Operator, served: Serving, version_id: ManifestVersionId) -> Activated:
    """Roll back: make an earlier version the active one of its name. It is checked as any other."""
    _check_free(served)
    name, text = _kept(served, version_id)
    return _activate(served, _good(served, name, text, whole_name=True), person.name)


def _check_free(served: Served) -> None:
    if (why := reading.fixed_why(served)) is not None:
        raise Refused(409, "refused", why, reason="manifest_fixed")


def _file(name: str, text: str) -> Response:
    ending, kind = (".json", "application/json") if text.lstrip().startswith("{") else (".yaml", "application/yaml")
    return hostile.saved(text.encode("utf-8", "replace"), kind, f"{name}{ending}")


def _kept(served: Served, version_id: int) -> tuple[str, str]:
    with served.ledger.connect() as conn:
        found = manifests.kept(conn, version_id)
    if found is None:
        raise Refused(404, "unknown_manifest_version", f"There is no version {version_id} of a manifest.")
    return found


def _good(served: Served, name: str, text: str, *, whole_name: bool = False) -> Checked:
    """The manifest, without a problem. Refused with all of them otherwise."""
    with served.ledger.connect() as conn:
        found = reading.checked(served, conn, name, text, whole_name=whole_name)
    if found.problems:
        told = [(one.path or "text", one.message) for one in found.problems[: reading.MOST]]
        raise invalid(told, _NOT_VALID)
    return found


def _activate(served: Served, found: Checked, actor: str) -> Activated:
    catalog, loaded = found.catalog, found.loaded
    assert catalog is not None and loaded is not None
    addresses = served.places.allowed_addresses
    try:
        still = activate_checked(catalog, served.ledger, actor=actor, now=served.now(), allowed_addresses=addresses)
    except ManifestError as error:  # somebody activated another one meanwhile
        raise invalid([("text", one) for one in error.problems], _NOT_VALID) from None
    return Activated(name=loaded.name, version=loaded.manifest.version, sha256=loaded.sha256, still_active=still)
