"""Read active manifests and their versions; check a manifest's text."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection

from rori_spiders.configuration.active_manifest import catalog_after_activation
from rori_spiders.crawl.preview.run_forecast import forecast_run
from rori_spiders.exceptions import ManifestError
from rori_spiders.ledger.operations import manifest_history
from rori_spiders.ledger.operations.manifest_history import Activation
from rori_spiders.manifest.catalog import Catalog, LoadedManifest
from rori_spiders.manifest.loading import parse_manifest
from rori_spiders.manifest.manifest_text import display_name, find_positions
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.problems import ProblemLine, json_path
from rori_spiders.manifest.scope import pattern_warnings
from rori_spiders.manifest.tier_selection import check_sources_have_tiers, configured_tiers
from rori_spiders.manifest.versions import ManifestDifference, ManifestRemoval, diff_manifests, find_removals
from rori_spiders.monitor.manifests.schemas import (
    FieldChanged,
    ManifestCheck,
    ManifestEnding,
    ManifestRow,
    Manifests,
    ManifestVersionRow,
    ProblemOf,
    SourceChanged,
    WouldFetch,
)
from rori_spiders.monitor.rest.errors import invalid_input
from rori_spiders.monitor.security.secret_masking import mask_field
from rori_spiders.monitor.state.dependencies import AppState

#: Most problems reported for one text.
MAX_LISTED = 500
_SUFFIXES = (".json", ".yaml", ".yml")


@dataclass
class CheckedManifest:
    """A checked text. ``catalog``: the manifest alone; None where there are problems."""

    name: str
    catalog: Catalog | None = None
    before: LoadedManifest | None = None  # the active manifest of this name
    endings: list[ManifestRemoval] | None = (
        None  # sources that it would remove; None: the active manifests are no longer valid
    )
    problems: list[ProblemOf] = field(default_factory=list)

    @property
    def loaded(self) -> LoadedManifest | None:
        return self.catalog.loaded[0] if self.catalog else None


def manifest_name(text: str) -> str:
    """Return the manifest's name: the file name without folders and extension. No file is opened by it."""
    last = text.replace("\\", "/").rstrip("/").rpartition("/")[2].strip()
    ending = next((one for one in _SUFFIXES if last.lower().endswith(one)), "")
    name = last[: len(last) - len(ending)]
    if not name.strip("."):
        raise invalid_input([("name", "expected a manifest name, such as fthb or fthb.yaml")])
    return name


def check_text(
    served: AppState, conn: Connection, name: str, text: str, *, whole_name: bool = False
) -> CheckedManifest:
    """Check *text* as the manifest *name*, alone and together with the other active ones.

    *name* is the name of a file, or with *whole_name* that of a manifest.

    Refused outright (422) is what nobody who means well writes: aliases that grow, a hundred levels, 5 MiB.
    """
    found = CheckedManifest(name if whole_name else manifest_name(name))
    addresses = served.places.allowed_addresses
    try:
        loaded = parse_manifest(text, name=found.name, origin=name, allowed_addresses=addresses)
        catalog = Catalog([loaded])
        check_sources_have_tiers(catalog, configured_tiers(served.settings))
        after = catalog_after_activation(catalog, conn, allowed_addresses=addresses)
    except ManifestError as error:
        found.problems = _manifest_problems(error, text, name)
        return found
    found.catalog = catalog
    with suppress(ManifestError):
        active = served.catalog(conn)
        found.before = next((one for one in active.loaded if one.name == loaded.name), None)
        found.endings = [] if served.places.manifests else find_removals(active, after)
    return found


def _manifest_problems(error: ManifestError, text: str, origin: str) -> list[ProblemOf]:
    lines = [one if isinstance(one, ProblemLine) else ProblemLine(one, one) for one in error.problems]
    if outright := [one for one in lines if one.outright]:
        raise invalid_input([(_problem_position(one), one.message) for one in outright], "This is not a manifest.")
    place_of, own = find_positions(text, origin), f"{display_name(origin)}: "
    return [
        _positioned_problem(one, one.at or (place_of(one.path) if one.path and one.startswith(own) else None))
        for one in lines
    ]


def _problem_position(line: ProblemLine) -> str:
    return f"line {line.at[0]}, column {line.at[1]}" if line.at else "text"


def _positioned_problem(line: ProblemLine, at: tuple[int, int] | None) -> ProblemOf:
    return ProblemOf(
        line=at and at[0],
        column=at and at[1],
        path=None if line.path is None else json_path(line.path),
        source_id=line.source_id,
        message=line.message if at else str(line),  # problems of other manifests name their file
    )


def check_result(served: AppState, found: CheckedManifest) -> ManifestCheck:
    """Return the problems, the differences from the active version, and the requests of new and changed sources."""
    loaded, old = found.loaded, found.before
    differences = [] if loaded is None else _source_differences(old, loaded)
    news = [] if loaded is None else _new_active_sources(loaded, differences)
    return ManifestCheck(
        name=found.name,
        version=loaded and loaded.manifest.version,
        sha256=loaded and loaded.sha256,
        sources=None if loaded is None else len(loaded.manifest.sources),
        problems=found.problems[:MAX_LISTED],
        problems_in_all=len(found.problems),
        warnings=[] if found.catalog is None else list(pattern_warnings(found.catalog)),
        against=old and old.manifest.version,
        same=old is not None and loaded is not None and old.sha256 == loaded.sha256,
        difference=differences,
        would_fetch=[]
        if found.catalog is None
        else [_would_fetch(served, found.catalog, one) for one in news[:MAX_LISTED]],
        would_fetch_in_all=len(news),
        ending=found.endings and [_ending_row(one) for one in found.endings],
    )


