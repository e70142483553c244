"""Runs: open or go on with one, count its URLs, close it, record the robots.txt files that justified it. The outcome
of a run is judged from here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from statistics import mean
from typing import Any, NamedTuple
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, Row, Subquery, and_, func, literal, or_, select, union_all, update

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.runs.listed_urls import count_listed
from rori_spiders.ledger.tables import (
    audit,
    list_exclusions,
    pages,
    robots_seen,
    run_urls,
    runs,
    source_state,
    versions,
)
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES, RUN_STATES, URL_STATES
from rori_spiders.reasons import COMPLETE, Reason, ReasonCode


@dataclass(frozen=True, slots=True)
class RunRow:
    """One row of ``runs``; ``resumed``: this job continues a run that an earlier one started."""

    run_id: str
    source_id: str
    manifest_version: str
    method: str
    state: str
    reason: str | None
    reason_code: str | None
    reason_detail: dict[str, Any] | None
    operator: str
    job_id: str
    started_at: datetime
    resumed_at: datetime | None
    finished_at: datetime | None
    counts: dict[str, int] | None
    requests: int
    browser_pages: int
    credits: int
    seconds: float = 0.0  # that jobs worked on it
    compacted: int = 0  # unchanged pages that have no row among its URLs any more
    plugins: list[dict[str, str]] | None = None  # that were active in any job of it
    resumed: bool = False


def open_run(
    conn: Connection,
    *,
    source_id: str,
    manifest_version: str,
    method: str,
    operator: str,
    job_id: str,
    now: datetime,
    resume_after: datetime,
    begun_after: datetime | None = None,
    plugins: Sequence[Mapping[str, str]] = (),
) -> RunRow:
    """The run that this job, with these active *plugins*, is to work on.

    The source's open run if a job took it up after *resume_after*, and it was started after *begun_after*: its URL rows
    are the frontier. An older one is closed (``cancelled`` when it never found a URL, else ``incomplete``), and a new
    one begins.
    The caller holds the lease of the source's group: nobody else works on this run.
    """
    lock_for_writing(conn, runs, of=source_id)
    # One before a person's moment takes its place; one that it began has taken it once it has ended.
    wanted = (source_state.c.source_id == source_id) & (source_state.c.next_run_at > now)
    conn.execute(update(source_state).where(wanted).values(next_run_at=None))
    left = find_open_run(conn, source_id)
    if left is not None and _may_resume(left, resume_after, begun_after):
        return _resume_run(conn, left, plugins, operator=operator, job_id=job_id, now=now)
    if left is not None:
        _abandon_run(conn, left.run_id, now)
    run_id = str(uuid4())
    values = {"source_id": source_id, "manifest_version": manifest_version, "method": method}
    conn.execute(
        runs.insert().values(
            **values,
            run_id=run_id,
            state="running",
            operator=operator,
            job_id=job_id,
            started_at=now,
            plugins=list(plugins) or None,
        )
    )
    note_fact(conn, "run", run_id)
    return get_run(conn, run_id)


def find_stale_run(
    conn: Connection, source_id: str, *, resume_after: datetime, begun_after: datetime | None = None
) -> str | None:
    """The source's open run that ``open_run`` would close for a new one; None when there is none."""
    left = find_open_run(conn, source_id)
    return left.run_id if left is not None and not _may_resume(left, resume_after, begun_after) else None


def _may_resume(left: RunRow, resume_after: datetime, begun_after: datetime | None) -> bool:
    taken_up = left.resumed_at or left.started_at
    return taken_up > resume_after and (begun_after is None or left.started_at > begun_after)


