"""The pages that failed, a list at a time: what somebody who reads the error log asks. Read-only.

To read more, go on from the last row that was read: each list costs the same, however far back it is.
What no index finds (a word, a status, whether it is resolved) is looked for in the next ``MAX_SCANNED`` failures at
once, and the answer says how far that was: "no failure since March" is not reported as "no failure".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, TextClause, or_, select, text

from rori_spiders.ledger import dialects
from rori_spiders.ledger.audit import failure_states
from rori_spiders.ledger.tables import audit
from rori_spiders.ledger.tables.audit_trail import (
    FAILED_PAGE,
    NOT_UNCHANGED,
    SEVERITIES,
    Severity,
    severity_condition,
    severity_of,
)

#: Failures that one question looks at: `python -m benchmarks.ledger_queries` tells what that takes.
MAX_SCANNED = 2_000
#: Of those whose later ends must be looked up too, one by one.
MAX_RESOLUTION_LOOKUPS = 500
_BATCH_SIZE = 500
FailureOrder = Literal["newest", "oldest", "severity"]


class FailurePosition(NamedTuple):
    """The end of a list page: an audit row; when sorted by severity, with that severity."""

    at: datetime
    audit_id: int
    severity: Severity | None = None


class Failure(NamedTuple):
    """A page that ended failed. ``at`` is UTC, ``reason`` in words for a person."""

    audit_id: int
    at: datetime
    run_id: str
    source_id: str
    url: str
    http_status: int | None
    error: str | None
    reason: str | None
    reason_code: str | None
    engine: str
    verdict: str | None
    retries: int
    url_hash: str
    resolved_at: datetime | None = None

    @property
    def severity(self) -> Severity:
        """How much it asks of a person."""
        return severity_of(self.verdict)


_COLUMNS = tuple(
    audit.c[{"at": "timestamp", "source_id": "manifest_id", "retries": "retry_count"}.get(name, name)]
    for name in Failure._fields
    if name != "resolved_at"
)


@dataclass(frozen=True, slots=True)
class FailureFilter:
    """A filter of failures; by default all. *since* and *until* (exclusive) are aware times."""

    words: str = ""  # in URL, reason or error; upper and lower case are the same
    source_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    verdict: str | None = None
    http_status: int | None = None
    tier: str | None = None
    severity: Severity | None = None
    resolved: bool | None = None

    @property
    def looks(self) -> int:
        """How many rows one question looks at; 0: the index has no other ones than are wanted."""
        if self.resolved is not None:
            return MAX_RESOLUTION_LOOKUPS
        filters = (self.words, self.verdict, self.http_status, self.tier)
        return MAX_SCANNED if any(one not in {None, ""} for one in filters) else 0

    def has(self, row: Row[Any]) -> bool:
        """Whether a row is wanted, as far as it tells by itself."""
        own = ((self.verdict, row.verdict), (self.http_status, row.http_status), (self.tier, row.engine))
        if any(one is not None and one != found for one, found in own):
            return False
        words = self.words.casefold()
        return not words or any(words in (text or "").casefold() for text in (row.url, row.reason, row.error))


@dataclass(frozen=True, slots=True)
class FailureList:
    """A page of failures. ``further`` is the start of the next page, None at the end."""

    found: list[Failure]
    further: FailurePosition | None


def list_failures(
    conn: Connection,
    wanted: FailureFilter | None = None,
    *,
    order: FailureOrder = "newest",
    after: FailurePosition | None = None,
    limit: int = 50,
) -> FailureList:
    """At most *limit* failures after a position in the *order*: by age, or by severity and then the newest first.

    ``further.at`` is how far was looked; where no index finds what is wanted, the list may be shorter than *limit*, or
    empty, and still have a ``further``.
    """
    wanted = wanted or FailureFilter()
    listed, looks = _FailureCollector(wanted, limit), wanted.looks
    for severity in _severity_levels(wanted, order, after):
        begin = after if after is not None and after.severity in {None, severity} else None
        query = _failure_query(conn, wanted, severity, begin, oldest=order == "oldest")
        most = looks - listed.looked_at if looks else limit - len(listed.found)
        if most <= 0 or listed.take(conn, query.limit(most), severity if order == "severity" else None):
            return FailureList(listed.found, listed.last)
        if looks and listed.looked_at == looks:
            return FailureList(listed.found, listed.last)
    return FailureList(listed.found, None)


class _FailureCollector:
    """The failures found so far, and the last row examined."""

    def __init__(self, wanted: FailureFilter, limit: int) -> None:
        self.wanted = wanted
        self.limit = limit
        self.found: list[Failure] = []
        self.last: FailurePosition | None = None
        self.looked_at = 0

    def take(self, conn: Connection, query: Select[Any], severity: Severity | None) -> bool:
        """Look at the rows of *query* in their order; True once the list is full."""
        with conn.execute(query.execution_options(yield_per=_BATCH_SIZE)) as rows:
            for some in rows.partitions():
                wanted_rows = [row for row in some if self.wanted.has(row)]
                if self.wanted.resolved is None:
                    del wanted_rows[self.limit - len(self.found) :]  # the others need not be looked up
                later = failure_states.resolved_at(conn, wanted_rows) if wanted_rows else {}
                if self._add(some, {row.audit_id for row in wanted_rows}, later, severity):
                    return True
        return False

    def _add(
        self, some: Iterable[Row[Any]], wanted_ids: set[int], later: Mapping[int, datetime], severity: Severity | None
    ) -> bool:
        for row in some:
            self.last, self.looked_at = FailurePosition(row.timestamp, row.audit_id, severity), self.looked_at + 1
            resolved_at = later.get(row.audit_id)
            if row.audit_id in wanted_ids and self.wanted.resolved in {None, resolved_at is not None}:
                self.found.append(Failure._make((*row, resolved_at)))
                if len(self.found) == self.limit:
                    return True
        return False


def _severity_levels(
    wanted: FailureFilter, order: FailureOrder, after: FailurePosition | None
) -> Sequence[Severity | None]:
    """The severities to be listed one after the other; None is all of them together."""
    if order != "severity":
        return (wanted.severity,)
    first = SEVERITIES.index(after.severity) if after is not None and after.severity is not None else 0
    return [one for one in SEVERITIES[first:] if wanted.severity in {None, one}]


def _failure_query(
    conn: Connection, wanted: FailureFilter, severity: Severity | None, after: FailurePosition | None, *, oldest: bool
) -> Select[Any]:
    at, number = audit.c.timestamp, audit.c.audit_id
    query = select(*_COLUMNS).where(*failure_conditions(conn, wanted, severity))
    if after is not None:
        # The first condition is what an index can begin at; the other one is for rows of the same instant.
        if oldest:
            query = query.where(at >= after.at, or_(at > after.at, number > after.audit_id))
        else:
            query = query.where(at <= after.at, or_(at < after.at, number < after.audit_id))
    return query.order_by(at, number) if oldest else query.order_by(at.desc(), number.desc())


def failure_conditions(
    conn: Connection, wanted: FailureFilter, severity: Severity | None = None
) -> Iterator[ColumnElement[bool] | TextClause]:
    """Conditions of failed pages of a *severity*, a source and a time, as the indexes have them."""
    # Word for word as in the indexes, which a database takes for no condition that has values apart from it.
    page = severity_condition(severity) if severity else FAILED_PAGE
    if severity is None and wanted.source_id is None:
        # None of them has all failures by time. SQLite would take that of sources, and sort every failure there is.
        page = f"state = 'failed' AND {NOT_UNCHANGED} AND {dialects.unindexed_column(conn, 'kind')} = 'page'"
    yield text(page)
    if wanted.source_id is not None:
        yield audit.c.manifest_id == wanted.source_id
    if wanted.since is not None:
        yield audit.c.timestamp >= wanted.since
    if wanted.until is not None:
        yield audit.c.timestamp < wanted.until
