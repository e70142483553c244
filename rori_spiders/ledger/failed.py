"""The pages that failed, newest first, a list at a time: what somebody who reads the error log asks. Read-only.

Whoever wants more goes on *before* the last row that was looked at: each list costs the same, however far back it is.
A word is looked for in the newest ``LOOKED_AT`` failures at once, and the answer says how far back that was: nobody is
told "no such failure" who was only told "none since March".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import or_, select

from rori_spiders.ledger.tables import audit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection, Select

#: Failures that one question looks at: `python -m benchmarks.ledger_queries` tells what that takes.
LOOKED_AT = 5_000
_AT_ONCE = 500
_COLUMNS = tuple(
    audit.c[name]
    for name in ("audit_id", "timestamp", "run_id", "manifest_id", "url", "http_status", "error", "reason", "engine")
)


class Position(NamedTuple):
    """Where a list ends: a row of the audit."""

    at: datetime
    audit_id: int


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
    engine: str


@dataclass(frozen=True, slots=True)
class Failures:
    """Some failures, newest first. ``further`` is where the next list begins; None: there are no older ones."""

    found: list[Failure]
    further: Position | None


def failures(
    conn: Connection,
    *,
    words: str = "",
    source_id: str | None = None,
    since: datetime | None = None,
    before: Position | None = None,
    limit: int = 50,
) -> Failures:
    """At most *limit* failures before a position, of one source or of all, in whose URL, reason or error *words* stand.

    Upper and lower case are the same. ``further.at`` is how far back was looked; with *words* the list may be shorter
    than *limit*, or empty, and still have a ``further``.
    """
    found: list[Failure] = []
    wanted = _wanted(source_id, since, before, LOOKED_AT if words else limit)
    last, looked_at = None, 0
    with conn.execute(wanted.execution_options(yield_per=_AT_ONCE)) as rows:
        for row in rows:
            last, looked_at = Position(row.timestamp, row.audit_id), looked_at + 1
            if _stand_in(words, (row.url, row.reason, row.error)):
                found.append(Failure(*row))
                if len(found) == limit:
                    return Failures(found, last)
    return Failures(found, last if words and looked_at == LOOKED_AT else None)


def _wanted(source_id: str | None, since: datetime | None, before: Position | None, most: int) -> Select[Any]:
    query = select(*_COLUMNS).where(audit.c.state == "failed", audit.c.kind == "page")
    if source_id is not None:
        query = query.where(audit.c.manifest_id == source_id)
    if since is not None:
        query = query.where(audit.c.timestamp >= since)
    if before is not None:
        # The first condition is what an index can begin at; the other one is for rows of the same instant.
        query = query.where(
            audit.c.timestamp <= before.at,
            or_(audit.c.timestamp < before.at, audit.c.audit_id < before.audit_id),
        )
    return query.order_by(audit.c.timestamp.desc(), audit.c.audit_id.desc()).limit(most)


def _stand_in(words: str, texts: Iterable[str | None]) -> bool:
    wanted = words.casefold()
    return any(wanted in (text or "").casefold() for text in texts)
