"""What a map has found: one entry a URL, with where it was found and what a collection would do with it. A step.

In: visits and items of a walker, what pages and sitemaps say of others. Out: entries, and counts of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.urls import normalise, url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rori_spiders.content.linked import Linked
    from rori_spiders.items import PageItem, Visit
    from rori_spiders.run import Run


@dataclass(slots=True)
class Entry:
    """A URL that is known. ``held``: a text of it is held; ``asked``: the map itself has asked for it.

    ``state`` is what a collection would do with it: ``collect``, or not (``excluded``); ``failed``: the map asked, and
    got no page; ``unanswered``: the map was to ask, and was cut short.
    """

    url: str
    kind: str  # page | sitemap | api
    state: str
    reason: str = ""
    held: bool = False
    asked: bool = False
    found_by: str = ""
    found_on: str | None = None
    depth: int = 0
    lastmod: str | None = None  # in the sitemap's own words
    title: str | None = None  # its own, where it was asked; else as links to it say
    description: str | None = None


@dataclass(slots=True)
class Inventory:
    """The entries of one source. ``held``: hash of the URL -> URL of the pages that have a text and are not gone.

    ``run`` is the walker's, which no ledger knows; None until the source could be asked.
    """

    run: Run | None = None
    held: Mapping[str, str] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)  # URL -> what the first link to it says
    _lastmods: dict[str, str] = field(default_factory=dict)
    _next: set[str] = field(default_factory=set)

    # --- what is found --------------------------------------------------------------------------------------------

    def discovered(self, visits: Iterable[Visit], *, asked: bool = False) -> None:
        """These would be collected; *asked*: the map asks for them itself."""
        for visit in visits:
            entry = self._entry(visit)
            entry.state = "unanswered" if asked else "collect"

    def excluded(self, visits: Iterable[tuple[Visit, str]]) -> None:
        for visit, reason in visits:
            entry = self._entry(visit)
            entry.state, entry.reason = "excluded", reason

    def ended(self, item: PageItem) -> None:
        """What became of a URL that the map asked for, and what it led to."""
        entry = self._entry(item.visit)
        entry.asked, entry.reason = True, item.reason
        entry.state = "collect" if item.state in {"captured", "unchanged"} else item.state
        self.discovered(item.discovered)
        self.excluded(item.excluded)

    def says(self, url: str, linked: Linked) -> None:
        """What a page that was asked says of itself and of those that it links."""
        entry = self.entries[url]
        entry.title, entry.description = linked.title, linked.description
        for target, text in linked.texts:
            self._note(self._texts, target, text)
        if linked.next is not None:
            self._next.update(_spelt(linked.next))

    def changed(self, lastmods: Mapping[str, str]) -> None:
        """When pages last changed, as a sitemap says."""
        for url, lastmod in lastmods.items():
            said = " ".join(lastmod.split())[:40]
            if url in self.entries:  # as most are spelled, and there may be 50,000
                self._lastmods.setdefault(url, said)
            else:
                self._note(self._lastmods, url, said)

    # --- the end --------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Bring together what was said of each page, whoever said it, whenever."""
        for url, entry in self.entries.items():
            entry.title = entry.title or self._texts.get(url)
            entry.lastmod = self._lastmods.get(url)
            entry.held = url_hash(url) in self.held
            if url in self._next and entry.found_by == "link":
                entry.found_by = "next"

    @property
    def pages(self) -> list[Entry]:
        return [entry for entry in self.entries.values() if entry.kind == "page"]

    def counts(self) -> Counter[str]:
        """Pages by state."""
        return Counter(entry.state for entry in self.pages)

    def _entry(self, visit: Visit) -> Entry:
        if visit.url not in self.entries:
            self.entries[visit.url] = Entry(
                visit.url, visit.kind, "collect", found_by=visit.found_by, found_on=visit.found_on, depth=visit.depth
            )
        return self.entries[visit.url]

    @staticmethod
    def _note(notes: dict[str, str], url: str, text: str) -> None:
        for spelt in _spelt(url):
            notes.setdefault(spelt, text)


def _spelt(url: str) -> tuple[str, ...]:
    try:
        return (normalise(url),)
    except ValueError:
        return ()
