"""The inventory of a map: an entry for each URL, the pages by section of the site, what the patterns of the
manifest match, and how long a collection would take. Steps: nothing is requested here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from rori_spiders.manifest.scope import Glob, is_start_not_included, patterns_excluding_start
from rori_spiders.reasons import CAPTURED, Reason
from rori_spiders.schedule import crawl_window_for, estimate_crawl_duration
from rori_spiders.urls.canonical import host_of, normalise_url, origin_of, path_and_query, route_of, url_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rori_spiders.content.html.links import Linked
    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.items import FrontierUrl, PageItem
    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule import CrawlDuration


@dataclass(slots=True)
class MapEntry:
    """A URL that is known. ``held``: a text of it is held; ``is_requested``: the map itself has requested it.

    ``state`` is what a collection would do with it: ``collect``, or not (``excluded``); ``failed``: the map asked, and
    got no page; ``unanswered``: the map was to ask, and was cut short.
    """

    url: str
    kind: str  # page | sitemap | api
    state: str
    reason: Reason = CAPTURED
    held: bool = False
    is_requested: bool = False
    found_by: str = ""
    found_on: str | None = None
    depth: int = 0
    lastmod: str | None = None  # in the sitemap's own words
    title: str | None = None  # its own, where it was asked; else as links to it say
    description: str | None = None


@dataclass(slots=True)
class MapInventory:
    """The entries of one source. ``held``: hash of the URL -> URL of the pages that have a text and are not gone.

    ``run`` is the walker's, which no ledger knows; None until the source could be asked.
    """

    run: Run | None = None
    held: Mapping[str, str] = field(default_factory=dict)
    entries: dict[str, MapEntry] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)  # URL -> what the first link to it says
    _lastmods: dict[str, str] = field(default_factory=dict)

    # --- what is found --------------------------------------------------------------------------------------------

    def discovered(self, visits: Iterable[FrontierUrl], *, is_requested: bool = False) -> None:
        """These would be collected; *is_requested*: the map requests them itself."""
        for visit in visits:
            entry = self._entry(visit)
            entry.state = "unanswered" if is_requested else "collect"

    def excluded(self, visits: Iterable[tuple[FrontierUrl, Reason]]) -> None:
        for visit, reason in visits:
            entry = self._entry(visit)
            entry.state, entry.reason = "excluded", reason

    def ended(self, item: PageItem) -> None:
        """What became of a URL that the map asked for, and what it led to."""
        entry = self._entry(item.visit)
        entry.is_requested, entry.reason = True, item.reason
        entry.state = "collect" if item.state in {"captured", "unchanged"} else item.state
        self.discovered(item.discovered)
        self.excluded(item.excluded)

    def says(self, url: str, linked: Linked) -> None:
        """What a page that was asked says of itself and of those that it links."""
        entry = self.entries[url]
        entry.title, entry.description = linked.title, linked.description
        for target, text in linked.texts:
            self._note(self._texts, target, text)

    def changed(self, lastmods: Mapping[str, str]) -> None:
        """When pages last changed, as a sitemap says."""
        for url, lastmod in lastmods.items():
            day = " ".join(lastmod.split())[:40]
            if url in self.entries:  # as most are spelled, and there may be 50,000
                self._lastmods.setdefault(url, day)
            else:
                self._note(self._lastmods, url, day)

    # --- the end --------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Bring together what every list and page said of each page."""
        for url, entry in self.entries.items():
            entry.title = entry.title or self._texts.get(url)
            entry.lastmod = self._lastmods.get(url)
            entry.held = url_hash(url) in self.held

    @property
    def pages(self) -> list[MapEntry]:
        return [entry for entry in self.entries.values() if entry.kind == "page"]

    def counts(self) -> Counter[str]:
        """Pages by state."""
        return Counter(entry.state for entry in self.pages)

    def _entry(self, visit: FrontierUrl) -> MapEntry:
        if visit.url not in self.entries:
            self.entries[visit.url] = MapEntry(
                visit.url, visit.kind, "collect", found_by=visit.found_by, found_on=visit.found_on, depth=visit.depth
            )
        return self.entries[visit.url]

    @staticmethod
    def _note(notes: dict[str, str], url: str, text: str) -> None:
        for spelt in _normalised_url(url):
            notes.setdefault(spelt, text)


def _normalised_url(url: str) -> tuple[str, ...]:
    try:
        return (normalise_url(url),)
    except ValueError:
        return ()


# Pages by the folders of their paths: a tree with counts, and as much of it as fits. A step. In: entries. Out: rows
# from the top down, the largest sections opened first.

_REST = "/... ("


@dataclass(slots=True)
class Section:
    """A folder, with what lies in it and below."""

    name: str
    level: int = 0
    states: Counter[str] = field(default_factory=Counter)
    held: int = 0
    found: Counter[str] = field(default_factory=Counter)
    lastmod: str | None = None  # the newest, where all are dates of ISO 8601
    below: dict[str, Section] = field(default_factory=dict)
    own: int = 0  # pages in the folder itself

    @property
    def size(self) -> int:
        return self.states.total()

    def count(self, entry: MapEntry) -> None:
        self.states[entry.state] += 1
        self.held += entry.held
        self.found[entry.found_by] += 1
        if entry.lastmod and entry.lastmod[:4].isdigit():
            self.lastmod = max(self.lastmod or "", entry.lastmod)


