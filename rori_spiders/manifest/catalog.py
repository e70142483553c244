"""The catalog: all active manifests as one. Sources by ID; rules by host (crawl window, allowed tiers, delay,
concurrency, politeness group). Raises ManifestError for IDs, names and domains that contradict each other between
files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, time
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from rori_spiders.exceptions import ManifestError, UnknownName
from rori_spiders.manifest.models import DEFAULT_CONCURRENCY, DEFAULT_DELAY_S, DomainRules
from rori_spiders.manifest.problems import ProblemLine, format_source_problem
from rori_spiders.urls.canonical import host_of, normalise_url, registrable_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rori_spiders.manifest.models import Manifest, Source
    from rori_spiders.manifest.problems import JsonPath
    from rori_spiders.manifest.vocabulary import Tier


@dataclass(frozen=True)
class LoadedManifest:
    """A manifest that was found valid."""

    name: str  # of the file, without folder and ending
    manifest: Manifest
    text: str  # as it was read, without code fences
    sha256: str  # hex, of the text in UTF-8
    origin: str  # a path, `-`, `packaged`, `ledger`: what a message calls it


NEW_YORK = "America/New_York"  # S0 §6.2 speaks of ET


@dataclass(frozen=True)
class CrawlWindow:
    """From ``start`` up to, not including, ``end``, on the clocks of ``zone``; equal ones mean the whole day."""

    start: time
    end: time
    zone: str = NEW_YORK

    @classmethod
    def parse(cls, text: str) -> CrawlWindow:
        """Read what ``DomainRules.hours`` accepted."""
        if text == "any":
            return cls(time(0), time(0))
        span, _, zone = text.partition(" ")
        start, _, end = span.partition("-")
        return cls(time.fromisoformat(start), time.fromisoformat(end), zone or NEW_YORK)

    def cover(self, moment: datetime) -> bool:
        """Whether *moment*, which knows its time zone, lies inside."""
        local = moment.astimezone(ZoneInfo(self.zone)).time()
        if self.start < self.end:
            return self.start <= local < self.end
        return self.start == self.end or local >= self.start or local < self.end


# Fences that publishers ask for themselves: by which tiers alone their hosts may be reached.

#: "Programmatic access to these sites is limited to access to our extensive developer APIs" (their "Request Access"
#: page): no browser and no provider ever asks them. A manifest may narrow these fences, never widen them.
PUBLISHER_TIERS: Mapping[str, tuple[Tier, ...]] = {
    "ecfr.gov": ("official", "http"),
    "federalregister.gov": ("official", "http"),
}


def allowed_tiers(host: str, stated: tuple[Tier, ...] | None) -> tuple[Tier, ...] | None:
    """The fence that a manifest states for *host*, within the one that its publisher asks for."""
    tiers = next((PUBLISHER_TIERS[name] for name in host_and_parents(host) if name in PUBLISHER_TIERS), None)
    if tiers is None or stated is None:
        return tiers if stated is None else stated
    return tuple(tier for tier in stated if tier in tiers)


def host_and_parents(host: str) -> Iterator[str]:
    """``a.b.gov``, ``b.gov``, ``gov``; an address has no parents."""
    yield host
    if ":" not in host and not host.rpartition(".")[2].isdigit():
        while "." in host:
            host = host.partition(".")[2]
            yield host


# What holds for a host: each rule from the nearest entry of `domains` that states it; of two files the stricter.


@dataclass(frozen=True)
class HostRules:
    """The rules that apply to a host."""

    delay_s: float
    concurrency: int
    hours: CrawlWindow | None  # None: nothing said; the schedule's own rule (.gov at night) holds
    tiers: tuple[Tier, ...] | None  # the fence; None: no fence
    host: str
    stated_group: str | None

    @property
    def group(self) -> str:
        """The politeness group: the manifest's, else the registrable domain."""
        return self.stated_group or registrable_domain(self.host)


