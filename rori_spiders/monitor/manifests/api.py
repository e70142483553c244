"""Endpoints of manifests: active ones, their versions, checking and activating, as the command does."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from rori_spiders.configuration.active_manifest import activate_catalog
from rori_spiders.exceptions import ManifestError
from rori_spiders.ledger.operations import manifest_history
from rori_spiders.monitor.manifests import queries as reading
from rori_spiders.monitor.manifests.queries import CheckedManifest
from rori_spiders.monitor.manifests.schemas import (
    Activated,
    ManifestActivation,
    ManifestCheck,
    Manifests,
    ManifestText,
    ManifestVersionRow,
)
from rori_spiders.monitor.rest.errors import ApiError, invalid_input
from rori_spiders.monitor.rest.params import (
    Limit,
    ManifestVersionId,
    Offset,
)
from rori_spiders.monitor.rest.schemas import CountedList
from rori_spiders.monitor.security import untrusted_content
from rori_spiders.monitor.security.permissions import (
    Operator,
    Viewer,
)
from rori_spiders.monitor.state.dependencies import (
    AppState,
    AppStateDep,
)

router = APIRouter(tags=["manifests"])
_Name = Annotated[str, Path(max_length=200, pattern=r"^[^\x00]+$", description="Name of a manifest.")]
_NOT_VALID = "The manifest is invalid. Nothing was changed."


@router.get("/manifests")
def list_manifests(_: Viewer, served: AppStateDep) -> Manifests:
    """List active manifests, and names that were active before."""
    with served.ledger.connect() as conn:
        return reading.list_manifests(served, conn)


@router.get("/manifests/{name}/versions")
def list_manifest_versions(
    _: Viewer, served: AppStateDep, name: _Name, offset: Offset = 0, limit: Limit = 50
) -> CountedList[ManifestVersionRow]:
    """List the activated versions of this name, newest first; empty for a manifest from a file or the package."""
    with served.ledger.connect() as conn:
        found, total = manifest_history.list_activations(conn, name, offset=offset, limit=limit)
        if not total and name not in {one.name for one in reading.list_manifests(served, conn).items}:
            raise ApiError(404, "unknown_manifest", f"Manifest {name[:80]!r} was never active.")
    return CountedList(items=[reading.version_row(one) for one in found], total=total)


@router.get("/manifests/{name}/text", response_class=Response, responses=untrusted_content.DATA_RESPONSES)
def get_active_text(_: Viewer, served: AppStateDep, name: _Name) -> Response:
    """Download the text of an active manifest."""
    with served.ledger.connect() as conn:
        found = next((one for one in served.catalog(conn).loaded if one.name == name), None)
    if found is None:
        raise ApiError(404, "unknown_manifest", f"Manifest {name[:80]!r} is not active.")
    return _manifest_file(found.name, found.text)


@router.get(
    "/manifests/versions/{version_id}/text", response_class=Response, responses=untrusted_content.DATA_RESPONSES
)
def get_version_text(_: Viewer, served: AppStateDep, version_id: ManifestVersionId) -> Response:
    """Download the text of a version."""
    return _manifest_file(*_stored_version(served, version_id))


@router.get("/manifests/versions/{version_id}/check")
def check_version(_: Viewer, served: AppStateDep, version_id: ManifestVersionId) -> ManifestCheck:
    """Check what rolling back to a version would change."""
    name, text = _stored_version(served, version_id)
    with served.ledger.connect() as conn:
        found = reading.check_text(served, conn, name, text, whole_name=True)
    return reading.check_result(served, found)


@router.post("/manifests/check")
def check_manifest(_: Operator, served: AppStateDep, manifest: ManifestText) -> ManifestCheck:
    """Check a manifest: its problems with their locations, what it would change, and what it would request."""
    with served.ledger.connect() as conn:
        found = reading.check_text(served, conn, manifest.name, manifest.text)
    return reading.check_result(served, found)


@router.post("/manifests/activate")
def activate_manifest(person: Operator, served: AppStateDep, activation: ManifestActivation) -> Activated:
    """Activate a checked manifest under its name. Manifests of other names stay active."""
    _check_not_fixed(served)
    found = _require_valid(served, activation.name, activation.text)
    assert found.loaded is not None
    if found.loaded.sha256 != activation.sha256:
        raise ApiError(409, "refused", "The text changed since it was checked. Check it again, then activate it.")
    return _activate_valid(served, found, person.name)


@router.post("/manifests/versions/{version_id}/activate")
def activate_version(person: Operator, served: AppStateDep, version_id: ManifestVersionId) -> Activated:
    """Roll back: activate an earlier version of a name, after checking it."""
    _check_not_fixed(served)
    name, text = _stored_version(served, version_id)
    return _activate_valid(served, _require_valid(served, name, text, whole_name=True), person.name)


def _check_not_fixed(served: AppState) -> None:
    if (why := reading.fixed_reason(served)) is not None:
        raise ApiError(409, "refused", why, reason="manifest_fixed")


def _manifest_file(name: str, text: str) -> Response:
    ending, kind = (".json", "application/json") if text.lstrip().startswith("{") else (".yaml", "application/yaml")
    return untrusted_content.attachment_response(text.encode("utf-8", "replace"), kind, f"{name}{ending}")


def _stored_version(served: AppState, version_id: int) -> tuple[str, str]:
    with served.ledger.connect() as conn:
        found = manifest_history.find_manifest_text(conn, version_id)
    if found is None:
        raise ApiError(404, "unknown_manifest_version", f"Manifest version {version_id} not found.")
    return found


def _require_valid(served: AppState, name: str, text: str, *, whole_name: bool = False) -> CheckedManifest:
    """Return the valid manifest. Raises ApiError with all its problems."""
    with served.ledger.connect() as conn:
        found = reading.check_text(served, conn, name, text, whole_name=whole_name)
    if found.problems:
        problems = [(one.path or "text", one.message) for one in found.problems[: reading.MAX_LISTED]]
        raise invalid_input(problems, _NOT_VALID)
    return found


def _activate_valid(served: AppState, found: CheckedManifest, actor: str) -> Activated:
    catalog, loaded = found.catalog, found.loaded
    assert catalog is not None and loaded is not None
    addresses = served.places.allowed_addresses
    try:
        still = activate_catalog(catalog, served.ledger, actor=actor, now=served.now(), allowed_addresses=addresses)
    except ManifestError as error:  # another manifest was activated meanwhile
        raise invalid_input([("text", one) for one in error.problems], _NOT_VALID) from None
    return Activated(name=loaded.name, version=loaded.manifest.version, sha256=loaded.sha256, still_active=still)
