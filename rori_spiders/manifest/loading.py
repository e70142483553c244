"""Manifests from files, from standard input, from the package, from text: read, validated, ready to use.

In: paths or text. Out: ``LoadedManifest``, or one ManifestError that names every problem found. Nothing is changed.
"""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest import manifest_text
from rori_spiders.manifest.catalog import Catalog, LoadedManifest
from rori_spiders.manifest.coverage import source_pattern
from rori_spiders.manifest.json_yaml import NotationError
from rori_spiders.manifest.models import DEFAULT_DELAY_S, Manifest, ScrapeConfig
from rori_spiders.manifest.problems import (
    Problem,
    ProblemLine,
    field_list_problems,
    format_problem,
    format_value,
    problems_from_validation,
)
from rori_spiders.urls import canonical
from rori_spiders.urls.public_addresses import AddressRules

__all__ = [
    "LoadedManifest",
    "apply_overrides",
    "load_file",
    "load_files",
    "load_packaged",
    "packaged_names",
    "parse_manifest",
]

#: The ledger has room for so many.
_NAME_CHARS = 200


class _Document(NamedTuple):
    """A manifest as it was read: its object, the text to store, what is wrong with its characters and keys."""

    raw: dict[str, Any]
    text: str
    problems: list[Problem]


def parse_manifest(
    text: str | bytes, *, name: str, origin: str, allowed_addresses: Sequence[str] = ()
) -> LoadedManifest:
    """Validate *text*. Raises ManifestError with every problem; *allowed_addresses* as RORI_ALLOWED_ADDRESSES."""
    return _validate_document(_read_document(text, name, origin), name, origin, allowed_addresses)


def _read_document(text: str | bytes, name: str, origin: str) -> _Document:
    where = manifest_text.display_name(origin)
    if len(name) > _NAME_CHARS:
        message = f"a manifest's name may have {_NAME_CHARS} characters, this one has {len(name)}"
        raise ManifestError([f"{where}: {message}; give the file a shorter name"])
    try:
        written = manifest_text.decode_text(text)
        raw = manifest_text.parse_document(written, origin)
        stored_text = manifest_text.text_to_store(written, origin, raw)
    except NotationError as error:
        line = ProblemLine(f"{where}: {error}", str(error), at=error.at, outright=error.outright)
        raise ManifestError([line]) from None
    raw, problems = manifest_text.clean_value(raw)
    if not isinstance(raw, dict):
        raise ManifestError([f"{where}: $: expected an object with version and sources, got {format_value(raw)}"])
    return _Document(raw, stored_text, problems)


def _validate_document(document: _Document, name: str, origin: str, allowed_addresses: Sequence[str]) -> LoadedManifest:
    raw, stored_text, problems = document
    where = manifest_text.display_name(origin)
    manifest, refused = _validate_raw(raw)
    named = {problem.path for problem in problems}
    problems = [*problems, *(problem for problem in refused if problem.path not in named)]
    named |= {problem.path for problem in problems}
    problems += [one for one in cross_entry_problems(raw, AddressRules(allowed_addresses)) if one.path not in named]
    if manifest is None or problems:
        raise ManifestError([format_problem(problem, where, raw) for problem in problems])
    return LoadedManifest(name, manifest, stored_text, sha256(stored_text.encode()).hexdigest(), origin)


def _validate_raw(raw: dict[str, Any]) -> tuple[Manifest | None, list[Problem]]:
    try:
        return Manifest.model_validate(_apply_defaults(raw)), []
    except ValidationError as error:
        return None, problems_from_validation(error)


def _apply_defaults(raw: dict[str, Any]) -> dict[str, Any]:
    """Give each source's scrape_config the keys that it leaves out; not from defaults that are wrong themselves."""
    defaults = raw.get("defaults")
    if not isinstance(defaults, dict) or not isinstance(raw.get("sources"), list):
        return raw
    try:
        ScrapeConfig.model_validate(defaults)
    except ValidationError:
        return raw
    return {**raw, "sources": [_merge_source_defaults(source, defaults) for source in raw["sources"]]}


