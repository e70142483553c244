"""What the ledger holds as typed tables, for other programs: changes, versions, pages, audit, envelopes, citations.

In: a scope. Out: encoded rows in constant memory. With a cursor, a size of the log of facts, the rows that came after
it: by the hash of each row, so that none is missed and none is given twice, however many jobs write at once.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Boolean, ColumnElement, Connection, Integer, Row, Select, Table, case, select

from rori_spiders.comparison.change_report import change_document
from rori_spiders.envelope.flat_rows import envelope_columns, flatten_envelope
from rori_spiders.evidence.export.envelope_files import EnvelopeFile, EnvelopeWork, read_envelopes
from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.audit import audit_log, fact_log
from rori_spiders.ledger.audit.audit_log import AuditFilter
from rori_spiders.ledger.pages.change_records import ChangeFilter, list_changes
from rori_spiders.ledger.tables import audit, changes, envelopes, pages, versions
from rori_spiders.ledger.tables.base import UtcDateTime
from rori_spiders.runtime.table_files import Kind, TypedColumn, batch_rows, parse_json

_BATCH = 500

Key = tuple[Any, ...]
#: A row with its key, by which the log of facts knows it.
KeyedRow = tuple[Key, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class DataScope:
    """Which rows are wanted; empty and None: all. Times are those of ``Dataset.time``: from *since*, before *until*."""

    sources: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    changes: ChangeFilter = field(default_factory=ChangeFilter)  # of changes: all that their list can filter
    audit: AuditFilter = field(default_factory=dict)  # type: ignore[assignment]  # of the audit, beyond the above


@dataclass(slots=True)
class ExportContext:
    """What rows are made from, and what was absent on the way."""

    conn: Connection
    staging: str | Path
    now: datetime
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    pruned: int = 0


@dataclass(frozen=True, slots=True)
class Dataset:
    """A table. *key* names the columns that tell its rows apart, *source* and *time* those to partition by.

    *fact* is the kind of fact that its rows, or what they are made from, are; None: a snapshot, which has no cursor.
    """

    name: str
    columns: tuple[TypedColumn, ...]
    key: tuple[str, ...]
    source: str
    time: str
    fact: str | None
    stream: Callable[[ExportContext, DataScope, str | None], Iterator[KeyedRow]]
    #: For what is in envelopes: the rows of one. ``stream`` gives an ``EnvelopeFile`` for each instead of rows.
    read: Callable[[bytes], Iterable[Sequence[Any]]] | None = None
    #: Whether *read* parses what it gets: else handing its rows over takes a process as long as making them.
    is_parsed: bool = True

    def batches(
        self, context: ExportContext, scope: DataScope, cursor: int | None, encode: Callable[[Sequence[Any]], Any]
    ) -> Generator[tuple[int, Any]]:
        """The rows of *scope* as *encode* writes them, with how many they are; with *cursor* those that are newer.

        Close it before the connection. Raises ActionRefused for the cursor of another ledger.
        """
        with closing(self._rows(context, scope, cursor)) as rows:
            if self.read is None:
                yield from ((len(batch), encode(batch)) for batch in batch_rows(rows))
                return
            work = EnvelopeWork(context.staging, self.read, encode)
            with closing(read_envelopes(rows, work, in_processes=self.is_parsed)) as done:
                for part in done:
                    context.missing += part.missing
                    context.damaged += part.damaged
                    if part.rows:
                        yield part.rows, part.encoded

    def _rows(self, context: ExportContext, scope: DataScope, cursor: int | None) -> Generator[Any]:
        if cursor is None:
            yield from (row for _, row in self.stream(context, scope, None))
            return
        assert self.fact is not None
        if not fact_log.is_size_of_log(context.conn, cursor):
            raise ActionRefused(f"{cursor} is not a cursor of this ledger: export without --since-cursor")
        for subject, keys in fact_log.list_new_keys(context.conn, self.fact, cursor):
            yield from (row for key, row in self.stream(context, scope, subject) if key in keys)


# --- columns of the ledger's own tables -----------------------------------------------------------------------------

_KINDS: tuple[tuple[type, Kind], ...] = (
    (Integer, "integer"),
    (Boolean, "boolean"),
    (JSON, "json_text"),
    (UtcDateTime, "time"),
)


def _column_of(table: Table, name: str) -> TypedColumn:
    kinds = (kind for of, kind in _KINDS if isinstance(table.c[name].type, of))
    return TypedColumn(str.__str__(name), next(kinds, "text"))  # SQLAlchemy's own kind of text is slow to write


# --- changes --------------------------------------------------------------------------------------------------------

CHANGE_COLUMNS = (
    TypedColumn("change", "text", "Id of the change: page and version"),
    TypedColumn("captured_at", "time", "When the new text was captured"),
    TypedColumn("source", "text", "Id of the source"),
    TypedColumn("url", "text", "URL of the page"),
    TypedColumn("title", "text", "Title of the new text"),
    TypedColumn("kind", "text", "Kind of change"),
    TypedColumn("importance", "text", "high, medium, low or initial"),
    TypedColumn("rules", "texts", "Rules that assigned the importance"),
    TypedColumn("reasons", "texts", "The rules in words"),
    TypedColumn("sentence", "text", "The change in one sentence"),
    TypedColumn("sections", "json", "Sections that changed"),
    TypedColumn("marks", "json", "Figures and words before and after"),
    TypedColumn("citations", "json", "Citations that came and went"),
    TypedColumn("part", "json", "The part of a regulation"),
    TypedColumn("words_added", "integer", "Words added"),
    TypedColumn("words_removed", "integer", "Words removed"),
    TypedColumn("published", "text", "When the publisher says it was published"),
    TypedColumn("effective", "text", "When it takes effect"),
    TypedColumn("effective_before", "text", "When the text before took effect"),
    TypedColumn("from_version", "integer", "Version that it is compared with"),
    TypedColumn("to_version", "integer", "Version that brought it"),
    TypedColumn("content_hash", "text", "SHA-256 of the new text"),
    TypedColumn("run", "text", "Id of the run that captured it"),
    TypedColumn("review", "text", "material, not_material or open, as of the export"),
    TypedColumn("review_reason", "text", "Why"),
    TypedColumn("reviewed_by", "text", "Who decided"),
    TypedColumn("reviewed_at", "time", "When"),
    TypedColumn("assignee", "text", "Whom it is assigned to, as of the export"),
    TypedColumn("due_on", "text", "The day by which it is due"),
    TypedColumn("overdue", "boolean", "Whether that day is over and it waits"),
    TypedColumn("comments", "json", "What people wrote of it, as of the export"),
    TypedColumn("notes", "json", "What limits the comparison"),
)


def _stream_changes(context: ExportContext, scope: DataScope, subject: str | None) -> Iterator[KeyedRow]:
    also = () if subject is None else (changes.c.source_id == subject,)
    values_of = itemgetter(*(column.name for column in CHANGE_COLUMNS))
    for change in list_changes(context.conn, scope.changes, *also):
        yield (change.page_id, change.seq), values_of(change_document(change, context.now))


# --- versions and pages ---------------------------------------------------------------------------------------------

_VERSION_COLUMNS = (
    TypedColumn("page_id", "integer", "Number of the page in this ledger"),
    TypedColumn("version", "integer", "Number of the version of this page, from 1"),
    TypedColumn("source", "text", "Id of the source"),
    TypedColumn("url", "text", "URL of the page"),
    TypedColumn("title", "text", "Title"),
    TypedColumn("captured_at", "time", "When the text was captured"),
    TypedColumn("change_type", "text", "new, modified or deleted"),
    TypedColumn("content_hash", "text", "Hex SHA-256 of the text"),
    TypedColumn("raw_hash", "text", "Hex SHA-256 of the bytes as received"),
    TypedColumn("published", "text", "When the publisher says it was published"),
    TypedColumn("effective", "text", "When it takes effect"),
    TypedColumn("publisher_version", "text", "The publisher's name for this state of the text"),
    TypedColumn("tier", "text", "The tier that fetched it"),
    TypedColumn("converter_version", "text", "Version of the conversion"),
    TypedColumn("run", "text", "Id of the run"),
    TypedColumn("is_newest", "boolean", "Whether it is the page's newest version, as of the export"),
)


def _stream_versions(context: ExportContext, scope: DataScope, subject: str | None) -> Iterator[KeyedRow]:
    v, p = versions.c, pages.c
    query = (
        select(
            *(v.page_id, v.seq, p.source_id, p.url, v.title, v.captured_at, v.change_type, v.content_hash),
            *(v.raw_object, v.published, v.effective, v.publisher_version, v.tier, v.converter_version, v.run_id),
            v.seq == p.last_seq,
        )
        .join_from(versions, pages)
        .where(*_conditions(scope, p.source_id, v.captured_at))
        .order_by(v.captured_at, v.page_id, v.seq)
    )
    if subject is not None:
        query = query.where(v.run_id == subject)
    for row in _stream(context.conn, query):
        yield (row.page_id, row.seq), row


_PAGE_COLUMNS = (
    TypedColumn("page_id", "integer", "Number of the page in this ledger"),
    TypedColumn("source", "text", "Id of the source"),
    TypedColumn("url", "text", "URL of the page"),
    TypedColumn("title", "text", "Title of its newest text"),
    TypedColumn("state", "text", "held, missing (not found, not yet gone), gone, or never_captured"),
    TypedColumn("first_seen_at", "time", "When its URL was seen first"),
    TypedColumn("last_seen_at", "time", "When it was last confirmed as content"),
    TypedColumn("missing_since", "time", "Since when it is not found"),
    TypedColumn("gone_at", "time", "When it was recorded as gone"),
    TypedColumn("versions", "integer", "How many versions it has"),
    TypedColumn("content_hash", "text", "Hex SHA-256 of its newest text"),
    TypedColumn("body_chars", "integer", "Characters of its newest text"),
)


def _stream_pages(context: ExportContext, scope: DataScope, _: str | None) -> Iterator[KeyedRow]:
    p = pages.c
    state = case(
        (p.gone_at.is_not(None), "gone"),
        (p.last_seq == 0, "never_captured"),
        (p.missing_since.is_not(None), "missing"),
        else_="held",
    )
    query = select(
        *(p.page_id, p.source_id, p.url, p.title, state, p.first_seen_at, p.last_seen_at, p.missing_since),
        *(p.gone_at, p.last_seq, p.content_hash, p.body_chars),
    )
    for row in _stream(context.conn, query.where(*_conditions(scope, p.source_id, p.last_seen_at)).order_by(p.page_id)):
        yield (row.page_id,), row


# --- the audit ------------------------------------------------------------------------------------------------------

_AUDIT_NAMES = (
    *audit_log.RECORD_FIELDS,
    "state",
    "reason",
    *(
        column.name
        for column in audit.columns
        if column.name not in {*audit_log.RECORD_FIELDS, "state", "reason", "url_hash"}
    ),
)


def _stream_audit(context: ExportContext, scope: DataScope, subject: str | None) -> Iterator[KeyedRow]:
    wanted: AuditFilter = {**scope.audit, "since": scope.since, "until": scope.until, "run_id": subject}
    if scope.sources:
        wanted["source_id"] = scope.sources
    run_id, seq, content_hash = map(_AUDIT_NAMES.index, ("run_id", "seq", "content_hash"))
    for row in audit_log.stream_values(context.conn, _AUDIT_NAMES, **wanted):
        if row[content_hash] is not None:
            row[content_hash] = f"sha256:{row[content_hash]}"
        yield (row[run_id], row[seq]), row


# --- envelopes and their citations ----------------------------------------------------------------------------------

_CITATION_COLUMNS = (
    TypedColumn("envelope_id", "text", "Id of the envelope"),
    TypedColumn("source", "text", "Id of the source"),
    TypedColumn("url", "text", "URL of the citing page"),
    TypedColumn("captured_at", "time", "When the citing text was captured"),
    TypedColumn("content_hash", "text", "SHA-256 of the citing text"),
    TypedColumn("kind", "text", "cfr, usc, fr, publ, relative, ..."),
    TypedColumn("canonical", "text", "The citation in its one spelling"),
    TypedColumn("target", "text", "Where the publisher keeps what is cited"),
    TypedColumn("start", "integer", "Offset of its first character in the text"),
    TypedColumn("end", "integer", "Offset behind its last character"),
    TypedColumn("text", "text", "The citation as the text has it"),
)
#: What a citation has of its envelope.
_ORIGIN = tuple(
    {column.name: column for column in envelope_columns()}[name]
    for name in ("envelope_id", "source.manifest_id", "source.url", "scrape.timestamp", "integrity.content_hash")
)
_STAGED_STATES = ("staged", "indexed", "pruning")


def _stream_envelopes(context: ExportContext, scope: DataScope, subject: str | None) -> Iterator[KeyedRow]:
    """The envelopes' files, in the order of staging."""
    e = envelopes.c
    query = (
        select(e.envelope_id, e.path, e.file_hash, e.state)
        .where(e.state.in_((*_STAGED_STATES, "pruned")), *_conditions(scope, e.source_id, e.staged_at))
        .order_by(e.staged_at, e.envelope_id)
    )
    if subject is not None:
        query = query.where(e.run_id == subject)
    for row in _stream(context.conn, query):
        if row.state == "pruned":
            context.pruned += 1
        else:
            yield (row.envelope_id,), EnvelopeFile(str(row.path), str(row.file_hash))