def _ending_row(one: ManifestRemoval) -> ManifestEnding:
    return ManifestEnding(
        name=one.manifest.name,
        packaged=one.manifest.origin == "packaged",
        whole=one.whole,
        source_ids=[source.id for source in one.sources[:MAX_LISTED]],
        sources_in_all=len(one.sources),
    )


def _source_differences(old: LoadedManifest | None, new: LoadedManifest) -> list[SourceChanged]:
    if old is None:
        whole = [(one.id, f"{one.name}, {one.url}, {one.status}") for one in new.manifest.sources]
        return [SourceChanged(source_id=id_, kind="added", says=says, fields=[]) for id_, says in whole]
    grouped: dict[str | None, list[ManifestDifference]] = {}
    for one in diff_manifests(old.manifest, new.manifest):
        grouped.setdefault(one.source_id, []).append(one)
    return [_changed_source(source_id, of) for source_id, of in grouped.items()]


def _changed_source(source_id: str | None, of: list[ManifestDifference]) -> SourceChanged:
    first = of[0]
    if first.field is None:
        says = first.new if first.kind == "added" else first.old
        return SourceChanged(source_id=source_id, kind=first.kind, says=says, fields=[])
    fields = [
        FieldChanged(field=name, kind=one.kind, before=mask_field(name, one.old), after=mask_field(name, one.new))
        for one in of
        if (name := one.field) is not None
    ]
    return SourceChanged(source_id=source_id, kind="changed", says=None, fields=fields)


def _new_active_sources(loaded: LoadedManifest, differences: list[SourceChanged]) -> list[Source]:
    """Return its active sources that are new or changed."""
    ids = {one.source_id for one in differences}
    return [one for one in loaded.manifest.sources if one.status == "active" and one.id in ids]


def _would_fetch(served: AppState, catalog: Catalog, source: Source) -> WouldFetch:
    budget = int(served.settings["RORI_BROWSER_BUDGET"])
    found: dict[str, Any] = forecast_run(
        source, catalog, served.ledger, configured_tiers(served.settings), browser_budget=budget
    )._asdict()
    return WouldFetch(source_id=source.id, url=source.url, method=source.method, **found)


def fixed_reason(served: AppState) -> str | None:
    """Return why nothing can be activated here: RORI_MANIFEST names files, which the next collection activates."""
    if not (files := served.places.manifests):
        return None
    named = ", ".join(map(str, files))
    return (
        f"RORI_MANIFEST overrides the active manifest: {named}. Edit that file, or unset RORI_MANIFEST and "
        "restart the monitor to activate manifests here."
    )


def list_manifests(served: AppState, conn: Connection) -> Manifests:
    """List active manifests, and names that were active before."""
    try:
        active = {one.name: one for one in served.catalog(conn).loaded}
    except ManifestError:
        active = {}  # checking a manifest reports its problems
    activations = {one.name: (one, number) for one, number in manifest_history.newest_activations(conn)}
    names = [*active, *(name for name in activations if name not in active)]
    why = fixed_reason(served)
    return Manifests(
        fixed=why is not None,
        fixed_why=why,
        items=[_manifest_row(served, name, active.get(name), *activations.get(name, (None, 0))) for name in names],
    )


def _manifest_row(
    served: AppState, name: str, loaded: LoadedManifest | None, last: Activation | None, number: int
) -> ManifestRow:
    origin: Literal["ledger", "packaged", "file"] = "ledger"
    if loaded is not None and served.places.manifests:
        origin = "file"
    elif loaded is not None and loaded.origin == "packaged":
        origin = "packaged"
    from_ledger = last if origin == "ledger" or (last and loaded and last.sha256 == loaded.sha256) else None
    version, sha256 = _version_and_hash(loaded, last)
    return ManifestRow(
        name=name,
        version=version,
        sha256=sha256,
        origin=origin,
        path=loaded.origin if loaded and origin == "file" else None,
        active=loaded is not None or bool(last and last.active and not served.places.manifests),
        version_id=from_ledger and from_ledger.version_id,
        activated_at=from_ledger and from_ledger.activated_at,
        activated_by=from_ledger and from_ledger.activated_by,
        sources=None if loaded is None else len(loaded.manifest.sources),
        versions=number,
    )


def _version_and_hash(loaded: LoadedManifest | None, last: Activation | None) -> tuple[str, str]:
    if loaded is not None:
        return loaded.manifest.version, loaded.sha256
    assert last is not None
    return last.version, last.sha256


def version_row(one: Activation) -> ManifestVersionRow:
    """Return an activation as a row."""
    return ManifestVersionRow.model_validate(one)