def _merge_source_defaults(source: Any, defaults: dict[str, Any]) -> Any:
    own = source.get("scrape_config") if isinstance(source, dict) else False
    if own is None:
        return {**source, "scrape_config": dict(defaults)}
    if not isinstance(own, dict):
        return source
    stated = {key: value for key, value in own.items() if value is not None or key not in defaults}
    return {**source, "scrape_config": {**defaults, **stated}}


def load_file(path: str | Path, *, allowed_addresses: Sequence[str] = ()) -> LoadedManifest:
    """Read and validate one file; ``-`` is standard input."""
    return parse_manifest(
        _read_file(path), name=_manifest_name(path), origin=str(path), allowed_addresses=allowed_addresses
    )


def _manifest_name(path: str | Path) -> str:
    return "stdin" if str(path) == "-" else Path(path).stem


def _read_file(path: str | Path) -> bytes:
    try:
        return manifest_text.read_limited_bytes(path)
    except NotationError as error:
        raise ManifestError([f"{manifest_text.display_name(str(path))}: {error}"]) from None


def load_files(paths: Sequence[str | Path], *, allowed_addresses: Sequence[str] = ()) -> Catalog:
    """Read and validate all; the problems of all files come in one ManifestError.

    A file whose sources have ``override`` in place of ``id`` is an overlay: it changes the named fields of sources of
    the files before it.
    """
    loaded: list[LoadedManifest] = []
    problems: list[str] = []
    for path in paths:
        try:
            _add_file(loaded, path, allowed_addresses)
        except ManifestError as error:
            problems += error.problems
    if problems:
        raise ManifestError(problems)
    return Catalog(loaded)


def _add_file(loaded: list[LoadedManifest], path: str | Path, allowed_addresses: Sequence[str]) -> None:
    """Add the manifest at *path* to *loaded*; what it overrides there is replaced."""
    name, origin = _manifest_name(path), str(path)
    document = _read_document(_read_file(path), name, origin)
    overrides, rest = _split_overrides(document)
    where = manifest_text.display_name(origin)
    problems: list[str] = []
    if overrides:
        problems += [format_problem(problem, where, document.raw) for problem in document.problems]
    try:
        for position, merged in apply_overrides(overrides, loaded, origin):
            base = loaded[position]
            loaded[position] = parse_manifest(
                merged, name=base.name, origin=f"{base.origin} + {origin}", allowed_addresses=allowed_addresses
            )
    except ManifestError as error:
        problems += error.problems
    if rest is not None:
        try:
            loaded.append(_validate_document(rest, name, origin, allowed_addresses))
        except ManifestError as error:
            problems += error.problems
    if problems:
        raise ManifestError(problems)


# Overlays: a file of the operator's own changes named fields of a manifest that somebody else keeps. What is stored
# and runs is the merged manifest, as one text.

#: Objects whose keys are changed one by one; any other field is replaced as a whole.
_MERGED_OBJECTS = ("scrape_config", "metadata")


def _split_overrides(document: _Document) -> tuple[list[dict[str, Any]], _Document | None]:
    """The overrides of a document, and what else it holds: itself without any; None for nothing."""
    entries = document.raw["sources"] if isinstance(document.raw.get("sources"), list) else []
    overrides = [one for one in entries if isinstance(one, dict) and "override" in one]
    if not overrides:
        return [], document
    rest = document.raw | {"sources": [one for one in entries if one not in overrides]}
    if not rest["sources"] and not (rest.keys() & {"domains", "mediawiki_sites"}):
        return overrides, None
    return overrides, _Document(rest, json.dumps(rest, indent=2, ensure_ascii=False), [])


