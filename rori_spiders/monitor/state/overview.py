"""The overview of all sources and open alerts: schemas, snapshot, filters and order."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import (
    UTC,
    datetime,
    timedelta,
)
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Connection, select

from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.pages import page_listing
from rori_spiders.ledger.tables import runs
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.monitor.rest.schemas import ApiModel
from rori_spiders.reviews import recommended_action
from rori_spiders.reviews.events import EVENTS, MASS_REMOVAL
from rori_spiders.runtime.redacted_output import name_rori
from rori_spiders.schedule.status import SourceStatus, Status, StatusCache, source_statuses


class LastRun(ApiModel):
    """The latest run of a source."""

    run_id: str
    state: str
    started_at: datetime
    ended_at: datetime | None = Field(description="null: still open.")
    outcome: str = Field(description="In words: complete: 14 pages, 2 changed.")


class SourceRow(ApiModel):
    """One source."""

    id: str
    name: str
    url: str
    agency: str | None
    category: str
    domain: str
    jurisdiction: str
    method: str
    status: Status
    why: str | None = Field(description="Why it cannot run: a pause, the manifest, another job.")
    last_run: LastRun | None
    last_checked_at: datetime | None = Field(description="End of its last complete run.")
    next_due: datetime | None = Field(description="null: now if is_due, otherwise never while it is paused.")
    is_due: bool = Field(description="True when it is not paused and its due time has passed.")
    tier: str | None = Field(description="The tier in use: the one that last succeeded.")
    pages: int = Field(description="Pages captured and not gone.")
    changes: list[int] = Field(
        description="Pages added, changed or removed per day: the last 30 days in UTC, today last."
    )
    changed_30d: int = Field(description="Their sum.")
    hash: str | None = Field(
        description="Hash of the current content: of the text of a single page, otherwise of all pages' hashes."
    )
    open_alerts: int


class Facets(ApiModel):
    """For each filter, the number of sources by value after applying all *other* filters."""

    status: dict[str, int]
    agency: dict[str, int] = Field(description="The key '' counts sources without one.")
    category: dict[str, int]
    domain: dict[str, int]


class Sources(ApiModel):
    """A page of sources, with the facets of the filters."""

    items: list[SourceRow]
    total: int = Field(description="All sources of the active manifest.")
    matching: int = Field(description="Sources that match the filters.")
    facets: Facets


class Alert(ApiModel):
    """An open alert."""

    alert_id: int
    source_id: str | None = Field(description="null: not about one source.")
    event: str
    severity: Literal["high", "warning", "info"]
    message: str
    opened_at: datetime
    pages: list[str]
    what_to_do: str | None


# The status of all sources, to filter, count and sort; and the details that only displayed rows need.

#: The days of the small charts.
CHART_DAYS = 30


@dataclass(frozen=True, slots=True)
class Overview:
    """Snapshot of all sources, in the order of the manifest."""

    at: datetime
    standings: Sequence[SourceStatus]
    changes: Mapping[str, Sequence[int]]  # source -> texts staged on each of the days, today last; none: left out
    rows: dict[str, SourceRow] = field(default_factory=dict)  # those that a screen has shown

    def changed(self, source_id: str) -> int:
        """The number of texts staged in those days."""
        return sum(self.changes.get(source_id, ()))

    def is_due(self, one: SourceStatus) -> bool:
        """Whether the source is due and not paused."""
        return one.hindrance is None and (one.next_due is None or one.next_due <= self.at)


def read_overview(conn: Connection, catalog: Catalog, now: datetime, memory: StatusCache | None = None) -> Overview:
    """Read the overview as of *now*; *memory*: that of the previous overview."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    since = today - timedelta(days=CHART_DAYS - 1)
    return Overview(
        now, source_statuses(catalog, conn, now, memory), page_listing.count_changes_by_day(conn, since, CHART_DAYS)
    )


def source_rows(conn: Connection, whole: Overview, shown: Sequence[SourceStatus]) -> list[SourceRow]:
    """Return the rows of the *shown* sources, as of this overview; for some hundreds at once."""
    if new := [one for one in shown if one.source.id not in whole.rows]:
        ids = [one.source.id for one in new]
        tiers, hashes = page_listing.current_tiers(conn, ids, whole.at), page_listing.source_hashes(conn, ids)
        open_ones = alerts.count_open_alerts(conn)
        for one in new:
            key = one.source.id
            whole.rows[key] = _source_row(whole, one, tiers.get(key), hashes.get(key), open_ones)
    return [whole.rows[one.source.id] for one in shown]


def _source_row(
    whole: Overview, one: SourceStatus, tier: str | None, digest: str | None, alerts: Mapping[str, int]
) -> SourceRow:
    source = one.source
    return SourceRow.model_construct(
        id=source.id,
        name=source.name,
        url=source.url,
        agency=source.metadata.agency,
        category=source.effective_category,
        domain=source.domain,
        jurisdiction=source.jurisdiction,
        method=source.method,
        status=one.status,
        why=one.hindrance or one.locked,
        last_run=_last_run_row(one),
        last_checked_at=one.state.last_checked_at if one.state else None,
        next_due=one.next_due,
        is_due=whole.is_due(one),
        tier=tier,
        pages=one.pages,
        changes=list(whole.changes.get(source.id, [0] * CHART_DAYS)),
        changed_30d=whole.changed(source.id),
        hash=digest,
        open_alerts=alerts.get(source.id, 0),
    )


def _last_run_row(one: SourceStatus) -> LastRun | None:
    run = one.last_run
    if run is None:
        return None
    return LastRun(
        run_id=run.run_id, state=run.state, started_at=run.started_at, ended_at=run.finished_at, outcome=one.outcome
    )


