"""The current version of a domain: what `latest` names, which decides; and the ledger, updated to match it."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256

from sqlalchemy import Connection

from rori_spiders.corpus.publishing.version_manifest import (
    MANIFEST,
    Latest,
    Manifest,
    NotAVersion,
    latest_path,
    read_latest,
    read_manifest,
)
from rori_spiders.envelope.log_lines import parse_wire_time
from rori_spiders.exceptions import StagingError
from rori_spiders.ledger.corpus import published_versions
from rori_spiders.ledger.database import Ledger
from rori_spiders.staging.store import Store


@dataclass(frozen=True, slots=True)
class CurrentVersion:
    """``pointer``: the bytes of ``latest.json``. All are None before the first version."""

    pointer: bytes | None = None
    latest: Latest | None = None
    manifest: Manifest | None = None

    @property
    def version(self) -> int | None:
        return self.latest.version if self.latest is not None else None


def read_current_version(store: Store, domain: str) -> CurrentVersion:
    """What `latest` names, read as a whole. Raises StagingError when that is damaged."""
    try:
        pointer = store.domains.read(latest_path(domain))
    except FileNotFoundError:
        return CurrentVersion()
    try:
        latest = read_latest(pointer, domain)
    except NotAVersion as error:
        raise StagingError(f"{latest_path(domain)} in {store.location} is damaged: {error}.") from error
    manifest = read_version_manifest(store, domain, latest.version, digest=latest.manifest_sha256)
    return CurrentVersion(pointer, latest, manifest)


def read_version_manifest(store: Store, domain: str, version: int, *, digest: str | None = None) -> Manifest:
    """The manifest of a version that is published; with *digest*, its bytes have this hash. Raises StagingError."""
    path = f"{published_versions.version_prefix(domain, version)}/{MANIFEST}"
    try:
        data = store.domains.read(path)
    except FileNotFoundError as error:
        raise StagingError(f"{path} is missing in {store.location}: restore it from a backup.") from error
    if digest is not None and sha256(data).hexdigest() != digest:
        raise StagingError(f"{path} in {store.location} was changed since it was published: restore it from a backup.")
    try:
        return read_manifest(data, domain, version)
    except NotAVersion as error:
        raise StagingError(f"{path} in {store.location} is damaged: {error}.") from error


def sync_ledger(ledger: Ledger, now_is: CurrentVersion, *, now: datetime) -> None:
    """Record in the ledger that the version named by `latest` is published.

    A process that was killed right after it moved `latest` left that undone, and so does an older ledger's backup.
    """
    if now_is.latest is None or now_is.manifest is None:
        return
    latest, manifest = now_is.latest, now_is.manifest
    row = ledger.read(partial(published_versions.find_version, domain=latest.domain, version=latest.version))
    if row is not None and row.state == published_versions.PUBLISHED:
        return
    known = {
        "run_id": manifest.run_id,
        "rolled_back_to": manifest.rolled_back_to,
        "manifest_hash": latest.manifest_sha256,
        "pages": len(manifest.pages),
        "tombstones": len(manifest.tombstones),
        "approved_by": manifest.approved_by,
        "approved_at": parse_wire_time(manifest.approved_at) if manifest.approved_at else None,
        "published_by": manifest.published_by,
    }

    def adopt(conn: Connection) -> None:
        published_versions.adopt_version(conn, latest.domain, latest.version, known, now=now)

    ledger.write(adopt)
