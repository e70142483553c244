"""What differs between two versions of a manifest, by source and field; and what activating another one would end.

In: two manifests, with their defaults merged into the sources. Out: differences that read as sentences.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from rori_spiders.manifest.catalog import Catalog, LoadedManifest
from rori_spiders.manifest.models import Manifest, Source
from rori_spiders.manifest.problems import format_value

_ABSENT = object()


@dataclass(frozen=True)
class ManifestDifference:
    """A field or a whole source that differs between two versions."""

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
            return f"{where}: {_diff_items(self.old, self.new)}"
        if self.kind == "changed":
            return f"{where}: {format_value(self.old)} -> {format_value(self.new)}"
        return f"{where}: {self.kind} {format_value(self.new if self.kind == 'added' else self.old)}"


def diff_manifests(old: Manifest, new: Manifest) -> list[ManifestDifference]:
    """From *old* to *new*: the file's own fields, then its sources in the order of *new*, then those that are gone."""
    own = {"sources"}
    found = list(
        _diff_fields(None, old.model_dump(by_alias=True, exclude=own), new.model_dump(by_alias=True, exclude=own))
    )
    before = {source.id: source for source in old.sources}
    after = {source.id: source for source in new.sources}
    for source_id, source in after.items():
        if source_id in before:
            found += _diff_fields(source_id, before[source_id].model_dump(), source.model_dump())
        else:
            found.append(ManifestDifference("added", source_id, None, new=_source_summary(source)))
    gone = [source for source_id, source in before.items() if source_id not in after]
    return found + [ManifestDifference("removed", source.id, None, old=_source_summary(source)) for source in gone]


@dataclass(frozen=True, slots=True)
class ManifestRemoval:
    """An active manifest of which something ends."""

    manifest: LoadedManifest
    sources: tuple[Source, ...]  # collected now and no longer then: left out, paused, retired, or the manifest ends
    whole: bool  # no manifest of its name would be active


def find_removals(before: Catalog, after: Catalog) -> list[ManifestRemoval]:
    """What ends when *after* is active instead of *before*."""
    collected = {source.id for source in after.sources if source.status == "active"}
    names = {one.name for one in after.loaded}
    found = []
    for one in before.loaded:
        lost = tuple(it for it in one.manifest.sources if it.status == "active" and it.id not in collected)
        if lost or one.name not in names:
            found.append(ManifestRemoval(one, lost, one.name not in names))
    return found


def _source_summary(source: Source) -> str:
    return f"{source.name}, {source.url}, {source.status}"


def _diff_fields(
    source_id: str | None, old: dict[str, Any], new: dict[str, Any], under: str = ""
) -> Iterator[ManifestDifference]:
    for key in dict.fromkeys([*old, *new]):
        before, after = old.get(key, _ABSENT), new.get(key, _ABSENT)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _diff_fields(source_id, before, after, f"{under}{key}.")
        else:
            yield _make_difference(source_id, f"{under}{key}", _as_list(before), _as_list(after))


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _make_difference(source_id: str | None, field: str, old: Any, new: Any) -> ManifestDifference:
    if old is _ABSENT or old is None:
        return ManifestDifference("added", source_id, field, new=new)
    if new is _ABSENT or new is None:
        return ManifestDifference("removed", source_id, field, old=old)
    return ManifestDifference("changed", source_id, field, old, new)


def _diff_items(old: list[Any], new: list[Any]) -> str:
    parts = [f"+ {_item_label(item)}" for item in new if item not in old] + [
        f"- {_item_label(item)}" for item in old if item not in new
    ]
    return ", ".join(parts) or "another order"


def _item_label(item: Any) -> str:
    """A value, or the name of an object that has one: a field, a subject."""
    return format_value(item.get("name", item) if isinstance(item, dict) else item)
