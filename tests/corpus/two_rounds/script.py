"""What the site is at each moment, what an operator says, and what must therefore be published: known apart from it.

Nothing here asks the program. A page is known by its path; an edition is a number that its text tells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

INDEX = "/index.html"
_DAY = datetime.now(UTC) - timedelta(days=60)
_RECENT, _OLD = f"/newsroom/{_DAY:%Y/%m}", f"/newsroom/{_DAY.year - 4}/04"
#: Of ten pages: where they lie, and the rule that leaves them out.
SECTIONS: tuple[tuple[str, str | None], ...] = (
    ("/rules", None), ("/guide", None), ("/events", "events"), ("/rules", None), (_RECENT, None),
    ("/guide", None), (_OLD, "old news"), ("/faq", None), ("/rules", None), ("/guide", None),
)  # fmt: skip


class Held(NamedTuple):
    """A document of a version: the edition that it tells, and the version that had it first."""

    edition: int
    since: int


@dataclass(frozen=True)
class Expected:
    """A version, as it must be. ``graves``: path -> the version that took it out; ``states``: path -> its state."""

    number: int
    pages: Mapping[str, Held]
    graves: Mapping[str, int]
    states: Mapping[str, str]


@dataclass
class Script:
    """The site and what has been decided about it.

    ``editions``: path -> edition, of what is served; ``serials``: path -> its number, of all that ever was;
    ``unlisted``: served, and linked nowhere; ``said``: path -> what an operator decided last.
    """

    editions: dict[str, int] = field(default_factory=dict)
    serials: dict[str, int] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    said: dict[str, str] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    versions: list[Expected] = field(default_factory=list)

    def add(self, *, unlisted: bool = False) -> str:
        """A page more; its path."""
        serial = len(self.serials)
        path = f"{'/guide' if unlisted else SECTIONS[serial % len(SECTIONS)][0]}/record-{serial}.html"
        self.serials[path], self.editions[path] = serial, 1
        if unlisted:
            self.unlisted.add(path)
        return path

    def edit(self, paths: Iterable[str]) -> None:
        """Other editions of these."""
        for path in paths:
            self.editions[path] += 1

    def remove(self, paths: Iterable[str]) -> None:
        """Their server has them no longer."""
        for path in paths:
            self.removed.add(path)
            del self.editions[path]

    def rule_against(self, path: str) -> str | None:
        """The rule that leaves a page of this address out."""
        return next(rule for folder, rule in SECTIONS if path.startswith(f"{folder}/"))

    def belongs(self, path: str) -> bool:
        """Whether the page is to be in the next version: an operator's word, else the rules'."""
        if path in self.said:
            return self.said[path] == "include"
        return path not in self.unlisted and self.rule_against(path) is None

    @property
    def belonging(self) -> list[str]:
        """What is to be in the next version, but for the page of links, by serial number."""
        return [path for path in self.editions if self.belongs(path)]

    @property
    def most_editions(self) -> int:
        return max(self.editions.values())

    @property
    def last(self) -> Expected | None:
        return self.versions[-1] if self.versions else None

    def publish(self) -> Expected:
        """The version that must come out now."""
        return self._next({path: self.editions[path] for path in self.belonging})

    def roll_back(self, to: int) -> Expected:
        """The version that must come out of going back."""
        return self._next({path: held.edition for path, held in self.versions[to - 1].pages.items()})

    def _next(self, editions: Mapping[str, int]) -> Expected:
        number = len(self.versions) + 1
        before = self.last.pages if self.last else {}
        graves = dict(self.last.graves) if self.last else {}
        pages, states = {}, {}
        for path, edition in editions.items():
            old = before.get(path)
            same = old is not None and old.edition == edition
            pages[path] = Held(edition, old.since if old is not None and same else number)
            states[path] = "new" if old is None else "unchanged" if same else "changed"
        graves |= dict.fromkeys(before, number)  # but for those that are here
        expected = Expected(number, pages, {path: v for path, v in graves.items() if path not in pages}, states)
        self.versions.append(expected)
        return expected
