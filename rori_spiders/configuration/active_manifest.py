"""Load the active manifest: an explicit RORI_MANIFEST, else the ledger's active versions, else the packaged
default. Nothing here creates a ledger.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, select

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.configuration.locations import Locations
from rori_spiders.exceptions import LedgerError, ManifestError, RoriError
from rori_spiders.ledger import tables
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.dialects import lock_for_writing
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.operations.manifest_history import (
    activate_manifests,
    deactivate_manifest,
    load_active_manifests,
)
from rori_spiders.manifest.catalog import Catalog, LoadedManifest
from rori_spiders.manifest.loading import load_files, load_packaged
from rori_spiders.manifest.tier_selection import check_sources_have_tiers
from rori_spiders.manifest.versions import ManifestRemoval, find_removals

#: The manifest that runs when nobody has named or activated one.
PACKAGED_DEFAULT = "fthb"


@dataclass(frozen=True, slots=True)
class ActiveCatalog:
    """The catalogue for those who must go on whatever happens, such as the spider loader."""

    catalog: Catalog
    warning: str | None = None  # what was wrong, and what is used instead


@cache
def _packaged_catalog() -> Catalog:
    """The catalogue of the packaged manifest, which does not change while a process runs."""
    return Catalog([load_packaged(PACKAGED_DEFAULT)])


def load_catalog(
    manifests: Sequence[Path] = (), ledger: Ledger | None = None, *, allowed_addresses: Sequence[str] = ()
) -> Catalog:
    """The active catalogue, for reading. ManifestError when the active manifest is not valid; LedgerError as it comes.

    *allowed_addresses* is RORI_ALLOWED_ADDRESSES, which lets a manifest be quicker with the operator's own servers.
    """
    if manifests:
        return load_files(manifests, allowed_addresses=allowed_addresses)
    if ledger is not None:
        with ledger.connect() as connection:
            if loaded := load_active_manifests(connection, allowed_addresses=allowed_addresses):
                return Catalog(loaded)
    return _packaged_catalog()


def activate_and_load_catalog(
    manifests: Sequence[Path],
    ledger: Ledger,
    *,
    actor: str,
    now: datetime,
    allowed_addresses: Sequence[str] = (),
    tiers: Sequence[str] | None = None,
) -> Catalog:
    """The same for those who collect: explicit *manifests* are validated, then are the active ones, and no others.

    *tiers* are those configured; a source of an explicit manifest that none of them may reach is refused.
    """
    catalog = load_catalog(manifests, ledger, allowed_addresses=allowed_addresses)
    if manifests:
        if tiers is not None:
            check_sources_have_tiers(catalog, tiers)
        activate_catalog(catalog, ledger, actor=actor, now=now, exclusive=True)
    return catalog


def activate_catalog(
    catalog: Catalog,
    ledger: Ledger,
    *,
    actor: str,
    now: datetime,
    exclusive: bool = False,
    allowed_addresses: Sequence[str] = (),
) -> list[str]:
    """Make a catalogue's manifests the active ones of their names; with *exclusive*, end those of other names.

    Gives the other names that were active. ManifestError, and nothing changed, when a source id would be active twice.
    What was active before need not be valid for this program any more: a good manifest must be able to replace it.
    """
    own = {one.name for one in catalog.loaded}
    with ledger.begin() as connection:
        lock_for_writing(
            connection, tables.manifest_versions
        )  # two that begin together must not activate one text twice
        others = [name for name in _active_manifest_names(connection) if name not in own]
        if not exclusive:
            catalog_after_activation(catalog, connection, allowed_addresses=allowed_addresses)
        ended = [name for name in others if exclusive and deactivate_manifest(connection, name)]
        for name in [*activate_manifests(connection, catalog.loaded, actor=actor, now=now), *ended]:
            action = "deactivate" if name in ended else "activate"
            activity_log.record_action(connection, now=now, actor=actor, action=action, target=name)
    return others


def catalog_after_activation(
    catalog: Catalog, connection: Connection, *, allowed_addresses: Sequence[str] = ()
) -> Catalog:
    """What would be active once *catalog* is activated: it, and the active manifests of other names.

    A manifest that is active because none was activated is not among them. Raises ManifestError for what cannot stand
    beside the others, and when one of these is not valid any more.
    """
    own = {one.name for one in catalog.loaded}
    others = load_active_manifests(connection, allowed_addresses=allowed_addresses, but=own)
    return Catalog([*others, *catalog.loaded]) if others else catalog


def removals_by_activation(
    catalog: Catalog, places: Locations, *, exclusive: bool = False
) -> list[ManifestRemoval] | None:
    """What activating *catalog* would end of what the ledger, else the package, has as active.

    None where that is unknown: the active manifest is not valid any more. Raises ManifestError as
    `catalog_after_activation` does.
    """
    allowed = places.allowed_addresses
    with open_existing_ledger(places) as ledger:
        after = catalog
        if ledger is not None and not exclusive:
            with ledger.connect() as connection:
                after = catalog_after_activation(catalog, connection, allowed_addresses=allowed)
        try:
            return find_removals(load_catalog((), ledger, allowed_addresses=allowed), after)
        except ManifestError:
            return None


def _active_manifest_names(connection: Connection) -> list[str]:
    table = tables.manifest_versions
    return list(connection.execute(select(table.c.name).where(table.c.active).order_by(table.c.name)).scalars())


def active_manifests_by_name(places: Locations) -> dict[str, LoadedManifest]:
    """What the ledger has as active, by name; empty when there is no ledger, or its texts are not valid any more."""
    with open_existing_ledger(places) as ledger:
        if ledger is None:
            return {}
        with ledger.connect() as connection:
            try:
                return {
                    one.name: one
                    for one in load_active_manifests(connection, allowed_addresses=places.allowed_addresses)
                }
            except ManifestError:
                return {}


def load_active_catalog(places: Locations, ledger: Ledger | None) -> Catalog:
    """`load_catalog` for what a project's settings name."""
    return load_catalog(places.manifests, ledger, allowed_addresses=places.allowed_addresses)


def load_active_catalog_or_warning(places: Locations) -> ActiveCatalog:
    """The active catalogue without failing: a broken manifest leaves no sources, an unreadable ledger the default."""
    try:
        return ActiveCatalog(_load_from_ledger_or_package(places))
    except LedgerError as error:
        default = _packaged_catalog()
        return ActiveCatalog(default, f"{error} Using the packaged manifest `{PACKAGED_DEFAULT}` instead.")
    except ManifestError as error:
        return ActiveCatalog(Catalog([]), f"The active manifest is invalid, so no source has a spider:\n{error}")
    except RoriError as error:
        return ActiveCatalog(Catalog([]), str(error))


def _load_from_ledger_or_package(places: Locations) -> Catalog:
    # With explicit manifests the ledger is not even looked at: it may be in use, or broken.
    if places.manifests:
        return load_active_catalog(places, None)
    with open_existing_ledger(places) as ledger:
        return load_active_catalog(places, ledger)
