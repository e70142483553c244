"""The catalog: all active manifests as one. Sources by ID, rules by host. Raises ManifestError for IDs, names and
domains that contradict each other between files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.domain_rules import DomainRuleIndex
from rori_spiders.manifest.problems import ProblemLine, format_source_problem
from rori_spiders.manifest.scope import Scope
from rori_spiders.urls.canonical import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rori_spiders.manifest.domain_rules import HostRules
    from rori_spiders.manifest.models import Manifest, Source
    from rori_spiders.manifest.problems import JsonPath


@dataclass(frozen=True)
class LoadedManifest:
    """A manifest that was found valid."""

    name: str  # of the file, without folder and ending
    manifest: Manifest
    text: str  # as it was read, without code fences
    sha256: str  # hex, of the text in UTF-8
    origin: str  # a path, `-`, `packaged`, `ledger`: what a message calls it


# All active manifests, asked as one: sources by id, rules by host. In: loaded manifests. Out: ``Catalog``. Raises
# ManifestError for what only shows between files: ids, names and domains that contradict each other.


class Catalog:
    """The sources and domain rules of one or several manifests."""

    def __init__(self, loaded: Sequence[LoadedManifest]) -> None:
        self.loaded = tuple(loaded)
        if problems := [*duplicate_names(loaded), *duplicate_ids(loaded), *domain_contradictions(loaded)]:
            raise ManifestError(problems)
        self.sources: tuple[Source, ...] = tuple(source for one in self.loaded for source in one.manifest.sources)
        self._sources = {source.id: (source, one) for one in self.loaded for source in one.manifest.sources}
        self._domains = DomainRuleIndex(one.manifest.domains for one in self.loaded)
        self._api_urls = {host: url for one in self.loaded for host, url in one.manifest.mediawiki_sites.items()}
        if problems := [*apis_of_other_groups(loaded, self.group), *sources_with_too_many_groups(loaded, self.group)]:
            raise ManifestError(problems)
        self._wikis = {self.group(host) for host in self._wiki_hosts()}

    def _wiki_hosts(self) -> set[str]:
        own = {source.host for source in self.sources if source.scrape_config.mediawiki is not None}
        return {*self._api_urls, *own}

    def source(self, source_id: str) -> Source:
        """Raises KeyError for an id that no manifest has."""
        return self._sources[source_id][0]

    def loaded_of(self, source_id: str) -> LoadedManifest:
        """The manifest that a source stands in. Raises KeyError."""
        return self._sources[source_id][1]

    def rules(self, host: str) -> HostRules:
        """Each rule from the nearest entry of `domains`, for the host or a parent, that states it; else the default."""
        return self._domains.rules(host)

    def group(self, host: str) -> str:
        """The politeness group: the manifest's, else the registrable domain."""
        return self._domains.rules(host).group

    def groups_of(self, source: Source) -> list[str]:
        """The politeness groups that a run of *source* needs the leases of."""
        return sorted({self.group(host) for host in Scope(source).hosts})

    def rules_of_group(self, group: str) -> HostRules:
        """What holds for a politeness group: the strictest delay and concurrency of the domains that belong to it.

        Of a wiki with an API one request comes after another, as the API's etiquette asks
        (https://www.mediawiki.org/wiki/API:Etiquette).
        """
        rules = self._domains.rules_of_group(group)
        return replace(rules, concurrency=1) if group in self._wikis else rules

    def api_url(self, host: str) -> str | None:
        """The api.php of a wiki that `mediawiki_sites` names (``www.`` makes no difference)."""
        return self._api_urls.get(host) or self._api_urls.get(host.removeprefix("www."))


# What only shows between entries and files: what stands twice, contradicts itself, or is of too many groups.

#: A run holds the lease of each of its groups, and each takes at least one of the 10 requests at once.
MAX_GROUPS = 10


def duplicate_names(loaded: Sequence[LoadedManifest]) -> Iterator[str]:
    first: dict[str, LoadedManifest] = {}
    for one in loaded:
        other = first.setdefault(one.name, one)
        if other is not one:
            yield f"{one.origin}: the name {one.name!r} is taken by {other.origin}; rename one of the files"


def duplicate_ids(loaded: Sequence[LoadedManifest]) -> Iterator[ProblemLine]:
    first: dict[str, LoadedManifest] = {}
    for one in loaded:
        for index, source in enumerate(one.manifest.sources):
            other = first.setdefault(source.id, one)
            if other is not one:
                taken = f"the id is taken by a source of {other.origin}"
                yield format_source_problem(one.origin, source.id, ("sources", index, "id"), taken)


def domain_contradictions(loaded: Sequence[LoadedManifest]) -> Iterator[ProblemLine]:
    """Delays and concurrency have a stricter one; a fence, a group, hours and an api.php have not."""
    first: dict[tuple[str, str], tuple[object, LoadedManifest]] = {}
    for one in loaded:
        for place, value in _domain_statements(one):
            said, other = first.setdefault(place, (value, one))
            if said != value:
                domain, key = place
                message = f"{key} of {domain!r} is {value!r}, but {said!r} in {other.origin}"
                path = (key, domain) if key == "mediawiki_sites" else ("domains", domain, key)
                yield ProblemLine(f"{one.origin}: {message}", message, path=path)


def _domain_statements(one: LoadedManifest) -> Iterator[tuple[tuple[str, str], object]]:
    for host, rules in one.manifest.domains.items():
        for key in ("hours", "tiers", "group"):
            if (value := getattr(rules, key)) is not None:
                yield (host, key), value
    for host, url in one.manifest.mediawiki_sites.items():
        yield (host, "mediawiki_sites"), url


def apis_of_other_groups(loaded: Sequence[LoadedManifest], group: Callable[[str], str]) -> Iterator[ProblemLine]:
    """A wiki's api.php is asked at the pace of the wiki's group, so it must belong to that group."""
    for one in loaded:
        for host, url, source_id, path in _wiki_api_urls(one):
            if group(host_of(url)) != group(host):
                said = (
                    f"{host_of(url)} and {host} are in different politeness groups; if they belong to one "
                    "publisher, give them the same `group` in `domains`"
                )
                if source_id is None:
                    yield ProblemLine(f"{one.origin}: $.mediawiki_sites.{host}: {said}", said, path=path)
                else:
                    yield format_source_problem(one.origin, source_id, path, said)


def _wiki_api_urls(one: LoadedManifest) -> Iterator[tuple[str, str, str | None, JsonPath]]:
    """Each api.php that a file names: the wiki's host, the API's URL, the source that names it, where it stands."""
    for host, url in one.manifest.mediawiki_sites.items():
        yield host, url, None, ("mediawiki_sites", host)
    for index, source in enumerate(one.manifest.sources):
        wiki = source.scrape_config.mediawiki
        if wiki is not None and wiki.api_url is not None:
            path = ("sources", index, "scrape_config", "mediawiki", "api_url")
            yield source.host, wiki.api_url, source.id, path


def sources_with_too_many_groups(
    loaded: Sequence[LoadedManifest], group: Callable[[str], str]
) -> Iterator[ProblemLine]:
    """A source that could never begin, since it needs more leases than there are requests at once."""
    for one in loaded:
        for index, source in enumerate(one.manifest.sources):
            groups = {group(host) for host in Scope(source).hosts}
            if len(groups) > MAX_GROUPS:
                many = f"{len(groups)} politeness groups; a run supports at most {MAX_GROUPS}. Split the source"
                yield format_source_problem(one.origin, source.id, ("sources", index, "allowed_hosts"), many)
