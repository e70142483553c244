"""Manifests from files, from standard input, from the package, from text: read, validated, ready to use.

In: paths or text. Out: ``Loaded``, or one ManifestError that names every problem found; nothing is changed anywhere.
"""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from rori_spiders.addresses import AddressRules
from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest import reading
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.checks import across
from rori_spiders.manifest.loaded import Loaded
from rori_spiders.manifest.models import Manifest, ScrapeConfig
from rori_spiders.manifest.notation import NotationError
from rori_spiders.manifest.problems import Line, Problem, from_validation, line_of, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

__all__ = ["Loaded", "load_file", "load_files", "load_packaged", "packaged_names", "parse"]

#: The ledger has room for so many.
_NAME_CHARS = 200


def parse(text: str | bytes, *, name: str, origin: str, allowed_addresses: Sequence[str] = ()) -> Loaded:
    """Validate *text*. Raises ManifestError with every problem; *allowed_addresses* as RORI_ALLOWED_ADDRESSES."""
    where = reading.spoken(origin)
    if len(name) > _NAME_CHARS:
        said = f"a manifest's name may have {_NAME_CHARS} characters, this one has {len(name)}"
        raise ManifestError([f"{where}: {said}: give the file a shorter one"])
    try:
        written = reading.text_of(text)
        raw = reading.value_of(written, origin)
        kept = reading.kept_of(written, origin, raw)
    except NotationError as error:
        line = Line(f"{where}: {error}", str(error), at=error.at, outright=error.outright)
        raise ManifestError([line]) from None
    raw, problems = reading.clean(raw)
    if not isinstance(raw, dict):
        raise ManifestError([f"{where}: $: expected an object with version and sources, got {shown(raw)}"])
    manifest, refused = _validated(raw)
    named = {problem.path for problem in problems}
    problems += [problem for problem in refused if problem.path not in named]
    problems += across(raw, AddressRules(allowed_addresses))
    if manifest is None or problems:
        raise ManifestError([line_of(problem, where, raw) for problem in problems])
    return Loaded(name, manifest, kept, sha256(kept.encode()).hexdigest(), origin)


def _validated(raw: dict[str, Any]) -> tuple[Manifest | None, list[Problem]]:
    try:
        return Manifest.model_validate(_with_defaults(raw)), []
    except ValidationError as error:
        return None, from_validation(error)


def _with_defaults(raw: dict[str, Any]) -> dict[str, Any]:
    """Give each source's scrape_config the keys that it leaves out; not from defaults that are wrong themselves."""
    defaults = raw.get("defaults")
    if not isinstance(defaults, dict) or not isinstance(raw.get("sources"), list):
        return raw
    try:
        ScrapeConfig.model_validate(defaults)
    except ValidationError:
        return raw
    return {**raw, "sources": [_merged(source, defaults) for source in raw["sources"]]}


def _merged(source: Any, defaults: dict[str, Any]) -> Any:
    own = source.get("scrape_config") if isinstance(source, dict) else False
    if own is None:
        return {**source, "scrape_config": dict(defaults)}
    if not isinstance(own, dict):
        return source
    said = {key: value for key, value in own.items() if value is not None or key not in defaults}
    return {**source, "scrape_config": {**defaults, **said}}


def load_file(path: str | Path, *, allowed_addresses: Sequence[str] = ()) -> Loaded:
    """Read and validate one file; ``-`` is standard input."""
    name = "stdin" if str(path) == "-" else Path(path).stem
    try:
        content = reading.bytes_of(path)
    except NotationError as error:
        raise ManifestError([f"{reading.spoken(str(path))}: {error}"]) from None
    return parse(content, name=name, origin=str(path), allowed_addresses=allowed_addresses)


def load_files(paths: Sequence[str | Path], *, allowed_addresses: Sequence[str] = ()) -> Catalog:
    """Read and validate all; the problems of all files come in one ManifestError."""
    loaded: list[Loaded] = []
    problems: list[str] = []
    for path in paths:
        try:
            loaded.append(load_file(path, allowed_addresses=allowed_addresses))
        except ManifestError as error:
            problems += error.problems
    if problems:
        raise ManifestError(problems)
    return Catalog(loaded)


def _packaged() -> Traversable:
    return files("rori_spiders") / "manifests"


def packaged_names() -> list[str]:
    """Names of the manifests that come with the package."""
    return sorted(entry.name.removesuffix(".json") for entry in _packaged().iterdir() if entry.name.endswith(".json"))


def packaged_path(name: str) -> str:
    """Where a manifest of the package lies, for people who want its file."""
    return str(_packaged() / f"{name}.json")


def load_packaged(name: str, *, allowed_addresses: Sequence[str] = ()) -> Loaded:
    """Validate a manifest of the package, from a folder, a wheel or an egg alike."""
    if name not in packaged_names():
        raise ManifestError([f"{name}: no such manifest in the package; there are {', '.join(packaged_names())}"])
    content = (_packaged() / f"{name}.json").read_bytes()
    return parse(content, name=name, origin="packaged", allowed_addresses=allowed_addresses)
