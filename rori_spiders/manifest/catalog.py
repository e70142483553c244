"""All manifests in force, asked as one: sources by id, rules by host.

In: loaded manifests. Out: ``Catalog``. Raises ManifestError for what only shows between files: ids, names and domains
that contradict each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.hours import Hours
from rori_spiders.manifest.models import DEFAULT_CONCURRENCY, DEFAULT_DELAY_S, DomainRules
from rori_spiders.manifest.scope import Scope
from rori_spiders.urls import host_of, registrable_domain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rori_spiders.manifest.loaded import Loaded
    from rori_spiders.manifest.models import Source
    from rori_spiders.manifest.vocabulary import Tier


#: "Programmatic access to these sites is limited to access to our extensive developer APIs" (their "Request Access"
#: page): no browser and no provider ever asks them. A manifest may narrow these fences, never widen them.
FENCES: Mapping[str, tuple[Tier, ...]] = {
    "ecfr.gov": ("official", "http"),
    "federalregister.gov": ("official", "http"),
}

#: A run holds the lease of each of its groups, and each takes at least one of the 10 requests at once.
MAX_GROUPS = 10


@dataclass(frozen=True)
class Rules:
    """What holds for a host."""

    delay_s: float
    concurrency: int
    hours: Hours | None  # None: nothing said; the schedule's own rule (.gov at night) holds
    tiers: tuple[Tier, ...] | None  # the fence; None: no fence
    group: str


class Catalog:
    """The sources and domain rules of one or several manifests."""

    def __init__(self, loaded: Sequence[Loaded]) -> None:
        self.loaded = tuple(loaded)
        problems = [*_same_names(self.loaded), *_same_ids(self.loaded), *_contradictions(self.loaded)]
        if problems:
            raise ManifestError(problems)
        self.sources: tuple[Source, ...] = tuple(source for one in self.loaded for source in one.manifest.sources)
        self._sources = {source.id: (source, one) for one in self.loaded for source in one.manifest.sources}
        self._domains = _strictest(one.manifest.domains for one in self.loaded)
        self._api_urls = {host: url for one in self.loaded for host, url in one.manifest.mediawiki_sites.items()}
        if problems := [*self._foreign_apis(), *self._too_many_groups()]:
            raise ManifestError(problems)

    def source(self, source_id: str) -> Source:
        """Raises KeyError for an id that no manifest has."""
        return self._sources[source_id][0]

    def loaded_of(self, source_id: str) -> Loaded:
        """The manifest that a source stands in. Raises KeyError."""
        return self._sources[source_id][1]

    def rules(self, host: str) -> Rules:
        """Each rule from the nearest entry of `domains`, for the host or a parent, that states it; else the default."""
        said = [self._domains[name] for name in _upwards(host) if name in self._domains]
        hours = next((rules.hours for rules in said if rules.hours is not None), None)
        return Rules(
            delay_s=next((rules.delay_s for rules in said if "delay_s" in rules.model_fields_set), DEFAULT_DELAY_S),
            concurrency=next(
                (rules.concurrency for rules in said if "concurrency" in rules.model_fields_set), DEFAULT_CONCURRENCY
            ),
            hours=Hours.parse(hours) if hours else None,
            tiers=_fence(host, next((rules.tiers for rules in said if rules.tiers is not None), None)),
            group=next((rules.group for rules in said if rules.group is not None), registrable_domain(host)),
        )

    def group(self, host: str) -> str:
        """The politeness group: the manifest's, else the registrable domain."""
        return self.rules(host).group

    def rules_of_group(self, group: str) -> Rules:
        """What holds for a politeness group: the strictest delay and concurrency of the domains that belong to it."""
        members = [self.rules(host) for host in self._domains if self.group(host) == group] or [self.rules(group)]
        return replace(
            members[0],
            delay_s=max(member.delay_s for member in members),
            concurrency=min(member.concurrency for member in members),
        )

    def api_url(self, host: str) -> str | None:
        """The api.php of a wiki that `mediawiki_sites` names (``www.`` makes no difference)."""
        return self._api_urls.get(host) or self._api_urls.get(host.removeprefix("www."))

    def _foreign_apis(self) -> Iterator[str]:
        """A wiki's api.php is asked at the pace of the wiki's group, so it must belong to that group."""
        for one in self.loaded:
            for host, url in one.manifest.mediawiki_sites.items():
                yield from self._foreign_api(host, url, f"{one.origin}: $.mediawiki_sites.{host}")
            for index, source in enumerate(one.manifest.sources):
                wiki = source.scrape_config.mediawiki
                if wiki is not None and wiki.api_url is not None:
                    where = (
                        f"source {source.id!r} (sources[{index}]): $.sources[{index}].scrape_config.mediawiki.api_url"
                    )
                    yield from self._foreign_api(source.host, wiki.api_url, f"{one.origin}: {where}")

    def _too_many_groups(self) -> Iterator[str]:
        for one in self.loaded:
            for index, source in enumerate(one.manifest.sources):
                groups = {self.group(host) for host in Scope(source).hosts}
                if len(groups) > MAX_GROUPS:
                    yield (
                        f"{one.origin}: source {source.id!r} (sources[{index}]): $.sources[{index}].allowed_hosts: "
                        f"{len(groups)} politeness groups, at most {MAX_GROUPS} can be asked by one run; split it"
                    )

    def _foreign_api(self, host: str, url: str, where: str) -> Iterator[str]:
        api = host_of(url)
        if self.group(api) != self.group(host):
            yield (
                f"{where}: {api} is of another politeness group than {host}; when both are one publisher's, give them"
                " the same `group` in `domains`"
            )


