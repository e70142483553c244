"""Changes of pages as rows: which versions are not yet described, their descriptions, lists of them, and what people
decided of each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, delete, false, func, literal, or_, select, tuple_, update

from rori_spiders.ledger.audit.fact_log import note_rows
from rori_spiders.ledger.dialects import insert_new, upsert, utc_day
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.pages.change_assignments import IS_ASSIGNED, is_overdue, list_comments
from rori_spiders.ledger.pages.change_readings import is_unread
from rori_spiders.ledger.pages.page_history import PageRow
from rori_spiders.ledger.pages.vocabulary import OPEN, Review, format_version_id
from rori_spiders.ledger.tables import (
    change_assignments,
    change_reviews,
    change_weights,
    changes,
    pages,
    runs,
    versions,
)
from rori_spiders.runtime.redaction import get_redactor

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sqlalchemy import CTE, ColumnElement, Connection, Select, Subquery

    from rori_spiders.ledger.pages.change_assignments import ChangeComment

_BATCH = 500
#: Ends of runs after which a source is known: what appears later is new there. A run cut short has not looked at all.
_ENDS = ("complete", "incomplete")
#: A line that changed in so many versions, one after the other, changes by itself. A judgement: a rule that is amended
#: three times in a row in the same line, without a word that binds, is not known.
_RESTLESS = 3
#: A line of each week changes so often within it, one of each month does not.
RESTLESS_DAYS = 45
#: What a source held when it was collected first: a row without a change.
INITIAL = "initial"
#: ... as rows have it that older releases wrote: they are facts, and stay as they are.
_OLD_INITIAL = "baseline"

REVIEW_ACTION = "review_change"


class ChangePosition(NamedTuple):
    """A change in the order of the list; the next one follows it."""

    at: datetime
    page_id: int
    seq: int


class RankedPosition(NamedTuple):
    """A change in the list by importance: its publication's rank, day and name, then its own place there."""

    rank: int
    day: str  # 2026-11-30, in UTC; empty where low changes of a site stand together, whatever their day
    publication: str
    own_rank: int
    at: datetime
    page_id: int
    seq: int


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
    importance: int = 1  # at least; 0: initial captures too
    review: Review | None = None
    words: str = ""  # in URL or title
    assignee: str | None = None
    mine: PersonalChanges | None = None
    overdue_at: datetime | None = None  # those whose day was over then
    unread_by: str | None = None  # those that this person has not read
    after: ChangePosition | None = None

    def conditions(self) -> Iterator[ColumnElement[bool]]:
        yield changes.c.importance >= self.importance
        if self.since is not None:
            yield changes.c.at >= self.since
        if self.until is not None:
            yield changes.c.at < self.until
        if self.sources:
            yield changes.c.source_id.in_(self.sources)
        if self.kinds:
            old = (_OLD_INITIAL,) if INITIAL in self.kinds else ()
            yield changes.c.kind.in_((*self.kinds, *old))
        if self.review is not None:
            yield func.coalesce(change_reviews.c.decision, OPEN) == self.review
        if self.words:
            texts = (pages.c.url, versions.c.title)
            yield or_(*(text.icontains(self.words, autoescape=True) for text in texts))
        yield from self._personal_conditions()
        if self.after is not None:
            at, page_id, seq = self.after
            same_time = changes.c.at == at
            same_page = changes.c.page_id == page_id
            yield or_(
                changes.c.at < at,
                same_time & (changes.c.page_id > page_id),
                same_time & same_page & (changes.c.seq < seq),
            )

    def _personal_conditions(self) -> Iterator[ColumnElement[bool]]:
        if self.assignee is not None:
            yield change_assignments.c.assignee == self.assignee
        if self.mine is not None:
            yield self.mine.condition()
        if self.overdue_at is not None:
            yield is_overdue(self.overdue_at)
        if self.unread_by is not None:
            yield is_unread(self.unread_by)


