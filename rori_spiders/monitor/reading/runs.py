"""Runs as the API gives them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from rori_spiders.comparison import by_hash
from rori_spiders.ledger import frontier, holds, run_lists, summaries
from rori_spiders.ledger.run_lists import RunPosition, UrlPosition
from rori_spiders.ledger.runs import counts
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.monitor.answers.base import Followed
from rori_spiders.monitor.answers.runs import (
    Coverage,
    HeldPage,
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
from rori_spiders.monitor.asked import Instant, Number, Plain, further, place
from rori_spiders.schedule import percent_done
from rori_spiders.standing import outcome

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.comparison.by_hash import Modified
    from rori_spiders.ledger.runs import RunRow

_RUNS: TypeAdapter[tuple[Instant, Plain]] = TypeAdapter(tuple[Instant, Plain])
_URLS: TypeAdapter[tuple[Number, Plain]] = TypeAdapter(tuple[Number, Plain])
#: What a screen shows of one run; its URLs can be followed to their end.
_MOST_CHANGED, _MOST_SECTIONS, _MOST_HELD = 100, 20, 500


def row(run: RunRow, counted: dict[str, int] | None = None) -> Run:
    """One run. *counted* now, of one that goes on; else as it was left."""
    found = counted or run.counts or {}
    names = ("run_id", "source_id", "method", "manifest_version", "state", "reason", "operator", "job_id")
    numbers = ("requests", "browser_pages", "credits", "seconds")
    return Run(
        **{name: getattr(run, name) for name in (*names, *numbers)},
        outcome=outcome(run),
        started_at=run.started_at,
        resumed_at=run.resumed_at,
        ended_at=run.finished_at,
        counts=found,
        done_percent=percent_done(found) if found else None,
    )


def of_source(conn: Connection, source_id: str, after: str | None, limit: int) -> Followed[Run]:
    """The source's runs, newest first."""
    begin = None if after is None else RunPosition(*place(after, _RUNS))
    found = run_lists.of_source(conn, source_id, after=begin, limit=limit + 1)
    last = found[limit - 1] if len(found) > limit else None
    return Followed(
        items=[row(run, counts(conn, run.run_id) if run.state in OPEN_RUN_STATES else None) for run in found[:limit]],
        next=None if last is None else further(last.started_at, last.run_id),
    )


def detail(conn: Connection, run: RunRow) -> RunDetail:
    """All about one run."""
    counted = {**(run.counts or {}), **counts(conn, run.run_id)}
    changed, changed_in_all = by_hash.of_run(conn, run.run_id, _MOST_CHANGED)
    return RunDetail(
        **row(run, counted).model_dump(),
        reasons=[
            ReasonCount(state=one.state, reason=one.reason, pages=one.number)
            for one in run_lists.reasons(conn, run.run_id)
        ],
        tiers=tiers(conn, run.run_id),
        held=_held(conn, run.run_id),
        changed=[_changed(one) for one in changed],
        changed_in_all=changed_in_all,
        summary=_summary(conn, run.run_id),
        robots=[Robots.model_validate(one) for one in run_lists.robots(conn, run.run_id)],
    )


def tiers(conn: Connection, run_id: str) -> list[TierUse]:
    """Which tiers the pages of the run came by."""
    return [TierUse(tier=one.tier, pages=one.number) for one in run_lists.tiers(conn, run_id)]


def _held(conn: Connection, run_id: str) -> list[HeldPage]:
    urls = holds.urls_held(conn, run_id)[:_MOST_HELD]
    rows = (frontier.url(conn, run_id, url) for url in urls)
    return [HeldPage(url=one.url, reason=one.reason or "") for one in rows if one is not None]


def _changed(one: Modified) -> PageChanged:
    return PageChanged(
        page_id=one.page_id,
        url=one.url,
        version_id=one.new.version_id,
        version_before=one.old and one.old.version_id,
        sections=[SectionChanged(change=kind, path=path) for kind, path in one.sections[:_MOST_SECTIONS]],
        note=one.note,
    )


def _summary(conn: Connection, run_id: str) -> RunSummary | None:
    kept = summaries.newest(conn, run_id)
    if kept is None:
        return None
    document = json.loads(kept.text)
    return RunSummary(
        path=kept.path,
        is_written=kept.written,
        notes=document["notes"],
        coverage=[Coverage.model_validate(one) for one in document["coverage"]],
        accepted=document["accepted"],
    )


def urls(
    conn: Connection,
    run: RunRow,
    *,
    states: tuple[str, ...],
    kind: str | None,
    words: str,
    after: str | None,
    limit: int,
) -> Followed[RunUrl]:
    """The run's URLs, shallow ones first."""
    begin = None if after is None else UrlPosition(*place(after, _URLS))
    found = run_lists.urls(conn, run, states=states, kind=kind, words=words, after=begin, limit=limit + 1)
    last = found[limit - 1] if len(found) > limit else None
    return Followed(
        items=[RunUrl.model_validate(one) for one in found[:limit]],
        next=None if last is None else further(last.depth, last.url),
    )
