"""Endpoints of the list of changes, and of decisions on them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from rori_spiders.comparison import noise_proposal
from rori_spiders.comparison.change_description import KINDS
from rori_spiders.comparison.change_log import present_lines
from rori_spiders.comparison.change_report import change_reasons, change_sentence, name_publication, order_reasons
from rori_spiders.comparison.importance import Importance
from rori_spiders.comparison.version_diff import TextArchive
from rori_spiders.exceptions import UnknownName
from rori_spiders.ledger.operations import accounts
from rori_spiders.ledger.pages import (
    agency_owners,
    change_assignments,
    change_readings,
    change_records,
    imported_changes,
    subscriptions,
)
from rori_spiders.ledger.pages.change_records import (
    ChangeFilter,
    ChangePosition,
    ListedTogether,
    RankedPosition,
)
from rori_spiders.ledger.pages.imported_changes import ImportedChangePosition
from rori_spiders.ledger.pages.vocabulary import OPEN, Review, format_version_id
from rori_spiders.monitor.changes.schemas import (
    AgencyOwner,
    AssignOrder,
    ChangeSummary,
    ChangeWeek,
    Comment,
    CommentOrder,
    ImportedChange,
    NoiseEffect,
    NoiseProposal,
    OpenChanges,
    OwnerOrder,
    PageChange,
    ReadingOrder,
    ReviewOrder,
    Together,
)
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.rest.params import (
    CursorInt,
    CursorText,
    CursorTime,
    Instant,
    decode_cursor,
    encode_cursor,
    require_version_id,
)
from rori_spiders.monitor.rest.schemas import CursorList
from rori_spiders.monitor.security.permissions import Reviewer, Viewer  # noqa: TC001  # FastAPI reads annotations
from rori_spiders.monitor.state.dependencies import AppStateDep  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.pages.change_records import ChangeRow
    from rori_spiders.ledger.pages.imported_changes import ImportedChangeRow
    from rori_spiders.monitor.state.dependencies import AppState

router = APIRouter(tags=["changes"])

_WEEKS = 12
_CURSOR: TypeAdapter[tuple[CursorTime, CursorInt, CursorInt]] = TypeAdapter(tuple[CursorTime, CursorInt, CursorInt])
_RANKED_CURSOR: TypeAdapter[tuple[CursorInt, CursorText, CursorText, CursorInt, CursorTime, CursorInt, CursorInt]] = (
    TypeAdapter(tuple[CursorInt, CursorText, CursorText, CursorInt, CursorTime, CursorInt, CursorInt])
)


_IMPORTED_CURSOR: TypeAdapter[tuple[CursorTime, CursorText, CursorText]] = TypeAdapter(
    tuple[CursorTime, CursorText, CursorText]
)


class ImportedChangeListQuery(BaseModel):
    """Filters of the list of changes between imported texts, and the position where it goes on."""

    model_config = ConfigDict(extra="forbid")

    source: str | None = Field(None, max_length=200)
    kind: str | None = Field(None, max_length=12)
    importance: Literal["high", "medium", "low"] = Field("low", description="At least.")
    q: str = Field("", max_length=200, description="Text to find in URL or title.")
    since: Instant | None = None
    until: Instant | None = Field(None, description="Before then.")
    after: str | None = Field(None, max_length=1000)
    limit: int = Field(50, ge=1, le=200)

    @property
    def filters(self) -> ChangeFilter:
        """The filters in the ledger's form."""
        return ChangeFilter(
            since=self.since,
            until=self.until,
            sources=() if self.source is None else (self.source,),
            kinds=() if self.kind is None else (self.kind,),
            importance=int(Importance[self.importance.upper()]),
            words=self.q,
        )


