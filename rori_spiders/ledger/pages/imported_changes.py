"""Changes between imported texts: which texts of a page follow each other and differ, and what was found to differ.

None of it was seen by this collector: it follows from what the files and the publishers state. Which two texts follow
each other is found anew for each question, so that a withdrawn import, or a later one, never leaves a wrong pair.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import CTE, ColumnElement, Connection, Select, and_, case, func, or_, select

from rori_spiders.ledger.audit.fact_log import note_rows
from rori_spiders.ledger.dialects import insert_new
from rori_spiders.ledger.pages.change_records import ChangeFilter
from rori_spiders.ledger.pages.imported_captures import ABSENT, IMPORTED, withdrawn_ids
from rori_spiders.ledger.tables import imported_captures, imported_changes, imports, pages

#: The import whose first day says what was there before: all sections of a part of the CFR at once.
_OF_WHOLE_PARTS = "ecfr"
_PUBLISHER = "publisher"


class ImportedChangePosition(NamedTuple):
    """A change in the order of the list; the next one follows it."""

    at: datetime
    import_id: str
    record: str


@dataclass(frozen=True, slots=True)
class ImportedPair:
    """An imported text, or a stated absence, and what stands before it; None: there is nothing before it."""

    source_id: str
    url: str
    import_id: str
    record: str
    from_import_id: str | None
    from_record: str | None

    @property
    def change_id(self) -> str:
        """What the change between the two is known by."""
        names = (self.import_id, self.record, self.from_import_id or "", self.from_record or "")
        return sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedChangeRow:
    """What differs between two imported texts. ``details`` is as ``comparison.change_description`` made it."""

    change_id: str
    source_id: str
    url: str
    page_id: int | None  # of the ledger's page with this URL; None: nothing of it was collected
    title: str | None
    at: datetime  # that the later text is of, by its file or its publisher
    from_at: datetime | None
    kind: str
    importance: int
    details: dict[str, Any]
    described_at: datetime
    trust: str | None  # of the later text
    from_trust: str | None
    content_hash: str | None  # None: the publisher states that it was no longer there
    from_content_hash: str | None
    published: str | None
    import_id: str
    record: str
    imported_from: str
    imported_by: str
    imported_at: datetime


def _pairs() -> CTE:
    """Texts and absences that differ from what stands before them, each with what that is.

    Captures of archives and statements of a publisher are two histories: a page and its XML differ in form alone.
    """
    one = imported_captures.c
    is_shown = one.import_id.not_in(withdrawn_ids())
    is_text = one.state.in_((IMPORTED, ABSENT))
    is_placed = one.captured_at.is_not(None) & one.source_id.is_not(None) & one.url_hash.is_not(None)
    history = case((one.trust == _PUBLISHER, 1), else_=0)
    window: dict[str, Any] = {
        "partition_by": (one.source_id, one.url_hash, history),
        "order_by": (one.captured_at, one.import_id, one.record),
    }
    names = ("import_id", "record", "state", "content_hash", "raw_hash", "captured_at", "trust")
    before = [func.lag(one[name], type_=one[name].type).over(**window).label(f"from_{name}") for name in names]
    texts = select(*one, *before).where(is_shown, is_text, is_placed).cte("texts")
    first = (
        select(one.import_id, func.min(one.captured_at).label("first_at"))
        .join(imports, imports.c.import_id == one.import_id)
        .where(imports.c.kind == _OF_WHOLE_PARTS, one.state.in_((IMPORTED, ABSENT, "unchanged")))
        .group_by(one.import_id)
        .cte("first")
    )
    is_new_there = and_(
        texts.c.from_record.is_(None), texts.c.state == IMPORTED, texts.c.captured_at > first.c.first_at
    )
    is_other_text = and_(
        texts.c.from_state == IMPORTED,
        texts.c.state == IMPORTED,
        texts.c.content_hash != texts.c.from_content_hash,
        texts.c.raw_hash != texts.c.from_raw_hash,  # the same bytes: two converters, no change
    )
    is_gone_or_back = texts.c.from_state.is_not(None) & (texts.c.from_state != texts.c.state)
    query = select(*texts.c).select_from(texts.outerjoin(first, first.c.import_id == texts.c.import_id))
    return query.where(or_(is_new_there, is_other_text, is_gone_or_back)).cte("pairs")


def _of_pair(pairs: CTE) -> ColumnElement[bool]:
    change = imported_changes.c
    is_first = change.from_import_id.is_(None) & pairs.c.from_import_id.is_(None)
    same = (change.from_import_id == pairs.c.from_import_id) & (change.from_record == pairs.c.from_record)
    return and_(change.import_id == pairs.c.import_id, change.record == pairs.c.record, or_(is_first, same))


def _undescribed(*names: str) -> Select[Any]:
    pairs = _pairs()
    query = select(*(pairs.c[name] for name in names)).select_from(pairs.outerjoin(imported_changes, _of_pair(pairs)))
    return query.where(imported_changes.c.change_id.is_(None)).order_by(
        pairs.c.captured_at, pairs.c.import_id, pairs.c.record
    )


def list_undescribed_pairs(conn: Connection, limit: int) -> list[ImportedPair]:
    """Pairs that nobody has compared yet, the oldest first; at most *limit*."""
    names = ("source_id", "url", "import_id", "record", "from_import_id", "from_record")
    return [ImportedPair(*row) for row in conn.execute(_undescribed(*names).limit(limit))]


def count_undescribed_pairs(conn: Connection) -> int:
    """How many pairs nobody has compared yet; 0, at once, where nothing was imported."""
    if conn.execute(select(imports.c.import_id).limit(1)).first() is None:
        return 0
    return conn.execute(select(func.count()).select_from(_undescribed("record").subquery())).scalar_one()


def add_imported_changes(conn: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Add rows of ``imported_changes``, each a fact; those that another process added meanwhile stay."""
    added = insert_new(conn, imported_changes, rows)
    note_rows(conn, "imported_change", (row for row in rows if (row["change_id"],) in added))