def folder_of_entry(entry: MapEntry) -> str:
    """The folder of a page: ``/a/b/`` for ``/a/b/``, ``/a/b/c`` and ``/a/b/c?d``."""
    return path_and_query(entry.url).partition("?")[0].rpartition("/")[0] + "/"


def build_section_tree(entries: Iterable[MapEntry], folder: Callable[[MapEntry], str] = folder_of_entry) -> Section:
    """The sections of *entries*, by *folder*; those of several hosts below a section for each."""
    entries = list(entries)
    several = len({origin_of(entry.url) for entry in entries}) > 1
    root = Section("")
    for entry in entries:
        names = [part + "/" for part in folder(entry).split("/")[:-1]]
        if several:
            names[:1] = [f"{origin_of(entry.url)}/"]
        section = root
        section.count(entry)
        for name in names:
            section = section.below.setdefault(name, Section(section.name + name))
            section.count(entry)
        section.own += 1
    return root


def visible_sections(root: Section, most: int) -> list[Section]:
    """At most *most* sections from the top down, each with its level; the largest are opened first."""
    top = _limit_sections([_collapse_section(section) for section in root.below.values()], most)
    shown = {id(section) for section in top}
    room = most - len(top)
    waiting: list[tuple[int, str, Section]] = []
    for section in top:
        _push_section(waiting, section)
    while waiting and room > 0:
        section = heappop(waiting)[2]
        children = _limit_sections([_collapse_section(child) for child in section.below.values()], room)
        section.below = {child.name: child for child in children}
        room -= len(children)
        shown.update(map(id, children))
        for child in children:
            _push_section(waiting, child)
    return list(_walk_sections(top, shown, 0))


def _limit_sections(children: list[Section], room: int) -> list[Section]:
    """The largest of *children*, and one row that stands for all others, where they are too many."""
    if len(children) <= room:
        return children
    children = sorted(children, key=lambda child: (-child.size, child.name))
    others = children[max(0, room - 1) :]
    folder = others[0].name.rstrip("/").rpartition("/")[0]
    rest = Section(f"{folder}{_REST}{len(others):,} more)")
    for other in others:
        rest.states += other.states
        rest.found += other.found
        rest.held += other.held
        rest.own += other.size
        rest.lastmod = max(filter(None, (rest.lastmod, other.lastmod)), default=None)
    return [*children[: max(0, room - 1)], rest]


def _collapse_section(section: Section) -> Section:
    """A folder that holds nothing but one other is shown as that one."""
    while not section.own and len(section.below) == 1:
        (section,) = section.below.values()
    return section


def _push_section(waiting: list[tuple[int, str, Section]], section: Section) -> None:
    if section.below:
        heappush(waiting, (-section.size, section.name, section))


def _walk_sections(sections: Iterable[Section], shown: set[int], level: int) -> Iterator[Section]:
    for section in sorted(sections, key=lambda one: (_REST in one.name, one.name)):
        if id(section) in shown:
            section.level = level
            yield section
            yield from _walk_sections(section.below.values(), shown, level + 1)


def count_exclusion_reasons(entries: Iterable[MapEntry]) -> list[tuple[str, str, int, str]]:
    """Why pages are not collected: state, reason without the address in it, how many, an example; most first."""
    counted: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for entry in entries:
        if entry.state != "collect":
            reason = entry.reason
            key = (entry.state, str(reason.extended(target_url="...") if reason.detail.get("target_url") else reason))
            counted[key] += 1
            examples.setdefault(key, entry.url)
    return [(state, reason, count, examples[state, reason]) for (state, reason), count in counted.most_common()]


# What a source's patterns do with the pages that are known: those that match nothing are worth a look. A step.


def check_patterns(source: Source, urls: Iterable[str]) -> Iterator[str]:
    """In sentences: patterns that match none of *urls* (normalised, the start left out), a start URL outside them."""
    config = source.scrape_config
    start = normalise_url(source.url)
    known = [f"{path_and_query(url)}{route_of(url)}" for url in urls if url != start]
    for key, patterns in (
        ("include_patterns", config.include_patterns),
        ("exclude_patterns", config.exclude_patterns),
    ):
        for pattern in patterns:
            glob = Glob(pattern)
            if not any(map(glob.matches, known)):
                yield f"{key}: {pattern} matches no page found so far"
    if is_start_not_included(source):
        yield "include_patterns do not match the start URL; it is collected anyway"
    for pattern in patterns_excluding_start(source):
        yield f"exclude_patterns match the start URL ({pattern}); it is collected anyway"


# How long a collection of what is known would take: each group of hosts at its own pace, all at the same time.


def estimate_map_duration(inventory: MapInventory, source: Source, job: Job) -> CrawlDuration:
    """The longest of its groups: a request for each page that would be collected, each list, and each robots.txt.

    At the pace that is known now: the manifest's delay, or what robots.txt asks for, with our margin.
    """
    urls = {entry.url for entry in inventory.entries.values() if entry.state != "excluded"}
    hosts = Counter(host_of(url) for url in [*urls, *{origin_of(url) for url in urls}])
    groups: Counter[str] = Counter()
    for host, requests in hosts.items():
        groups[job.manifests.group(host)] += requests
    hours = crawl_window_for(source.url, job.manifests.catalog.rules)
    spans = [
        estimate_crawl_duration(requests, job.politeness.pace(group).spacing, hours)
        for group, requests in groups.items()
    ]
    return max(
        spans,
        key=lambda one: one.seconds,
        default=estimate_crawl_duration(0, job.politeness.pace(job.manifests.group(source.host)).spacing, hours),
    )
