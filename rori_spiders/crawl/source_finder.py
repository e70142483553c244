"""Which source collects a URL: the one rule for imports, for the preview of a page, and for `scrapy shell URL`."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from rori_spiders.crawl.tiers.official.ecfr import parse_cfr_part
from rori_spiders.crawl.tiers.official.registry import is_single_page
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.scope import NarrowerScopes, Scope
from rori_spiders.urls.canonical import host_of, normalise_url, path_and_query


class Finder(Protocol):
    """Finds the source that a URL belongs to."""

    def find(self, url: str) -> Source | None: ...


@dataclass(frozen=True, slots=True)
class OneSource:
    """All is of one source: that of documents which a search of it names."""

    source: Source

    def find(self, url: str) -> Source | None:
        """The source, of whatever URL."""
        return self.source


class SourceFinder:
    """Finds the source that collects a URL: one that is active before others, the narrower before the wider one.

    *only*: its id, where no other is wanted.
    """

    def __init__(
        self, catalog: Catalog, only: str | None = None, statuses: Collection[str] = ("active", "proposed", "paused")
    ) -> None:
        sources = [one for one in catalog.sources if one.status in statuses and only in {None, one.id}]
        self._catalog = catalog
        self._only = only
        self._by_host: dict[str, list[tuple[Source, Scope]]] = {}
        self._narrower: dict[str, NarrowerScopes] = {}
        for source in sorted(sources, key=lambda one: one.status != "active"):
            scope = Scope(source)
            for host in scope.hosts:
                self._by_host.setdefault(host, []).append((source, scope))

    def find(self, url: str) -> Source | None:
        """The source of *url* (normalised); None where none collects it."""
        if path_and_query(url) == "/robots.txt":
            return None
        for source, scope in self._by_host.get(host_of(url), ()):
            if _holds(source, scope, url):
                return source if self._only is not None else self._narrow(source, url)
        return None

    def _narrow(self, source: Source, url: str) -> Source:
        if source.id not in self._narrower:
            self._narrower[source.id] = NarrowerScopes(self._catalog, source)
        narrower = self._narrower[source.id].source_of(url)
        return source if narrower is None else self._catalog.source(narrower)


def _holds(source: Source, scope: Scope, url: str) -> bool:
    """Whether a collection of *source* may ask for *url*: a page alone has no links to bound, its scope is its host."""
    if is_single_page(source):
        return url == normalise_url(source.url)
    if parse_cfr_part(source.url) is not None:
        front = normalise_url(source.url).rstrip("/")
        return f"{url}/".startswith(f"{front}/") and scope.excludes(url) is None
    return scope.excludes(url) is None