def _resume_run(conn: Connection, left: RunRow, plugins: Sequence[Mapping[str, str]], **job: Any) -> RunRow:
    run_id, before = left.run_id, left.plugins or []
    if left.state == "running":  # its job died: it worked until its last row, at least
        since = left.resumed_at or left.started_at
        last = conn.execute(select(func.max(audit.c.timestamp)).where(audit.c.run_id == run_id)).scalar()
        add_requests(conn, run_id, seconds=max(0.0, (last - since).total_seconds()) if last is not None else 0.0)
    conn.execute(
        update(runs)
        .where(runs.c.run_id == run_id)
        .values(
            state="running",
            **_reason_columns(None),
            operator=job["operator"],
            job_id=job["job_id"],
            resumed_at=job["now"],
            plugins=[*before, *(one for one in plugins if one not in before)] or None,
        )
    )
    note_fact(conn, "run", run_id)
    return get_run(conn, run_id, resumed=True)


def _abandon_run(conn: Connection, run_id: str, now: datetime) -> None:
    found = count_pages(conn, run_id)
    if not found["discovered"]:
        close_run(conn, run_id, state="cancelled", reason=Reason(ReasonCode.JOB_DIED), now=now)
        return
    late = Reason(ReasonCode.NOT_IN_TIME, pending=found["pending"], discovered=found["discovered"])
    reason = late if found["pending"] else Reason(ReasonCode.JOB_DIED)
    close_run(conn, run_id, state="incomplete", reason=reason, now=now)


def close_run(conn: Connection, run_id: str, *, state: str, reason: Reason | None, now: datetime) -> dict[str, int]:
    """Record how the run stands and give its counts (see ``count_pages``; plus ``changed``).

    A ``partial`` run stays open for a later job. A run is never ``complete`` while a page has no final state: it is
    then recorded as ``incomplete``. Without a *reason* the recorded one stays, unless the run is complete. Raises
    ValueError for a word that is not a state.
    """
    if state not in RUN_STATES or state == "running":
        raise ValueError(f"not a state in which a job leaves a run: {state!r}")
    found = count_pages(conn, run_id)
    if state == "complete" and found["pending"]:
        state = "incomplete"
        reason = Reason(ReasonCode.URLS_PENDING, pending=found["pending"], discovered=found["discovered"])
    found["changed"] = conn.execute(
        select(func.count()).select_from(versions).where(versions.c.run_id == run_id)
    ).scalar_one()
    finished = None if state in OPEN_RUN_STATES else now
    values = {"state": state, "counts": found, "finished_at": finished}
    if state == "complete":
        reason = reason or COMPLETE
    if reason is not None:
        values |= _reason_columns(reason)
    conn.execute(update(runs).where(runs.c.run_id == run_id).values(values))
    note_fact(conn, "run", run_id)
    return found


def _reason_columns(reason: Reason | None) -> dict[str, Any]:
    if reason is None:
        return {"reason": None, "reason_code": None, "reason_detail": None}
    return {"reason": str(reason) or None, "reason_code": reason.code.value, "reason_detail": reason.detail}


def count_pages(conn: Connection, run_id: str) -> dict[str, int]:
    """How many pages of the run are in each state, and how many were ``discovered``: always the sum of the others.

    Those that are counted with the list that names them are among the ``excluded``.

    Sitemaps and API answers are not pages and do not count.
    """
    per_state = select(run_urls.c.state, func.count().label("number")).where(
        run_urls.c.run_id == run_id, run_urls.c.kind == "page"
    )
    found = Counter({row.state: row.number for row in conn.execute(per_state.group_by(run_urls.c.state))})
    found["excluded"] += count_listed(conn, run_id)
    found["unchanged"] += conn.execute(select(runs.c.compacted).where(runs.c.run_id == run_id)).scalar() or 0
    return {"discovered": found.total()} | {state: found[state] for state in URL_STATES}


def add_requests(
    conn: Connection,
    run_id: str,
    *,
    requests: int = 0,
    browser_pages: int = 0,
    credits: int = 0,  # noqa: A002
    seconds: float = 0.0,
) -> None:
    """Add to what the run has asked, spent and taken so far."""
    added = {"requests": requests, "browser_pages": browser_pages, "credits": credits, "seconds": seconds}
    changes = {runs.c[name]: runs.c[name] + number for name, number in added.items()}
    conn.execute(update(runs).where(runs.c.run_id == run_id).values(changes))


