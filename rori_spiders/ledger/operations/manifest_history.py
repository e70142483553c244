"""Versions of manifests: which texts were activated, by whom, and which are active now, one a name."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select, update

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.dialects import lock_for_writing
from rori_spiders.ledger.tables import manifest_versions
from rori_spiders.manifest.catalog import LoadedManifest
from rori_spiders.manifest.loading import parse_manifest


def activate_manifests(conn: Connection, loaded: Sequence[LoadedManifest], *, actor: str, now: datetime) -> list[str]:
    """Make these texts the active ones of their names; gives the names whose text is another than before.

    Manifests of other names stay active; ``deactivate`` ends them. The caller has validated all of them together.
    """
    lock_for_writing(conn, manifest_versions)
    before = {row.name: row.sha256 for row in conn.execute(select(manifest_versions).where(manifest_versions.c.active))}
    changed = [one for one in loaded if before.get(one.name) != one.sha256]
    for one in changed:
        _end_version(conn, one.name)
        row = {"version": one.manifest.version, "activated_at": now, "activated_by": actor, "active": True}
        added = manifest_versions.insert().values(name=one.name, sha256=one.sha256, text=one.text, **row)
        number = conn.execute(added.returning(manifest_versions.c.manifest_version_id)).scalar_one()
        note_fact(conn, "manifest", number)
    return [one.name for one in changed]


def deactivate_manifest(conn: Connection, name: str) -> bool:
    """End the active version of *name*; False when there was none. Its text stays among the versions."""
    return _end_version(conn, name)


def active_hashes(conn: Connection) -> list[tuple[str, str]]:
    """Name and hash of each active text: what tells cheaply whether anything has changed."""
    table = manifest_versions
    query = select(table.c.name, table.c.sha256).where(table.c.active).order_by(table.c.name)
    return [(name, sha256) for name, sha256 in conn.execute(query)]


def _end_version(conn: Connection, name: str) -> bool:
    active = manifest_versions.c.active & (manifest_versions.c.name == name)
    number = manifest_versions.c.manifest_version_id
    ended = conn.execute(update(manifest_versions).where(active).values(active=False).returning(number)).scalars().all()
    for version_id in ended:
        note_fact(conn, "manifest", version_id)
    return bool(ended)


def load_active_manifests(
    conn: Connection, *, allowed_addresses: Sequence[str] = (), but: Collection[str] = frozenset()
) -> list[LoadedManifest]:
    """The active manifests, by name, without those that are named *but*; *allowed_addresses* as for ``parse``.

    Raises ManifestError when a text is no longer a valid manifest for this program and its settings.
    """
    query = select(manifest_versions).where(manifest_versions.c.active).order_by(manifest_versions.c.name)
    return [
        parse_manifest(row.text, name=row.name, origin="the ledger", allowed_addresses=allowed_addresses)
        for row in conn.execute(query)
        if row.name not in but
    ]


@dataclass(frozen=True, slots=True)
class Activation:
    """One activation of a manifest's text, without it; ``chars`` is how long it is."""

    version_id: int
    name: str
    version: str
    sha256: str
    activated_at: datetime
    activated_by: str
    active: bool
    chars: int


_table = manifest_versions
_ACTIVATION_COLUMNS = (
    _table.c.manifest_version_id,
    *(_table.c[name] for name in ("name", "version", "sha256", "activated_at", "activated_by", "active")),
    func.length(_table.c.text),
)


def list_activations(conn: Connection, name: str, *, offset: int = 0, limit: int = 50) -> tuple[list[Activation], int]:
    """Some activations of the manifest *name*, newest first, and how many there are."""
    query = select(*_ACTIVATION_COLUMNS).where(_table.c.name == name).order_by(_table.c.manifest_version_id.desc())
    total = conn.execute(select(func.count()).select_from(_table).where(_table.c.name == name)).scalar_one()
    return [Activation(*row) for row in conn.execute(query.offset(offset).limit(limit))], total


def newest_activations(conn: Connection) -> list[tuple[Activation, int]]:
    """The newest activation of each name, the active ones first, and how many of that name there are."""
    last = select(func.max(_table.c.manifest_version_id).label("id"), func.count().label("number"))
    of_names = last.group_by(_table.c.name).subquery()
    query = select(*_ACTIVATION_COLUMNS, of_names.c.number).join_from(
        _table, of_names, of_names.c.id == _table.c.manifest_version_id
    )
    rows = conn.execute(query.order_by(_table.c.active.desc(), _table.c.name))
    return [(Activation(*row[:-1]), row[-1]) for row in rows]


def find_manifest_text(conn: Connection, version_id: int) -> tuple[str, str] | None:
    """Name and text of an activation; None when there is none of this number."""
    query = select(_table.c.name, _table.c.text).where(_table.c.manifest_version_id == version_id)
    row = conn.execute(query).one_or_none()
    return (row[0], row[1]) if row else None
