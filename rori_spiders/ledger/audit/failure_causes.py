"""Failures of pages by cause: one row for all failures of a page with one reason code. Read-only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from sqlalchemy import Connection, Row, Select, and_, func, select

from rori_spiders.ledger.audit import failure_states
from rori_spiders.ledger.audit.failure_log import FailureFilter, failure_conditions
from rori_spiders.ledger.tables import audit, pages
from rori_spiders.ledger.tables.audit_trail import SEVERITIES, Severity, severity_of
from rori_spiders.urls.canonical import normalise_url, url_hash

#: Causes that one question looks at, those seen last; each costs a look for a later success.
MAX_CAUSES = 500

Consequence = Literal["held", "start", "dead_link", "temporary", "never_held"]
#: Nothing is at the address.
_DEAD_VERDICTS: Final = ("not_found", "parked", "soft_404")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCause:
    """Failures of one page with one reason code. Times are UTC; the rest is of the last one."""

    source_id: str
    url: str
    reason_code: str | None
    number: int
    first_at: datetime
    last_at: datetime
    audit_id: int
    http_status: int | None
    verdict: str | None
    reason: str | None
    page_id: int | None
    last_seen_at: datetime | None  # when the text that is held was seen last; None: none is
    resolved_at: datetime | None
    is_start: bool

    @property
    def consequence(self) -> Consequence:
        """What the failure means for what is held."""
        if self.last_seen_at is not None:
            return "held"
        if self.is_start:
            return "start"
        if self.verdict in _DEAD_VERDICTS:
            return "dead_link"
        return "temporary" if severity_of(self.verdict) == "info" else "never_held"

    @property
    def severity(self) -> Severity:
        """High: a text that is held, or a source, cannot be had. Information: nothing was lost."""
        if self.resolved_at is not None or self.consequence in {"dead_link", "temporary"}:
            return "info"
        if self.consequence == "never_held" or severity_of(self.verdict) == "info":
            return "warning"
        return "high"


def list_causes(
    conn: Connection, wanted: FailureFilter, starts: Mapping[str, str], *, limit: int = MAX_CAUSES
) -> tuple[list[FailureCause], bool]:
    """The causes of failures, the most severe first, of these the last seen; and whether more than *limit* exist.

    *starts*: source -> start URL. The filter's words, verdict, status and tier are of a cause's
    last failure, its severity is the cause's.
    """
    rows = conn.execute(_cause_query(conn, wanted, limit + 1)).all()
    some = [row for row in rows[:limit] if wanted.has(row)]
    resolved = failure_states.resolved_at(conn, some) if some else {}
    hashes = {source_id: url_hash(normalise_url(url)) for source_id, url in starts.items()}
    causes = (_cause(row, resolved.get(row.audit_id), hashes) for row in some)
    found = [
        one
        for one in causes
        if wanted.resolved in {None, one.resolved_at is not None} and wanted.severity in {None, one.severity}
    ]
    return sorted(found, key=lambda one: SEVERITIES.index(one.severity)), len(rows) > limit


def _cause_query(conn: Connection, wanted: FailureFilter, limit: int) -> Select[tuple[object, ...]]:
    groups = (
        select(
            func.max(audit.c.audit_id).label("last_id"),
            func.count().label("number"),
            func.min(audit.c.timestamp).label("first_at"),
            func.max(audit.c.timestamp).label("last_at"),
        )
        .where(*failure_conditions(conn, wanted))
        .group_by(audit.c.manifest_id, audit.c.url_hash, audit.c.reason_code)
        .order_by(func.max(audit.c.timestamp).desc())
        .limit(limit)
        .subquery()
    )
    page = and_(pages.c.source_id == audit.c.manifest_id, pages.c.url_hash == audit.c.url_hash)
    return (
        select(
            audit, groups, pages.c.page_id, pages.c.last_seen_at, pages.c.gone_at, pages.c.content_hash.label("held")
        )
        .join(groups, groups.c.last_id == audit.c.audit_id)
        .outerjoin(pages, page)
        .order_by(groups.c.last_at.desc(), audit.c.audit_id.desc())
    )


def _cause(row: Row[tuple[object, ...]], resolved_at: datetime | None, starts: Mapping[str, str]) -> FailureCause:
    is_held = row.held is not None and row.gone_at is None
    return FailureCause(
        source_id=row.manifest_id,
        url=row.url,
        reason_code=row.reason_code,
        number=row.number,
        first_at=row.first_at,
        last_at=row.last_at,
        audit_id=row.audit_id,
        http_status=row.http_status,
        verdict=row.verdict,
        reason=row.reason,
        page_id=row.page_id,
        last_seen_at=row.last_seen_at if is_held else None,
        resolved_at=resolved_at,
        is_start=starts.get(row.manifest_id) == row.url_hash,
    )
