"""What the monitor works on: the project's places, the open ledger and store, the catalogue in force, and the time."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from rori_spiders.announcing.signing import secret_in
from rori_spiders.exceptions import RoriError
from rori_spiders.inforce import sources_in_force
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.tables import manifest_versions
from rori_spiders.monitor.guards.signed import SECRET
from rori_spiders.monitor.kept import Kept
from rori_spiders.monitor.reading.overview import Overview, overview
from rori_spiders.monitor.terms import Terms
from rori_spiders.standing import Memory
from rori_spiders.stores import open_store
from rori_spiders.stores.agreement import is_empty, without_ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.places import Places

#: A person waits for an answer: not for as long as a job does for another writer.
PATIENCE_S = 5.0


class Served:
    """One project, as the monitor shows it. Safe to use from several threads; close it when done.

    *root* is the folder of ``scrapy.cfg``; *settings* are the project's, checked and typed.
    """

    def __init__(
        self,
        places: Places,
        settings: Mapping[str, Any],
        root: Path,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.places = places
        self.settings = settings
        self.root = root
        self.now = now
        self.terms = Terms.from_settings(settings)
        self.hook_secret = secret_in(SECRET)
        self.store = open_store(places.staging)
        if not places.has_ledger and not is_empty(self.store):
            raise without_ledger(self.store, places.shown_ledger)
        self.ledger: Ledger = open_ledger(places.database_url, timeout_s=patience_s)
        self.overview: Kept[Overview] = Kept(self._overview, self._mark)
        self._memory = Memory()  # of the one thread that reads the overview at a time
        self._catalog: Catalog | None = None
        self._catalog_of: object = None
        self._reads = threading.Lock()

    def catalog(self, conn: Connection) -> Catalog:
        """The sources in force. Read again only when another manifest was activated, or the given file changed.

        Raises ManifestError when what is in force is not valid.
        """
        version = self._version(conn)
        with self._reads:
            if self._catalog is None or self._catalog_of != version:
                allowed = self.places.allowed_addresses
                self._catalog = sources_in_force(self.places.manifests, self.ledger, allowed_addresses=allowed)
                self._catalog_of = version
            return self._catalog

    def warm(self) -> None:
        """Read what the first person would wait for: the manifest, and how all sources stand."""
        with suppress(RoriError, SQLAlchemyError):  # who asks is told
            self.overview.get()

    def _overview(self) -> Overview:
        with self.ledger.connect() as conn:
            return overview(conn, self.catalog(conn), self.now(), self._memory)

    def _mark(self) -> object:
        """What tells one state of ledger and manifest from another."""
        return self.ledger.mark(), [path.stat().st_mtime_ns for path in self.places.manifests]

    def _version(self, conn: Connection) -> object:
        """What tells one catalogue from another."""
        if self.places.manifests:
            return [(path, stat.st_mtime_ns, stat.st_size) for path in self.places.manifests for stat in [path.stat()]]
        table = manifest_versions
        active = select(table.c.name, table.c.sha256).where(table.c.active).order_by(table.c.name)
        return [tuple(row) for row in conn.execute(active)]

    @property
    def runs_here(self) -> bool:
        """Whether jobs that people start are started here: on SQLite there are rarely nodes that would."""
        return self.terms.runs == "here" or (not self.terms.runs and self.ledger.place.is_sqlite)

    @property
    def works_on_corpora(self) -> bool:
        """Whether runs of the corpus that people begin are brought forward here: nodes do not do that."""
        return self.terms.runs != "queue"

    def close(self) -> None:
        """Close the ledger."""
        self.overview.close()
        self.ledger.close()


def _served(request: Request) -> Served:
    served: Served = request.app.state.served
    return served


#: For the parameters of endpoints.
Serving = Annotated[Served, Depends(_served)]