class ChangeListQuery(ImportedChangeListQuery):
    """Filters of the list, and the position where it goes on."""

    review: Review | None = None
    mine: bool = Field(
        False, description="Only those assigned to you, or to nobody and in a filter you watch or an agency you own."
    )
    assignee: str | None = Field(None, max_length=100)
    overdue: bool = Field(False, description="Only those whose day is over, and that still wait.")
    unread: bool = Field(False, description="Only those that you have not read.")
    order: Literal["newest", "importance"] = Field(
        "newest",
        description="`importance`: the most important publications first, by their points; low ones by site.",
    )

    @property
    def is_ranked(self) -> bool:
        return self.order == "importance"

    def wanted(self, conn: Connection, person: str, served: AppState, now: datetime) -> ChangeFilter:
        """Return all filters in the ledger's form. Raises ApiError for a cursor of another list."""
        return replace(
            self.filters,
            review=self.review,
            assignee=self.assignee,
            mine=subscriptions.personal_changes(conn, person, served.catalog(conn).agencies) if self.mine else None,
            overdue_at=now if self.overdue else None,
            unread_by=person if self.unread else None,
            after=None if self.is_ranked or not self.after else ChangePosition(*decode_cursor(self.after, _CURSOR)),
        )


@router.get("/changes")
def list_changes(
    person: Viewer, served: AppStateDep, query: Annotated[ChangeListQuery, Query()]
) -> CursorList[PageChange]:
    """List what changed, the newest first or what matters most. Initial captures of a source are not listed."""
    with served.ledger.connect() as conn:
        wanted = query.wanted(conn, person.name, served, served.now())
        found, cursor = _read_ranked(conn, wanted, query) if query.is_ranked else _read_newest(conn, wanted, query)
        together = _count_together(conn, wanted, found)
        return CursorList(items=_page_changes(conn, person.name, found, together, served), next=cursor)


@router.get("/changes/imported")
def list_imported_changes(
    _: Viewer, served: AppStateDep, query: Annotated[ImportedChangeListQuery, Query()]
) -> CursorList[ImportedChange]:
    """List what differs between imported texts, newest first. This collector saw none of it, and nobody reviews it."""
    after = ImportedChangePosition(*decode_cursor(query.after, _IMPORTED_CURSOR)) if query.after else None
    with served.ledger.connect() as conn:
        listed = imported_changes.list_imported_changes(conn, query.filters, after=after, limit=query.limit + 1)
        found = list(listed)
    last = found[query.limit - 1] if len(found) > query.limit else None
    items = [_imported_change(one) for one in found[: query.limit]]
    return CursorList(items=items, next=None if last is None else encode_cursor(last.at, last.import_id, last.record))


@router.get("/changes/summary")
def summarize_changes(person: Viewer, served: AppStateDep) -> ChangeSummary:
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
            unread=change_records.count_unread(conn, person.name),
            overdue=change_records.count_overdue(conn, served.now()),
            people=[user.name for user in accounts.list_users(conn)],
            imported=imported_changes.count_imported_changes(conn, ChangeFilter()),
            undescribed=change_records.count_undescribed(conn),
            weeks=[
                ChangeWeek(starts_on=on, **{word: numbers[on, word] for word in OpenChanges.model_fields})
                for on in starts
            ],
        )


@router.post("/session/changes/read", status_code=204)
def mark_changes(order: ReadingOrder, person: Viewer, served: AppStateDep) -> None:
    """Record that you have read changes, or want them unread again."""
    chosen = [require_version_id(change_id) for change_id in order.changes]
    with served.ledger.begin() as conn:
        _refuse_unknown(
            change_readings.mark_changes(conn, chosen, read=order.read, actor=person.name, now=served.now())
        )


@router.post("/changes/review")
def review_changes(order: ReviewOrder, person: Reviewer, served: AppStateDep) -> OpenChanges:
    """Record whether changes are material: all of them, or none when one is unknown."""
    chosen = [require_version_id(change_id) for change_id in order.changes]
    reason = (order.reason or "").strip() or None
    with served.ledger.begin() as conn:
        unknown = change_records.review_changes(
            conn, chosen, order.decision, reason=reason, actor=person.name, now=served.now()
        )
        _refuse_unknown(unknown)
        return _count_open(conn)


@router.post("/changes/assign", status_code=204)
def assign_changes(order: AssignOrder, person: Reviewer, served: AppStateDep) -> None:
    """Name who is to look at changes, and by when; or take the assignment back."""
    chosen = [require_version_id(change_id) for change_id in order.changes]
    with served.ledger.begin() as conn:
        if order.assignee is not None and accounts.find_user(conn, order.assignee) is None:
            raise ApiError(404, "unknown_user", f"No user {order.assignee!r}.")
        unknown = change_assignments.assign_changes(
            conn,
            chosen,
            order.assignee,
            due_on=order.due_on,
            comment=(order.comment or "").strip() or None,
            actor=person.name,
            now=served.now(),
        )
        _refuse_unknown(unknown)


