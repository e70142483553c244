"""Who refers to whom in the latest version of a corpus: its ``references.jsonl``, with the URLs of the documents."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from rori_spiders.content.citations import find
from rori_spiders.corpus.loader.source import Version
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.publishing.version_manifest import VersionPage
from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.corpus.published_versions import version_prefix
from rori_spiders.staging.store import Store
from rori_spiders.urls.canonical import normalise_url

_NUMBER = re.compile(r"([0-9]+)")


class FoundReferences(NamedTuple):
    """Matching references of a *version*, in their order, and how many it has in all."""

    version: int
    in_all: int
    rows: list[dict[str, Any]]


def find_references(
    store: Store, domain: str, *, to: str | None = None, from_page: str | None = None, resolution: str | None = None
) -> FoundReferences:
    """Find the references of the latest version of *domain*, each with URL and title of both ends and ``from_page_id``.

    *to*: a URL, a doc_id, a chunk's id, or a citation, however it is spelt, with all that stands below it.
    *from_page*: a URL, a doc_id or a chunk's id. Those that lead to *to* are sorted by title and place, "§ 9" before
    "§ 10", those of its own document last. Raises ActionRefused where there are none, StagingError.
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
    pages = {page.doc_id: page for page in manifest.pages}
    rows = (_reference_row(json.loads(line), pages) for line in lines)
    found = [
        row
        for row in rows
        if resolution in {None, row["resolution"]} and _is_from(row, from_page) and _leads_to(row, to)
    ]
    if to is not None:
        found.sort(key=_reading_order)
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


def _reference_row(reference: Mapping[str, Any], pages: Mapping[str, VersionPage]) -> dict[str, Any]:
    page, to = pages[reference["doc_id"]], pages.get(reference["target_doc"] or "")
    return {
        **reference,
        "from_url": page.source_url,
        "from_title": page.title,
        "from_page_id": page.page_id,
        "to_url": to.source_url if to else reference["url"],
        "to_title": to.title if to else None,
    }


def _reading_order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    words = (row["from_title"] or row["from_url"]).casefold()
    by_number = [(part.isdecimal(), int(part) if part.isdecimal() else part) for part in _NUMBER.split(words)]
    return row["doc_id"] == row["target_doc"], by_number, row["from_url"], row["start"]


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