def take_browser_page(conn: Connection, run_id: str, most: int) -> bool:
    """Count one more page for the browser, if the run has had fewer than *most*: in one statement.

    The count is the run's, over all of its jobs.
    """
    taken = conn.execute(
        update(runs)
        .where(runs.c.run_id == run_id, runs.c.browser_pages < most)
        .values(browser_pages=runs.c.browser_pages + 1)
    )
    return taken.rowcount == 1


def get_run(conn: Connection, run_id: str, *, resumed: bool = False) -> RunRow:
    """The run; raises KeyError when there is none of this id."""
    row = conn.execute(select(runs).where(runs.c.run_id == run_id)).mappings().one_or_none()
    if row is None:
        raise KeyError(run_id)
    return RunRow(**row, resumed=resumed)


def find_open_run(conn: Connection, source_id: str) -> RunRow | None:
    """The run of the source that a job works on, or that the next one goes on with; None when there is none."""
    query = select(runs).where(runs.c.source_id == source_id, runs.c.state.in_(OPEN_RUN_STATES))
    row = conn.execute(query).mappings().one_or_none()
    return RunRow(**row) if row else None


def recent_runs(conn: Connection, source_id: str | None = None, limit: int = 20) -> list[RunRow]:
    """The runs that were started last, newest first; of one source, or of all."""
    query = select(runs).order_by(runs.c.started_at.desc(), runs.c.run_id).limit(limit)
    if source_id is not None:
        query = query.where(runs.c.source_id == source_id)
    return [RunRow(**row) for row in conn.execute(query).mappings()]


# Runs and their URLs, a list at a time, and what a run's URLs come to. Functions over a Connection; read-only.


class RunPosition(NamedTuple):
    """The end of a page in a list of runs."""

    started_at: datetime
    run_id: str


class UrlPosition(NamedTuple):
    """The end of a page in a list of a run's URLs."""

    depth: int
    url: str


def list_runs(conn: Connection, source_id: str, *, after: RunPosition | None, limit: int) -> list[RunRow]:
    """The source's runs, newest first, those behind a position."""
    query = select(runs).where(runs.c.source_id == source_id)
    if after is not None:
        query = query.where(
            runs.c.started_at <= after.started_at,
            or_(runs.c.started_at < after.started_at, runs.c.run_id > after.run_id),
        )
    rows = conn.execute(query.order_by(runs.c.started_at.desc(), runs.c.run_id).limit(limit)).mappings()
    return [RunRow(**row) for row in rows]


def list_runs_between(conn: Connection, source_id: str, since: datetime, until: datetime) -> list[RunRow]:
    """The source's runs that were under way from *since*, before *until*, oldest first."""
    within = (runs.c.started_at < until) & (runs.c.finished_at.is_(None) | (runs.c.finished_at >= since))
    query = select(runs).where(runs.c.source_id == source_id, within).order_by(runs.c.started_at, runs.c.run_id)
    return [RunRow(**row) for row in conn.execute(query).mappings()]


#: So many of a source's newest runs say what its next one comes to.
_RUNS_OF_MEAN = 5


def load_run_means(conn: Connection) -> dict[str, tuple[float, ...]]:
    """By source, the means over its newest complete runs: requests, pages, changed, browser pages, credits, seconds."""
    ids, of_source = collected_sources(), runs.alias()
    complete = (of_source.c.source_id == ids.c.source_id) & (of_source.c.state == "complete")
    newest = select(of_source.c.run_id).where(complete).order_by(of_source.c.started_at.desc()).limit(1)
    chosen = union_all(
        *(
            select(newest.offset(place).scalar_subquery().label("run_id")).select_from(ids)
            for place in range(_RUNS_OF_MEAN)
        )
    ).subquery()
    columns = (runs.c.source_id, runs.c.counts, runs.c.requests, runs.c.browser_pages, runs.c.credits, runs.c.seconds)
    found: dict[str, list[tuple[float, ...]]] = {}
    for source_id, counts, requests, *others, seconds in conn.execute(
        select(*columns).join_from(chosen, runs, runs.c.run_id == chosen.c.run_id)
    ):
        pages = (counts or {}).get("discovered", 0) - (counts or {}).get("excluded", 0)
        row = (requests, pages, (counts or {}).get("changed", 0), *others, seconds)
        found.setdefault(source_id, []).append(row)
    return {source_id: tuple(map(mean, zip(*rows[:_RUNS_OF_MEAN], strict=True))) for source_id, rows in found.items()}


