"""The chunks of a version: made of its documents, taken over from the version before where a document is the same."""

import json
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from importlib.util import find_spec
from typing import NamedTuple

from rori_spiders.corpus.chunks.chunk_file import (
    CHUNKER_VERSION,
    CHUNKS_FORMAT,
    DocumentLines,
    format_lines,
    format_parquet,
    lines_by_document,
    lines_of_document,
)
from rori_spiders.corpus.chunks.references import RESOLUTIONS, format_reference, references_between
from rori_spiders.corpus.chunks.token_counts import TOKENIZERS, token_counters
from rori_spiders.corpus.documents.document import parse_document
from rori_spiders.corpus.publishing.version_manifest import ChunkFile, ChunkTable, Manifest, ReferenceFile
from rori_spiders.corpus.publishing.version_plan import VersionPlan
from rori_spiders.corpus.site_rules import Tokenizer
from rori_spiders.ledger.corpus.published_versions import version_prefix
from rori_spiders.staging.store import Store


class ChunkFiles(NamedTuple):
    """The manifest's entries, and the files by their names below the version's folder."""

    chunks: ChunkFile
    table: ChunkTable | None  # where pyarrow is installed
    references: ReferenceFile
    files: Mapping[str, bytes]


def make_chunk_files(store: Store, plan: VersionPlan) -> ChunkFiles:
    """Make the chunks and references of the documents of *plan*. Raises UsageError for a tokenizer not installed."""
    counters = token_counters(plan.request.tokenizers)
    former = _former_lines(store, plan, list(counters))
    lines: list[str] = []
    for one in plan.entries:
        held = former.get(one.doc_id)
        if held is None or held.content_hash != one.content_hash:
            held = lines_of_document(parse_document(store.get_object(one.object).decode()), counters)
        lines += held.lines
    data = format_lines(iter(lines))
    entry = ChunkFile(
        path="chunks.jsonl",
        sha256=sha256(data).hexdigest(),
        format=CHUNKS_FORMAT,
        chunker=CHUNKER_VERSION,
        tokenizers=list(counters),
        chunks=len(lines),
    )
    documents = {one.url: one.doc_id for one in plan.entries}
    found = list(references_between(map(json.loads, lines), documents, plan.removed_urls()))
    references = format_lines(map(format_reference, found))
    counts = Counter(one.resolution for one in found)
    second = ReferenceFile(
        path="references.jsonl",
        sha256=sha256(references).hexdigest(),
        format="rori-references/1",
        references=len(found),
        resolutions={name: counts[name] for name in RESOLUTIONS},
    )
    files = {entry.path: data, second.path: references}
    table = None
    if find_spec("pyarrow") is not None:
        files["chunks.parquet"] = format_parquet(lines)
        table = ChunkTable(path="chunks.parquet", sha256=sha256(files["chunks.parquet"]).hexdigest())
    return ChunkFiles(entry, table, second, files)


def tokenizers_of(manifest: Manifest) -> tuple[Tokenizer, ...]:
    """The tokenizers by which the chunks of a version were counted, beside the estimate."""
    names = manifest.chunks.tokenizers if manifest.chunks is not None else []
    return tuple(one for one in TOKENIZERS if one in names)


def published_chunk_lines(store: Store, manifest: Manifest) -> dict[str, DocumentLines]:
    """The chunks of a version by ``doc_id``; none of a version without them, or whose file is not intact."""
    if manifest.chunks is None:
        return {}
    try:
        data = store.domains.read(f"{version_prefix(manifest.domain, manifest.version)}/{manifest.chunks.path}")
    except FileNotFoundError:
        return {}
    return lines_by_document(data) if sha256(data).hexdigest() == manifest.chunks.sha256 else {}


def _former_lines(store: Store, plan: VersionPlan, tokenizers: list[str]) -> dict[str, DocumentLines]:
    """The lines of the version before, if the same chunker and tokenizers made them."""
    manifest = plan.before.manifest
    chunks = manifest.chunks if manifest is not None else None
    if manifest is None or chunks is None or (chunks.chunker, chunks.tokenizers) != (CHUNKER_VERSION, tokenizers):
        return {}
    return published_chunk_lines(store, manifest)
