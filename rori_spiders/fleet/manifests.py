"""The sources in force, over many rounds: read again when they change, kept as they were when they cannot be read."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from rori_spiders.exceptions import ManifestError
from rori_spiders.inforce import sources_in_force, sources_to_run
from rori_spiders.ledger.manifests import active_hashes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.places import Places

logger = logging.getLogger(__name__)


class InForce:
    """What ``RORI_MANIFEST`` names, activated when it changes; else what is active in the ledger."""

    def __init__(self, places: Places, tiers: Sequence[str], *, activate: bool) -> None:
        self._places = places
        self._tiers = tiers
        self._activate = activate
        self._seen: object = None
        self._catalog: Catalog | None = None
        self._told: str | None = None

    def catalog(self, ledger: Ledger | None, now: datetime) -> Catalog:
        """Raises ManifestError where the first one is not valid; a later one only warns, once, and the last stays."""
        seen = self._look(ledger)
        if self._catalog is not None and seen == self._seen:
            return self._catalog
        try:
            self._catalog = self._read(ledger, now)
        except ManifestError as error:
            if self._catalog is None:
                raise
            self._tell(error)
            return self._catalog
        if self._seen is not None:
            number = len(self._catalog.sources)
            logger.info("The manifest has changed: %(number)d sources are in force", {"number": number})
        self._seen, self._told = self._look(ledger), None
        return self._catalog

    def _tell(self, error: ManifestError) -> None:
        if str(error) != self._told:
            logger.error(
                "The manifest has changed and cannot be used; the sources stay as they were: %(error)s",
                {"error": error},
            )
        self._told = str(error)

    def _look(self, ledger: Ledger | None) -> object:
        if self._places.manifests:
            return [_stamp(path) for path in self._places.manifests]
        if ledger is None:
            return []
        with ledger.connect() as connection:
            return active_hashes(connection)

    def _read(self, ledger: Ledger | None, now: datetime) -> Catalog:
        manifests, allowed = self._places.manifests, self._places.allowed_addresses
        if ledger is None or not self._activate:
            return sources_in_force(manifests, ledger, allowed_addresses=allowed)
        return sources_to_run(manifests, ledger, actor="system", now=now, allowed_addresses=allowed, tiers=self._tiers)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