@dataclass(frozen=True, slots=True)
class PersonalChanges:
    """The changes of a person: assigned to them, or to nobody and in one of the filters that they watch."""

    person: str
    watched: Sequence[ChangeFilter] = ()

    def condition(self) -> ColumnElement[bool]:
        """Of a change in a query with its assignment, page and version."""
        theirs = or_(false(), *(and_(*one.conditions()) for one in self.watched))
        free = change_assignments.c.assignee.is_(None)
        return or_(change_assignments.c.assignee == self.person, and_(free, theirs))


class ChangeRow(NamedTuple):
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
    decision: Review | None  # None: open
    reason: str | None
    reviewed_by: str | None
    reviewed_at: datetime | None
    assignee: str | None = None
    due_on: str | None = None  # 2026-11-30
    assigned_by: str | None = None
    assigned_at: datetime | None = None
    points: int = 0  # 0 also where it was not weighed yet
    weight_rules: Sequence[str] = ()
    publication: str = ""  # changes with the same belong together
    site: str = ""  # the registrable domain; of a change that was not weighed yet its source
    comments: tuple[ChangeComment, ...] = ()

    def is_overdue(self, now: datetime) -> bool:
        """Whether its day is over, and it is neither closed nor called not material."""
        waits = self.decision in {None, OPEN, "material"}
        return waits and self.due_on is not None and self.due_on < now.astimezone(UTC).date().isoformat()

    @property
    def change_id(self) -> str:
        """What programs know it by: ``12-3``, the change that the third version of page 12 brought."""
        return format_version_id(self.page_id, self.seq)


def record_initial_captures(conn: Connection, *, now: datetime) -> int:
    """Record first captures of sources that no run had looked at to its end before; how many versions are left."""
    earlier = runs.alias("earlier")
    known = select(earlier.c.run_id).where(
        earlier.c.source_id == runs.c.source_id,
        earlier.c.run_id != runs.c.run_id,
        earlier.c.state.in_(_ENDS),
        earlier.c.finished_at <= runs.c.started_at,
    )
    first = (
        _undescribed(versions.c.page_id, versions.c.seq, pages.c.source_id, versions.c.captured_at, pages.c.url)
        .join(runs, runs.c.run_id == versions.c.run_id)
        .where(versions.c.seq == 1, ~known.exists())
    )
    rows = [
        {
            "page_id": row.page_id,
            "seq": row.seq,
            "source_id": row.source_id,
            "at": row.captured_at,
            "kind": INITIAL,
            "importance": 0,
            "details": {},
            "described_at": now,
            "from_seq": None,
            "url": row.url,
        }
        for row in conn.execute(first)
    ]
    for start in range(0, len(rows), _BATCH):
        add_changes(conn, rows[start : start + _BATCH])
    return count_undescribed(conn)


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


def restless_lines(conn: Connection, page_id: int, seq: int) -> set[str]:
    """The ``lines`` that changed in each of the last versions of a page before *seq*: what changes by itself.

    None where those versions took longer than RESTLESS_DAYS: a limit that is amended each year is no counter.
    """
    own = select(versions.c.captured_at).where(versions.c.page_id == page_id, versions.c.seq == seq)
    if (captured := conn.execute(own).scalar_one_or_none()) is None:
        return set()
    query = select(changes.c.details).where(
        *(changes.c.page_id == page_id, changes.c.seq < seq, changes.c.importance > 0),
        changes.c.at >= captured - timedelta(days=RESTLESS_DAYS),
    )
    last = conn.execute(query.order_by(changes.c.seq.desc()).limit(_RESTLESS)).scalars().all()
    lines = [set(details.get("lines", ())) for details in last]
    return set.intersection(*lines) if len(lines) == _RESTLESS else set()


def list_details_of_site(
    conn: Connection, site: str, since: datetime, until: datetime
) -> Iterator[tuple[int, datetime, dict[str, Any]]]:
    """The ``details`` of weighed changes of a site, with their pages and times, in the order of their captures."""
    query = (
        select(changes.c.page_id, changes.c.at, changes.c.details)
        .select_from(changes.join(change_weights, _IS_WEIGHED))
        .where(change_weights.c.site == site, changes.c.at >= since, changes.c.at < until)
        .order_by(changes.c.at, changes.c.page_id, changes.c.seq)
    )
    for row in conn.execute(query):
        yield row.page_id, row.at, row.details