def _read_row(data: bytes) -> list[tuple[Any, ...]]:
    return [flatten_envelope(parse_json(data))]


def _read_document(data: bytes) -> list[tuple[bytes]]:
    return [(data,)]


def _read_citations(data: bytes) -> Iterator[list[Any]]:
    document = parse_json(data)
    origin, body = flatten_envelope(document, _ORIGIN), document["content"]["body"]
    for one in document["processing"].get("citations") or ():
        place = [one[name] for name in ("kind", "canonical", "target", "start", "end")]
        yield [*origin, *place, body[one["start"] : one["end"]]]


DOCUMENT_COLUMNS = (TypedColumn("envelope", "json", "The envelope as its file has it"),)


# --- all ------------------------------------------------------------------------------------------------------------

DATASETS: dict[str, Dataset] = {
    one.name: one
    for one in (
        Dataset("changes", CHANGE_COLUMNS, ("change",), "source", "captured_at", "change", _stream_changes),
        Dataset(
            "versions",
            _VERSION_COLUMNS,
            ("page_id", "version"),
            "source",
            "captured_at",
            "version",
            _stream_versions,
        ),
        Dataset("pages", _PAGE_COLUMNS, ("page_id",), "source", "first_seen_at", None, _stream_pages),
        Dataset(
            "audit",
            tuple(_column_of(audit, name) for name in _AUDIT_NAMES),
            ("run_id", "seq"),
            "manifest_id",
            "timestamp",
            "audit",
            _stream_audit,
        ),
        Dataset(
            "envelopes",
            envelope_columns(),
            ("envelope_id",),
            "source.manifest_id",
            "scrape.timestamp",
            "envelope",
            _stream_envelopes,
            _read_row,
        ),
        Dataset(
            "citations",
            _CITATION_COLUMNS,
            ("envelope_id", "start", "end", "kind"),
            "source",
            "captured_at",
            "envelope",
            _stream_envelopes,
            _read_citations,
        ),
    )
}


#: Envelopes as they are nested, for JSON Lines.
ENVELOPE_DOCUMENTS = replace(DATASETS["envelopes"], columns=DOCUMENT_COLUMNS, read=_read_document, is_parsed=False)


def _conditions(
    scope: DataScope, source: ColumnElement[str], time: ColumnElement[datetime]
) -> Iterator[ColumnElement[bool]]:
    if scope.sources:
        yield source.in_(scope.sources)
    if scope.since is not None:
        yield time >= scope.since
    if scope.until is not None:
        yield time < scope.until


def _stream(conn: Connection, query: Select[Any]) -> Iterator[Row[Any]]:
    with conn.execute(query.execution_options(yield_per=_BATCH)) as rows:
        yield from rows
