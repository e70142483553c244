"""Check jobs: runs, leases, the queue, unwritten lines, alerts."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Table, func, select

from rori_spiders.ledger.queue.job_queue import UNCLAIMED_AFTER
from rori_spiders.ledger.tables import (
    alerts,
    envelopes,
    field_lines,
    jobs,
    leases,
    run_summaries,
    runs,
    unlogged_errors,
)
from rori_spiders.operations.doctor.checks import CheckContext, CheckResult

#: The longest interval of a source is 30 days (S0 §4.4), and its hours may be two days off.
_LONGEST = timedelta(days=32)


def check_work(context: CheckContext) -> Iterator[CheckResult]:
    if context.ledger is None:
        return
    with context.ledger.connect() as conn:
        yield from check_leases(conn, context.now)
        yield from _check_open_runs(conn, context.now)
        yield from _check_last_success(conn, context.now)
        yield from check_queue(conn, context.now)
        yield from _check_unwritten_lines(conn)
        query = select(alerts.c.severity, func.count()).where(alerts.c.cleared_at.is_(None)).group_by(alerts.c.severity)
        rows = sorted(conn.execute(query.order_by(alerts.c.severity)).all())
        if rows:
            found = ", ".join(f"{number} {severity}" for severity, number in rows)
            yield CheckResult("open alerts", "warning", found, "`scrapy alerts` lists them with what to do.")
        else:
            yield CheckResult("open alerts", "ok", "none")


def _count_rows(conn: Connection, table: Table, *where: ColumnElement[bool]) -> int:
    return int(conn.execute(select(func.count()).select_from(table).where(*where)).scalar_one())


def check_leases(conn: Connection, now: datetime) -> Iterator[CheckResult]:
    live = _count_rows(conn, leases, leases.c.owner.is_not(None), leases.c.expires_at > now)
    stale = _count_rows(conn, leases, leases.c.owner.is_not(None), leases.c.expires_at <= now)
    found = f"{live} held by running jobs"
    if stale:
        do = "Find out why the jobs died. The leases are free, and the next job resumes their runs."
        yield CheckResult("leases", "warning", f"{found}, {stale} left by jobs that died", do)
    else:
        yield CheckResult("leases", "ok", found)


def _check_open_runs(conn: Connection, now: datetime) -> Iterator[CheckResult]:
    rows = conn.execute(
        select(runs.c.state, func.count(), func.min(runs.c.started_at))
        .where(runs.c.state.in_(("running", "partial")))
        .group_by(runs.c.state)
    ).all()
    number = sum(row[1] for row in rows)
    found = ", ".join(f"{row[1]} {row[0]}" for row in rows) or "none"
    oldest = min((row[2] for row in rows), default=now)
    if now - oldest > _LONGEST:
        do = "`scrapy runs` lists them; `scrapy due --explain ID` shows why a run is not resumed."
        yield CheckResult("unfinished runs", "warning", f"{found}, the oldest since {oldest:%Y-%m-%d}", do)
    else:
        yield CheckResult("unfinished runs", "ok", f"{found}{'; the next job resumes partial runs' * bool(number)}")


def _check_last_success(conn: Connection, now: datetime) -> Iterator[CheckResult]:
    last = conn.execute(select(func.max(runs.c.finished_at)).where(runs.c.state == "complete")).scalar_one()
    if last is None:
        yield CheckResult(
            "last success", "warning", "no complete run yet", "Run `scrapy collect`, then look at `scrapy runs`."
        )
        return
    found = f"{last:%Y-%m-%d %H:%M} UTC, {_format_age(now - last)} ago"
    if now - last > _LONGEST:
        do = "Check that the timer or `scrapy dispatch` is running. `scrapy due` lists the due sources."
        yield CheckResult("last success", "failed", found, do)
    else:
        yield CheckResult("last success", "ok", found)


def check_queue(conn: Connection, now: datetime) -> Iterator[CheckResult]:
    waiting, oldest = conn.execute(
        select(func.count(), func.min(jobs.c.queued_at)).where(jobs.c.state == "waiting")
    ).one()
    under_way = _count_rows(conn, jobs, jobs.c.state.in_(("leased", "running")))
    found = f"{waiting} jobs waiting, {under_way} under way"
    if oldest is not None and not under_way and now - oldest > UNCLAIMED_AFTER:
        do = "Start Scrapyd on a node (docs/how-to/nodes.md), or run `scrapy collect`."
        yield CheckResult("queue", "warning", f"{found}: no node has taken one since {oldest:%Y-%m-%d %H:%M} UTC", do)
    else:
        yield CheckResult("queue", "ok", found)


def _check_unwritten_lines(conn: Connection) -> Iterator[CheckResult]:
    found = {
        "envelopes without their index line": _count_rows(
            conn, envelopes, envelopes.c.state.in_(("reserved", "staged"))
        ),
        "error lines": _count_rows(conn, unlogged_errors),
        "field lines": _count_rows(conn, field_lines, field_lines.c.logged.is_(False)),
        "summaries": _count_rows(conn, run_summaries, run_summaries.c.written.is_(False)),
    }
    left = [f"{number} {what}" for what, number in found.items() if number]
    busy = _count_rows(conn, runs, runs.c.state == "running")
    if left and not busy:
        do = "Nothing; the next job writes them. To do it now: `scrapy verify --repair`."
        yield CheckResult("to be written", "warning", ", ".join(left), do)
    else:
        yield CheckResult("to be written", "ok", ", ".join(left) or "nothing")


def _format_age(time: timedelta) -> str:
    hours = int(time.total_seconds() // 3600)
    return f"{hours // 24} days" if hours >= 48 else f"{hours} hours" if hours else "under an hour"