def load_check_counts(conn: Connection, *, since: datetime) -> dict[str, tuple[int, int, float]]:
    """By source: complete runs since then but for the first, those that found a change, days from first to last."""
    of: dict[str, list[tuple[datetime, bool]]] = {}
    query = select(runs.c.source_id, runs.c.finished_at, runs.c.counts)
    complete = (runs.c.state == "complete") & (runs.c.started_at >= since) & runs.c.finished_at.is_not(None)
    for source_id, ended, counts in conn.execute(query.where(complete).order_by(runs.c.finished_at)):
        of.setdefault(source_id, []).append((ended, bool((counts or {}).get("changed"))))
    return {
        source_id: (
            len(ends) - 1,
            sum(changed for _, changed in ends[1:]),
            (ends[-1][0] - ends[0][0]).total_seconds() / 86_400,
        )
        for source_id, ends in of.items()
    }


def last_complete_at(conn: Connection, source_id: str, before: datetime) -> datetime | None:
    """When the source's last complete run before this time ended."""
    query = select(func.max(runs.c.finished_at)).where(runs.c.source_id == source_id, runs.c.state == "complete")
    return conn.execute(query.where(runs.c.finished_at < before)).scalar()


def has_runs(conn: Connection, source_id: str) -> bool:
    """Whether the source ever began one."""
    return conn.execute(select(runs.c.run_id).where(runs.c.source_id == source_id).limit(1)).scalar() is not None


def list_source_ids(conn: Connection) -> set[str]:
    """The sources that have a run."""
    return set(conn.execute(select(collected_sources().c.source_id)).scalars())


def collected_sources() -> Subquery:
    """The sources that have a run, for a query: found in the index one after the other, however many runs each has."""
    found = select(func.min(runs.c.source_id).label("source_id")).cte(recursive=True)
    following = select(func.min(runs.c.source_id)).where(runs.c.source_id > found.c.source_id).scalar_subquery()
    found = found.union_all(select(following).where(found.c.source_id.is_not(None)))
    return select(found.c.source_id).where(found.c.source_id.is_not(None)).subquery()


def list_run_urls(
    conn: Connection,
    run: RunRow,
    *,
    states: tuple[str, ...] = (),
    kind: str | None = None,
    words: str = "",
    after: UrlPosition | None = None,
    limit: int = 50,
) -> list[Row[Any]]:
    """The run's URLs behind a position, shallow ones first; with *words* in URL or reason."""
    fits: list[ColumnElement[bool]] = [run_urls.c.run_id == run.run_id]
    if states:
        fits.append(run_urls.c.state.in_(states))
    if kind is not None:
        fits.append(run_urls.c.kind == kind)
    if words:
        texts = (run_urls.c.url, run_urls.c.reason)
        fits.append(or_(*(text.icontains(words, autoescape=True) for text in texts)))
    if after is not None:
        deeper, same_depth = run_urls.c.depth > after.depth, run_urls.c.depth == after.depth
        fits.append(or_(deeper, and_(same_depth, run_urls.c.url > after.url)))
    same = and_(pages.c.source_id == run.source_id, pages.c.url_hash == run_urls.c.url_hash)
    here = (audit.c.run_id == run_urls.c.run_id) & (audit.c.url_hash == run_urls.c.url_hash)
    last = select(func.max(audit.c.audit_id)).where(here, audit.c.kind == run_urls.c.kind).correlate(run_urls)
    query = select(run_urls, pages.c.page_id, last.scalar_subquery().label("audit_id"))
    query = query.select_from(run_urls.outerjoin(pages, same)).where(*fits)
    return list(conn.execute(query.order_by(run_urls.c.depth, run_urls.c.url).limit(limit)))


