"""All manifests in force, asked as one: sources by id, rules by host.

In: loaded manifests. Out: ``Catalog``. Raises ManifestError for what only shows between files: ids, names and domains
that contradict each other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest import between
from rori_spiders.manifest.domains import Domains
from rori_spiders.manifest.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.manifest.domains import Rules
    from rori_spiders.manifest.loaded import Loaded
    from rori_spiders.manifest.models import Source


class Catalog:
    """The sources and domain rules of one or several manifests."""

    def __init__(self, loaded: Sequence[Loaded]) -> None:
        self.loaded = tuple(loaded)
        if problems := [*between.same_names(loaded), *between.same_ids(loaded), *between.contradictions(loaded)]:
            raise ManifestError(problems)
        self.sources: tuple[Source, ...] = tuple(source for one in self.loaded for source in one.manifest.sources)
        self._sources = {source.id: (source, one) for one in self.loaded for source in one.manifest.sources}
        self._domains = Domains(one.manifest.domains for one in self.loaded)
        self._api_urls = {host: url for one in self.loaded for host, url in one.manifest.mediawiki_sites.items()}
        if problems := [*between.foreign_apis(loaded, self.group), *between.too_many_groups(loaded, self.group)]:
            raise ManifestError(problems)
        self._wikis = {self.group(host) for host in self._wiki_hosts()}

    def _wiki_hosts(self) -> set[str]:
        own = {source.host for source in self.sources if source.scrape_config.mediawiki is not None}
        return {*self._api_urls, *own}

    def source(self, source_id: str) -> Source:
        """Raises KeyError for an id that no manifest has."""
        return self._sources[source_id][0]

    def loaded_of(self, source_id: str) -> Loaded:
        """The manifest that a source stands in. Raises KeyError."""
        return self._sources[source_id][1]

    def rules(self, host: str) -> Rules:
        """Each rule from the nearest entry of `domains`, for the host or a parent, that states it; else the default."""
        return self._domains.rules(host)

    def group(self, host: str) -> str:
        """The politeness group: the manifest's, else the registrable domain."""
        return self._domains.rules(host).group

    def groups_of(self, source: Source) -> list[str]:
        """The politeness groups that a run of *source* needs the leases of."""
        return sorted({self.group(host) for host in Scope(source).hosts})

    def rules_of_group(self, group: str) -> Rules:
        """What holds for a politeness group: the strictest delay and concurrency of the domains that belong to it.

        Of a wiki with an API one request comes after another, as the API's etiquette asks
        (https://www.mediawiki.org/wiki/API:Etiquette).
        """
        rules = self._domains.rules_of_group(group)
        return replace(rules, concurrency=1) if group in self._wikis else rules

    def api_url(self, host: str) -> str | None:
        """The api.php of a wiki that `mediawiki_sites` names (``www.`` makes no difference)."""
        return self._api_urls.get(host) or self._api_urls.get(host.removeprefix("www."))
