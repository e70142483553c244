"""The lines of a version's ``chunks.jsonl``, written byte for byte the same each time.

A chunk's id is made of its document and of ``text``: the same text has the same id in every version, another one has
another. So a reader embeds the ids that it does not have, and removes those that are no longer there.
"""

from __future__ import annotations

import io
import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from rori_spiders.corpus.chunks.chunker import split_document
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.runtime.table_files import ParquetWriter, TypedColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rori_spiders.content.chunking import Cited
    from rori_spiders.corpus.chunks.chunker import Chunk
    from rori_spiders.corpus.documents.document import Document

CHUNKS_FORMAT: Literal["rori-chunks/1"] = "rori-chunks/1"
#: Raised when other chunks are made of the same documents: those of the previous version are then not taken over.
CHUNKER_VERSION = 2


class CitationInChunk(BaseModel):
    """A citation of the chunk. ``start`` and ``end`` are offsets in the document's text."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: str
    citation: str
    url: str | None
    start: int
    end: int


class ChunkLine(BaseModel):
    """A line of ``chunks.jsonl``; docs/explanation/corpus.md describes the keys."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    doc_id: str
    source_url: str
    title: str | None
    content_hash: str
    kind: str
    designation: str | None
    designations: list[str]
    keywords: list[str] = []  # none in versions of chunker 1
    path: list[str]
    headings: list[str]
    lead_in: list[str]
    table_head: str | None
    start: int
    end: int
    sha256: str
    text: str
    tokens: dict[str, int]
    citations: list[CitationInChunk]


#: The columns of ``chunks.parquet``: the keys of a line, in its order.
CHUNK_COLUMNS = (
    *map(TypedColumn, ("id", "doc_id", "source_url", "title", "content_hash", "kind", "designation")),
    *(TypedColumn(name, "texts") for name in ("designations", "keywords", "path", "headings", "lead_in")),
    TypedColumn("table_head"),
    TypedColumn("start", "integer"),
    TypedColumn("end", "integer"),
    *map(TypedColumn, ("sha256", "text")),
    TypedColumn("tokens", "json"),
    TypedColumn("citations", "json"),
)


class DocumentLines(NamedTuple):
    """The lines of one document, in its order, without line feeds."""

    content_hash: str
    lines: tuple[str, ...]


def lines_of_document(document: Document, counters: Mapping[str, Callable[[str], int]]) -> DocumentLines:
    """Return the lines of *document*."""
    front = document.front
    chunks = split_document(document.body, doc_id=front.doc_id, url=front.source_url, title=front.title)
    return DocumentLines(
        front.content_hash,
        tuple(json.dumps(_line(document, one, counters), ensure_ascii=False, separators=(",", ":")) for one in chunks),
    )


def _line(document: Document, chunk: Chunk, counters: Mapping[str, Callable[[str], int]]) -> dict[str, Any]:
    front = document.front
    own = document.body[chunk.start : chunk.end]
    return {
        "id": chunk.id,
        "doc_id": front.doc_id,
        "source_url": front.source_url,
        "title": front.title,
        "content_hash": front.content_hash,
        "kind": chunk.kind,
        "designation": chunk.designation,
        "designations": chunk.designations,
        "keywords": chunk.keywords,
        "path": chunk.path,
        "headings": chunk.headings,
        "lead_in": chunk.lead_in,
        "table_head": chunk.table_head or None,
        "start": chunk.start,
        "end": chunk.end,
        "sha256": sha256(own.encode("utf-8", "surrogatepass")).hexdigest(),
        "text": chunk.text,
        "tokens": {name: count(chunk.text) for name, count in counters.items()},
        "citations": [_citation(one) for one in chunk.citations],
    }


def _citation(cited: Cited) -> dict[str, Any]:
    return {
        "kind": cited.kind, "citation": cited.canonical, "url": cited.target, "start": cited.start, "end": cited.end,
    }  # fmt: skip


def format_lines(lines: Iterator[str]) -> bytes:
    """The file of *lines*."""
    return b"".join(line.encode("utf-8", "surrogatepass") + b"\n" for line in lines)


def format_parquet(lines: Iterable[str]) -> bytes:
    """The same *lines* as Parquet. Raises PackageMissing where pyarrow is not installed."""
    out = io.BytesIO()
    writer = ParquetWriter(out, CHUNK_COLUMNS)
    rows = (json.loads(replace_surrogates(line)) for line in lines)
    writer.write_rows([row[column.name] for column in CHUNK_COLUMNS] for row in rows)
    writer.close()
    return out.getvalue()


def read_chunk_lines(data: bytes) -> Iterator[ChunkLine]:
    """Parse a ``chunks.jsonl``. Raises pydantic's ValidationError for another file."""
    return (ChunkLine.model_validate_json(line) for line in data.splitlines())


def lines_by_document(data: bytes) -> dict[str, DocumentLines]:
    """The lines of a ``chunks.jsonl``, as they stand, by ``doc_id``."""
    found: dict[str, list[str]] = {}
    hashes: dict[str, str] = {}
    for line in data.decode("utf-8", "surrogatepass").split("\n"):
        if line:
            values = json.loads(line)
            found.setdefault(values["doc_id"], []).append(line)
            hashes[values["doc_id"]] = values["content_hash"]
    return {doc_id: DocumentLines(hashes[doc_id], tuple(lines)) for doc_id, lines in found.items()}
