"""A full-text index of the staged texts of all versions, and of what they cite, in one SQLite file (FTS5).

It is derived: `update` adds what the ledger has and the index has not, so removing the file loses nothing. Whatever the
index finds is looked up in the ledger again; an index of another ledger is refused.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.comparison.staged_text import TextMissing, read_staged_text
from rori_spiders.content import citations
from rori_spiders.content.citations.context import home_of
from rori_spiders.exceptions import ActionRefused, LedgerError, UsageError
from rori_spiders.ledger.database_url import parse_database_url
from rori_spiders.ledger.pages.page_history import find_versions, newest_seqs
from rori_spiders.ledger.tables.base import format_utc

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from rori_spiders.content.citations import Citation
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.pages.page_history import PageRow, VersionRow
    from rori_spiders.staging.store import Store

_TABLES = (
    """CREATE TABLE texts (
    id INTEGER PRIMARY KEY, page_id INTEGER NOT NULL, seq INTEGER NOT NULL, source_id TEXT NOT NULL,
    captured_at TEXT NOT NULL, content_hash TEXT NOT NULL, state TEXT NOT NULL, is_newest INTEGER NOT NULL,
    UNIQUE (page_id, seq))""",
    """CREATE VIRTUAL TABLE words USING fts5 (
    title, text, content='', tokenize="unicode61 remove_diacritics 2")""",
    "CREATE TABLE citations (citation_id INTEGER PRIMARY KEY, canonical TEXT NOT NULL UNIQUE)",
    # `first_at`: where it stands first, in characters.
    """CREATE TABLE cited (
    citation_id INTEGER NOT NULL, text_id INTEGER NOT NULL, first_at INTEGER NOT NULL,
    PRIMARY KEY (citation_id, text_id)) WITHOUT ROWID""",
)
_DROPS = tuple(f"DROP TABLE IF EXISTS {name}" for name in ("texts", "words", "citations", "cited"))
#: Of the tables: an index that has others is built anew.
_VERSION = 2
_WANTED = """captured_at >= :since AND captured_at < :until AND (:past OR is_newest)
    AND (:sources IS NULL OR source_id IN (SELECT value FROM json_each(:sources)))
    AND (:cited IS NULL OR id IN (
        SELECT text_id FROM cited WHERE citation_id IN (SELECT value FROM json_each(:cited))))
"""
_FIND_WORDS = f"""
SELECT page_id, seq, content_hash, id FROM words JOIN texts ON texts.id = words.rowid
WHERE words MATCH :words AND {_WANTED}
ORDER BY CASE WHEN :is_ranked THEN bm25(words, :title_weight, 1.0) ELSE 0 END, captured_at DESC, page_id, seq DESC
LIMIT :limit
"""  # noqa: S608  # nothing of it comes from outside
_COUNT_WORDS = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH :words LIMIT :most_ranked + 1)"
#: So many texts are ranked by their words, in a tenth of a second. Words that more texts have do not help to rank.
_MOST_RANKED = 20_000
_FIND_CITED = f"""
SELECT page_id, seq, content_hash, id FROM texts WHERE {_WANTED} AND state = 'indexed'
ORDER BY captured_at DESC, page_id, seq DESC LIMIT :limit
"""  # noqa: S608
_FIRST_CITED = """
SELECT text_id, min(first_at) FROM cited WHERE citation_id IN (SELECT value FROM json_each(:cited))
    AND text_id IN (SELECT value FROM json_each(:texts)) GROUP BY text_id
