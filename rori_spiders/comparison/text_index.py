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
from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.comparison.staged_text import TextMissing, read_staged_text
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.ledger.pages.page_history import find_versions, newest_seqs
from rori_spiders.ledger.tables.base import format_utc

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.pages.page_history import PageRow, VersionRow
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
_SNIPPET_CHARS = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuery:
    """What is looked for. *terms*: words and phrases, all of which a text must have. Times are of the capture."""

    terms: Sequence[str]
    sources: Collection[str] = ()
    since: datetime | None = None
    until: datetime | None = None  # before
    past: bool = False  # also texts that a page had before its newest one

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
        newest = ledger.read(newest_seqs)
        with closing(self._connect()) as index:
            indexed = dict(index.execute("SELECT page_id, max(seq) FROM texts GROUP BY page_id").fetchall())
            wanted = [
                (page_id, seq)
                for page_id, last in newest.items()
                for seq in range(indexed.get(page_id, 0) + 1, last + 1)
            ]
            for start in range(0, len(wanted), _BATCH):
                report(len(wanted) - start)
                batch = ledger.read(partial(find_versions, wanted=wanted[start : start + _BATCH]))
                _add_texts(index, [(page, version, *_read_text(store, version)) for page, version in batch])

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
        versions = ledger.read(partial(find_versions, wanted=[hit[:2] for hit in hits]))
        found = {(page.page_id, version.seq): (page, version) for page, version in versions}
        for page_id, seq, content_hash in hits:
            if (page_id, seq) not in found or found[page_id, seq][1].content_hash != content_hash:
                raise ActionRefused(
                    f"{self._path} is the index of another ledger. Remove it; the next search builds it anew"
                )
        return [_found_text(*found[hit[:2]], store, query) for hit in hits]


def _read_text(store: Store, version: VersionRow) -> tuple[str, str]:
    """The state of a version, and its text."""
    if version.is_removal:
        return _REMOVED, ""
    try:
        return _INDEXED, read_staged_text(store, version)
    except TextMissing:
        return _MISSING, ""


def _add_texts(index: sqlite3.Connection, added: Sequence[tuple[PageRow, VersionRow, str, str]]) -> None:
    index.execute("BEGIN IMMEDIATE")
    try:
        for page, version, state, text in added:
            captured_at = format_utc(version.captured_at)
            values = (page.page_id, version.seq, page.source_id, captured_at, version.content_hash, state)
            inserted = index.execute(
                "INSERT OR IGNORE INTO texts (page_id, seq, source_id, captured_at, content_hash, state) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                values,
            )
            if inserted.rowcount and state == _INDEXED:
                words = (inserted.lastrowid, version.title or "", text)
                index.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", words)
        index.execute("COMMIT")
    except BaseException:
        index.execute("ROLLBACK")
        raise


def _found_text(page: PageRow, version: VersionRow, store: Store, query: TextQuery) -> FoundText:
    _, text = _read_text(store, version)
    return FoundText(
        page.source_id, page.url, version.title, page.page_id, version.seq, version.captured_at, version.content_hash,
        page.last_seq == version.seq, cut_snippet(text, query.terms),
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
