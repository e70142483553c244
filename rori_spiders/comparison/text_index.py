"""A full-text index of the staged texts of all versions, in one SQLite file beside the ledger (FTS5).

It is derived: `update` adds what the ledger has and the index has not, so removing the file loses nothing. Whatever the
index finds is looked up in the ledger again; an index of another ledger is refused.
"""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, select, tuple_

from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.ledger.tables import pages, versions
from rori_spiders.ledger.tables.base import format_utc

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Row

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store

_TABLES = """
CREATE TABLE IF NOT EXISTS texts (
    id INTEGER PRIMARY KEY, page_id INTEGER NOT NULL, seq INTEGER NOT NULL, source_id TEXT NOT NULL,
    captured_at TEXT NOT NULL, content_hash TEXT NOT NULL, state TEXT NOT NULL, UNIQUE (page_id, seq));
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    title, text, content='', tokenize="unicode61 remove_diacritics 2");
"""
_FIND = """
SELECT page_id, seq, content_hash FROM words JOIN texts ON texts.id = words.rowid
WHERE words MATCH :words AND captured_at >= :since AND captured_at < :until
    AND (:sources = '[]' OR source_id IN (SELECT value FROM json_each(:sources)))
    AND (:past OR seq = (SELECT max(seq) FROM texts newer WHERE newer.page_id = texts.page_id))
ORDER BY bm25(words, :title_weight, 1.0), page_id, seq DESC LIMIT :limit
"""
#: Of a row of ``texts``: its words are indexed; its text is not in the staging area; the page was gone.
_INDEXED, _MISSING, _REMOVED = "indexed", "missing", "removed"
#: Versions that are read and written at once: a stop loses this much work.
_BATCH = 200
#: A word of a title counts like so many of the text.
_TITLE_WEIGHT = 5.0
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_SNIPPET_CHARS = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuery:
    """What is looked for. *words*: all of them, and phrases in double quotes. Times are of the capture."""

    words: str
    sources: Collection[str] = ()
    since: datetime | None = None
    until: datetime | None = None  # before
    past: bool = False  # also texts that a page had before its newest one

    @property
    def terms(self) -> list[str]:
        return [term for quoted, bare in _TERM.findall(self.words) if (term := (quoted or bare).strip())]

    def expression(self) -> str:
        """For FTS5: each term a phrase. "1024.17(c)" is the words 1024, 17 and c, one after the other.

        Raises UsageError where there is no word.
        """
        terms = [term for term in self.terms if any(char.isalnum() for char in term)]
        if not terms:
            raise UsageError("no word to search for")
        return " ".join('"{}"'.format(term.replace('"', '""')) for term in terms)


@dataclass(frozen=True, slots=True)
class FoundText:
    """A version whose text has the words; *snippet* is where the first of them stands."""

    source_id: str
    url: str
    title: str | None
    page_id: int
    seq: int
    captured_at: datetime
    content_hash: str
    is_current: bool
    snippet: str


