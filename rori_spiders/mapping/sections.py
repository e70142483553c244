"""Pages by the folders of their paths: a tree with counts, and as much of it as fits. A step.

In: entries. Out: rows from the top down, the largest sections opened first.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from rori_spiders.urls import origin_of, path_and_query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rori_spiders.mapping.inventory import Entry

_REST = "/... ("
_ADDRESS = re.compile(r"\s*https?://\S+")


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

    def count(self, entry: Entry) -> None:
        self.states[entry.state] += 1
        self.held += entry.held
        self.found[entry.found_by] += 1
        if entry.lastmod and entry.lastmod[:4].isdigit():
            self.lastmod = max(self.lastmod or "", entry.lastmod)


def folder_of(entry: Entry) -> str:
    """The folder of a page: ``/a/b/`` for ``/a/b/``, ``/a/b/c`` and ``/a/b/c?d``."""
    return path_and_query(entry.url).partition("?")[0].rpartition("/")[0] + "/"


def tree(entries: Iterable[Entry], folder: Callable[[Entry], str] = folder_of) -> Section:
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


def opened(root: Section, most: int) -> list[Section]:
    """At most *most* sections from the top down, each with its level; the largest are opened first."""
    top = _fitting([_folded(section) for section in root.below.values()], most)
    shown = {id(section) for section in top}
    room = most - len(top)
    waiting: list[tuple[int, str, Section]] = []
    for section in top:
        _wait(waiting, section)
    while waiting and room > 0:
        section = heappop(waiting)[2]
        children = _fitting([_folded(child) for child in section.below.values()], room)
        section.below = {child.name: child for child in children}
        room -= len(children)
        shown.update(map(id, children))
        for child in children:
            _wait(waiting, child)
    return list(_down(top, shown, 0))


def _fitting(children: list[Section], room: int) -> list[Section]:
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


def _folded(section: Section) -> Section:
    """A folder that holds nothing but one other is shown as that one."""
    while not section.own and len(section.below) == 1:
        (section,) = section.below.values()
    return section


def _wait(waiting: list[tuple[int, str, Section]], section: Section) -> None:
    if section.below:
        heappush(waiting, (-section.size, section.name, section))


def _down(sections: Iterable[Section], shown: set[int], level: int) -> Iterator[Section]:
    for section in sorted(sections, key=lambda one: (_REST in one.name, one.name)):
        if id(section) in shown:
            section.level = level
            yield section
            yield from _down(section.below.values(), shown, level + 1)


def reasons(entries: Iterable[Entry]) -> list[tuple[str, str, int, str]]:
    """Why pages are not collected: state, reason without the address in it, how many, an example; most first."""
    counted: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for entry in entries:
        if entry.state != "collect":
            key = (entry.state, _ADDRESS.sub(" ...", entry.reason).strip())
            counted[key] += 1
            examples.setdefault(key, entry.url)
    return [(state, reason, count, examples[state, reason]) for (state, reason), count in counted.most_common()]
