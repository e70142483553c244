"""What differs between two versions of a manifest, by source and field; and what another one in force would end.

In: two manifests, with their defaults merged into the sources. Out: differences that read as sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rori_spiders.manifest.problems import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.loaded import Loaded
    from rori_spiders.manifest.models import Manifest, Source

_ABSENT = object()


@dataclass(frozen=True)
class Difference:
    """One field, or one whole source, that is not what it was."""

    kind: Literal["added", "removed", "changed"]
    source_id: str | None  # None: of the file itself
    field: str | None  # dotted (`scrape_config.max_depth`); None: the whole source
    old: Any = None
    new: Any = None

    def __str__(self) -> str:
        if self.field is None:
            what = self.new if self.kind == "added" else self.old
            return f"source {self.source_id}: {self.kind} ({what})"
        where = f"source {self.source_id}: {self.field}" if self.source_id else self.field
        if isinstance(self.old, list) and isinstance(self.new, list):
            return f"{where}: {_items(self.old, self.new)}"
        if self.kind == "changed":
            return f"{where}: {shown(self.old)} -> {shown(self.new)}"
        return f"{where}: {self.kind} {shown(self.new if self.kind == 'added' else self.old)}"


def differences(old: Manifest, new: Manifest) -> list[Difference]:
    """From *old* to *new*: the file's own fields, then its sources in the order of *new*, then those that are gone."""
    own = {"sources"}
    found = list(_fields(None, old.model_dump(by_alias=True, exclude=own), new.model_dump(by_alias=True, exclude=own)))
    before = {source.id: source for source in old.sources}
    after = {source.id: source for source in new.sources}
    for source_id, source in after.items():
        if source_id in before:
            found += _fields(source_id, before[source_id].model_dump(), source.model_dump())
        else:
            found.append(Difference("added", source_id, None, new=_summary(source)))
    gone = [source for source_id, source in before.items() if source_id not in after]
    return found + [Difference("removed", source.id, None, old=_summary(source)) for source in gone]


@dataclass(frozen=True, slots=True)
class Ending:
    """A manifest in force of which something ends."""

    manifest: Loaded
    sources: tuple[Source, ...]  # collected now and no longer then: left out, paused, retired, or the manifest ends
    whole: bool  # no manifest of its name would be in force


def endings(before: Catalog, after: Catalog) -> list[Ending]:
    """What ends when *after* is in force instead of *before*."""
    collected = {source.id for source in after.sources if source.status == "active"}
    names = {one.name for one in after.loaded}
    found = []
    for one in before.loaded:
        lost = tuple(it for it in one.manifest.sources if it.status == "active" and it.id not in collected)
        if lost or one.name not in names:
            found.append(Ending(one, lost, one.name not in names))
    return found


def _summary(source: Source) -> str:
    return f"{source.name}, {source.url}, {source.status}"


def _fields(source_id: str | None, old: dict[str, Any], new: dict[str, Any], under: str = "") -> Iterator[Difference]:
    for key in dict.fromkeys([*old, *new]):
        before, after = old.get(key, _ABSENT), new.get(key, _ABSENT)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _fields(source_id, before, after, f"{under}{key}.")
        else:
            yield _difference(source_id, f"{under}{key}", _plain(before), _plain(after))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _difference(source_id: str | None, field: str, old: Any, new: Any) -> Difference:
    if old is _ABSENT or old is None:
        return Difference("added", source_id, field, new=new)
    if new is _ABSENT or new is None:
        return Difference("removed", source_id, field, old=old)
    return Difference("changed", source_id, field, old, new)


def _items(old: list[Any], new: list[Any]) -> str:
    parts = [f"+ {shown(item)}" for item in new if item not in old] + [
        f"- {shown(item)}" for item in old if item not in new
    ]
    return ", ".join(parts) or "another order"