class TextIndex:
    """The index in the file *path*, made when it is not there. Several processes may use it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._connect()) as conn:
            conn.executescript(_TABLES)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=60, isolation_level=None)

    def update(self, ledger: Ledger, store: Store, *, report: Callable[[int], None] = lambda _left: None) -> None:
        """Add the versions that it has not. *report* is called before each batch with the number still to add."""
        with ledger.connect() as conn:
            newest = dict(_newest_versions(conn))
        with closing(self._connect()) as index:
            indexed = dict(index.execute("SELECT page_id, max(seq) FROM texts GROUP BY page_id").fetchall())
            wanted = [
                (page_id, seq)
                for page_id, last in newest.items()
                for seq in range(indexed.get(page_id, 0) + 1, last + 1)
            ]
            for start in range(0, len(wanted), _BATCH):
                report(len(wanted) - start)
                with ledger.connect() as conn:
                    rows = list(_version_rows(conn, wanted[start : start + _BATCH]))
                _add_texts(index, [(row, *_read_text(store, row)) for row in rows])

    def count_missing(self) -> int:
        """How many texts were not in the staging area, and are not searched."""
        with closing(self._connect()) as conn:
            return int(conn.execute("SELECT count(*) FROM texts WHERE state = ?", (_MISSING,)).fetchone()[0])

    def find(self, ledger: Ledger, store: Store, query: TextQuery, *, limit: int) -> list[FoundText]:
        """The versions with all words, best first. Raises ActionRefused for an index of another ledger."""
        values = {
            "words": query.expression(),
            "sources": json.dumps(sorted(query.sources)),
            "since": format_utc(query.since) if query.since else "",
            "until": format_utc(query.until) if query.until else "9999",
            "past": query.past,
            "title_weight": _TITLE_WEIGHT,
            "limit": limit,
        }
        with closing(self._connect()) as conn:
            hits = conn.execute(_FIND, values).fetchall()
        with ledger.connect() as ledger_conn:
            rows = {(row.page_id, row.seq): row for row in _version_rows(ledger_conn, [hit[:2] for hit in hits])}
            newest = dict(_newest_versions(ledger_conn, {hit[0] for hit in hits}))
        for page_id, seq, content_hash in hits:
            row = rows.get((page_id, seq))
            if row is None or row.content_hash != content_hash:
                raise ActionRefused(
                    f"{self._path} is the index of another ledger. Remove it; the next search builds it anew"
                )
        return [_found_text(rows[hit[:2]], store, query, is_current=newest[hit[0]] == hit[1]) for hit in hits]


def _newest_versions(conn: Connection, page_ids: Collection[int] | None = None) -> Iterator[tuple[int, int]]:
    query = select(versions.c.page_id, func.max(versions.c.seq)).group_by(versions.c.page_id)
    if page_ids is not None:
        query = query.where(versions.c.page_id.in_(page_ids))
    yield from (tuple(row) for row in conn.execute(query))


def _version_rows(conn: Connection, wanted: Sequence[tuple[int, int]]) -> Iterator[Row[tuple[object, ...]]]:
    columns = ("page_id", "seq", "captured_at", "change_type", "title", "content_hash", "body_object")
    query = select(pages.c.source_id, pages.c.url, *(versions.c[name] for name in columns))
    query = query.join(pages, pages.c.page_id == versions.c.page_id)
    yield from conn.execute(query.where(tuple_(versions.c.page_id, versions.c.seq).in_(wanted)))


def _read_text(store: Store, row: Row[tuple[object, ...]]) -> tuple[str, str]:
    """The state of a version, and its text."""
    if row.change_type == "deleted":
        return _REMOVED, ""
    try:
        return _INDEXED, store.get_object(row.body_object).decode("utf-8", "replace")
    except FileNotFoundError:
        return _MISSING, ""


def _add_texts(index: sqlite3.Connection, added: Sequence[tuple[Row[tuple[object, ...]], str, str]]) -> None:
    index.execute("BEGIN IMMEDIATE")
    try:
        for row, state, text in added:
            values = (row.page_id, row.seq, row.source_id, format_utc(row.captured_at), row.content_hash, state)
            inserted = index.execute(
                "INSERT OR IGNORE INTO texts (page_id, seq, source_id, captured_at, content_hash, state) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                values,
            )
            if inserted.rowcount and state == _INDEXED:
                words = (inserted.lastrowid, row.title or "", text)
                index.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", words)
        index.execute("COMMIT")
    except BaseException:
        index.execute("ROLLBACK")
        raise


def _found_text(row: Row[tuple[object, ...]], store: Store, query: TextQuery, *, is_current: bool) -> FoundText:
    _, text = _read_text(store, row)
    return FoundText(
        row.source_id, row.url, row.title, row.page_id, row.seq, row.captured_at, row.content_hash, is_current,
        cut_snippet(text, query.terms),
    )  # fmt: skip


def cut_snippet(text: str, terms: Sequence[str]) -> str:
    """Some words of *text* around the first term that stands in it as it was typed, on one line; else its beginning."""
    places = [found.start() for term in terms if (found := re.search(re.escape(term), text, re.IGNORECASE))]
    start = max(0, min(places, default=0) - _SNIPPET_CHARS // 3)
    part = text[start : start + _SNIPPET_CHARS]
    first = part.find(" ") + 1 if start else 0
    last = part.rfind(" ") if start + _SNIPPET_CHARS < len(text) else len(part)
    words = " ".join(part[first : max(last, first)].split())
    return f"{'… ' if start else ''}{words}{' …' if start + last < len(text) else ''}"
