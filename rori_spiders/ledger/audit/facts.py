"""What the ledger answers with, as facts: which rows are one, their canonical form, and the hash of their leaf.

The canonical form is JSON in ASCII, as RFC 8785 but for characters beyond ASCII, which are escaped, and numbers, which
are written as Python writes them: names sorted, no spaces, times as ``2026-02-13T14:30:00.000000Z``, values that are
null left out. Under the name ``fact`` stands what kind it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from json import JSONEncoder
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, select

from rori_spiders.ledger import tables
from rori_spiders.ledger.audit.merkle_tree import hash_leaf
from rori_spiders.ledger.tables import audit, envelopes, pages, runs, versions
from rori_spiders.ledger.tables.base import format_utc

#: Rows of one question.
_BATCH_SIZE = 500
#: What a run has used so far changes with each of its pages, and is part of the fact once a job has left it.
_USAGE = ("requests", "credits", "seconds")


@dataclass(frozen=True, slots=True)
class FactKind:
    """One kind of fact. *query* gives its rows, *key* finds one; *subject* and *where* are names of its columns.

    Of an *is_state* kind a row changes, and the newest leaf of its subject tells how it is; of the others each row is
    written once, and has one leaf among those of its subject.
    """

    name: str
    query: Select[Any]
    key: tuple[ColumnElement[Any], ...]
    subject: tuple[str, ...]
    where: str
    is_state: bool = False

    def subject_of(self, row: Mapping[Any, Any]) -> str:
        """What *row* is a fact of."""
        return " ".join(str(row[name]) for name in self.subject)

    def hash_row(self, row: Mapping[Any, Any]) -> bytes:
        """The leaf of *row*."""
        return hash_leaf(self.render_row(row))

    def render_row(self, row: Mapping[Any, Any]) -> bytes:
        """The canonical form of *row*."""
        values = {name: value for name, value in row.items() if value is not None and name not in _NUMBERS}
        if self.name == "run" and row["state"] == "running":
            values = {name: value for name, value in values.items() if name not in _USAGE}
        return render_fact(self.name, values)

    def hash_removal(self, key: Sequence[Any]) -> bytes:
        """The leaf that says that the row with this *key* was removed."""
        named = dict(zip((column.name for column in self.key), key, strict=True))
        return hash_leaf(render_fact(self.name, named | {"removed": True}))

    def load_rows(self, conn: Connection, keys: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], Mapping[Any, Any]]:
        """The rows with these keys, those that there are.

        One by one: SQLite would take no index for a list of keys of several columns.
        """
        same = [column == bindparam(f"key_{at}") for at, column in enumerate(self.key)]
        query, found = self.query.where(*same), dict[tuple[Any, ...], Any]()
        for key in keys:
            row = conn.execute(query, {f"key_{at}": value for at, value in enumerate(key)}).mappings().one_or_none()
            if row is not None:
                found[key] = dict(row)
        return found

    def stream_rows(self, conn: Connection) -> Iterator[Mapping[Any, Any]]:
        """All rows, those of one subject together, by their keys."""
        subject = [self.query.selected_columns[name] for name in self.subject]
        query = self.query.order_by(*subject, *self.key).execution_options(yield_per=_BATCH_SIZE)
        with conn.execute(query) as rows:
            for row in rows.mappings():
                yield dict(row)


#: Numbers that a database gives to rows by itself: another copy of the ledger may have others.
_NUMBERS = frozenset({"audit_id", "page_id"})


def _columns(table: Table, *without: str) -> list[ColumnElement[Any]]:
    return [column for column in table.columns if column.name not in without]


def _kind(name: str, table: Table, where: str, *without: str, of: tuple[str, ...] | None = None) -> FactKind:
    """A kind whose rows are those of *table*: each a state, or, *of* a subject, written once."""
    key = tuple(table.primary_key.columns)
    names = tuple(column.name for column in key)
    query = select(*_columns(table, *without))
    return FactKind(name, query, key, names if of is None else of, where, is_state=of is None)


_STAGED_STATES = ("staged", "indexed", "pruning", "pruned")
_ENVELOPE_NAMES = ("envelope_id", "run_id", "source_id", "url", "path", "file_hash", "index_line", "content_hash")

AUDIT = FactKind("audit", select(*_columns(audit)), (audit.c.run_id, audit.c.seq), ("run_id",), "url")
#: In the order in which an older ledger's rows become leaves.
FACT_KINDS: Mapping[str, FactKind] = {
    kind.name: kind
    for kind in (
        _kind("run", runs, "run_id", "browser_pages"),  # a page that was not asked for after all is given back late
        AUDIT,
        FactKind(
            "version",
            select(*_columns(versions), pages.c.source_id, pages.c.url).join_from(versions, pages),
            (versions.c.page_id, versions.c.seq),
            ("run_id",),
            "url",
        ),
        FactKind(
            "envelope",
            select(
                *(envelopes.c[name] for name in (*_ENVELOPE_NAMES, "change_type", "reserved_at", "staged_at"))
            ).where(envelopes.c.state.in_(_STAGED_STATES)),
            (envelopes.c.envelope_id,),
            ("run_id",),
            "path",
        ),
        FactKind(
            "change",
            select(*_columns(tables.changes), pages.c.url).join_from(
                tables.changes, pages, tables.changes.c.page_id == pages.c.page_id
            ),
            (tables.changes.c.page_id, tables.changes.c.seq),
            ("source_id",),
            "url",
        ),
        _kind("alert", tables.alerts, "alert_id"),
        _kind("robots", tables.robots_seen, "origin"),
        _kind("list", tables.list_exclusions, "list_url", of=("run_id",)),
        _kind("summary", tables.run_summaries, "path", "written", of=("run_id",)),
        _kind("action", tables.actions, "target", of=("action",)),
        _kind("manifest", tables.manifest_versions, "name"),
        _kind("field", tables.field_values, "field"),
        _kind("field_line", tables.field_lines, "source_id", "logged", of=("source_id",)),
        _kind("corpus_override", tables.corpus_overrides, "url", of=("domain",)),
        _kind("corpus_approval", tables.corpus_approvals, "page_id"),
        _kind("corpus_version", tables.corpus_versions, "prefix"),
        _kind("import", tables.imports, "name"),
        _kind("imported_capture", tables.imported_captures, "url", of=("import_id",)),
        _kind("import_withdrawal", tables.import_withdrawals, "import_id", of=("import_id",)),
        _kind("imported_change", tables.imported_changes, "record", of=("import_id",)),
    )
}


def render_fact(kind: str, values: Mapping[str, Any]) -> bytes:
    """The canonical form of a fact."""
    return _ENCODER.encode({"fact": kind, **values}).encode("ascii")


def format_time(value: object) -> str:
    """A time as facts have it. Raises TypeError for another value."""
    if isinstance(value, datetime):
        return format_utc(value)
    raise TypeError(f"not a value of a fact: {value!r}")


_ENCODER = JSONEncoder(sort_keys=True, separators=(",", ":"), default=format_time)
