"""An index of documents and their chunks in one SQLite file, brought to a version in one transaction.

By content hash, then by chunk: what has not changed is not touched, and keeps its vector where an index has vectors.
Only tombstones delete documents: one that no version knows stays, for `scrapy corpus reconcile` to name. A question's
citation finds the paragraph itself, or what refers to it where that is asked for, before what its words find.
"""

import re
import sqlite3
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from math import log
from pathlib import Path
from typing import NamedTuple

from rori_spiders.content import citations
from rori_spiders.corpus.auditing.chunks import split_into_chunks
from rori_spiders.corpus.documents.document import parse_document
from rori_spiders.corpus.loader.source import Version
from rori_spiders.corpus.publishing.version_manifest import VersionPage
from rori_spiders.exceptions import ActionRefused

_TABLES = """
CREATE TABLE IF NOT EXISTS loaded (tenant TEXT PRIMARY KEY, version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
    tenant TEXT, doc_id TEXT, content_hash TEXT NOT NULL, source_url TEXT NOT NULL, PRIMARY KEY (tenant, doc_id));
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, tenant TEXT, doc_id TEXT, chunk_id TEXT, designations TEXT, mentions TEXT,
    keywords TEXT, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_of ON chunks (tenant, doc_id);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (keywords, text, content='chunks', content_rowid='id');
CREATE TRIGGER IF NOT EXISTS chunk_in AFTER INSERT ON chunks BEGIN
    INSERT INTO words (rowid, keywords, text) VALUES (new.id, new.keywords, new.text); END;
CREATE TRIGGER IF NOT EXISTS chunk_out AFTER DELETE ON chunks BEGIN
    INSERT INTO words (words, rowid, keywords, text) VALUES ('delete', old.id, old.keywords, old.text); END;
"""


#: An index of an earlier release, which is made anew: all of it comes from versions.
_DROPPED = "DROP TABLE chunks; DROP TABLE words; DROP TABLE documents; DROP TABLE loaded;"


class LoadCounts(NamedTuple):
    """The numbers of documents that a load added, replaced, removed, and found unchanged; and of chunks of those."""

    added: int
    changed: int
    removed: int
    unchanged: int
    chunks_added: int
    chunks_removed: int


