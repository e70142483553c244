"""The manifests that a job collects by."""

from rori_spiders.configuration.active_manifest import load_active_catalog_or_warning
from rori_spiders.configuration.locations import Locations
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.headers import register_header_secrets
from rori_spiders.runtime.redaction import Redactor


class ActiveManifests:
    """The manifests of one job: before it opens, those that would be active; then those that it opened with."""

    def __init__(self, places: Locations, redactor: Redactor) -> None:
        self._places = places
        self._redactor = redactor
        self._catalog: Catalog | None = None

    @property
    def catalog(self) -> Catalog:
        if self._catalog is None:
            self._catalog = load_active_catalog_or_warning(self._places).catalog
        return self._catalog

    def group(self, host: str) -> str:
        """The politeness group of *host*."""
        return self.catalog.group(host)

    def use(self, catalog: Catalog) -> None:
        """Ask the sources of *catalog* from now on; their secrets are redacted."""
        register_header_secrets(catalog.sources, self._redactor)
        self._catalog = catalog
