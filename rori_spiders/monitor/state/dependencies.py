"""The state of the application, as endpoints receive it, and the look-up of sources in it."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request
from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from rori_spiders.comparison.text_index import TextIndex, index_file
from rori_spiders.configuration.active_manifest import load_catalog
from rori_spiders.configuration.locations import Locations
from rori_spiders.exceptions import RoriError
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.ledger.runs import run_records
from rori_spiders.ledger.tables import manifest_versions
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.security.webhook_signature import SECRET_VARIABLE
from rori_spiders.monitor.state.overview import Overview, read_overview
from rori_spiders.monitor.state.refreshing_cache import RefreshingCache
from rori_spiders.monitor.state.settings import MonitorSettings
from rori_spiders.schedule.status import StatusCache
from rori_spiders.staging.consistency import describe_missing_ledger, is_store_empty
from rori_spiders.staging.store_factory import open_store
from rori_spiders.staging.webhook.client import read_secret

#: Seconds to wait for another writer: less than a job does, because a person waits for the response.
LEDGER_TIMEOUT_S = 5.0


class AppState:
    """One project, as the monitor shows it. Safe to use from several threads; close it when done.

    *root* is the folder of ``scrapy.cfg``; *settings* are the project's, checked and typed.
    """

    def __init__(
        self,
        places: Locations,
        settings: Mapping[str, Any],
        root: Path,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        patience_s: float = LEDGER_TIMEOUT_S,
    ) -> None:
        self.places = places
        self.settings = settings
        self.root = root
        self.now = now
        self.terms = MonitorSettings.from_settings(settings)
        self.hook_secret = read_secret(SECRET_VARIABLE)
        self.store = open_store(places.staging)
        if not places.has_ledger and not is_store_empty(self.store):
            raise describe_missing_ledger(self.store, places.shown_ledger)
        self.ledger: Ledger = open_ledger(places.database_url, timeout_s=patience_s, replica_url=places.replica_url)
        self.overview: RefreshingCache[Overview] = RefreshingCache(self._overview, self._mark)
        self._memory = StatusCache()  # of the one thread that reads the overview at a time
        self._catalog: Catalog | None = None
        self._catalog_of: object = None
        self._reads = threading.Lock()

    def catalog(self, conn: Connection) -> Catalog:
        """The active sources. Read again only when another manifest was activated, or the given file changed.

        Raises ManifestError when the active manifest is not valid.
        """
        version = self._version(conn)
        with self._reads:
            if self._catalog is None or self._catalog_of != version:
                allowed = self.places.allowed_addresses
                self._catalog = load_catalog(self.places.manifests, self.ledger, allowed_addresses=allowed)
                self._catalog_of = version
            return self._catalog

    @cached_property
    def text_index(self) -> TextIndex:
        """The index of texts; opened by the first search. Raises LedgerError."""
        return TextIndex(index_file(self.places.database_url, self.root))

    def warm(self) -> None:
        """Load the manifest and the overview, so that the first request does not wait for them."""
        with suppress(RoriError, SQLAlchemyError):  # the request reports it
            self.overview.get()

    def _overview(self) -> Overview:
        with self.ledger.connect() as conn:
            return read_overview(conn, self.catalog(conn), self.now(), self._memory)

    def _mark(self) -> object:
        """Return a marker that changes with the ledger or the manifest."""
        return self.ledger.mark(), [path.stat().st_mtime_ns for path in self.places.manifests]

    def _version(self, conn: Connection) -> object:
        """Return a marker that changes with the catalog."""
        if self.places.manifests:
            return [(path, stat.st_mtime_ns, stat.st_size) for path in self.places.manifests for stat in [path.stat()]]
        table = manifest_versions
        active = select(table.c.name, table.c.sha256).where(table.c.active).order_by(table.c.name)
        return [tuple(row) for row in conn.execute(active)]

    @property
    def runs_here(self) -> bool:
        """Whether this monitor runs the jobs that operators start, as on SQLite, where nodes are rare."""
        return self.terms.runs == "local" or (not self.terms.runs and self.ledger.place.is_sqlite)

    @property
    def works_on_corpora(self) -> bool:
        """Whether this monitor runs corpus workers; nodes do not."""
        return self.terms.runs != "queue"

    def close(self) -> None:
        """Close the ledger."""
        self.overview.close()
        self.ledger.close()


def _app_state(request: Request) -> AppState:
    served: AppState = request.app.state.served
    return served


#: Parameter of endpoints: the application's state.
AppStateDep = Annotated[AppState, Depends(_app_state)]


# Look-up of the sources that a request names.


def require_sources(catalog: Catalog, ids: Sequence[str]) -> list[Source]:
    """Return the distinct sources of these ids. Raises ApiError 404 that names the unknown ones."""
    found = {source.id: source for source in catalog.sources}
    wanted = list(dict.fromkeys(ids))
    if unknown := [one for one in wanted if one not in found]:
        near = get_close_matches(unknown[0], found, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ApiError(
            404, "unknown_source", f"Source {unknown[0]!r} is not in the active manifest.{hint}", source_ids=unknown
        )
    return [found[one] for one in wanted]


def require_source(catalog: Catalog, source_id: str) -> Source:
    """Return the active source of this id. Raises ApiError 404."""
    return require_sources(catalog, [source_id])[0]


def require_known_source(conn: Connection, served: AppState, source_id: str) -> None:
    """Raise ApiError 404 for an id that is not an active source and never ran."""
    if not run_records.has_runs(conn, source_id):
        require_source(served.catalog(conn), source_id)
