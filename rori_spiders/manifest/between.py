"""What only shows between entries and files: what stands twice, contradicts itself, or is of too many groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.manifest.problems import Line, line_of_source
from rori_spiders.manifest.scope import Scope
from rori_spiders.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rori_spiders.manifest.loaded import Loaded
    from rori_spiders.manifest.problems import Path

#: A run holds the lease of each of its groups, and each takes at least one of the 10 requests at once.
MAX_GROUPS = 10


def same_names(loaded: Sequence[Loaded]) -> Iterator[str]:
    first: dict[str, Loaded] = {}
    for one in loaded:
        other = first.setdefault(one.name, one)
        if other is not one:
            yield f"{one.origin}: the name {one.name!r} is taken by {other.origin}; rename one of the files"


def same_ids(loaded: Sequence[Loaded]) -> Iterator[Line]:
    first: dict[str, Loaded] = {}
    for one in loaded:
        for index, source in enumerate(one.manifest.sources):
            other = first.setdefault(source.id, one)
            if other is not one:
                taken = f"the id is taken by a source of {other.origin}"
                yield line_of_source(one.origin, source.id, ("sources", index, "id"), taken)


def contradictions(loaded: Sequence[Loaded]) -> Iterator[Line]:
    """Delays and concurrency have a stricter one; a fence, a group, hours and an api.php have not."""
    first: dict[tuple[str, str], tuple[object, Loaded]] = {}
    for one in loaded:
        for place, value in _statements(one):
            said, other = first.setdefault(place, (value, one))
            if said != value:
                domain, key = place
                message = f"{key} of {domain!r} is {value!r}, but {said!r} in {other.origin}"
                path = (key, domain) if key == "mediawiki_sites" else ("domains", domain, key)
                yield Line(f"{one.origin}: {message}", message, path=path)


def _statements(one: Loaded) -> Iterator[tuple[tuple[str, str], object]]:
    for host, rules in one.manifest.domains.items():
        for key in ("hours", "tiers", "group"):
            if (value := getattr(rules, key)) is not None:
                yield (host, key), value
    for host, url in one.manifest.mediawiki_sites.items():
        yield (host, "mediawiki_sites"), url


def foreign_apis(loaded: Sequence[Loaded], group: Callable[[str], str]) -> Iterator[Line]:
    """A wiki's api.php is asked at the pace of the wiki's group, so it must belong to that group."""
    for one in loaded:
        for host, url, source_id, path in _apis(one):
            if group(host_of(url)) != group(host):
                said = (
                    f"{host_of(url)} is of another politeness group than {host}; when both are"
                    " one publisher's, give them the same `group` in `domains`"
                )
                if source_id is None:
                    yield Line(f"{one.origin}: $.mediawiki_sites.{host}: {said}", said, path=path)
                else:
                    yield line_of_source(one.origin, source_id, path, said)


def _apis(one: Loaded) -> Iterator[tuple[str, str, str | None, Path]]:
    """Each api.php that a file names: the wiki's host, the API's URL, the source that names it, where it stands."""
    for host, url in one.manifest.mediawiki_sites.items():
        yield host, url, None, ("mediawiki_sites", host)
    for index, source in enumerate(one.manifest.sources):
        wiki = source.scrape_config.mediawiki
        if wiki is not None and wiki.api_url is not None:
            path = ("sources", index, "scrape_config", "mediawiki", "api_url")
            yield source.host, wiki.api_url, source.id, path


def too_many_groups(loaded: Sequence[Loaded], group: Callable[[str], str]) -> Iterator[Line]:
    """A source that could never begin, since it needs more leases than there are requests at once."""
    for one in loaded:
        for index, source in enumerate(one.manifest.sources):
            groups = {group(host) for host in Scope(source).hosts}
            if len(groups) > MAX_GROUPS:
                many = f"{len(groups)} politeness groups, at most {MAX_GROUPS} can be asked by one run; split it"
                yield line_of_source(one.origin, source.id, ("sources", index, "allowed_hosts"), many)
