"""The log of facts: whatever the ledger comes to say becomes a leaf of one Merkle tree, in the same transaction.

A function that writes a row notes it (``note_fact``); at the end of the transaction the rows are read as they are, and
their leaves appended, those of one subject together. So only the end of a transaction waits for those of other jobs.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, func, select

from rori_spiders.ledger.audit.facts import FACT_KINDS, FactKind
from rori_spiders.ledger.audit.merkle_tree import HASH_BYTES, split_hashes
from rori_spiders.ledger.dialects import ONE, insert_rows, lock_for_writing
from rori_spiders.ledger.tables import fact_leaves

#: Under this name a connection keeps what its transaction has noted.
_NOTED = "rori noted facts"
#: Leaves of one row of the table, when an older ledger's rows are taken up.
_ADOPTED_TOGETHER = 1_000
#: Kinds that became facts after the log began, each with the version of the ledger from which on.
_LATER_KINDS = {"change": "0031", "alert": "0049"}


class _NotedFacts:
    def __init__(self) -> None:
        self.leaves: dict[tuple[str, str], list[bytes]] = {}
        self.keys: dict[str, dict[tuple[Any, ...], None]] = {}


@contextmanager
def noting_facts(conn: Connection) -> Iterator[None]:
    """The work of one transaction: at its end the leaves of what it has noted are appended.

    What a transaction before, which was rolled back, had noted on the same connection is forgotten.
    """
    conn.info.pop(_NOTED, None)
    yield
    append_noted_facts(conn)


def note_fact(conn: Connection, kind: str, *key: Any) -> None:
    """In this transaction the row with this key was written, changed or removed."""
    noted: _NotedFacts = conn.info.setdefault(_NOTED, _NotedFacts())
    noted.keys.setdefault(kind, {})[key] = None


def note_rows(conn: Connection, name: str, rows: Iterable[Mapping[Any, Any]]) -> None:
    """As ``note_fact``, of new rows with all columns of their kind: there are many, and none is read again."""
    noted: _NotedFacts = conn.info.setdefault(_NOTED, _NotedFacts())
    kind = FACT_KINDS[name]
    for row in rows:
        noted.leaves.setdefault((name, kind.subject_of(row)), []).append(kind.hash_row(row))


def has_noted_rows(conn: Connection, name: str, subject: str) -> bool:
    """Whether this transaction has written rows of *subject*, which nobody has yet should it be rolled back."""
    noted: _NotedFacts | None = conn.info.get(_NOTED)
    return noted is not None and (name, subject) in noted.leaves


def append_noted_facts(conn: Connection) -> None:
    """Append the leaves of what the transaction has noted: the last thing that it does."""
    noted: _NotedFacts | None = conn.info.pop(_NOTED, None)
    if noted is None:
        return
    for name, keys in noted.keys.items():
        kind = FACT_KINDS[name]
        rows = kind.load_rows(conn, keys)
        for key in keys:
            if key in rows:
                subject, leaf = kind.subject_of(rows[key]), kind.hash_row(rows[key])
            elif kind.is_state:
                subject, leaf = " ".join(map(str, key)), kind.hash_removal(key)
            else:
                continue  # written and taken back
            noted.leaves.setdefault((name, subject), []).append(leaf)
    _append_leaves(conn, ((kind, subject, leaves) for (kind, subject), leaves in noted.leaves.items()))


def _append_leaves(conn: Connection, leaves: Iterable[tuple[str, str, list[bytes]]]) -> int:
    lock_for_writing(conn, fact_leaves)
    size = count_leaves(conn)
    rows = []
    for kind, subject, hashes in leaves:
        rows.append({"position": size, "kind": kind, "subject": subject, "hashes": b"".join(hashes)})
        size += len(hashes)
    insert_rows(conn, fact_leaves, rows)
    return size


def count_leaves(conn: Connection) -> int:
    """The size of the tree."""
    columns = (fact_leaves.c.position, func.length(fact_leaves.c.hashes))
    newest = select(*columns).order_by(fact_leaves.c.position.desc()).limit(ONE)
    last = conn.execute(newest).one_or_none()
    return 0 if last is None else last[0] + last[1] // HASH_BYTES


def stream_leaves(conn: Connection, *, since: int = 0) -> Generator[Row[Any]]:
    """The rows of the log from the one at *since* on, in the order of the tree."""
    query = select(fact_leaves).where(fact_leaves.c.position >= since).order_by(fact_leaves.c.position)
    with conn.execute(query.execution_options(yield_per=500)) as rows:
        yield from rows


def is_size_of_log(conn: Connection, size: int) -> bool:
    """Whether the tree had *size* leaves at the end of some transaction, or has them now."""
    begins = select(fact_leaves.c.position).where(fact_leaves.c.position == size)
    return size == count_leaves(conn) or conn.execute(begins).first() is not None


def list_new_keys(conn: Connection, name: str, since: int) -> Iterator[tuple[str, set[tuple[Any, ...]]]]:
    """Of each subject with leaves of the kind *name* from *since* on, a size of the log: the keys of their rows.

    In memory are the keys of one subject. A row is new by its hash, so none is missed and none is given twice.
    """
    kind = FACT_KINDS[name]
    [column] = (kind.query.selected_columns[one] for one in kind.subject)
    new = (fact_leaves.c.kind == name) & (fact_leaves.c.position >= since)
    for subject in conn.execute(select(fact_leaves.c.subject).where(new).distinct()).scalars().all():
        hashes = select(fact_leaves.c.hashes).where(new, fact_leaves.c.subject == subject)
        leaves = {leaf for some in conn.execute(hashes).scalars() for leaf in split_hashes(some)}
        rows = conn.execute(kind.query.where(column == subject).execution_options(yield_per=500)).mappings()
        yield subject, {tuple(row[one.name] for one in kind.key) for row in rows if kind.hash_row(row) in leaves}


def adopt_rows(conn: Connection, *, since: str | None = None) -> int:
    """Make leaves of the rows that had none in a ledger of version *since*; gives the size of the log.

    Those are all rows where there was no log yet, else those of kinds that became facts later.
    """
    size = count_leaves(conn)
    later = [name for name, version in _LATER_KINDS.items() if since is not None and since < version]
    for kind in map(FACT_KINDS.__getitem__, later if size else FACT_KINDS):
        for subject, rows in groupby(kind.stream_rows(conn), kind.subject_of):
            hashes = [kind.hash_row(row) for row in rows]
            parts = range(0, len(hashes), _ADOPTED_TOGETHER)
            size = _append_leaves(conn, ((kind.name, subject, hashes[at : at + _ADOPTED_TOGETHER]) for at in parts))
    return size


# Rows against the log.


def find_differences(
    kind: FactKind, rows: Iterable[Mapping[Any, Any]], leaves: bytes
) -> tuple[list[Mapping[Any, Any]], list[Mapping[Any, Any]], int]:
    """Of the *rows* of one subject and its leaves: rows that differ from their leaves, rows without, leaves without."""
    if kind.is_state:
        newest = leaves[-HASH_BYTES:]
        wrong = [row for row in rows if kind.hash_row(row) != newest]
        return (wrong, [], 0) if leaves else ([], wrong, 0)
    left = Counter(split_hashes(leaves))
    unknown = []
    for row in rows:
        leaf = kind.hash_row(row)
        if left[leaf] > 0:
            left[leaf] -= 1
        else:
            unknown.append(row)
    lost = left.total()
    return unknown[:lost], unknown[lost:], max(0, lost - len(unknown))


def load_leaves(conn: Connection, kind: str, subject: str) -> bytes:
    """The leaves of one subject, in their order."""
    of_subject = (fact_leaves.c.kind == kind) & (fact_leaves.c.subject == subject)
    return b"".join(
        conn.execute(select(fact_leaves.c.hashes).where(of_subject).order_by(fact_leaves.c.position)).scalars()
    )


def load_positions(conn: Connection, kind: str, subject: str) -> dict[bytes, int]:
    """The leaves of one subject with their positions in the tree; of equal ones the last."""
    of_subject = (fact_leaves.c.kind == kind) & (fact_leaves.c.subject == subject)
    query = select(fact_leaves.c.position, fact_leaves.c.hashes).where(of_subject).order_by(fact_leaves.c.position)
    return {leaf: row.position + at for row in conn.execute(query) for at, leaf in enumerate(split_hashes(row.hashes))}
