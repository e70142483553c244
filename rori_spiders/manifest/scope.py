"""Which URLs belong to a source (hosts, include and exclude patterns), and warnings about patterns that contradict
its start URL.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import quote

from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.problems import WarningLine
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls import canonical
from rori_spiders.urls.canonical import normalise_url, path_and_query

#: Links are looked at by the thousand: the reasons that exclude most of them are made once.
_OUTSIDE_HOSTS = Reason(ReasonCode.OUTSIDE_HOSTS)
_OUTSIDE_INCLUDE_PATTERNS = Reason(ReasonCode.OUTSIDE_INCLUDE_PATTERNS)
_OUTSIDE_START_LIST = Reason(ReasonCode.OUTSIDE_START_LIST)
_PRINTABLE = "".join(chr(code) for code in range(0x21, 0x7F))


class Glob:
    """A pattern over path and query: only ``*`` is special, it stands for any characters, ``/`` too.

    It may begin at any ``/`` of the path and must reach the end. Case counts; ``%c3`` and ``%C3`` are the same.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        first, *rest = _normalise_escapes(pattern).split("*")
        self._first = first
        self._last = rest.pop() if rest else None  # None: no star at all
        self._between = [piece for piece in rest if piece]

    def matches(self, path_and_query: str) -> bool:
        """Whether *path_and_query* (``/a/b?c=d``) is matched."""
        text = _normalise_escapes(path_and_query)
        path_end = text.find("?") if "?" in text else len(text)
        if self._last is None:
            start = len(text) - len(self._first)
            return 0 <= start < path_end and text.endswith(self._first)
        # The leftmost place for each piece leaves the most room for what follows, so no other need be tried.
        begin = text.find(self._first) if self._first else 0
        if begin < 0 or begin >= path_end:
            return False
        position = begin + len(self._first)
        for piece in self._between:
            found = text.find(piece, position)
            if found < 0:
                return False
            position = found + len(piece)
        return len(text) - len(self._last) >= position and text.endswith(self._last)


def _normalise_escapes(text: str) -> str:
    """Escapes in capitals, other characters than ASCII's escaped: as URLs have them."""
    return re.sub("%[0-9a-f]{2}", lambda found: found[0].upper(), quote(text, safe=_PRINTABLE), flags=re.IGNORECASE)


class Scope:
    """The URL scope of one source."""

    def __init__(self, source: Source) -> None:
        config = source.scrape_config
        start_urls = [source.url, source.swagger] if source.swagger else [source.url]
        self._start_urls = {canonical.normalise_url(url) for url in start_urls}
        self._start_hosts = {canonical.host_of(url) for url in self._start_urls}
        self._max_depth = config.max_depth
        self._include = [Glob(pattern) for pattern in config.include_patterns]
        self._exclude = [
            (Glob(pattern), Reason(ReasonCode.EXCLUDE_PATTERN, rule=pattern)) for pattern in config.exclude_patterns
        ]
        self.hosts = source.hosts
        self._bounded_hosts = self.hosts - set(source.allowed_hosts)
        #: Without include_patterns a crawl stays in these: the start URL's folder, and that to which it redirects.
        self._folders: tuple[str, ...] = ()
        if source.method == "crawl" and not config.include_patterns:
            self._folders = (start_folder(source.url),)
            self._outside_folder = Reason(ReasonCode.OUTSIDE_START_FOLDER, rule=self._folders[0])
        #: Of a crawl without include_patterns whose start URL is a list of pages: those.
        self._listed: set[str] | None = None

    def widen(self, url: str) -> None:
        """Take in the folder of *url*, to which the start URL leads."""
        if self._folders:
            self._folders = (*self._folders, start_folder(url))

    def limit_to(self, urls: Iterable[str]) -> None:
        """Take in *urls*, which the list at the start URL names; without include_patterns, nothing else.

        What is no URL is left out.
        """
        if self._folders:
            self._folders, self._listed = (), set()
        if self._listed is None:
            return
        for url in urls:
            with suppress(ValueError):
                self._listed.add(normalise_url(url))

    def host_in(self, url: str) -> bool:
        """Whether the URL's host is the start's, the domain, a ``www.`` variant of them, or allowed by name."""
        return canonical.host_of(url) in self.hosts

    def may_hold(self, url: str) -> bool:
        """False for a URL, not yet normalised, that is out of scope by its host; most links that lead out are."""
        host = canonical.plain_host_of(url)
        return host is None or host in self.hosts or host in self._start_hosts

    def excludes(self, url: str, depth: int = 0) -> Reason | None:
        """None when *url*, found *depth* links from the start, is in scope; else the reason."""
        if url in self._start_urls:
            return None
        host = canonical.host_of(url)
        if host not in self.hosts:
            return _OUTSIDE_HOSTS
        target = canonical.path_and_query(url)
        for glob, reason in self._exclude:
            if glob.matches(target):
                return reason
        if self._folders and host in self._bounded_hosts and not target.startswith(self._folders):
            return self._outside_folder
        if self._listed is not None and url not in self._listed:
            return _OUTSIDE_START_LIST
        if self._include and not any(glob.matches(target) for glob in self._include):
            return _OUTSIDE_INCLUDE_PATTERNS
        if self._max_depth is not None and depth > self._max_depth:
            return Reason(ReasonCode.MAX_DEPTH, limit=self._max_depth)
        return None

    def excludes_route(self, url: str, route: str) -> Reason | None:
        """The reason where an exclude_pattern names *route* of the page at *url*, as `/app/#/*` does; else None."""
        target = f"{canonical.path_and_query(url)}{route}"
        return next((reason for glob, reason in self._exclude if glob.matches(target)), None)