# Filters, facets and order of an overview.

SortKey = Literal["id", "name", "agency", "domain", "status", "last_run", "next_due", "pages", "changes"]
SortOrder = Literal["asc", "desc"]
_FACETS: Mapping[str, Callable[[SourceStatus], str]] = {
    "status": lambda one: one.status,
    "agency": lambda one: one.source.metadata.agency or "",
    "category": lambda one: one.source.effective_category,
    "domain": lambda one: one.source.domain,
}
#: Order by status: what needs attention comes first.
_STATUSES = (
    "failed",
    "suspect",
    "locked",
    "partial",
    "running",
    "changed",
    "pending",
    "OK",
    "paused",
    "proposed",
    "retired",
)


@dataclass(frozen=True, slots=True)
class SourceFilters:
    """Filters; None: all. The agency "" means sources without one."""

    status: str | None = None
    agency: str | None = None
    category: str | None = None
    domain: str | None = None
    words: str = ""  # in id, name, URL or agency; upper and lower case are the same


def filter_sources(whole: Overview, filters: SourceFilters) -> tuple[list[SourceStatus], Facets]:
    """Return the matching sources, and for each of the four filters the counts by value under the *other* filters."""
    words = filters.words.casefold()
    wanted = {name: value for name in _FACETS if (value := getattr(filters, name)) is not None}
    if not words and not wanted:
        every = {name: Counter(map(read, whole.standings)) for name, read in _FACETS.items()}
        return list(whole.standings), _sorted_facets(every)
    found: list[SourceStatus] = []
    facets: dict[str, Counter[str]] = {name: Counter() for name in _FACETS}
    for one in whole.standings:
        if words and words not in _search_text(one):
            continue
        has = {name: read(one) for name, read in _FACETS.items()}
        missed = [name for name, value in wanted.items() if has[name] != value]
        if not missed:
            found.append(one)
        if len(missed) < 2:  # a source that fails two filters counts in no facet
            for name in missed or _FACETS:
                facets[name][has[name]] += 1
    return found, _sorted_facets(facets)


def _sorted_facets(counts: Mapping[str, Counter[str]]) -> Facets:
    """Sort facet values by name, and statuses in the order of sources."""
    sorted_by = {"status": lambda one: _STATUSES.index(one[0])}
    return Facets(**{name: dict(sorted(count.items(), key=sorted_by.get(name))) for name, count in counts.items()})


def _search_text(one: SourceStatus) -> str:
    source = one.source
    return f"{source.id}\n{source.name}\n{source.url}\n{source.metadata.agency or ''}".casefold()


def sort_sources(whole: Overview, some: Iterable[SourceStatus], key: SortKey, order: SortOrder) -> list[SourceStatus]:
    """Sort sources; those without a value come last in both directions, ties are ordered by id."""
    keys: dict[str, Callable[[SourceStatus], Any]] = {
        "id": lambda one: one.source.id,
        "name": lambda one: one.source.name.casefold(),
        "agency": lambda one: one.source.metadata.agency and one.source.metadata.agency.casefold(),
        "domain": lambda one: one.source.domain,
        "status": lambda one: _STATUSES.index(one.status),
        "last_run": lambda one: one.last_run and one.last_run.started_at,
        "next_due": lambda one: None if one.hindrance else one.next_due or whole.at.min.replace(tzinfo=whole.at.tzinfo),
        "pages": lambda one: one.pages,
        "changes": lambda one: whole.changed(one.source.id),
    }
    read = keys[key]
    by_id = sorted(some, key=lambda one: one.source.id)
    valued = [(value, one) for one in by_id if (value := read(one)) is not None]
    valued.sort(key=lambda pair: pair[0], reverse=order == "desc")
    return [one for _, one in valued] + [one for one in by_id if read(one) is None]


# Open alerts, of all sources and of one.

_SEVERITY_ORDER = {"high": 0, "warning": 1, "info": 2}


def open_alerts(conn: Connection, source_id: str | None = None) -> list[Alert]:
    """List open alerts of one source or of all: the most severe first, then the oldest."""
    found = sorted(
        alerts.open_alerts(conn, source_id), key=lambda one: (_SEVERITY_ORDER.get(one["severity"], 1), one["opened_at"])
    )
    # Source -> its last suspect run, which a person may accept.
    source_ids = {one["source_id"] for one in found if _names_a_run(one["event"])}
    its = runs.c
    query = select(its.source_id, its.run_id).where(its.source_id.in_(source_ids), its.state == "suspect")
    suspect = {row.source_id: row.run_id for row in conn.execute(query.order_by(its.started_at))}
    return [_alert_row(conn, one, suspect) for one in found]


def _alert_row(conn: Connection, one: Mapping[str, Any], suspect: Mapping[str, str]) -> Alert:
    shown = {"source_id": one["source_id"] or None, "pages": one["pages"] or []}
    return Alert.model_validate({**one, **shown, "what_to_do": _what_to_do(conn, one, suspect)})


def _what_to_do(conn: Connection, one: Mapping[str, Any], suspect: Mapping[str, str]) -> str | None:
    kind = EVENTS.get(one["event"])
    if kind is None:  # an event of another version of this program
        return None
    if one["event"] == MASS_REMOVAL:
        return name_rori(recommended_action(conn, one, ()))
    return name_rori(kind.to_do.format(id=one["source_id"] or "ID", run=suspect.get(one["source_id"], "RUN")))


def _names_a_run(event: str) -> bool:
    return event in EVENTS and "{run}" in EVENTS[event].to_do