def _fence(host: str, stated: tuple[Tier, ...] | None) -> tuple[Tier, ...] | None:
    """The fence that a manifest states for *host*, within the one that its publisher asks for."""
    asked = next((FENCES[name] for name in _upwards(host) if name in FENCES), None)
    if asked is None or stated is None:
        return asked if stated is None else stated
    return tuple(tier for tier in stated if tier in asked)


def _upwards(host: str) -> Iterator[str]:
    """``a.b.gov``, ``b.gov``, ``gov``; an address has no parents."""
    yield host
    if ":" not in host and not host.rpartition(".")[2].isdigit():
        while "." in host:
            host = host.partition(".")[2]
            yield host


def _strictest(files: Iterable[Mapping[str, DomainRules]]) -> dict[str, DomainRules]:
    """Domains of several files: the longer delay, the smaller concurrency."""
    merged: dict[str, DomainRules] = {}
    for domains in files:
        for host, rules in domains.items():
            merged[host] = _stricter(merged[host], rules) if host in merged else rules
    return merged


def _stricter(one: DomainRules, other: DomainRules) -> DomainRules:
    given = {**one.model_dump(exclude_unset=True), **other.model_dump(exclude_unset=True)}
    stated = one.model_fields_set | other.model_fields_set
    if "delay_s" in stated:
        given["delay_s"] = max(rules.delay_s for rules in (one, other) if "delay_s" in rules.model_fields_set)
    if "concurrency" in stated:
        given["concurrency"] = min(one.concurrency, other.concurrency)
    return DomainRules.model_validate(given)


def _same_names(loaded: Sequence[Loaded]) -> Iterator[str]:
    first: dict[str, Loaded] = {}
    for one in loaded:
        other = first.setdefault(one.name, one)
        if other is not one:
            yield f"{one.origin}: the name {one.name!r} is taken by {other.origin}; rename one of the files"


def _same_ids(loaded: Sequence[Loaded]) -> Iterator[str]:
    first: dict[str, Loaded] = {}
    for one in loaded:
        for index, source in enumerate(one.manifest.sources):
            other = first.setdefault(source.id, one)
            if other is not one:
                where = f"{one.origin}: source {source.id!r} (sources[{index}]): $.sources[{index}].id"
                yield f"{where}: the id is taken by a source of {other.origin}"


def _contradictions(loaded: Sequence[Loaded]) -> Iterator[str]:
    """Delays and concurrency have a stricter one; a fence, a group, hours and an api.php have not."""
    first: dict[tuple[str, str], tuple[object, Loaded]] = {}
    for one in loaded:
        for place, value in _statements(one):
            said, other = first.setdefault(place, (value, one))
            if said != value:
                domain, key = place
                yield f"{one.origin}: {key} of {domain!r} is {value!r}, but {said!r} in {other.origin}"


def _statements(one: Loaded) -> Iterator[tuple[tuple[str, str], object]]:
    for host, rules in one.manifest.domains.items():
        for key in ("hours", "tiers", "group"):
            if (value := getattr(rules, key)) is not None:
                yield (host, key), value
    for host, url in one.manifest.mediawiki_sites.items():
        yield (host, "mediawiki_sites"), url