def list_imported_changes(
    conn: Connection, wanted: ChangeFilter, *, after: ImportedChangePosition | None = None, limit: int | None = None
) -> Iterator[ImportedChangeRow]:
    """Described changes between imported texts, newest first. Of *wanted*: times, sources, kinds, importance, words."""
    pairs, change = _pairs(), imported_changes.c
    query = (
        select(
            *(change[name] for name in ("change_id", "kind", "importance", "details", "described_at")),
            *(pairs.c[name] for name in ("source_id", "url", "title", "trust", "from_trust", "content_hash")),
            *(pairs.c[name] for name in ("from_content_hash", "published", "import_id", "record")),
            pairs.c.captured_at.label("at"),
            pairs.c.from_captured_at.label("from_at"),
            pages.c.page_id,
            imports.c.name.label("imported_from"),
            imports.c.imported_by,
            imports.c.imported_at,
        )
        .select_from(pairs)
        .join(imported_changes, _of_pair(pairs))
        .join(imports, imports.c.import_id == pairs.c.import_id)
        .outerjoin(pages, (pages.c.source_id == pairs.c.source_id) & (pages.c.url_hash == pairs.c.url_hash))
        .where(*_conditions(pairs, wanted))
        .order_by(pairs.c.captured_at.desc(), pairs.c.import_id, pairs.c.record)
        .limit(limit)
    )
    if after is not None:
        same_time = pairs.c.captured_at == after.at
        same_import = same_time & (pairs.c.import_id == after.import_id)
        query = query.where(
            or_(
                pairs.c.captured_at < after.at,
                same_time & (pairs.c.import_id > after.import_id),
                same_import & (pairs.c.record > after.record),
            )
        )
    with conn.execute(query.execution_options(yield_per=500)) as rows:
        for row in rows.mappings():
            yield ImportedChangeRow(**row)


def count_imported_changes(conn: Connection, wanted: ChangeFilter) -> int:
    """How many described changes between imported texts *wanted* has; 0, at once, where nothing was imported."""
    if conn.execute(select(imported_changes.c.change_id).limit(1)).first() is None:
        return 0
    pairs = _pairs()
    query = select(func.count()).select_from(pairs).join(imported_changes, _of_pair(pairs))
    return conn.execute(query.where(*_conditions(pairs, wanted))).scalar_one()


def _conditions(pairs: CTE, wanted: ChangeFilter) -> Iterator[ColumnElement[bool]]:
    yield imported_changes.c.importance >= wanted.importance
    if wanted.since is not None:
        yield pairs.c.captured_at >= wanted.since
    if wanted.until is not None:
        yield pairs.c.captured_at < wanted.until
    if wanted.sources:
        yield pairs.c.source_id.in_(wanted.sources)
    if wanted.kinds:
        yield imported_changes.c.kind.in_(wanted.kinds)
    if wanted.words:
        yield or_(*(text.icontains(wanted.words, autoescape=True) for text in (pairs.c.url, pairs.c.title)))
