"""Changes of pages as rows: which versions are not yet described, their descriptions, and lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, select

from rori_spiders.ledger.dialects import insert_missing
from rori_spiders.ledger.pages.page_history import PageRow
from rori_spiders.ledger.tables import changes, pages, runs, versions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Select

_BATCH = 500
#: Ends of runs after which a source is known: what appears later is new there. A run cut short has not looked at all.
_ENDS = ("complete", "incomplete")
BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class UndescribedVersion:
    """A version that has no row in ``changes`` yet."""

    page: PageRow
    seq: int
    captured_at: datetime
    change_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFilter:
    """Which changes are wanted; None and empty: all. Times are of the capture: from *since*, before *until*."""

    since: datetime | None = None
    until: datetime | None = None
    sources: Collection[str] = ()
    kinds: Collection[str] = ()
    importance: int = 1  # at least; 0: baselines too

    def conditions(self) -> Iterator[ColumnElement[bool]]:
        yield changes.c.importance >= self.importance
        if self.since is not None:
            yield changes.c.at >= self.since
        if self.until is not None:
            yield changes.c.at < self.until
        if self.sources:
            yield changes.c.source_id.in_(self.sources)
        if self.kinds:
            yield changes.c.kind.in_(self.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """What a version of a page changed. ``details`` is as ``comparison.change_description`` made it."""

    page_id: int
    seq: int
    source_id: str
    at: datetime
    from_seq: int | None
    kind: str
    importance: int
    details: dict[str, Any]
    described_at: datetime
    url: str
    title: str | None
    run_id: str
    content_hash: str
    published: str | None
    effective: str | None
    publisher_version: str | None

    @property
    def change_id(self) -> str:
        """What programs know it by: ``12-3``, the change that the third version of page 12 brought."""
        return f"{self.page_id}-{self.seq}"


def record_baselines(conn: Connection, *, now: datetime) -> int:
    """Record first captures of sources that no run had looked at to its end before; how many there were."""
    earlier = runs.alias("earlier")
    known = select(earlier.c.run_id).where(
        earlier.c.source_id == runs.c.source_id,
        earlier.c.run_id != runs.c.run_id,
        earlier.c.state.in_(_ENDS),
        earlier.c.finished_at <= runs.c.started_at,
    )
    first = (
        _undescribed(versions.c.page_id, versions.c.seq, pages.c.source_id, versions.c.captured_at)
        .join(runs, runs.c.run_id == versions.c.run_id)
        .where(versions.c.seq == 1, ~known.exists())
    )
    rows = [
        {
            "page_id": row.page_id,
            "seq": row.seq,
            "source_id": row.source_id,
            "at": row.captured_at,
            "kind": BASELINE,
            "importance": 0,
            "details": {},
            "described_at": now,
        }
        for row in conn.execute(first)
    ]
    for start in range(0, len(rows), _BATCH):
        insert_missing(conn, changes, rows[start : start + _BATCH])
    return len(rows)


def count_undescribed(conn: Connection) -> int:
    """How many versions have no row yet."""
    return conn.execute(select(func.count()).select_from(_undescribed(versions.c.page_id).subquery())).scalar_one()


def list_undescribed(conn: Connection, limit: int) -> list[UndescribedVersion]:
    """Versions without a row, as they were captured; at most *limit*."""
    query = _undescribed(*pages.c, versions.c.seq, versions.c.captured_at, versions.c.change_type)
    rows = conn.execute(query.order_by(versions.c.captured_at, versions.c.page_id).limit(limit))
    return [UndescribedVersion(PageRow(*row[:-3]), *row[-3:]) for row in rows]


def _undescribed(*columns: ColumnElement[Any]) -> Select[Any]:
    described = and_(changes.c.page_id == versions.c.page_id, changes.c.seq == versions.c.seq)
    return (
        select(*columns)
        .select_from(versions)
        .join(pages, pages.c.page_id == versions.c.page_id)
        .outerjoin(changes, described)
        .where(changes.c.page_id.is_(None))
    )


def add_changes(conn: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Add rows of ``changes``; those that another process added meanwhile stay as they are."""
    if rows:
        insert_missing(conn, changes, rows)


def list_changes(conn: Connection, wanted: ChangeFilter, *, limit: int | None = None) -> Iterator[ChangeRow]:
    """Changes with their pages and versions, newest first."""
    version = and_(versions.c.page_id == changes.c.page_id, versions.c.seq == changes.c.seq)
    query = (
        select(
            *changes.c,
            pages.c.url,
            versions.c.title,
            versions.c.run_id,
            versions.c.content_hash,
            versions.c.published,
            versions.c.effective,
            versions.c.publisher_version,
        )
        .join(pages, pages.c.page_id == changes.c.page_id)
        .join(versions, version)
        .where(*wanted.conditions())
        .order_by(changes.c.at.desc(), changes.c.page_id, changes.c.seq.desc())
        .limit(limit)
    )
    for row in conn.execute(query.execution_options(yield_per=_BATCH)).mappings():
        yield ChangeRow(**row)
