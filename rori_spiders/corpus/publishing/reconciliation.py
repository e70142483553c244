"""Compare a version with an index: every drift by name. Values in, values out.

Input: the manifest of a version, and the listing that its loader reports (documents with their hashes). Output:
drifts, none when both agree.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from rori_spiders.corpus.publishing.version_manifest import Manifest
from rori_spiders.exceptions import UsageError

DriftKind = Literal["missing", "not_removed", "other_hash", "unknown", "doubled"]
#: Meaning of each kind of drift, and its remedy.
DRIFT_KINDS: dict[DriftKind, str] = {
    "missing": "in the version, not in the index: load the version again",
    "not_removed": "removed by a tombstone, but still in the index: load the version again",
    "other_hash": "the index has a different text: load the version again",
    "unknown": "in no version up to this one: find out who added it to the index",
    "doubled": "more than once in the index, so it counts twice in answers",
}


class ListedDocument(NamedTuple):
    """A document of an index. *content_hash*: hash of the loaded text; None: not reported."""

    doc_id: str
    content_hash: str | None


class Drift(NamedTuple):
    """A document on which version and index disagree."""

    kind: DriftKind
    doc_id: str
    says: str


def reconcile_listing(manifest: Manifest, listing: Iterable[ListedDocument]) -> list[Drift]:
    """Return every drift, by kind and doc_id. Each row of a document that is listed twice is judged."""
    held = list(listing)
    times = Counter(one.doc_id for one in held)
    wanted = {one.doc_id: one for one in manifest.pages}
    removed = {one.doc_id: one for one in manifest.tombstones}
    found = [
        Drift("missing", name, f"{page.source_url} is in version {manifest.version}, not in the index")
        for name, page in wanted.items()
        if not times[name]
    ]
    found += [Drift("doubled", name, f"{number} times in the index") for name, number in times.items() if number > 1]
    for one in dict.fromkeys(held):
        if one.doc_id in removed:
            message = f"{removed[one.doc_id].source_url} was removed in version {removed[one.doc_id].since}"
            found.append(Drift("not_removed", one.doc_id, message))
        elif one.doc_id not in wanted:
            found.append(Drift("unknown", one.doc_id, f"version {manifest.version} has no such document"))
        elif one.content_hash != wanted[one.doc_id].content_hash:
            message = f"the index has {one.content_hash or 'no hash'}, the version {wanted[one.doc_id].content_hash}"
            found.append(Drift("other_hash", one.doc_id, message))
    order = list(DRIFT_KINDS)
    return sorted(dict.fromkeys(found), key=lambda one: (order.index(one.kind), one.doc_id, one.says))


def parse_listing(lines: Iterable[str]) -> Iterator[ListedDocument]:
    """Parse the listing of a loader: JSON lines with ``doc_id`` and ``content_hash``. Raises UsageError.

    Lines that tell of something else (objects without ``doc_id``) are passed over.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise UsageError(f"line {number} of the listing is not a JSON object: {line.strip()[:80]!r}")
        if "doc_id" not in fields:
            continue
        name, digest = fields["doc_id"], fields.get("content_hash")
        if not isinstance(name, str) or not (digest is None or isinstance(digest, str)):
            raise UsageError(f"line {number} of the listing: doc_id and content_hash must be texts")
        yield ListedDocument(name, digest.removeprefix("sha256:") if digest else None)