def add_changes(conn: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Add rows of ``changes``, each with the ``url`` of its page; those that another process added meanwhile stay."""
    own = [{name: value for name, value in row.items() if name != "url"} for row in rows]
    added = insert_new(conn, changes, own)
    note_rows(conn, "change", (row for row in rows if (row["page_id"], row["seq"]) in added))


class UnweighedChange(NamedTuple):
    """A change that is to have its place within its importance."""

    page_id: int
    seq: int
    at: datetime
    url: str
    title: str | None
    details: dict[str, Any]
    run_id: str
    publication: str | None  # None: it has no place yet


_IS_WEIGHED = and_(change_weights.c.page_id == changes.c.page_id, change_weights.c.seq == changes.c.seq)


def _weighable() -> Select[Any]:
    version = and_(versions.c.page_id == changes.c.page_id, versions.c.seq == changes.c.seq)
    return (
        select(
            *(changes.c.page_id, changes.c.seq, changes.c.at, pages.c.url, versions.c.title, changes.c.details),
            *(versions.c.run_id, change_weights.c.publication),
        )
        .select_from(changes)
        .join(pages, pages.c.page_id == changes.c.page_id)
        .join(versions, version)
        .outerjoin(change_weights, _IS_WEIGHED)
        .where(changes.c.importance > 0)
    )


def list_unweighed(conn: Connection, limit: int) -> list[UnweighedChange]:
    """Changes without a place within their importance, the oldest first; at most *limit*."""
    query = _weighable().where(change_weights.c.page_id.is_(None))
    rows = conn.execute(query.order_by(changes.c.at, changes.c.page_id, changes.c.seq).limit(limit))
    return [UnweighedChange(*row) for row in rows]


def list_same_shape(conn: Connection, site: str, shape: str) -> list[UnweighedChange]:
    """Weighed changes of lines of that shape on the site."""
    query = _weighable().where(change_weights.c.site == site, change_weights.c.shape == shape)
    return [UnweighedChange(*row) for row in conn.execute(query)]


def list_days_of_shape(conn: Connection, site: str, shape: str) -> set[str]:
    """Days in UTC with weighed changes of lines of that shape on the site."""
    query = (
        select(utc_day(conn, changes.c.at))
        .select_from(changes.join(change_weights, _IS_WEIGHED))
        .where(change_weights.c.site == site, change_weights.c.shape == shape)
    )
    return set(conn.execute(query.distinct()).scalars())


def open_publication(conn: Connection, ids: Sequence[str]) -> str | None:
    """The last of *ids* that a weighed change has."""
    its = change_weights.c.publication
    last: str | None = conn.execute(select(func.max(its)).where(its.in_(ids))).scalar_one()
    return last


def find_amending(
    conn: Connection, parts: Collection[str], since: datetime, until: datetime, *, importance: int
) -> str | None:
    """The publication of the last weighed document, captured between the two times, that amends one of *parts*.

    *importance*: that of such documents, which few other new pages have.
    """
    query = (
        select(changes.c.details, change_weights.c.publication)
        .select_from(changes.join(change_weights, _IS_WEIGHED))
        .where(changes.c.kind == "new_page", changes.c.importance == importance, changes.c.at.between(since, until))
        .order_by(changes.c.at.desc())
    )
    found = (row.publication for row in conn.execute(query) if not set(parts).isdisjoint(row.details.get("amends", ())))
    return next(found, None)


def list_same_edit(conn: Connection, edit: str, since: datetime, until: datetime) -> list[UnweighedChange]:
    """Weighed changes of that edit of a site, captured between the two times, that stand with their run."""
    query = _weighable().where(
        change_weights.c.edit == edit,
        change_weights.c.publication == versions.c.run_id,
        changes.c.at.between(since, until),
    )
    return [UnweighedChange(*row) for row in conn.execute(query.order_by(changes.c.at))]


def move_to_publication(conn: Connection, moved: Sequence[UnweighedChange], publication: str) -> None:
    """Let weighed changes belong to *publication*."""
    for one in moved:
        its = (change_weights.c.page_id == one.page_id, change_weights.c.seq == one.seq)
        conn.execute(update(change_weights).where(*its).values(publication=publication))


def add_weights(conn: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Record places of changes, new ones or in place of those before."""
    upsert(conn, change_weights, list(rows))


def count_pages(conn: Connection, publications: Collection[str]) -> dict[str, int]:
    """How many pages the weighed changes of each publication are of."""
    its = change_weights.c.publication
    pages_of = func.count(change_weights.c.page_id.distinct())
    query = select(its, pages_of).where(its.in_(publications)).group_by(its)
    return {row[0]: row[1] for row in conn.execute(query)}


#: Until a job has weighed them, the changes of a source stand together.
_PUBLICATION = func.coalesce(change_weights.c.publication, changes.c.source_id)
_SITE = func.coalesce(change_weights.c.site, changes.c.source_id)
_IS_REVIEWED = and_(change_reviews.c.page_id == changes.c.page_id, change_reviews.c.seq == changes.c.seq)


def list_changes(
    conn: Connection, wanted: ChangeFilter, *also: ColumnElement[bool], limit: int | None = None
) -> Iterator[ChangeRow]:
    """Changes with their pages and versions, newest first; those for which *also* holds too."""
    query = (
        _select_changes(
            *changes.c,
            pages.c.url,
            versions.c.title,
            versions.c.run_id,
            versions.c.content_hash,
            versions.c.published,
            versions.c.effective,
            versions.c.publisher_version,
            change_reviews.c.decision,
            change_reviews.c.reason,
            change_reviews.c.reviewed_by,
            change_reviews.c.reviewed_at,
            change_assignments.c.assignee,
            change_assignments.c.due_on,
            change_assignments.c.assigned_by,
            change_assignments.c.assigned_at,
            func.coalesce(change_weights.c.points, 0).label("points"),
            change_weights.c.rules.label("weight_rules"),
            _PUBLICATION.label("publication"),
            _SITE.label("site"),
        )
        .where(*wanted.conditions(), *also)
        .order_by(changes.c.at.desc(), changes.c.page_id, changes.c.seq.desc())
        .limit(limit)
    )
    found = conn.execute(query.execution_options(yield_per=_BATCH))
    kind, weight_rules = map(ChangeRow._fields.index, ("kind", "weight_rules"))
    for rows in found.partitions():
        comments = list_comments(conn, [row[:2] for row in rows])
        for row in rows:
            values = [*row, comments.get(format_version_id(*row[:2]), ()) if comments else ()]
            if values[kind] == _OLD_INITIAL:
                values[kind] = INITIAL
            if values[weight_rules] is None:
                values[weight_rules] = ()
            yield ChangeRow._make(values)


def find_changes(conn: Connection, wanted: Collection[tuple[int, int]]) -> list[ChangeRow]:
    """Those of *wanted*, by page and version, that are changes, newest first."""
    return list(list_changes(conn, ChangeFilter(), tuple_(changes.c.page_id, changes.c.seq).in_(wanted)))


def _select_changes(*columns: ColumnElement[Any]) -> Select[Any]:
    version = and_(versions.c.page_id == changes.c.page_id, versions.c.seq == changes.c.seq)
    # Each has a page and a version; by an outer join, databases leave out those that a query does not read.
    return (
        select(*columns)
        .select_from(changes)
        .outerjoin(pages, pages.c.page_id == changes.c.page_id)
        .outerjoin(versions, version)
        .outerjoin(change_reviews, _IS_REVIEWED)
        .outerjoin(change_assignments, IS_ASSIGNED)
        .outerjoin(change_weights, _IS_WEIGHED)
    )


#: A change ranks by its importance first; points only order those of one.
_RANKS_APART = 1000
_LEAST_MEDIUM = 2 * _RANKS_APART - _RANKS_APART // 2


def list_by_importance(
    conn: Connection, wanted: ChangeFilter, *, after: RankedPosition | None = None, limit: int
) -> list[tuple[RankedPosition, ChangeRow]]:
    """At most *limit* changes behind *after*: those of the most important publications first, by their points.

    The changes of a publication (comparison/change_log.py) stand together, whatever each matters; its day is that of
    the newest. Publications in which all is low stand together by site. Where points are equal, the newest are first.
    """
    day = utc_day(conn, changes.c.at).label("day")
    points = func.coalesce(change_weights.c.points, 0)
    own_rank = (changes.c.importance * _RANKS_APART + points).label("own_rank")
    place = (own_rank, changes.c.at, changes.c.page_id, changes.c.seq)
    names = (_PUBLICATION.label("publication"), _SITE.label("site"))
    named = _select_changes(day, *names, *place).where(*wanted.conditions()).cte("named")
    positions: list[RankedPosition] = []
    for ranked in _rank_publications(named)[after is not None and after.rank == 0 :]:
        if len(positions) < limit:
            query = _order_positions(ranked.subquery(), after).limit(limit - len(positions))
            positions += [RankedPosition(*row) for row in conn.execute(query)]
    chosen = tuple_(changes.c.page_id, changes.c.seq).in_([(one.page_id, one.seq) for one in positions])
    found = {(one.page_id, one.seq): one for one in list_changes(conn, ChangeFilter(importance=0), chosen)}
    return [(one, found[one.page_id, one.seq]) for one in positions if (one.page_id, one.seq) in found]


#: The rank and day of all publications in which all is low.
_LOW_PLACE = (literal(0).label("rank"), literal("").label("day"))


def _rank_publications(named: CTE) -> list[Select[Any]]:
    """Places in the list: of publications with more than low changes, which alone are ranked, and of the rest."""
    above = named.c.publication.in_(select(named.c.publication).where(named.c.own_rank >= _LEAST_MEDIUM))
    own = [named.c[name] for name in ("own_rank", "at", "page_id", "seq")]
    rank, day = (func.max(one).over(partition_by=named.c.publication) for one in (named.c.own_rank, named.c.day))
    return [
        select(rank.label("rank"), day.label("day"), named.c.publication, *own).where(above),
        select(*_LOW_PLACE, named.c.site.label("publication"), *own).where(~above),
    ]


def _order_positions(ranked: Subquery, after: RankedPosition | None) -> Select[Any]:
    is_upward = {"publication", "page_id"}
    query = select(ranked).order_by(*(one if one.name in is_upward else one.desc() for one in ranked.c))
    if after is None:
        return query
    behind: list[ColumnElement[bool]] = []
    equal: list[ColumnElement[bool]] = []
    for one, value in zip(ranked.c, after, strict=True):
        behind.append(and_(*equal, one > value if one.name in is_upward else one < value))
        equal.append(one == value)
    return query.where(or_(*behind))


class ListedTogether(NamedTuple):
    """How much of what stands together in a list a filter lets pass, wherever an answer ends."""

    changes: int
    pages: int


def count_together(conn: Connection, wanted: ChangeFilter, publications: Collection[str]) -> dict[str, ListedTogether]:
    """Of each of *publications*, by its name."""
    return _count_together(conn, wanted, _PUBLICATION, publications)


def count_low_together(conn: Connection, wanted: ChangeFilter, sites: Collection[str]) -> dict[str, ListedTogether]:
    """Of each of *sites*, by its name: what stands together at the end of the list by importance."""
    above = _select_changes(_PUBLICATION).where(*replace(wanted, after=None).conditions(), changes.c.importance > 1)
    return _count_together(conn, wanted, _SITE, sites, _PUBLICATION.not_in(above)) if sites else {}


def _count_together(
    conn: Connection, wanted: ChangeFilter, name: ColumnElement[str], names: Collection[str], *also: ColumnElement[bool]
) -> dict[str, ListedTogether]:
    query = (
        _select_changes(name, func.count(), func.count(changes.c.page_id.distinct()))
        .where(*replace(wanted, after=None).conditions(), name.in_(names), *also)
        .group_by(name)
    )
    return {row[0]: ListedTogether(row[1], row[2]) for row in conn.execute(query)}


def count_open(conn: Connection) -> dict[int, int]:
    """How many changes nobody has reviewed, by importance; initial captures are none."""
    query = (
        select(changes.c.importance, func.count())
        .outerjoin(change_reviews, _IS_REVIEWED)
        .where(changes.c.importance > 0, change_reviews.c.decision.is_(None))
        .group_by(changes.c.importance)
    )
    return {row[0]: row[1] for row in conn.execute(query)}


def count_unread(conn: Connection, person: str) -> int:
    """How many changes nobody has reviewed, and *person* has not read."""
    query = (
        select(func.count())
        .select_from(changes.outerjoin(change_reviews, _IS_REVIEWED))
        .where(changes.c.importance > 0, change_reviews.c.decision.is_(None), is_unread(person))
    )
    return conn.execute(query).scalar_one()


def count_overdue(conn: Connection, now: datetime) -> int:
    """How many assigned changes are neither closed nor called not material, and their day is over."""
    query = (
        select(func.count())
        .select_from(changes.join(change_assignments, IS_ASSIGNED).outerjoin(change_reviews, _IS_REVIEWED))
        .where(is_overdue(now))
    )
    return conn.execute(query).scalar_one()


def oldest_open(conn: Connection) -> datetime | None:
    """When the text was captured that has waited longest for a review; None: none waits."""
    query = (
        select(func.min(changes.c.at))
        .outerjoin(change_reviews, _IS_REVIEWED)
        .where(changes.c.importance > 0, change_reviews.c.decision.is_(None))
    )
    oldest: datetime | None = conn.execute(query).scalar_one()
    return oldest


def count_by_day(conn: Connection, since: datetime) -> Iterator[tuple[date, int, int]]:
    """Days in UTC with changes, each with an importance and how many had it; initial captures are none."""
    day = utc_day(conn, changes.c.at)
    query = (
        select(day, changes.c.importance, func.count())
        .where(changes.c.at >= since, changes.c.importance > 0)
        .group_by(day, changes.c.importance)
    )
    for on, importance, number in conn.execute(query):
        yield date.fromisoformat(on), importance, number


def review_changes(
    conn: Connection,
    chosen: Collection[tuple[int, int]],
    decision: Review,
    *,
    reason: str | None,
    actor: str,
    now: datetime,
) -> list[tuple[int, int]]:
    """Record *actor*'s decision on changes, by page and version; ``open`` takes the last one back.

    Gives those that belong to no change; each other one is an action. One whose decision and reason stay is skipped.
    """
    unknown, reason = [], get_redactor().text(reason) if reason else reason
    for page_id, seq in dict.fromkeys(chosen):
        its = (changes.c.page_id == page_id, changes.c.seq == seq, changes.c.importance > 0)
        before = conn.execute(
            select(change_reviews.c.decision, change_reviews.c.reason, changes.c.kind)
            .select_from(changes.outerjoin(change_reviews, _IS_REVIEWED))
            .where(*its)
        ).one_or_none()
        if before is None:
            unknown.append((page_id, seq))
        elif ((before.decision or OPEN), before.reason) != (decision, reason):
            _record_review(conn, (page_id, seq), decision, before.decision, reason=reason, actor=actor, now=now)
    return unknown


def _record_review(
    conn: Connection,
    change: tuple[int, int],
    decision: Review,
    before: str | None,
    *,
    reason: str | None,
    actor: str,
    now: datetime,
) -> None:
    page_id, seq = change
    if decision == OPEN:
        its = (change_reviews.c.page_id == page_id, change_reviews.c.seq == seq)
        conn.execute(delete(change_reviews).where(*its))
    else:
        row = {"decision": decision, "reason": reason, "reviewed_by": actor, "reviewed_at": now}
        upsert(conn, change_reviews, [{"page_id": page_id, "seq": seq, **row}])
    activity_log.record_action(
        conn,
        now=now,
        actor=actor,
        action=REVIEW_ACTION,
        target=format_version_id(page_id, seq),
        reason=reason,
        details={"decision": decision, "before": before or OPEN},
    )
