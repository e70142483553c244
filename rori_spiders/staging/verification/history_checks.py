"""What the ledger tells of the past against itself: robots.txt files, acceptances, reviews, clocks, missing rows."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, and_, func, select

from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.pages.change_assignments import ASSIGN_ACTION
from rori_spiders.ledger.pages.change_records import REVIEW_ACTION
from rori_spiders.ledger.pages.vocabulary import OPEN, format_version_id
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.tables import (
    actions,
    audit,
    change_assignments,
    change_reviews,
    envelopes,
    manifest_versions,
    page_aliases,
    pages,
    robots_seen,
    runs,
)
from rori_spiders.reasons import ReasonCode
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redaction import MASK
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.urls.canonical import url_hash

#: Rows of several jobs stand in the order of their transactions, each with the time of what it tells. A page waits for
#: its conversion, for others to be recorded with, and for a server that is away: minutes, by their own limits.
CLOCK_TOLERANCE = timedelta(hours=1)
#: Their ``at`` is that of the answer, which a person accepts days later.
_LATE_CODES = frozenset({ReasonCode.ACCEPTED.value})


def check_robots(ledger: Ledger) -> Iterator[Finding]:
    """Every robots.txt that justified a run, against its row in the audit; and each page against both."""
    with ledger.connect() as conn:
        for row in conn.execute(_unaudited_robots().execution_options(yield_per=500)):
            where = f"{row.origin}/robots.txt"
            yield Finding("robots_differs", where, f"run {row.run_id}: no audit row tells the same of this file")
        for run_id, digest in conn.execute(_unknown_robots()):
            yield Finding("robots_differs", run_id, f"pages name a robots.txt that the run has not read: {digest}")


def _unaudited_robots() -> Any:
    same = and_(
        audit.c.run_id == robots_seen.c.run_id,
        audit.c.kind == "robots",
        audit.c.url == robots_seen.c.origin + "/robots.txt",
        audit.c.timestamp == robots_seen.c.fetched_at,
        audit.c.http_status.is_not_distinct_from(robots_seen.c.status),
        audit.c.raw_hash.is_not_distinct_from(robots_seen.c.object),
        audit.c.reason.is_not_distinct_from(robots_seen.c.reason),
        (audit.c.state == "failed") == (robots_seen.c.outcome == "unavailable"),
    )
    return select(robots_seen.c.run_id, robots_seen.c.origin).where(~select(audit.c.audit_id).where(same).exists())


def _unknown_robots() -> Any:
    named = select(audit.c.run_id, audit.c.robots_object).where(audit.c.robots_object.is_not(None)).distinct()
    return named.except_(select(audit.c.run_id, audit.c.raw_hash).where(audit.c.kind == "robots"))


def check_acceptances(ledger: Ledger) -> Iterator[Finding]:
    """Every page that a person accepted has the action that says so, and the reverse."""
    with ledger.connect() as conn:
        accepted = select(audit.c.run_id, audit.c.url).where(audit.c.reason_code == ReasonCode.ACCEPTED.value)
        audited = {(run_id, url) for run_id, url in conn.execute(accepted)}
        done = select(actions.c.target, actions.c.details).where(actions.c.action == "accept")
        recorded = {(run_id, (details or {}).get("url")) for run_id, details in conn.execute(done)}
    for run_id, url in sorted(audited - recorded):
        yield Finding("action_missing", url, f"run {run_id}: was accepted, but no action says by whom")


def _list_actions(conn: Connection, action: str) -> Iterable[Row[Any]]:
    """All of one kind, the oldest first."""
    return conn.execute(select(actions).where(actions.c.action == action).order_by(actions.c.action_id))


def check_reviews(ledger: Ledger) -> Iterator[Finding]:
    """What a person said of a change last is what the last action on it says."""
    with ledger.connect() as conn:
        last = {
            row.target: (row.details["decision"], row.reason, row.actor, row.at)
            for row in _list_actions(conn, REVIEW_ACTION)
        }
        for row in conn.execute(select(change_reviews)):
            change = format_version_id(row.page_id, row.seq)
            if last.pop(change, None) != (row.decision, row.reason, row.reviewed_by, row.reviewed_at):
                sentence = f"reviewed as {row.decision} by {row.reviewed_by}, which is not what its last action says"
                yield Finding("review_differs", f"change {change}", sentence)
    for change, (decision, _, actor, _) in last.items():
        if decision != OPEN:
            sentence = f"its last action says that {actor} reviewed it as {decision}, but no review stands"
            yield Finding("review_missing", f"change {change}", sentence)


def check_assignments(ledger: Ledger) -> Iterator[Finding]:
    """Who is to look at a change, and by when, is what the last action on it says."""
    with ledger.connect() as conn:
        last = {
            row.target: (row.details["assignee"], row.details["due_on"], row.actor, row.at)
            for row in _list_actions(conn, ASSIGN_ACTION)
        }
        for row in conn.execute(select(change_assignments)):
            change = format_version_id(row.page_id, row.seq)
            if last.pop(change, None) != (row.assignee, row.due_on, row.assigned_by, row.assigned_at):
                sentence = f"assigned to {row.assignee} by {row.assigned_by}, which is not what its last action says"
                yield Finding("assignment_differs", f"change {change}", sentence)
    for change, (assignee, _, actor, _) in last.items():
        if assignee is not None:
            sentence = f"its last action says that {actor} assigned it to {assignee}, but no assignment stands"
            yield Finding("assignment_missing", f"change {change}", sentence)


def check_prunes(ledger: Ledger) -> Iterator[Finding]:
    """Every envelope that is recorded as pruned has the action that says so."""
    with ledger.connect() as conn:
        done = conn.execute(select(actions.c.details).where(actions.c.action == "prune")).scalars()
        recorded = {path for details in done for path in (details or {}).get("files", ())}
        pruned = select(envelopes.c.path).where(envelopes.c.state == "pruned").order_by(envelopes.c.path)
        for path in conn.execute(pruned.execution_options(yield_per=500)).scalars():
            if path not in recorded:
                yield Finding("prune_unrecorded", path, "recorded as pruned, but no action says by whom")


def check_aliases(ledger: Ledger) -> Iterator[Finding]:
    """Every address that leads to a page, against the audit: an answer of then redirected there, or named it."""
    with ledger.connect() as conn:
        found = conn.execute(_led_addresses().execution_options(yield_per=500))
        for _, rows in groupby(found, key=lambda row: (row.page_id, row.alias_hash)):
            (first, *more) = rows
            if first.alias_hash != url_hash(first.alias):
                yield Finding("alias_unaudited", first.alias, "its row has the hash of another URL")
            elif not any(map(_is_led, (first, *more))):
                sentence = f"no audit row of {first.seen_at:%Y-%m-%d %H:%M:%S} UTC leads from it to {first.page_url}"
                yield Finding("alias_unaudited", first.alias, sentence)


def _led_addresses() -> Select[Any]:
    """Each alias with the audit rows of it and of its page from when it was seen, or none."""
    of_either = and_(
        audit.c.manifest_id == pages.c.source_id,
        audit.c.kind == "page",
        audit.c.url_hash.in_([page_aliases.c.url_hash, pages.c.url_hash]),
        audit.c.timestamp == page_aliases.c.seen_at,
    )
    columns = (
        page_aliases.c.page_id,
        page_aliases.c.url_hash.label("alias_hash"),
        page_aliases.c.url.label("alias"),
        page_aliases.c.seen_at,
        pages.c.url.label("page_url"),
        audit.c.url_hash,
        audit.c.reason,
        audit.c.reason_code,
        audit.c.reason_detail,
        audit.c.redirects,
    )
    tables = page_aliases.join(pages).outerjoin(audit, of_either)
    return select(*columns).select_from(tables).order_by(page_aliases.c.page_id, page_aliases.c.url_hash)


def _is_led(row: Row[Any]) -> bool:
    if row.url_hash != row.alias_hash:
        return any(_is_same_url(url, row.alias) for _, url in row.redirects or ())
    if row.reason_code is None:  # from before there were codes
        return row.page_url in (row.reason or "")
    return _is_same_url((row.reason_detail or {}).get("target_url") or "", row.page_url)


def _is_same_url(audited: str, url: str) -> bool:
    """The audit masks more than the name of a page does."""
    return audited == url or (MASK in audited and _masked(audited).fullmatch(url) is not None)


def _masked(audited: str) -> re.Pattern[str]:
    return re.compile(r"[^&#\s]+".join(map(re.escape, audited.split(MASK))))


def check_order(ledger: Ledger, now: datetime) -> Iterator[Finding]:
    """Rows that are missing between others, and clocks that went backwards or are ahead."""
    with ledger.connect() as conn:
        if conn.dialect.name == "sqlite":  # a sequence of PostgreSQL leaves gaps by itself
            yield from _check_gaps(conn, audit, audit.c.audit_id)
            yield from _check_gaps(conn, actions, actions.c.action_id)
            yield from _check_gaps(conn, manifest_versions, manifest_versions.c.manifest_version_id)
        for run_id in conn.execute(_disordered_runs()).scalars():
            yield Finding("audit_order", run_id, "its audit rows are numbered in another order than they were recorded")
        rows = select(audit.c.audit_id, audit.c.timestamp, audit.c.reason_code).order_by(audit.c.audit_id)
        yield from _check_clock("audit row", conn, rows, now)
        done = select(actions.c.action_id, actions.c.at, actions.c.action).order_by(actions.c.action_id)
        yield from _check_clock("action", conn, done, now)
        for lease in leases.lease_holders(conn):  # who holds one is taken for alive, and what it writes is left out
            if lease.expires_at > now + CLOCK_TOLERANCE:
                sentence = (
                    f"is held by {lease.owner} until {lease.expires_at:%Y-%m-%d %H:%M} UTC: no job holds it so long"
                )
                yield Finding("clock_ahead", f"lease of {lease.group}", sentence)
        late = runs.c.finished_at < runs.c.started_at
        for (run_id,) in conn.execute(select(runs.c.run_id).where(late)):
            yield Finding("clock_backwards", run_id, "ended before it started")


def _disordered_runs() -> Select[Any]:
    before = func.lag(audit.c.audit_id).over(partition_by=audit.c.run_id, order_by=audit.c.seq).label("before")
    rows = select(audit.c.run_id, audit.c.audit_id, before).subquery()
    return select(rows.c.run_id).where(rows.c.audit_id < rows.c.before).distinct()


def _check_gaps(conn: Connection, table: Table, number: ColumnElement[int]) -> Iterator[Finding]:
    first, last, rows = conn.execute(select(func.min(number), func.max(number), func.count()).select_from(table)).one()
    if rows and (missing := last - rows):
        what = format_count(missing, "row")
        yield Finding("rows_missing", table.name, f"{what} missing: {rows} are there, numbered from {first} to {last}")


def _check_clock(what: str, conn: Connection, rows: Any, now: datetime) -> Iterator[Finding]:
    latest = None
    for number, at, code in conn.execute(rows.execution_options(yield_per=500)):
        if code in _LATE_CODES:
            continue
        if at > now + CLOCK_TOLERANCE:
            yield Finding("clock_ahead", f"{what} {number}", f"is of {at:%Y-%m-%d %H:%M} UTC, which is yet to come")
        elif latest is not None and at < latest - CLOCK_TOLERANCE:
            sentence = f"is of {at:%Y-%m-%d %H:%M} UTC, a row before it of {latest:%Y-%m-%d %H:%M} UTC"
            yield Finding("clock_backwards", f"{what} {number}", sentence)
        if latest is None or latest < at <= now + CLOCK_TOLERANCE:
            latest = at