def apply_overrides(
    overrides: Sequence[dict[str, Any]], loaded: Sequence[LoadedManifest], origin: str
) -> Iterator[tuple[int, str]]:
    """Each manifest of *loaded* that *overrides* change, by its position, and its merged text. Raises ManifestError.

    *origin* is what a message calls the file of the overrides.
    """
    ids = [{source.id for source in one.manifest.sources} for one in loaded]
    known = set().union(*ids)
    where = manifest_text.display_name(origin)
    if problems := [
        f"{where}: override {one['override']!r}: an override changes a source and cannot rename it: remove `id`"
        for one in overrides
        if "id" in one
    ] + [
        f"{where}: override {one['override']!r}: no file before this one has a source of that id; "
        "name the manifest that has it first: RORI_MANIFEST=fthb.json,mine.json"
        for one in overrides
        if str(one["override"]) not in known
    ]:
        raise ManifestError(problems)
    changed = {str(one["override"]) for one in overrides}
    for position, base in enumerate(loaded):
        if changed & ids[position]:
            raw = _read_document(base.text, base.name, "").raw
            raw["sources"] = [_override_source(source, overrides) for source in raw["sources"]]
            yield position, json.dumps(raw, indent=2, ensure_ascii=False) + "\n"


def _override_source(source: dict[str, Any], overrides: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """*source* with what its overrides change, in their order."""
    for one in overrides:
        if one["override"] == source["id"]:
            changes = {key: value for key, value in one.items() if key != "override"}
            for key in _MERGED_OBJECTS:
                if isinstance(source.get(key), dict) and isinstance(changes.get(key), dict):
                    changes[key] = source[key] | changes[key]
            source = source | changes
    return source


# ``scrapy manifest add``: a source is written into a file that people keep.


def read_source_ids(path: Path) -> list[str]:
    """Ids of the sources of a file, and of those that it overrides; none where there is no file yet."""
    if not path.exists():
        return []
    raw = _read_document(_read_file(path), _manifest_name(path), str(path)).raw
    return [str(one.get("id") or one.get("override")) for _, one in _iterate_sources(raw)]


def read_defaults(path: Path) -> Any:
    """What a file's `defaults` say, as written; None where there are none, or no file yet."""
    if not path.exists():
        return None
    return _read_document(_read_file(path), _manifest_name(path), str(path)).raw.get("defaults")


def add_source(path: Path, source: dict[str, Any]) -> None:
    """Write *source* into the manifest at *path*, which is made where there is none; all else in it stays as it is.

    Raises ManifestError, and leaves the file alone, where that cannot be done.
    """
    try:
        is_new = not path.exists()
        if is_new:
            added = manifest_text.new_manifest_text(path.name, source)
        else:
            text = manifest_text.decode_text(manifest_text.read_limited_bytes(path))
            added = manifest_text.add_source_text(text, path.name, source)
        temporary = path.with_name(f".{path.name}.new")
        temporary.write_text(added, encoding="utf-8")
        if not is_new:
            temporary.chmod(path.stat().st_mode)
        temporary.replace(path)
    except (NotationError, OSError) as error:
        raise ManifestError([f"{path}: {error}"]) from None


def _packaged_folder() -> Traversable:
    return files("rori_spiders") / "manifests"


def packaged_names() -> list[str]:
    """Names of the manifests that come with the package."""
    return sorted(
        entry.name.removesuffix(".json") for entry in _packaged_folder().iterdir() if entry.name.endswith(".json")
    )


def packaged_path(name: str) -> str:
    """Where a manifest of the package lies, for people who want its file."""
    return str(_packaged_folder() / f"{name}.json")


def find_packaged_file(file_name: str) -> str | None:
    """Where the packaged manifest lies that *file_name* (``fthb.json``, without a folder) names; None for any other."""
    name = file_name.removesuffix(".json")
    return packaged_path(name) if name != file_name and name in packaged_names() else None


def load_packaged(name: str, *, allowed_addresses: Sequence[str] = ()) -> LoadedManifest:
    """Validate a manifest of the package, from a folder, a wheel or an egg alike."""
    if name not in packaged_names():
        raise ManifestError([f"{name}: no such packaged manifest; available: {', '.join(packaged_names())}"])
    content = (_packaged_folder() / f"{name}.json").read_bytes()
    return parse_manifest(content, name=name, origin="packaged", allowed_addresses=allowed_addresses)


# What one entry alone cannot show: ids and fields that stand twice, wikis without an api.php, delays too short. In:
# the parsed file, right or wrong in its details (every problem must be named in one go, so this runs even when the
# models refuse something). Out: problems.


def cross_entry_problems(raw: dict[str, Any], allowed: AddressRules) -> list[Problem]:
    """All problems between the parts of *raw*; *allowed* are the operator's own addresses."""
    return [
        *_duplicate_id_problems(raw),
        *_subjects_without_source(raw),
        *_wikis_without_api(raw),
        *_wiki_scope_without_wiki(raw),
        *_field_problems(raw),
        *_short_delays(raw, allowed),
    ]


def _iterate_sources(raw: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    sources = raw.get("sources")
    if isinstance(sources, list):
        yield from ((index, source) for index, source in enumerate(sources) if isinstance(source, dict))


def _duplicate_id_problems(raw: dict[str, Any]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, source in _iterate_sources(raw):
        source_id = source.get("id")
        if isinstance(source_id, str) and first.setdefault(source_id, index) != index:
            yield Problem(("sources", index, "id"), f"the id {source_id!r} is taken by sources[{first[source_id]}]")


def _subjects_without_source(raw: dict[str, Any]) -> Iterator[Problem]:
    """Ids that a subject names and no source of the file has: a report of what is covered would be silent on them."""
    ids = [source["id"] for _, source in _iterate_sources(raw) if isinstance(source.get("id"), str)]
    subjects = raw.get("subjects")
    for index, subject in enumerate(subjects if isinstance(subjects, list) else ()):
        names = subject.get("sources") if isinstance(subject, dict) else None
        for place, name in enumerate(names if isinstance(names, list) else ()):
            if isinstance(name, str) and not any(map(source_pattern(name).fullmatch, ids)):
                yield Problem(("subjects", index, "sources", place), f"no source of this file has the id {name!r}")


def _wikis_without_api(raw: dict[str, Any]) -> Iterator[Problem]:
    sites = _object_at(raw, "mediawiki_sites")
    for index, source in _iterate_sources(raw):
        if source.get("method") != "mediawiki" or not isinstance(source.get("url"), str):
            continue
        own = _object_at(_object_at(source, "scrape_config"), "mediawiki").get("api_url")
        if own is None and canonical.host_of(source["url"]) not in sites:
            yield Problem(
                ("sources", index, "method"),
                "api.php not found: set it in `mediawiki_sites` for the URL's host, or in "
                "scrape_config.mediawiki.api_url",
            )


def _wiki_scope_without_wiki(raw: dict[str, Any]) -> Iterator[Problem]:
    """Named on the source itself: what stands in `defaults` is for the wikis among the sources."""
    for index, source in _iterate_sources(raw):
        if source.get("method") in {"scrape", "crawl"} and _object_at(_object_at(source, "scrape_config"), "mediawiki"):
            yield Problem(
                ("sources", index, "scrape_config", "mediawiki"),
                "only sources with the method `mediawiki` can use a wiki's API",
            )


def _field_problems(raw: dict[str, Any]) -> Iterator[Problem]:
    for index, source in _iterate_sources(raw):
        for problem in field_list_problems(source.get("fields")):
            yield Problem(("sources", index, "fields", *problem.path), problem.message)


def _short_delays(raw: dict[str, Any], allowed: AddressRules) -> Iterator[Problem]:
    for host, rules in _object_at(raw, "domains").items():
        delay = rules.get("delay_s") if isinstance(rules, dict) else None
        if (
            isinstance(delay, int | float)
            and delay is not True
            and 0 < delay < DEFAULT_DELAY_S
            and not allowed.names(host)
        ):
            yield Problem(
                ("domains", host, "delay_s"),
                f"expected at least {DEFAULT_DELAY_S} seconds, got {delay}: less is allowed only for hosts that"
                " RORI_ALLOWED_ADDRESSES names",
            )


def _object_at(holder: dict[str, Any], key: str) -> dict[str, Any]:
    value = holder.get(key)
    return value if isinstance(value, dict) else {}
