"""Endpoints of the list of changes, and of decisions on them."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter

from rori_spiders.comparison.change_description import KINDS
from rori_spiders.comparison.change_report import change_reasons, change_sentence
from rori_spiders.comparison.importance import Importance
from rori_spiders.ledger.pages import change_records
from rori_spiders.ledger.pages.change_records import ChangeFilter, ChangePosition
from rori_spiders.ledger.pages.vocabulary import OPEN, Review, format_version_id
from rori_spiders.monitor.changes.schemas import ChangeSummary, ChangeWeek, OpenChanges, PageChange, ReviewOrder
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.rest.params import CursorInt, CursorTime, decode_cursor, encode_cursor, require_version_id
from rori_spiders.monitor.rest.schemas import CursorList
from rori_spiders.monitor.security.permissions import Operator, Viewer  # noqa: TC001  # FastAPI reads annotations
from rori_spiders.monitor.state.dependencies import AppStateDep  # noqa: TC001

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.pages.change_records import ChangeRow

router = APIRouter(tags=["changes"])

_WEEKS = 12
_CURSOR: TypeAdapter[tuple[CursorTime, CursorInt, CursorInt]] = TypeAdapter(tuple[CursorTime, CursorInt, CursorInt])


class ChangeListQuery(BaseModel):
    """Filters of the list, and the position where it goes on."""

    model_config = ConfigDict(extra="forbid")

    source: str | None = Field(None, max_length=200)
    kind: str | None = Field(None, max_length=12)
    importance: Literal["high", "medium", "low"] = Field("low", description="At least.")
    review: Review | None = None
    q: str = Field("", max_length=200, description="Text to find in URL or title.")
    since: AwareDatetime | None = None
    until: AwareDatetime | None = Field(None, description="Before then.")
    after: str | None = Field(None, max_length=300)
    limit: int = Field(50, ge=1, le=200)

    def wanted(self) -> ChangeFilter:
        """Return the filters in the ledger's form. Raises ApiError for a cursor of another list."""
        return ChangeFilter(
            since=self.since,
            until=self.until,
            sources=() if self.source is None else (self.source,),
            kinds=() if self.kind is None else (self.kind,),
            importance=int(Importance[self.importance.upper()]),
            review=self.review,
            words=self.q,
            after=ChangePosition(*decode_cursor(self.after, _CURSOR)) if self.after else None,
        )


@router.get("/changes")
def list_changes(_: Viewer, served: AppStateDep, query: Annotated[ChangeListQuery, Query()]) -> CursorList[PageChange]:
    """List what changed, the newest first. Initial captures of a source are not listed."""
    with served.ledger.connect() as conn:
        return _read_changes(conn, query.wanted(), query.limit)


@router.get("/changes/summary")
def summarize_changes(_: Viewer, served: AppStateDep) -> ChangeSummary:
    """Return how many changes wait for a review, since when, and how many came in each of twelve weeks."""
    today = served.now().date()
    monday = today - timedelta(days=today.weekday())
    starts = [monday - timedelta(weeks=back) for back in reversed(range(_WEEKS))]
    since = datetime.combine(starts[0], time.min, UTC)
    numbers: Counter[tuple[date, str]] = Counter()
    with served.ledger.connect() as conn:
        for day, importance, number in change_records.count_by_day(conn, since):
            numbers[day - timedelta(days=day.weekday()), Importance(importance).word] += number
        return ChangeSummary(
            open=_count_open(conn),
            oldest_open_at=change_records.oldest_open(conn),
            undescribed=change_records.count_undescribed(conn),
            weeks=[
                ChangeWeek(starts_on=on, **{word: numbers[on, word] for word in OpenChanges.model_fields})
                for on in starts
            ],
        )


@router.post("/changes/review")
def review_changes(order: ReviewOrder, person: Operator, served: AppStateDep) -> OpenChanges:
    """Record whether changes are material: all of them, or none when one is unknown."""
    chosen = [require_version_id(change_id) for change_id in order.changes]
    reason = (order.reason or "").strip() or None
    with served.ledger.begin() as conn:
        unknown = change_records.review_changes(
            conn, chosen, order.decision, reason=reason, actor=person.name, now=served.now()
        )
        if unknown:
            names = [format_version_id(*one) for one in unknown]
            raise ApiError(404, "unknown_change", f"No such change: {', '.join(names)}.", changes=names)
        return _count_open(conn)


def _read_changes(conn: Connection, wanted: ChangeFilter, limit: int) -> CursorList[PageChange]:
    found = list(change_records.list_changes(conn, wanted, limit=limit + 1))
    last = found[limit - 1] if len(found) > limit else None
    return CursorList(
        items=[_page_change(change) for change in found[:limit]],
        next=None if last is None else encode_cursor(last.at, last.page_id, last.seq),
    )


def _count_open(conn: Connection) -> OpenChanges:
    found = change_records.count_open(conn)
    return OpenChanges(
        high=found.get(Importance.HIGH, 0), medium=found.get(Importance.MEDIUM, 0), low=found.get(Importance.LOW, 0)
    )


def _page_change(change: ChangeRow) -> PageChange:
    part = change.details.get("part")
    return PageChange(
        change_id=change.change_id,
        at=change.at,
        source_id=change.source_id,
        page_id=change.page_id,
        url=change.url,
        title=change.title,
        kind=change.kind,
        kind_name=KINDS[change.kind],
        importance=Importance(change.importance).word,
        reasons=change_reasons(change),
        sentence=change_sentence(change),
        publication=part or change.run_id,
        publication_name=part or change.source_id,
        from_version=None if change.from_seq is None else format_version_id(change.page_id, change.from_seq),
        to_version=change.change_id,
        effective=change.effective,
        notes=change.details.get("notes", []),
        review=change.decision or OPEN,
        reason=change.reason,
        reviewed_by=change.reviewed_by,
        reviewed_at=change.reviewed_at,
    )