class Index:
    """The index in *path*, made when it is not there. Its methods may be called by several processes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with closing(self._connected()) as conn:
            columns = [name for _, name, *_ in conn.execute("PRAGMA table_info(chunks)")]
            is_former = bool(columns) and "mentions" not in columns
            conn.executescript((_DROPPED if is_former else "") + _TABLES)

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
        pages = [page for page in manifest.pages if held.get(page.doc_id) != page.content_hash]
        chunks = _chunks_of(version, pages)
        counts = [0, 0]
        for page in pages:
            row = (manifest.domain, page.doc_id, page.content_hash, page.source_url)
            conn.execute("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?)", row)
            _update_chunks(conn, manifest.domain, page.doc_id, chunks[page.doc_id], counts)
        removed = [one.doc_id for one in manifest.tombstones if one.doc_id in held]
        for doc_id in removed:
            conn.execute("DELETE FROM documents WHERE tenant = ? AND doc_id = ?", (manifest.domain, doc_id))
            _update_chunks(conn, manifest.domain, doc_id, [], counts)
        added = sum(page.doc_id not in held for page in pages)
        return LoadCounts(added, len(pages) - added, len(removed), len(manifest.pages) - len(pages), *counts)

    def listing(self, tenant: str) -> Iterator[tuple[str, str]]:
        """Each document that is held, with its content hash."""
        with closing(self._connected()) as conn:
            yield from conn.execute(
                "SELECT doc_id, content_hash FROM documents WHERE tenant = ? ORDER BY doc_id", (tenant,)
            ).fetchall()

    def find(self, tenant: str, words: str, limit: int = 5) -> list[tuple[str, str]]:
        """The chunks of the paragraphs that *words* cite, or those that refer to these where *words* ask for them; the
        chunks that define a term whose meaning is asked; then those that hold any of the words. With neither a citation
        nor such a term those that hold all. Each with its document.
        """
        question = read_question(words)
        with closing(self._connected()) as conn:
            defining = _defining(conn, tenant, words)
            if not question.names:
                joiner = " OR " if defining else " "
                return list(dict.fromkeys([*defining, *_by_words(conn, tenant, words, joiner, limit)]))[:limit]
            find = _referring if question.asks_what_refers else _cited
            found = [row for name in question.names for row in find(conn, tenant, name, question.rest, limit)]
            found += [*defining, *_by_words(conn, tenant, words, " OR ", limit)]
        return list(dict.fromkeys(found))[:limit]


def _by_words(conn: sqlite3.Connection, tenant: str, words: str, joiner: str, limit: int) -> list[tuple[str, str]]:
    """The chunks that hold *words*, best first."""
    quoted = ['"{}"'.format(word.replace('"', '""')) for word in words.split()]
    query = (
        "SELECT chunks.doc_id, chunks.text FROM words JOIN chunks ON chunks.id = words.rowid "
        "WHERE words MATCH ? AND chunks.tenant = ? ORDER BY rank LIMIT ?"
    )
    return conn.execute(query, (joiner.join(quoted), tenant, limit)).fetchall() if quoted else []


def _cited(conn: sqlite3.Connection, tenant: str, name: str, _: str, limit: int) -> list[tuple[str, str]]:
    """The chunks in which *name* begins."""
    query = "SELECT doc_id, text FROM chunks WHERE tenant = ? AND instr(designations, ?) LIMIT ?"
    return conn.execute(query, (tenant, f"{name}\n", limit)).fetchall()


def _defining(conn: sqlite3.Connection, tenant: str, words: str) -> list[tuple[str, str]]:
    """The chunks that define a term whose meaning *words* ask, the longest first; none where they ask no meaning."""
    if not _ASKS_MEANING.search(words):
        return []
    query = (
        "SELECT keywords, doc_id, text FROM chunks WHERE tenant = ? AND instr(keywords, 'definition of ') ORDER BY id"
    )
    rows = [(length_of_asked_term(keys.split("\n"), words), *row) for keys, *row in conn.execute(query, (tenant,))]
    found = sorted((row for row in rows if row[0]), key=lambda row: -row[0])
    return [(doc_id, text) for _, doc_id, text in found]


def length_of_asked_term(keywords: Iterable[str], words: str) -> int:
    """The length of the longest term that a chunk with *keywords* defines and whose meaning *words* ask; 0: none.

    A part that *words* name must be the definition's.
    """
    if not _ASKS_MEANING.search(words):
        return 0
    question = f" {' '.join(_WORD.findall(words.lower()))} "
    part = _PART.search(question)
    terms = [
        " ".join(_WORD.findall(found["term"].lower()))
        for one in keywords
        if (found := _DEFINITION.match(one)) and (part is None or found["part"] in {None, part[1]})
    ]
    return max((len(term) for term in terms if f" {term} " in question and _asks_meaning_of(term, question)), default=0)


def _asks_meaning_of(term: str, question: str) -> bool:
    """Whether *question*, words between blanks, has *term* where one about a meaning has it."""
    before, _, after = question.partition(f" {term} ")
    return _MEANING_BEFORE.search(before) is not None or _MEANING_BEHIND.match(after) is not None


def _referring(conn: sqlite3.Connection, tenant: str, name: str, words: str, limit: int) -> list[tuple[str, str]]:
    """The chunks that refer to *name* or to what stands below it, best first by *words* in the sentences that do."""
    query = "SELECT id, mentions FROM chunks WHERE tenant = ? AND instr(mentions, ?) ORDER BY id"
    passages: dict[int, list[str]] = defaultdict(list)
    for number, lines in conn.execute(query, (tenant, name)):
        for line in lines.split("\n"):
            cited, _, passage = line.partition("\t")
            if is_within(cited, name):
                passages[number].append(passage)
    best = rank_mentions(words, passages)[:limit]
    return [conn.execute("SELECT doc_id, text FROM chunks WHERE id = ?", (one,)).fetchone() for one in best]


def is_within(cited: str, name: str) -> bool:
    """Whether *cited* is *name* or a paragraph below it, of which *name* may have the end alone ("§ 1024.17")."""
    return cited.endswith(name) or f"{name}(" in cited


def rank_mentions(words: str, passages: Mapping[int, Sequence[str]]) -> list[int]:
    """The keys of *passages*, by the passage of each that *words* find best (BM25, with its usual constants).

    A chunk may have the words anywhere, for another reason; those around a reference say what it is about.
    """
    wanted = set(_WORD.findall(words.lower()))
    held = {key: [_WORD.findall(one.lower()) for one in found] for key, found in passages.items()}
    known = [Counter(one) for found in held.values() for one in found]
    mean = sum(map(Counter.total, known)) / max(1, len(known))
    counts = {word: number for word in wanted if (number := sum(word in one for one in known))}
    weights = {word: log(1 + len(known) / number) for word, number in counts.items()}

    def score(passage: Sequence[str]) -> float:
        damping = 1.5 * (0.25 + 0.75 * len(passage) / mean)
        found = ((weight, passage.count(word)) for word, weight in weights.items())
        return sum(weight * 2.5 * number / (number + damping) for weight, number in found)

    return sorted(held, key=lambda key: -max(map(score, held[key]), default=0.0))


#: "1024.17(c)(1)" without its sign and title; an amount is no section.
_BARE_NUMBER = re.compile(r"(?<![\w.$-])\d{1,4}\.\d{1,5}\b(?!\.?[\d%])(?:\(\w{1,5}\))*")
_ASKS_WHAT_REFERS = re.compile(
    r"\b(?:refer(?:s|red|ring)?|cit(?:es?|ed|ing)|(?:cross-?)?references?|mentions?)\b", re.IGNORECASE
)


_WORD = re.compile(r"\w+")
_ASKS_MEANING = re.compile(r"\b(?:defin(?:e[ds]?|ing|itions?)|mean(?:s|ing)?)\b", re.IGNORECASE)
_MEANING_BEFORE = re.compile(
    r" (?:defin(?:e|es|ed|ing)|(?:definitions?|meanings?) of)(?: (?:a|an|the|term|word)){0,3}$"
)
_MEANING_BEHIND = re.compile(r"(?:means?|(?:(?:is|are) )?defined)\b")
_DEFINITION = re.compile(r"definition of (?P<term>.+?)(?: in part (?P<part>\w+))?$")
_PART = re.compile(r" part (\d+) ")
_BREAK = re.compile(r"\n\n|[.;] (?=[A-Z(])")


class Question(NamedTuple):
    """A question to an index of chunks.

    ``names``: what it cites, as designations end: "12 C.F.R. § 1024.17(c)", "§ 1024.17(c)" of a bare number. ``rest``:
    its words without them, by which what refers to it is ranked.
    """

    names: tuple[str, ...]
    rest: str
    asks_what_refers: bool


def read_question(words: str) -> Question:
    """Read what *words* cite, and whether they ask for what is cited or for what refers to it."""
    found = [(one.start, one.end, one.canonical) for one in citations.find(words) if "§" in one.canonical]
    found += [
        (one.start(), one.end(), f"§ {one[0]}")
        for one in _BARE_NUMBER.finditer(words)
        if not any(start < one.end() and one.start() < end for start, end, _ in found)
    ]
    rest, at = "", 0
    for start, end, _ in sorted(found):
        rest, at = f"{rest}{words[at:start]} ", max(at, end)
    rest = _ASKS_WHAT_REFERS.sub(" ", rest + words[at:])
    names = tuple(dict.fromkeys(name for *_, name in found))
    return Question(names, rest, bool(names) and _ASKS_WHAT_REFERS.search(words) is not None)


class _ChunkRow(NamedTuple):
    chunk_id: str
    designations: str  # each between line feeds
    mentions: str  # of what it refers to, each with a tab and the sentence that does
    keywords: str
    text: str


def _chunks_of(version: Version, pages: Sequence[VersionPage]) -> dict[str, list[_ChunkRow]]:
    """The chunks of *pages* by document: as they were published, else, before there were any, made here."""
    texts = {page.doc_id: version.text(page) for page in pages}
    lines = version.chunk_lines() if pages else None
    if lines is None:
        return {page.doc_id: list(_split_page(page, texts[page.doc_id])) for page in pages}
    found: dict[str, list[_ChunkRow]] = {page.doc_id: [] for page in pages}
    for line in lines:
        if line.doc_id in found:
            designations = "".join(f"\n{one}\n" for one in line.designations)
            cited = ((one.citation, one.end) for one in line.citations)
            mentions = "".join(f"\n{name}\t{passage}\n" for name, passage in mentions_in(line.text, line.end, cited))
            found[line.doc_id].append(_ChunkRow(line.id, designations, mentions, "\n".join(line.keywords), line.text))
    return found


def mentions_in(text: str, end: int, cited: Iterable[tuple[str, int]]) -> Iterator[tuple[str, str]]:
    """What a chunk refers to, each with the sentence that does, on one line.

    *text* is the chunk's, *end* where it ends in its document; *cited* are names and where each mention ends there.
    """
    breaks = [0, *(one.end() for one in _BREAK.finditer(text)), len(text)]
    for name, at in cited:
        after = bisect_left(breaks, at + len(text) - end)
        yield name, " ".join(text[breaks[max(0, after - 1)] : breaks[min(after, len(breaks) - 1)]].split())


def _split_page(page: VersionPage, text: str) -> Iterator[_ChunkRow]:
    """The front matter is left out, but for title and description, which each chunk begins with."""
    document = parse_document(text)
    head = "\n".join(line for line in (document.front.title, document.front.description) if line)
    for number, one in enumerate(split_into_chunks(document.body), 1):
        yield _ChunkRow(f"{page.doc_id}#{number}", "", "", "", f"{head}\n\n{one.text(document.body)}".strip())


def _update_chunks(
    conn: sqlite3.Connection, tenant: str, doc_id: str, chunks: Sequence[_ChunkRow], counts: list[int]
) -> None:
    """Bring the chunks of a document to *chunks*; *counts* are of those added and removed."""
    its = "FROM chunks WHERE tenant = ? AND doc_id = ?"
    held = set(conn.execute(f"SELECT chunk_id, designations, mentions, keywords, text {its}", (tenant, doc_id)))
    new = [one for one in chunks if one not in held]
    old = held.difference(chunks)
    conn.executemany(f"DELETE {its} AND chunk_id = ?", [(tenant, doc_id, one[0]) for one in old])
    conn.executemany(
        "INSERT INTO chunks (tenant, doc_id, chunk_id, designations, mentions, keywords, text)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(tenant, doc_id, *one) for one in new],
    )
    counts[0] += len(new)
    counts[1] += len(old)
