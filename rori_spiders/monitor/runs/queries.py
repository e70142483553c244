"""Read runs and their URLs."""

import json

from pydantic import TypeAdapter
from sqlalchemy import Connection

from rori_spiders.comparison import section_changes
from rori_spiders.comparison.section_changes import ModifiedPage
from rori_spiders.ledger.pages import held_pages
from rori_spiders.ledger.runs import crawl_summaries, frontier, listed_urls, run_records
from rori_spiders.ledger.runs.run_records import RunPosition, RunRow, UrlPosition, count_pages
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.monitor.rest.params import CursorInt, CursorText, CursorTime, decode_cursor, encode_cursor
from rori_spiders.monitor.rest.schemas import CursorList
from rori_spiders.monitor.runs.schemas import (
    Coverage,
    HeldPage,
    ListedUrls,
    PageChanged,
    ReasonCount,
    Robots,
    Run,
    RunDetail,
    RunSummary,
    RunUrl,
    SectionChanged,
    TierUse,
)
from rori_spiders.schedule import percent_done
from rori_spiders.schedule.status import describe_outcome

_RUN_CURSOR: TypeAdapter[tuple[CursorTime, CursorText]] = TypeAdapter(tuple[CursorTime, CursorText])
_URL_CURSOR: TypeAdapter[tuple[CursorInt, CursorText]] = TypeAdapter(tuple[CursorInt, CursorText])
#: Most entries of each list of a run in detail; the list of URLs has all.
_MOST_CHANGED, _MOST_SECTIONS, _MOST_HELD, _MOST_LISTED = 100, 20, 500, 100


def run_row(run: RunRow, counted: dict[str, int] | None = None) -> Run:
    """Return a run as a row. *counted*: current counts of a run in progress; else the stored ones are used."""
    found = counted or run.counts or {}
    names = ("run_id", "source_id", "method", "manifest_version", "state", "reason", "reason_code")
    numbers = ("requests", "browser_pages", "credits", "seconds")
    return Run(
        **{name: getattr(run, name) for name in (*names, *numbers)},
        operator=run.operator,
        job_id=run.job_id,
        outcome=describe_outcome(run),
        started_at=run.started_at,
        resumed_at=run.resumed_at,
        ended_at=run.finished_at,
        counts=found,
        done_percent=percent_done(found) if found else None,
    )


def list_runs(conn: Connection, source_id: str, after: str | None, limit: int) -> CursorList[Run]:
    """List the source's runs, newest first."""
    begin = None if after is None else RunPosition(*decode_cursor(after, _RUN_CURSOR))
    found = run_records.list_runs(conn, source_id, after=begin, limit=limit + 1)
    last = found[limit - 1] if len(found) > limit else None
    return CursorList(
        items=[
            run_row(run, count_pages(conn, run.run_id) if run.state in OPEN_RUN_STATES else None)
            for run in found[:limit]
        ],
        next=None if last is None else encode_cursor(last.started_at, last.run_id),
    )


def run_detail(conn: Connection, run: RunRow) -> RunDetail:
    """Return one run in detail."""
    counted = {**(run.counts or {}), **count_pages(conn, run.run_id)}
    changed, changed_in_all = section_changes.list_modified_pages(conn, run.run_id, _MOST_CHANGED)
    return RunDetail(
        **run_row(run, counted).model_dump(),
        reasons=[
            ReasonCount(state=one.state, reason=one.reason, pages=one.number)
            for one in run_records.count_reasons(conn, run.run_id)
        ],
        listed=[
            ListedUrls.model_validate(one) for one in listed_urls.largest_exclusions(conn, run.run_id, _MOST_LISTED)
        ],
        tiers=tier_use(conn, run.run_id),
        held=_held_pages(conn, run.run_id),
        changed=[_changed_page(one) for one in changed],
        changed_in_all=changed_in_all,
        summary=_run_summary(conn, run.run_id),
        robots=[Robots.model_validate(one) for one in run_records.list_robots_files(conn, run.run_id)],
    )


def tier_use(conn: Connection, run_id: str) -> list[TierUse]:
    """Count the run's pages by tier."""
    return [TierUse(tier=one.tier, pages=one.number) for one in run_records.count_tiers(conn, run_id)]


def _held_pages(conn: Connection, run_id: str) -> list[HeldPage]:
    urls = held_pages.list_held_urls(conn, run_id)[:_MOST_HELD]
    rows = (frontier.find_url(conn, run_id, url) for url in urls)
    return [HeldPage(url=one.url, reason=one.reason or "") for one in rows if one is not None]


def _changed_page(one: ModifiedPage) -> PageChanged:
    return PageChanged(
        page_id=one.page_id,
        url=one.url,
        version_id=one.new.version_id,
        version_before=one.old and one.old.version_id,
        sections=[SectionChanged(change=kind, path=path) for kind, path in one.sections[:_MOST_SECTIONS]],
        note=one.note,
    )


def _run_summary(conn: Connection, run_id: str) -> RunSummary | None:
    summary = crawl_summaries.newest_summary(conn, run_id)
    if summary is None:
        return None
    document = json.loads(summary.text)
    return RunSummary(
        path=summary.path,
        is_written=summary.written,
        notes=document["notes"],
        coverage=[Coverage.model_validate(one) for one in document["coverage"]],
        accepted=document["accepted"],
    )


def list_urls(
    conn: Connection,
    run: RunRow,
    *,
    states: tuple[str, ...],
    kind: str | None,
    words: str,
    after: str | None,
    limit: int,
) -> CursorList[RunUrl]:
    """List the run's URLs, by depth."""
    begin = None if after is None else UrlPosition(*decode_cursor(after, _URL_CURSOR))
    found = run_records.list_run_urls(conn, run, states=states, kind=kind, words=words, after=begin, limit=limit + 1)
    last = found[limit - 1] if len(found) > limit else None
    return CursorList(
        items=[RunUrl.model_validate(one) for one in found[:limit]],
        next=None if last is None else encode_cursor(last.depth, last.url),
    )
