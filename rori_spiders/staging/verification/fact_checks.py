"""Every row that the product answers with, against its leaf in the log of facts; and the log against itself."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger.audit import audit_log, fact_log
from rori_spiders.ledger.audit.facts import FACT_KINDS
from rori_spiders.ledger.audit.merkle_tree import HASH_BYTES
from rori_spiders.ledger.tables import audit_chains
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.staging.verification.schema_checks import check_schema

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Connection

    from rori_spiders.ledger.audit.facts import FactKind
    from rori_spiders.ledger.database import Ledger

    #: By kind, and by subject: the leaves, 32 bytes each.
    Leaves = dict[str, dict[str, bytearray]]


def check_facts(ledger: Ledger, counts: Counter[str]) -> Iterator[Finding]:
    """Every row against the log, the log for gaps, and the chains that runs had before there was a log."""
    with ledger.connect() as conn:  # one state of rows and log, while others write
        yield from check_schema(conn)
        leaves: Leaves = defaultdict(lambda: defaultdict(bytearray))
        yield from _read_log(conn, leaves, counts)
        for kind in FACT_KINDS.values():
            yield from _check_kind(conn, kind, leaves.pop(kind.name, {}))
        for name, of_kind in leaves.items():
            yield Finding(
                "log_broken", name, f"has leaves of {format_count(len(of_kind), 'subject')}, but is no kind of fact"
            )
        for (run_id,) in conn.execute(select(audit_chains.c.run_id)).all():
            for sentence in audit_log.check_old_chain(conn, run_id):
                yield Finding("audit_chain", run_id, sentence)


def _read_log(conn: Connection, leaves: Leaves, counts: Counter[str]) -> Iterator[Finding]:
    size = 0
    for row in fact_log.stream_leaves(conn):
        if row.position != size:
            yield Finding("log_broken", f"leaf {size}", f"the log of facts goes on with leaf {row.position}")
        if len(row.hashes) % HASH_BYTES or not row.hashes:
            yield Finding("log_broken", f"leaf {row.position}", "has no whole number of hashes")
            continue
        leaves[row.kind][row.subject] += row.hashes
        size = row.position + len(row.hashes) // HASH_BYTES
    counts["facts"] += size


def _check_kind(conn: Connection, kind: FactKind, leaves: dict[str, bytearray]) -> Iterator[Finding]:
    for subject, rows in groupby(kind.stream_rows(conn), kind.subject_of):
        changed, unknown, missing = fact_log.find_differences(kind, rows, bytes(leaves.pop(subject, b"")))
        for row in changed:
            yield Finding("fact_changed", _name(kind, row), f"{_words(kind)} was changed after it was recorded")
        for row in unknown:
            yield Finding("fact_unrecorded", _name(kind, row), f"{_words(kind)} is not in the log of facts")
        if missing:
            yield _missing(kind, subject, missing)
    for subject, hashes in leaves.items():
        if kind.is_state:
            key = _key_of(kind, subject)
            if key is None or kind.hash_removal(key) != hashes[-HASH_BYTES:]:
                yield _missing(kind, subject, 1)
        else:
            yield _missing(kind, subject, len(hashes) // HASH_BYTES)


def _missing(kind: FactKind, subject: str, rows: int) -> Finding:
    sentence = f"{format_count(rows, 'row')} that the log of facts has ({kind.name}) missing from the ledger"
    return Finding("fact_missing", f"{kind.name} {subject}" if subject.isdigit() else subject, sentence)


def _key_of(kind: FactKind, subject: str) -> list[Any] | None:
    """The key that a state's subject is made of; None when its parts have spaces."""
    parts: list[str] = subject.split(" ")
    if len(parts) != len(kind.key):
        return None
    return [column.type.python_type(part) for column, part in zip(kind.key, parts, strict=True)]


def _words(kind: FactKind) -> str:
    return f"its {kind.name.replace('_', ' ')} row" if kind.where != "run_id" else "its row"


def _name(kind: FactKind, row: Mapping[Any, Any]) -> str:
    name = row[kind.where]
    return name if isinstance(name, str) else f"{kind.name} {name}"