class ReasonCount(NamedTuple):
    """How many URLs ended in a state for a reason: a code, and the rule where the reason has one."""

    state: str
    reason_code: str | None
    sentence: str  # of one of them
    is_example: bool  # whether others have other sentences
    number: int

    @property
    def reason(self) -> str:
        """For people: the sentence that all of them have, or the code and the sentence of one."""
        return f"{self.reason_code}, such as: {self.sentence}" if self.is_example else self.sentence


def count_reasons(conn: Connection, run_id: str, limit: int = 100) -> list[ReasonCount]:
    """Why pages of the run were not collected, by state, code and rule; the most frequent first."""
    parts = union_all(
        *(
            select(
                state.label("state"),
                table.c.reason_code,
                table.c.reason_detail["rule"].as_string().label("rule"),
                func.coalesce(table.c.reason, "").label("reason"),
                number.label("number"),
            ).where(table.c.run_id == run_id, table.c.kind == "page", *conditions)
            for table, state, number, conditions in (
                (
                    run_urls,
                    run_urls.c.state,
                    literal(1),
                    [run_urls.c.state.not_in(("captured", "unchanged", "pending"))],
                ),
                (list_exclusions, literal("excluded"), list_exclusions.c.urls, []),
            )
        )
    ).subquery()
    key, whole = (parts.c.state, parts.c.reason_code, parts.c.rule), func.sum(parts.c.number).label("number")
    first, last = func.min(parts.c.reason), func.max(parts.c.reason)
    query = select(parts.c.state, parts.c.reason_code, first.label("sentence"), first != last, whole).group_by(*key)
    found = conn.execute(query.order_by(whole.desc(), parts.c.state, first).limit(limit))
    return [
        ReasonCount(state, code, sentence, bool(differs), number) for state, code, sentence, differs, number in found
    ]


def count_tiers(conn: Connection, run_id: str) -> list[Row[Any]]:
    """Tier -> pages that it ended, of those that were asked for; the busiest first."""
    number = func.count().label("number")
    requested = (run_urls.c.tier.is_not(None), run_urls.c.state != "excluded")
    by_tier = (run_urls.c.run_id == run_id, run_urls.c.kind == "page", *requested)
    query = select(run_urls.c.tier, number).where(*by_tier).group_by(run_urls.c.tier)
    return list(conn.execute(query.order_by(number.desc(), run_urls.c.tier)))


def list_robots_files(conn: Connection, run_id: str) -> list[Row[Any]]:
    """The robots.txt files that the run went by."""
    return list(conn.execute(select(robots_seen).where(robots_seen.c.run_id == run_id).order_by(robots_seen.c.origin)))


def find_offline_sources(conn: Connection) -> set[str]:
    """The sources whose open run stopped because its machine seemed to be offline."""
    stopped = runs.c.state.in_(OPEN_RUN_STATES) & (runs.c.reason_code == ReasonCode.OFFLINE)
    return set(conn.execute(select(runs.c.source_id).where(stopped)).scalars())


@dataclass(frozen=True, slots=True)
class RobotsFileRecord:
    """The robots.txt response of an origin (``scheme://host[:port]``) in a run."""

    run_id: str
    origin: str
    fetched_at: datetime
    outcome: str  # rules | no_rules | unavailable
    status: int | None = None  # None: no answer
    reason: str | None = None
    object: str | None = None  # hex hash of the bytes
    crawl_delay_s: float | None = None


def record_robots_file(conn: Connection, answer: RobotsFileRecord) -> None:
    """Keep the answer; a later one of the same run and origin takes its place (the audit keeps both)."""
    upsert(conn, robots_seen, [asdict(answer)])
    note_fact(conn, "robots", answer.run_id, answer.origin)