class NarrowerScopes:
    """The active sources within the scope of another that are narrower: they collect the pages that both could.

    A single page is narrower than a crawl; of two crawls, that with the longer prefix before the first ``*`` of its
    patterns, else that which comes first in the manifests; so does the first of two single pages with one URL.
    """

    def __init__(self, catalog: Catalog, source: Source) -> None:
        self._pages: dict[str, str] = {}  # URLs of single pages -> their sources
        self._crawls: list[tuple[str, Scope]] = []
        if source.method == "mediawiki":
            return
        own, order = Scope(source), catalog.order
        start_url, own_place = canonical.normalise_url(source.url), order.get(source.id, len(order))
        same_hosts = {other.id: (start, other) for host in own.hosts for start, other in catalog.starts_on(host)}
        for start, other in sorted(same_hosts.values(), key=lambda one: order[one[1].id]):
            if other.status != "active" or other.method == "mediawiki" or own.excludes(start) is not None:
                continue
            if source.method == "scrape":
                if start == start_url and other.method == "scrape" and order[other.id] < own_place:
                    self._pages.setdefault(start, other.id)
            elif other.method == "scrape":
                self._pages.setdefault(start, other.id)
            elif (_breadth(other), order[other.id]) < (_breadth(source), own_place):
                self._crawls.append((other.id, Scope(other)))

    @property
    def source_ids(self) -> set[str]:
        return {*self._pages.values(), *(source_id for source_id, _ in self._crawls)}

    def source_of(self, url: str) -> str | None:
        """The first of them that takes *url*, which is normalised."""
        if url in self._pages:
            return self._pages[url]
        return next((source_id for source_id, scope in self._crawls if scope.excludes(url) is None), None)


def _breadth(source: Source) -> int:
    patterns = source.scrape_config.include_patterns or [start_folder(source.url)]
    return -min(len(pattern.partition("*")[0]) for pattern in patterns)


def narrower_first(catalog: Catalog, sources: Iterable[Source]) -> list[Source]:
    """*sources* in their order, but each behind those among them that collect pages of its scope."""
    waiting = {source.id: source for source in sources}
    ordered: list[Source] = []

    def take(source: Source) -> None:
        if waiting.pop(source.id, None) is None:
            return
        within = NarrowerScopes(catalog, source).source_ids
        for other in [one for one in waiting.values() if one.id in within]:
            take(other)
        ordered.append(source)

    for source in list(waiting.values()):
        take(source)
    return ordered


def start_folder(url: str) -> str:
    """The folder of a start URL: its path up to the last ``/``."""
    path = _path(url)
    return path[: path.rindex("/") + 1]


def path_depth(start: str, url: str) -> int:
    """How many steps *url* lies from the folder of *start*: 1 for what stands in it, 2 for what stands a folder below.

    Raises ValueError if it is not a URL.
    """
    here, there = ([part for part in path.split("/") if part] for path in (start_folder(start), _path(url)))
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    return max(1, len(there) - shared)


def _path(url: str) -> str:
    return path_and_query(normalise_url(url)).partition("?")[0]


# Patterns that cannot do what they were written for, as far as the manifest alone tells: worth a look, no error. In:
# a catalogue. Out: sentences. The start URL is always in scope, so a source with such patterns is collected.


class _Doubt(NamedTuple):
    """What is doubtful at a *key* of a source; *kind* says it of several, *detail* what is this source's own."""

    key: str
    what: str
    kind: str
    detail: str = ""


