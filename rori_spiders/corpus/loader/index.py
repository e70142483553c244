"""An index of documents and their chunks in one SQLite file, brought to a version in one transaction.

By content hash: what has not changed is not read. Only tombstones delete: a document that no version knows stays, for
`scrapy corpus reconcile` to name.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.corpus.auditing.chunks import split_into_chunks
from rori_spiders.corpus.documents.document import parse_document
from rori_spiders.exceptions import ActionRefused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.corpus.loader.source import Version
    from rori_spiders.corpus.publishing.version_manifest import VersionPage

_TABLES = """
CREATE TABLE IF NOT EXISTS loaded (tenant TEXT PRIMARY KEY, version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
    tenant TEXT, doc_id TEXT, content_hash TEXT NOT NULL, source_url TEXT NOT NULL, PRIMARY KEY (tenant, doc_id));
CREATE TABLE IF NOT EXISTS chunks (id INTEGER PRIMARY KEY, tenant TEXT, doc_id TEXT, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_of ON chunks (tenant, doc_id);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text, content='chunks', content_rowid='id');
CREATE TRIGGER IF NOT EXISTS chunk_in AFTER INSERT ON chunks BEGIN
    INSERT INTO words (rowid, text) VALUES (new.id, new.text); END;
CREATE TRIGGER IF NOT EXISTS chunk_out AFTER DELETE ON chunks BEGIN
    INSERT INTO words (words, rowid, text) VALUES ('delete', old.id, old.text); END;
"""


class LoadCounts(NamedTuple):
    """The numbers of documents that a load added, replaced, removed, and found unchanged."""

    added: int
    changed: int
    removed: int
    unchanged: int


class Index:
    """The index in *path*, made when it is not there. Its methods may be called by several processes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with closing(self._connected()) as conn:
            conn.executescript(_TABLES)

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=60, isolation_level=None)

    def load(self, version: Version) -> LoadCounts:
        """Bring the tenant's documents to *version*, all or none. Raises UsageError for one that is older."""
        tenant, number = version.manifest.domain, version.manifest.version
        with closing(self._connected()) as conn:
            conn.execute("BEGIN IMMEDIATE")
            try:
                done = self._loaded(conn, version)
                conn.execute("INSERT OR REPLACE INTO loaded VALUES (?, ?)", (tenant, number))
                conn.execute("COMMIT")
            except BaseException:
                conn.execute("ROLLBACK")
                raise
        return done

    def _loaded(self, conn: sqlite3.Connection, version: Version) -> LoadCounts:
        manifest = version.manifest
        [(newest,)] = conn.execute("SELECT max(version) FROM loaded WHERE tenant = ?", (manifest.domain,)).fetchall()
        if newest is not None and newest > manifest.version:
            raise ActionRefused(f"the index has version {newest} of {manifest.domain}, newer than {manifest.version}")
        held = dict(conn.execute("SELECT doc_id, content_hash FROM documents WHERE tenant = ?", (manifest.domain,)))
        added = changed = 0
        for page in manifest.pages:
            if held.get(page.doc_id) == page.content_hash:
                continue
            added, changed = added + (page.doc_id not in held), changed + (page.doc_id in held)
            text = version.text(page)
            _remove_document(conn, manifest.domain, page.doc_id)
            _add_document(conn, manifest.domain, page, text)
        removed = [one.doc_id for one in manifest.tombstones if one.doc_id in held]
        for doc_id in removed:
            _remove_document(conn, manifest.domain, doc_id)
        return LoadCounts(added, changed, len(removed), len(manifest.pages) - added - changed)

    def listing(self, tenant: str) -> Iterator[tuple[str, str]]:
        """Each document that is held, with its content hash."""
        with closing(self._connected()) as conn:
            yield from conn.execute(
                "SELECT doc_id, content_hash FROM documents WHERE tenant = ? ORDER BY doc_id", (tenant,)
            ).fetchall()

    def find(self, tenant: str, words: str, limit: int = 5) -> list[tuple[str, str]]:
        """The chunks that hold all *words*, best first, each with its document."""
        query = (
            "SELECT chunks.doc_id, chunks.text FROM words JOIN chunks ON chunks.id = words.rowid "
            "WHERE words MATCH ? AND chunks.tenant = ? ORDER BY rank LIMIT ?"
        )
        quoted = " ".join('"{}"'.format(word.replace('"', '""')) for word in words.split())
        with closing(self._connected()) as conn:
            return conn.execute(query, (quoted, tenant, limit)).fetchall() if quoted else []


def _remove_document(conn: sqlite3.Connection, tenant: str, doc_id: str) -> None:
    conn.execute("DELETE FROM chunks WHERE tenant = ? AND doc_id = ?", (tenant, doc_id))
    conn.execute("DELETE FROM documents WHERE tenant = ? AND doc_id = ?", (tenant, doc_id))


def _add_document(conn: sqlite3.Connection, tenant: str, page: VersionPage, text: str) -> None:
    """The front matter is left out, but for title and description, which each chunk begins with."""
    document = parse_document(text)
    head = "\n".join(line for line in (document.front.title, document.front.description) if line)
    row = (tenant, page.doc_id, page.content_hash, page.source_url)
    conn.execute("INSERT INTO documents VALUES (?, ?, ?, ?)", row)
    rows = [
        (tenant, page.doc_id, f"{head}\n\n{one.text(document.body)}".strip())
        for one in split_into_chunks(document.body)
    ]
    conn.executemany("INSERT INTO chunks (tenant, doc_id, text) VALUES (?, ?, ?)", rows)