class DomainRuleIndex:
    """The `domains` of several manifests, asked by host or by politeness group."""

    def __init__(self, files: Iterable[Mapping[str, DomainRules]]) -> None:
        # Domains of several files: the longer delay, the smaller concurrency.
        merged: dict[str, DomainRules] = {}
        for domains in files:
            for host, rules in domains.items():
                merged[host] = _stricter_rules(merged[host], rules) if host in merged else rules
        self._stated = merged
        # asked for some twenty times a page, and of each host by the schedule
        self._rules = lru_cache(maxsize=1 << 15)(self._rules_of)

    def rules(self, host: str) -> HostRules:
        """Each rule from the nearest entry of `domains`, for the host or a parent, that states it; else the default."""
        return self._rules(host)

    def _rules_of(self, host: str) -> HostRules:
        applicable = [self._stated[name] for name in host_and_parents(host) if name in self._stated]
        hours = next((rules.hours for rules in applicable if rules.hours is not None), None)
        return HostRules(
            delay_s=next(
                (rules.delay_s for rules in applicable if "delay_s" in rules.model_fields_set), DEFAULT_DELAY_S
            ),
            concurrency=next(
                (rules.concurrency for rules in applicable if "concurrency" in rules.model_fields_set),
                DEFAULT_CONCURRENCY,
            ),
            hours=CrawlWindow.parse(hours) if hours else None,
            tiers=allowed_tiers(host, next((rules.tiers for rules in applicable if rules.tiers is not None), None)),
            host=host,
            stated_group=next((rules.group for rules in applicable if rules.group is not None), None),
        )

    def group(self, host: str) -> str:
        """The politeness group: the manifest's, else the registrable domain."""
        return self.rules(host).group

    def rules_of_group(self, group: str) -> HostRules:
        """What holds for a politeness group: the strictest delay and concurrency of the domains that belong to it."""
        members = [self.rules(host) for host in self._stated if self.group(host) == group] or [self.rules(group)]
        return replace(
            members[0],
            delay_s=max(member.delay_s for member in members),
            concurrency=min(member.concurrency for member in members),
        )


def _stricter_rules(one: DomainRules, other: DomainRules) -> DomainRules:
    merged = {**one.model_dump(exclude_unset=True), **other.model_dump(exclude_unset=True)}
    stated = one.model_fields_set | other.model_fields_set
    if "delay_s" in stated:
        merged["delay_s"] = max(rules.delay_s for rules in (one, other) if "delay_s" in rules.model_fields_set)
    if "concurrency" in stated:
        merged["concurrency"] = min(one.concurrency, other.concurrency)
    return DomainRules.model_validate(merged)


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

    @cached_property
    def order(self) -> Mapping[str, int]:
        """Where each source stands in the manifests, by id."""
        return {source.id: at for at, source in enumerate(self.sources)}

    @cached_property
    def agencies(self) -> Mapping[str, Sequence[str]]:
        """The agencies that publish the sources, by name, with the ids of their sources."""
        found: dict[str, list[str]] = {}
        for source in self.sources:
            if source.metadata.agency:
                found.setdefault(source.metadata.agency, []).append(source.id)
        return found

    def require_agency(self, name: str) -> Sequence[str]:
        """The ids of an agency's sources; capitals do not matter. Raises UnknownName."""
        ids = [one for agency, own in self.agencies.items() if agency.casefold() == name.casefold() for one in own]
        if not ids:
            known = ", ".join(sorted(self.agencies)) or "none"
            raise UnknownName(f"no source of the active manifest has the agency {name!r}. Agencies: {known}")
        return ids

    def starts_on(self, host: str) -> Sequence[tuple[str, Source]]:
        """The sources that begin on *host*, with their start URLs, normalised."""
        return self._starts.get(host, ())

    @cached_property
    def _starts(self) -> dict[str, list[tuple[str, Source]]]:
        starts: dict[str, list[tuple[str, Source]]] = {}
        for source in self.sources:
            url = normalise_url(source.url)
            starts.setdefault(host_of(url), []).append((url, source))
        return starts

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
        return sorted({self.group(host) for host in source.hosts})

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

#: A run holds the lease of each of its groups: as long as it goes on, no other source of them is collected.
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
            first_value, other = first.setdefault(place, (value, one))
            if first_value != value:
                domain, key = place
                message = f"{key} of {domain!r} is {value!r}, but {first_value!r} in {other.origin}"
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
                message = (
                    f"{host_of(url)} and {host} are in different politeness groups; if they belong to one "
                    "publisher, give them the same `group` in `domains`"
                )
                if source_id is None:
                    yield ProblemLine(f"{one.origin}: $.mediawiki_sites.{host}: {message}", message, path=path)
                else:
                    yield format_source_problem(one.origin, source_id, path, message)


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
            groups = {group(host) for host in source.hosts}
            if len(groups) > MAX_GROUPS:
                many = f"{len(groups)} politeness groups; a run supports at most {MAX_GROUPS}. Split the source"
                yield format_source_problem(one.origin, source.id, ("sources", index, "allowed_hosts"), many)