"""
#: Of a row of ``texts``: its words are indexed; its text is not in the staging area; the page was gone.
_INDEXED, _MISSING, _REMOVED = "indexed", "missing", "removed"
#: Versions that are read and written at once: a stop loses this much work.
_BATCH = 200
#: ... where somebody waits.
_TIMED_BATCH = 20
#: A word of a title counts like so many of the text.
_TITLE_WEIGHT = 5.0
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_SNIPPET_CHARS = 240
#: A part of the C.F.R.: its title, its number.
_PART = re.compile(r"(\d+ C\.F\.R\. )Part (\d+)")
_GOES_ON = re.compile(r"[0-9A-Za-z.]")
INDEX_NAME = "search.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuery:
    """What is looked for: *terms*, words and phrases, all of which a text must have; or texts that cite what *cites*
    names, as "12 CFR 1024.41"; or both. Times are of the capture.
    """

    terms: Sequence[str] = ()
    cites: str = ""
    sources: Collection[str] | None = None  # None: all
    since: datetime | None = None
    until: datetime | None = None  # before
    past: bool = False  # also earlier versions of a page

    def expression(self) -> str:
        """For FTS5: each term a phrase. "1024.17(c)" is the words 1024, 17 and c, one after the other.

        Raises UsageError where there is no word.
        """
        terms = [term for term in self.terms if any(char.isalnum() for char in term)]
        if not terms:
            raise UsageError("no word to search for")
        return " ".join('"{}"'.format(term.replace('"', '""')) for term in terms)

    def check(self) -> None:
        """Raise UsageError for a query without words and citation, or with what is none."""
        if self.terms or not self.cites:
            self.expression()
        if self.cites:
            self.cited_form()

    def cited_form(self) -> str:
        """What *cites* names, as texts are indexed by it. Raises UsageError where it is not one citation."""
        found = {_cited_form(one) for one in citations.find(self.cites)}
        if len(found) != 1:
            raise UsageError(f"{self.cites!r} is not one citation, such as 12 CFR 1024.41, 15 USC 1601 or Regulation X")
        return found.pop()


@dataclass(frozen=True, slots=True)
class FoundText:
    """A version whose text has the words or citations; *snippet* is where the first of them stands."""

    source_id: str
    url: str
    title: str | None
    page_id: int
    seq: int
    captured_at: datetime
    content_hash: str
    is_current: bool
    snippet: str
    marks: tuple[tuple[int, int], ...]  # where the words or citations stand in the snippet


def split_terms(text: str) -> list[str]:
    """The words of *text*, and its phrases in double quotes."""
    return [term for quoted, bare in _TERM.findall(text) if (term := (quoted or bare).strip())]


def index_file(database_url: str, project: Path) -> Path:
    """Where the index is: beside the ledger's file; of a ledger on a server, in the *project*'s `collect`."""
    ledger_file = parse_database_url(database_url).path
    return (ledger_file.parent if ledger_file is not None else project / "collect") / INDEX_NAME


class TextIndex:
    """The index in the file *path*, made when it is not there. Several processes may use it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._updates = threading.Lock()
        self._complete_at: object = None  # the ledger's mark when nothing was left to add
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._connect() as conn:
            if _read_version(conn) != _VERSION:
                conn.execute("BEGIN IMMEDIATE")
                if _read_version(conn) != _VERSION:  # no other process has made them meanwhile
                    for statement in (*_DROPS, *_TABLES, f"PRAGMA user_version = {_VERSION}"):
                        conn.execute(statement)
                conn.execute("COMMIT")

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Raises LedgerError if it is not an index, or cannot be written."""
        try:
            with closing(sqlite3.connect(self._path, timeout=60, isolation_level=None)) as conn:
                yield conn
        except sqlite3.Error as error:
            raise LedgerError(f"The search index {self._path} cannot be used: {error}") from error

    def update(
        self,
        ledger: Ledger,
        store: Store,
        *,
        report: Callable[[int], None] = lambda _left: None,
        longest_s: float | None = None,
    ) -> int:
        """Add the versions that it has not; how many are left after *longest_s* seconds (None: no limit).

        *report* is called before each batch with the number still to add. A thread that finds another one adding does
        not wait for it, and gives the number that it has left.
        """
        end = None if longest_s is None else time.monotonic() + longest_s
        mark = ledger.mark()
        if mark == self._complete_at:
            return 0
        with self._connect() as index:
            if not self._updates.acquire(blocking=longest_s is None):
                return len(_list_missing(ledger, index))
            try:
                left = self._add_missing(ledger, store, index, report, end)
            finally:
                self._updates.release()
        if not left:
            self._complete_at = mark
        return left

    def _add_missing(
        self,
        ledger: Ledger,
        store: Store,
        index: sqlite3.Connection,
        report: Callable[[int], None],
        end: float | None,
    ) -> int:
        wanted = _list_missing(ledger, index)
        size = _BATCH if end is None else _TIMED_BATCH
        for start in range(0, len(wanted), size):
            if end is not None and time.monotonic() >= end:
                return len(wanted) - start
            report(len(wanted) - start)
            batch = ledger.read(partial(find_versions, wanted=wanted[start : start + size]))
            _add_texts(index, [(page, version, *_read_text(store, version)) for page, version in batch])
        return 0

    def count_missing(self) -> int:
        """How many texts were not in the staging area, and are not searched."""
        with self._connect() as conn:
            return int(conn.execute("SELECT count(*) FROM texts WHERE state = ?", (_MISSING,)).fetchone()[0])

    def find(self, ledger: Ledger, store: Store, query: TextQuery, *, limit: int) -> list[FoundText]:
        """The versions with all words, best first; without words, or where very many have them, newest first.

        Raises UsageError for a query without words and citation, ActionRefused for an index of another ledger.
        """
        has_words = bool(query.terms) or not query.cites
        values = {
            "words": query.expression() if has_words else None,
            "sources": None if query.sources is None else json.dumps(sorted(query.sources)),
            "since": format_utc(query.since) if query.since else "",
            "until": format_utc(query.until) if query.until else "9999",
            "past": query.past,
            "title_weight": _TITLE_WEIGHT,
            "most_ranked": _MOST_RANKED,
            "limit": limit,
            "cited": None,
        }
        cited = query.cited_form() if query.cites else None
        with self._connect() as conn:
            if cited is not None:
                values["cited"] = json.dumps(_find_citations(conn, cited))
            if has_words:
                (number,) = conn.execute(_COUNT_WORDS, values).fetchone()
                values["is_ranked"] = number <= _MOST_RANKED
            hits = conn.execute(_FIND_WORDS if has_words else _FIND_CITED, values).fetchall()
            values["texts"] = json.dumps([hit[3] for hit in hits])
            places = {} if has_words else dict(conn.execute(_FIRST_CITED, values).fetchall())
        versions = ledger.read(partial(find_versions, wanted=[hit[:2] for hit in hits]))
        found = {(page.page_id, version.seq): (page, version) for page, version in versions}
        for page_id, seq, content_hash, _ in hits:
            if (page_id, seq) not in found or found[page_id, seq][1].content_hash != content_hash:
                raise ActionRefused(
                    f"{self._path} is the index of another ledger. Remove it; the next search builds it anew"
                )
        return [_found_text(*found[hit[:2]], store, query, places.get(hit[3])) for hit in hits]


def _read_version(conn: sqlite3.Connection) -> int:
    return int(conn.execute("PRAGMA user_version").fetchone()[0])


def _list_missing(ledger: Ledger, index: sqlite3.Connection) -> list[tuple[int, int]]:
    """The versions that the ledger has and the index has not."""
    newest = ledger.read(newest_seqs)
    indexed = dict(index.execute("SELECT page_id, max(seq) FROM texts GROUP BY page_id").fetchall())
    return [(page_id, seq) for page_id, last in newest.items() for seq in range(indexed.get(page_id, 0) + 1, last + 1)]


def _cited_form(citation: Citation) -> str:
    """A named regulation is what it stands for, where that is known."""
    return citation.target or citation.canonical


def _find_citations(conn: sqlite3.Connection, form: str) -> list[int]:
    found = []
    for prefix in _prefixes(form):
        query = "SELECT citation_id, canonical FROM citations WHERE canonical >= ? AND canonical < ?"
        found += conn.execute(query, (prefix, f"{prefix}\U0010ffff")).fetchall()
    return [citation_id for citation_id, canonical in found if _is_in(canonical, form)]


def _prefixes(form: str) -> list[str]:
    """How citations begin of what *form* names and of what is in it: of a part also those of its sections."""
    part = _PART.fullmatch(form)
    return [form, f"{part[1]}§ {part[2]}."] if part else [form]


def _is_in(canonical: str, form: str) -> bool:
    """Whether a citation names *form* or what is in it: § 1024.4 is not in § 1024.41, its paragraph (a) is."""
    begun = (prefix for prefix in _prefixes(form) if canonical.startswith(prefix))
    return any(prefix[-1] == "." or not _GOES_ON.match(canonical, len(prefix)) for prefix in begun)


def _read_text(store: Store, version: VersionRow) -> tuple[str, str]:
    """The state of a version, and its text."""
    if version.is_removal:
        return _REMOVED, ""
    try:
        return _INDEXED, read_staged_text(store, version)
    except TextMissing:
        return _MISSING, ""


def _add_texts(index: sqlite3.Connection, added: Sequence[tuple[PageRow, VersionRow, str, str]]) -> None:
    cited = [_find_cited(page, version, text) for page, version, _, text in added]  # takes longest, so before the lock
    index.execute("BEGIN IMMEDIATE")
    try:
        for (page, version, state, text), found in zip(added, cited, strict=True):
            captured_at = format_utc(version.captured_at)
            values = (page.page_id, version.seq, page.source_id, captured_at, version.content_hash, state)
            inserted = index.execute(
                "INSERT OR IGNORE INTO texts (page_id, seq, source_id, captured_at, content_hash, state, is_newest) "
                "VALUES (?, ?, ?, ?, ?, ?, 1)",
                values,
            )
            if not inserted.rowcount:
                continue
            index.execute("UPDATE texts SET is_newest = 0 WHERE page_id = ? AND seq < ?", (page.page_id, version.seq))
            if state == _INDEXED:
                words = (inserted.lastrowid, version.title or "", text)
                index.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", words)
                _add_citations(index, inserted.lastrowid, found)
        index.execute("COMMIT")
    except BaseException:
        index.execute("ROLLBACK")
        raise


def _find_cited(page: PageRow, version: VersionRow, text: str) -> dict[str, int]:
    """What *text* cites, each with where it stands first."""
    found = citations.find(text, home_of(page.url, version.title))
    return {_cited_form(one): one.start for one in reversed(found)}


def _add_citations(index: sqlite3.Connection, text_id: int | None, found: dict[str, int]) -> None:
    index.executemany("INSERT OR IGNORE INTO citations (canonical) VALUES (?)", [(one,) for one in found])
    query = "INSERT INTO cited SELECT citation_id, ?, ? FROM citations WHERE canonical = ?"
    index.executemany(query, [(text_id, at, one) for one, at in found.items()])


def _found_text(page: PageRow, version: VersionRow, store: Store, query: TextQuery, place: int | None) -> FoundText:
    _, text = _read_text(store, version)
    snippet = cut_snippet(text, query.terms) if place is None else _cut_at(text, place)
    return FoundText(
        page.source_id, page.url, version.title, page.page_id, version.seq, version.captured_at, version.content_hash,
        page.last_seq == version.seq, snippet, tuple(_find_marks(query, page, version, snippet)),
    )  # fmt: skip


def _find_marks(query: TextQuery, page: PageRow, version: VersionRow, snippet: str) -> Iterator[tuple[int, int]]:
    if query.terms:
        longest_first = sorted(query.terms, key=len, reverse=True)
        yield from (found.span() for found in _terms_pattern(longest_first).finditer(snippet))
        return
    form = query.cited_form()
    for one in citations.find(snippet, home_of(page.url, version.title)):
        if _is_in(_cited_form(one), form):
            yield one.start, one.end


def cut_snippet(text: str, terms: Sequence[str]) -> str:
    """Some words of *text* where most of *terms* stand close together, on one line; else its beginning."""
    places = sorted((found.start(), term) for term in terms for found in _terms_pattern([term]).finditer(text))
    best, most, first = 0, 0, 0
    counts: Counter[str] = Counter()
    for place, term in places:  # a window that ends with each place in turn
        counts[term] += 1
        while place - places[first][0] > _SNIPPET_CHARS // 2:
            counts[places[first][1]] -= 1
            first += 1
        if (distinct := len(+counts)) > most:
            best, most = places[first][0], distinct
    return _cut_at(text, best)


def _terms_pattern(terms: Sequence[str]) -> re.Pattern[str]:
    """Any of *terms*: its words one after the other, whatever is between them, as the index has them."""
    words = [re.findall(r"[^\W_]+", term) for term in terms]
    return re.compile("|".join(r"\b" + r"[\W_]+".join(one) + r"\b" for one in words if one) or "(?!)", re.IGNORECASE)


def _cut_at(text: str, place: int) -> str:
    start = max(0, place - _SNIPPET_CHARS // 3)
    part = text[start : start + _SNIPPET_CHARS]
    first = part.find(" ") + 1 if start else 0
    last = part.rfind(" ") if start + _SNIPPET_CHARS < len(text) else len(part)
    words = " ".join(part[first : max(last, first)].split())
    return f"{'… ' if start else ''}{words}{' …' if start + last < len(text) else ''}"