@router.post("/changes/comment", status_code=204)
def comment_changes(order: CommentOrder, person: Reviewer, served: AppStateDep) -> None:
    """Record what a person writes about changes. It stays."""
    chosen = [require_version_id(change_id) for change_id in order.changes]
    with served.ledger.begin() as conn:
        text, now = order.text.strip(), served.now()
        _refuse_unknown(change_assignments.comment_changes(conn, chosen, text, actor=person.name, now=now))


@router.get("/changes/noise-lines")
def propose_noise_lines(
    _: Viewer,
    served: AppStateDep,
    change: Annotated[list[str], Query(min_length=1, max_length=50, description="Of one source, not material.")],
) -> NoiseProposal:
    """Propose noise lines for the manifest from changes that are not material, with their effect on past changes."""
    chosen = [require_version_id(change_id) for change_id in change]
    with served.ledger.connect() as conn:
        archive = TextArchive(served.ledger, served.store, partial(served.catalog, conn))
        try:
            proposal = noise_proposal.propose_noise_lines(archive, chosen)
        except UnknownName as error:
            raise ApiError(404, "unknown_change", f"{error}.") from None
        present = present_lines(archive, proposal.source_id)
    return NoiseProposal(
        source_id=proposal.source_id,
        noise_lines=list(proposal.lines),
        manifest=proposal.manifest_lines(present),
        left=list(proposal.left),
        past=proposal.past,
        compared=proposal.compared,
        effects=[
            NoiseEffect(
                change_id=effect.change.change_id,
                at=effect.change.at,
                url=effect.change.url,
                was=Importance(effect.change.importance).word,
                importance=effect.importance.word,
                figures=[list(figure) for figure in effect.figures],
                sentence=change_sentence(effect.change),
            )
            for effect in proposal.effects
        ],
    )


@router.get("/changes/owners")
def list_owners(_: Viewer, served: AppStateDep) -> list[AgencyOwner]:
    """List the agencies of the active manifest, and who owns each."""
    with served.ledger.connect() as conn:
        owners, agencies = agency_owners.list_owners(conn), served.catalog(conn).agencies
        return [
            AgencyOwner(agency=agency, sources=len(ids), owner=owners.get(agency)) for agency, ids in agencies.items()
        ]


@router.post("/changes/owners", status_code=204)
def set_owner(order: OwnerOrder, person: Reviewer, served: AppStateDep) -> None:
    """Name who owns an agency: changes of its sources are theirs as long as nobody is assigned."""
    with served.ledger.begin() as conn:
        if order.agency not in served.catalog(conn).agencies:
            raise ApiError(404, "unknown_agency", f"No source has the agency {order.agency!r}.")
        if order.owner is not None and accounts.find_user(conn, order.owner) is None:
            raise ApiError(404, "unknown_user", f"No user {order.owner!r}.")
        agency_owners.set_owner(conn, order.agency, order.owner, actor=person.name, now=served.now())


def _refuse_unknown(unknown: list[tuple[int, int]]) -> None:
    if unknown:
        names = [format_version_id(*one) for one in unknown]
        raise ApiError(404, "unknown_change", f"No such change: {', '.join(names)}.", changes=names)


#: A change, and the site with whose other low changes it stands; None: it stands with its publication.
_Listed = tuple["ChangeRow", str | None]


def _read_newest(conn: Connection, wanted: ChangeFilter, query: ChangeListQuery) -> tuple[list[_Listed], str | None]:
    found = list(change_records.list_changes(conn, wanted, limit=query.limit + 1))
    last = found[query.limit - 1] if len(found) > query.limit else None
    listed: list[_Listed] = [(change, None) for change in found[: query.limit]]
    return listed, None if last is None else encode_cursor(last.at, last.page_id, last.seq)