def pattern_warnings(catalog: Catalog, *, only: Collection[str] = ()) -> Iterator[WarningLine]:
    """One sentence for each, with file, source and JSON path; *only*: of these sources."""
    inside = _find_overlaps(catalog)
    for loaded in catalog.loaded:
        for index, source in enumerate(loaded.manifest.sources):
            if source.status != "retired" and (not only or source.id in only):
                for doubt in (*_source_doubts(source), *_overlap_doubts(inside.get(source.id, []))):
                    place = f"$.sources[{index}].{doubt.key}"
                    yield WarningLine(
                        f"{loaded.origin}: source {source.id!r} (sources[{index}]): {place}: {doubt.what}",
                        kind=doubt.kind,
                        example=f"{source.id} ({doubt.detail})" if doubt.detail else source.id,
                    )


def _find_overlaps(catalog: Catalog) -> dict[str, list[str]]:
    """Of each active source whose start URL lies in the scope of another active crawl, the ids of these."""
    active = [source for source in catalog.sources if source.status == "active"]
    crawls = [(source.id, Scope(source)) for source in active if source.method == "crawl"]
    by_host: dict[str, list[tuple[str, Scope]]] = {}
    for source_id, scope in crawls:
        for host in scope.hosts:
            by_host.setdefault(host, []).append((source_id, scope))
    found: dict[str, list[str]] = {}
    for source in active:
        url = normalise_url(source.url)
        others = by_host.get(canonical.host_of(url), [])
        inside = [other for other, scope in others if other != source.id and scope.excludes(url) is None]
        if inside:
            found[source.id] = inside
    return found


_OVERLAP = "the narrower one collects what both could; name its pages in exclude_patterns there to say so"


def _overlap_doubts(others: list[str]) -> Iterator[_Doubt]:
    if others:
        named = ", ".join(others)
        yield _Doubt(
            "url",
            f"it is in the scope of {named} too; {_OVERLAP}",
            f"are in the scope of another source too; {_OVERLAP}",
            f"in {named}",
        )


_TOO_MANY = (
    "more pages than max_pages, or RORI_MAX_PAGES, is `incomplete`: name pages by `titles`, `categories` or "
    "`namespaces` ([0]: all articles); `scrapy map ID` prints how many there are"
)


def _source_doubts(source: Source) -> Iterator[_Doubt]:
    config, own = source.scrape_config, path_and_query(normalise_url(source.url))
    if source.method == "mediawiki" and not names_wiki_pages(source):
        yield _Doubt(
            "scrape_config.mediawiki",
            f"all content namespaces of the wiki are collected; one with {_TOO_MANY}",
            f"collect all content namespaces of a wiki; one with {_TOO_MANY}",
        )
    if source.method != "crawl":
        return
    if not config.include_patterns and config.max_pages is None and start_folder(source.url) == "/":
        bound = "up to RORI_MAX_PAGES pages; set include_patterns or max_pages"
        yield _Doubt(
            "url",
            f"no include_patterns, and the start URL is in the root folder: all of {source.host} is collected, {bound}",
            f"have no include_patterns and start in the root folder: the whole host is collected, {bound}",
            source.host,
        )
    # A pattern that matches the root page matches the whole host: there it says nothing of the others.
    if own != "/" and is_start_not_included(source):
        check = "collected regardless; check that its pages match these patterns"
        yield _Doubt(
            "scrape_config.include_patterns",
            f"no pattern matches the start URL's {own}. It is {check}",
            f"have no include pattern that matches the start URL, which is {check}",
            own,
        )
    matching = patterns_excluding_start(source)
    for one in config.exclude_patterns:
        if one in config.include_patterns:
            yield _Doubt(
                "scrape_config.exclude_patterns",
                f"{one} is also in include_patterns, so it matches nothing",
                "have a pattern in both exclude_patterns and include_patterns, so it matches nothing",
                one,
            )
        elif one in matching:
            yield _Doubt(
                "scrape_config.exclude_patterns",
                f"{one} matches the start URL's {own}, which is collected regardless",
                "have an exclude pattern that matches the start URL, which is collected regardless",
                f"{one}: {own}",
            )


def names_wiki_pages(source: Source) -> bool:
    """Whether a wiki's source says which pages it is; otherwise these are the wiki's content namespaces."""
    wiki = source.scrape_config.mediawiki
    return wiki is not None and bool(wiki.titles or wiki.categories or wiki.namespaces or wiki.prefix)


def is_start_not_included(source: Source) -> bool:
    """Whether the source has include_patterns, and none of them matches its start URL."""
    own, included = path_and_query(normalise_url(source.url)), source.scrape_config.include_patterns
    return bool(included) and not any(Glob(one).matches(own) for one in included)


def patterns_excluding_start(source: Source) -> list[str]:
    """Those of its exclude_patterns that match its start URL."""
    own = path_and_query(normalise_url(source.url))
    return [one for one in source.scrape_config.exclude_patterns if Glob(one).matches(own)]
