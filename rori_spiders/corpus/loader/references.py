"""Who refers to whom in the latest version of a corpus: its ``references.jsonl``, with the URLs of the documents."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from rori_spiders.content.citations import find
from rori_spiders.corpus.loader.source import Version
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.corpus.published_versions import version_prefix
from rori_spiders.staging.store import Store
from rori_spiders.urls.canonical import normalise_url


class FoundReferences(NamedTuple):
    """Matching references of a *version*, in their order, and how many it has in all."""

    version: int
    in_all: int
    rows: list[dict[str, Any]]


def find_references(
    store: Store, domain: str, *, to: str | None = None, from_page: str | None = None, resolution: str | None = None
) -> FoundReferences:
    """Find the references of the latest version of *domain*, each with ``from_url`` and ``to_url``.

    *to*: a URL, a doc_id, a chunk's id, or a citation, however it is spelt, with all that stands below it.
    *from_page*: a URL, a doc_id or a chunk's id. Raises ActionRefused where there are none, StagingError.
    """
    to, from_page = _canonical_name(to), _canonical_name(from_page)
    manifest = read_current_version(store, domain).manifest
    if manifest is None:
        raise ActionRefused(f"{domain} has no published version yet. Run scrapy corpus publish {domain}")
    lines = Version(manifest, version_prefix(domain, manifest.version), store.domains).reference_lines()
    if lines is None:
        raise ActionRefused(
            f"version {manifest.version} of {domain} has no references: an earlier release published it. "
            "Publish another version"
        )
    urls = {page.doc_id: page.source_url for page in manifest.pages}
    rows = (_reference_row(json.loads(line), urls) for line in lines)
    found = [
        row
        for row in rows
        if resolution in {None, row["resolution"]} and _is_from(row, from_page) and _leads_to(row, to)
    ]
    if to is not None:  # other documents first
        found.sort(key=lambda row: row["doc_id"] == row["target_doc"])
    return FoundReferences(manifest.version, len(lines), found)


def _canonical_name(name: str | None) -> str | None:
    """*name* as references spell it, where it is a URL or a citation."""
    if name is None or "://" in name:
        try:
            return name and normalise_url(name)
        except ValueError:
            return name
    cited = [one for one in find(name) if (one.start, one.end) == (0, len(name))]
    return cited[0].canonical if cited else name


def _reference_row(reference: Mapping[str, Any], urls: Mapping[str, str]) -> dict[str, Any]:
    to = urls.get(reference["target_doc"] or "") or reference["url"]
    return {**reference, "from_url": urls[reference["doc_id"]], "to_url": to}


def _is_from(row: Mapping[str, Any], page: str | None) -> bool:
    return page is None or page in {row["from_url"], row["doc_id"], row["chunk"]}


def _leads_to(row: Mapping[str, Any], to: str | None) -> bool:
    if to is None or to in {row["to_url"], row["target_doc"], row["target_chunk"], row["citation"]}:
        return True
    return str(row["citation"]).startswith(_beginnings_below(to))


def _beginnings_below(name: str) -> tuple[str, ...]:
    """How the names below *name* begin: a part's sections, a section's paragraphs, a comment's points."""
    below = [f"{name}(", f"{name},"]
    if ", comment " in name:
        below.append(f"{name}-")
    if (part := name.rpartition(" Part ")[2]).isdecimal():
        below.append(f"{name.removesuffix(f'Part {part}')}§ {part}.")
    return tuple(below)