def _read_ranked(conn: Connection, wanted: ChangeFilter, query: ChangeListQuery) -> tuple[list[_Listed], str | None]:
    after = RankedPosition(*decode_cursor(query.after, _RANKED_CURSOR)) if query.after else None
    found = change_records.list_by_importance(conn, wanted, after=after, limit=query.limit + 1)
    last = found[query.limit - 1][0] if len(found) > query.limit else None
    listed = [(change, None if place.rank else change.site) for place, change in found[: query.limit]]
    return listed, None if last is None else encode_cursor(*last)


def _count_together(conn: Connection, wanted: ChangeFilter, found: Sequence[_Listed]) -> list[ListedTogether]:
    """Of each change what stands together with it. A change that was recorded meanwhile counts itself."""
    publications = {change.publication for change, site in found if site is None}
    of_publication = change_records.count_together(conn, wanted, publications)
    of_site = change_records.count_low_together(conn, wanted, {site for _, site in found if site is not None})
    alone = ListedTogether(1, 1)
    return [
        of_publication.get(change.publication, alone) if site is None else of_site.get(site, alone)
        for change, site in found
    ]


def _count_open(conn: Connection) -> OpenChanges:
    found = change_records.count_open(conn)
    return OpenChanges(
        high=found.get(Importance.HIGH, 0), medium=found.get(Importance.MEDIUM, 0), low=found.get(Importance.LOW, 0)
    )


def _page_changes(
    conn: Connection, person: str, listed: Sequence[_Listed], together: Sequence[ListedTogether], served: AppState
) -> list[PageChange]:
    found = [change for change, _ in listed]
    read = change_readings.read_times(conn, person, [change.change_id for change in found])
    owners, agencies, now = agency_owners.list_owners(conn), served.catalog(conn).agencies, served.now()
    owner_of = {source_id: owners.get(agency) for agency, ids in agencies.items() for source_id in ids}
    pages_of = change_records.count_pages(conn, {change.publication for change in found})
    return [
        _page_change(
            one, pages_of.get(one.publication, 0), its, read.get(one.change_id), owner_of.get(one.source_id), now
        )
        for one, its in zip(found, together, strict=True)
    ]


def _described_fields(change: ChangeRow | ImportedChangeRow) -> dict[str, Any]:
    """What both kinds of changes have: of which page, how important, and what is other."""
    return {
        "source_id": change.source_id,
        "page_id": change.page_id,
        "url": change.url,
        "title": change.title,
        "kind": change.kind,
        "kind_name": KINDS[change.kind],
        "importance": Importance(change.importance).word,
        "reasons": change_reasons(change),
        "sentence": change_sentence(change),
        "notes": change.details.get("notes", []),
    }


def _page_change(
    change: ChangeRow,
    pages: int,
    together: ListedTogether,
    read_at: datetime | None,
    owner: str | None,
    now: datetime,
) -> PageChange:
    return PageChange(
        change_id=change.change_id,
        at=change.at,
        **_described_fields(change),
        passages=1 + change.details.get("more_passages", 0),
        points=change.points,
        order_reasons=order_reasons(change),
        publication=change.publication,
        publication_name=name_publication(change, pages),
        site=change.site,
        together=Together.model_validate(together),
        edit=change.details.get("edit"),
        from_version=None if change.from_seq is None else format_version_id(change.page_id, change.from_seq),
        to_version=change.change_id,
        effective=change.effective,
        read_at=read_at,
        review=change.decision or OPEN,
        reason=change.reason,
        reviewed_by=change.reviewed_by,
        reviewed_at=change.reviewed_at,
        assignee=change.assignee,
        owner=owner,
        due_on=None if change.due_on is None else date.fromisoformat(change.due_on),
        overdue=change.is_overdue(now),
        comments=[Comment.model_validate(comment) for comment in change.comments],
    )


def _imported_change(change: ImportedChangeRow) -> ImportedChange:
    return ImportedChange(
        change_id=change.change_id,
        stated_at=change.at,
        previously_stated_at=change.from_at,
        **_described_fields(change),
        trust=change.trust or "stated",
        previous_trust=change.from_trust,
        content_hash=change.content_hash and f"sha256:{change.content_hash}",
        previous_content_hash=change.from_content_hash and f"sha256:{change.from_content_hash}",
        imported_from=change.imported_from,
        imported_by=change.imported_by,
        imported_at=change.imported_at,
    )
