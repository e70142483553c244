"""Checks of all nodes that share the ledger (`scrapy doctor --fleet`): who works, what waits, what was given up, the
slowest groups, budgets, and the objectives of service. All of it is read from the ledger.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, select

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.database import MAX_REPLAY_AGE_S, open_ledger
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.operations import costs
from rori_spiders.ledger.operations.source_status import load_states
from rori_spiders.ledger.queue.job_queue import JOB_LOST
from rori_spiders.ledger.tables import alert_deliveries, alerts, audit, jobs, leases, runs
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.tier_selection import monthly_limit_setting
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.operations.doctor.checks import CheckContext, CheckResult
from rori_spiders.operations.doctor.job_checks import check_leases, check_queue
from rori_spiders.operations.fleet_status import OBJECTIVE, load_last_runs, read_backlog, read_objectives
from rori_spiders.reviews.spending import ALERT_AT
from rori_spiders.runtime.plurals import format_count

#: A node without a job for so long is not listed: a pool may have shrunk.
_RECENT = timedelta(hours=1)
#: What is due waits longer than that only where nodes lack; `.gov` sources outside of their hours do not count.
_OLD_BACKLOG_S = 86_400.0
_SLOWEST = 5
_GUIDE = "docs/how-to/respond-to-alerts.md"


def check_fleet(context: CheckContext) -> Iterator[CheckResult]:
    if context.ledger is None or context.active_catalog is None:
        return
    with context.ledger.connect() as conn:
        yield from read_fleet(conn, context.active_catalog.catalog, context.settings, context.now)
    if context.places is not None:
        yield from check_replica(context.places.database_url, context.places.replica_url)


def read_fleet(
    conn: Connection, catalog: Catalog, settings: Mapping[str, Any], now: datetime, *, has_nodes: bool = True
) -> Iterator[CheckResult]:
    """The rows that the ledger has; *settings* are typed. Without *has_nodes* none of them is missed."""
    now = lease_clock(conn, now)
    yield from _check_nodes(conn, now, has_nodes=has_nodes)
    yield from check_leases(conn, now)
    yield from check_queue(conn, now)
    yield from _check_objectives(conn, catalog, now)
    yield from _check_dead_letters(conn)
    yield from _check_slowest_groups(conn, now)
    yield from _check_budgets(conn, settings, now)


def check_replica(database_url: str, replica_url: str) -> Iterator[CheckResult]:
    """How far the replica is behind, if one is set."""

    def read_age() -> float | None:
        with open_ledger(database_url, migrate=False, replica_url=replica_url) as ledger:
            return ledger.replica_age()

    if replica_url:
        yield describe_replica(read_age)


def describe_replica(read_age: Callable[[], float | None]) -> CheckResult:
    """How far the replica is behind: what it lacks, the monitor and `scrapy metrics` do not show. *read_age* is
    ``Ledger.replica_age``."""
    do = "See its log; until it follows, the primary is read (docs/how-to/nodes.md#many-nodes-over-one-database)."
    try:
        age = read_age()
    except LedgerError as error:
        return CheckResult("replica", "warning", f"cannot be read: {error}", do)
    if age is None:
        return CheckResult("replica", "warning", "it is not a streaming replica, or has replayed nothing yet", do)
    if age > MAX_REPLAY_AGE_S:
        return CheckResult("replica", "warning", f"{age:,.0f} s behind the primary, which is read instead", do)
    return CheckResult("replica", "ok", f"{age:.1f} s behind the primary" if age else "has all that the primary has")


def _check_nodes(conn: Connection, now: datetime, *, has_nodes: bool) -> Iterator[CheckResult]:
    """Each node that has had a job lately, with the versions of the program by which its running jobs record pages."""
    query = select(jobs.c.node, jobs.c.state, func.count(), func.max(jobs.c.started_at)).group_by(
        jobs.c.node, jobs.c.state
    )
    recent = jobs.c.state.in_(("leased", "running")) | (jobs.c.started_at >= now - _RECENT)
    states: defaultdict[str, Counter[str]] = defaultdict(Counter)
    begun: dict[str, datetime] = {}
    for node, state, number, started_at in conn.execute(query.where(recent, jobs.c.node.is_not(None))):
        states[node][state] += number
        if started_at is not None:
            begun[node] = max(begun.get(node, started_at), started_at)
    versions = _load_versions(conn)
    for node in sorted(states):
        at_work, over = states[node]["leased"] + states[node]["running"], states[node].total()
        found = f"{format_count(at_work, 'job')} under way, {over - at_work} ended within the hour"
        found += f", {states[node]['lost']} lost" if states[node]["lost"] else ""
        found += f"; the last began at {begun[node]:%H:%M:%S} UTC" if node in begun else ""
        found += f"; {', '.join(sorted(versions[node]))}" if node in versions else ""
        do = f"Find out what ends its jobs: its log, and `scrapy jobs` ({_GUIDE})."
        yield CheckResult(f"node {node}", "warning" if states[node]["lost"] else "ok", found, do)
    if not states and has_nodes:
        do = "Start Scrapyd on a node (docs/how-to/nodes.md), unless `scrapy collect` collects all."
        yield CheckResult("nodes", "warning", "none has had a job within the hour", do)
    if len(used := set().union(*versions.values())) > 1:
        do = "Update the nodes one after the other; until then pages may be converted in two ways."
        yield CheckResult("versions", "warning", f"the nodes run {' and '.join(sorted(used))}", do)


def _load_versions(conn: Connection) -> dict[str, set[str]]:
    """By node, from the newest audit row of each run that is going on."""
    newest = (
        select(audit.c.build)
        .where(audit.c.run_id == runs.c.run_id)
        .order_by(audit.c.seq.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = select(jobs.c.node, newest).join_from(runs, jobs, jobs.c.job_id == runs.c.job_id)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for node, build in conn.execute(query.where(runs.c.state == "running", jobs.c.node.is_not(None))):
        if build is not None:
            found[node].add(build)
    return found


def _check_objectives(conn: Connection, catalog: Catalog, now: datetime) -> Iterator[CheckResult]:
    states, last = load_states(conn), load_last_runs(conn)
    backlog = read_backlog(conn, catalog, states, last, now)
    found = (
        f"{format_count(backlog.sources, 'source')} due that no node has begun, some {backlog.work_s:,.0f} s of jobs"
    )
    if backlog.oldest_s > _OLD_BACKLOG_S:
        found += f"; the first since {backlog.oldest_s / 3600:,.0f} hours"
        do = f"Add nodes, or raise the limits of jobs and requests ({_GUIDE}#objectives-of-service)."
        yield CheckResult("backlog", "warning", found, do)
    else:
        yield CheckResult("backlog", "ok", found)
    for name, (good, total) in read_objectives(conn, catalog, states, last, now).items():
        share = good / total if total else 1.0
        found = f"{good} of {total}, {share:.1%}; the objective is {OBJECTIVE:.0%}"
        do = f"{_GUIDE}#objectives-of-service says where to look."
        yield CheckResult(name, "ok" if share >= OBJECTIVE else "warning", found, do)


def _check_dead_letters(conn: Connection) -> Iterator[CheckResult]:
    """What nobody tries again by itself."""
    is_open = alerts.c.cleared_at.is_(None)
    lost = list(conn.execute(select(alerts.c.source_id).where(is_open, alerts.c.event == JOB_LOST)).scalars())
    given_up = alert_deliveries.c.next_try_at.is_(None) & alert_deliveries.c.delivered.is_(False)
    count = select(func.count()).select_from(alert_deliveries.join(alerts)).where(is_open, given_up)
    messages = conn.execute(count).scalar_one()
    if lost or messages:
        named = f" ({', '.join(sorted(lost)[:_SLOWEST])}{', ...' * (len(lost) > _SLOWEST)})" if lost else ""
        found = f"{format_count(len(lost), 'source')} of jobs lost three times{named}, "
        do = "`scrapy alerts` has the reasons; `scrapy collect --source ID` tries a source again."
        found += f"{format_count(messages, 'message')} of alerts given up"
        yield CheckResult("dead letters", "warning", found, do)
    else:
        yield CheckResult("dead letters", "ok", "none")


def _check_slowest_groups(conn: Connection, now: datetime) -> Iterator[CheckResult]:
    """Those that robots.txt, slow answers or a pause make wait longest."""
    delay = func.coalesce(leases.c.delay_s, 0)
    throttle = func.coalesce(leases.c.throttle_s, 0)
    query = select(leases.c.group, delay, throttle).where((delay > 0) | (throttle > 0))
    slow = conn.execute(query.order_by((delay + throttle).desc(), leases.c.group).limit(_SLOWEST)).all()
    paused = conn.execute(select(func.count()).where(leases.c.paused_until > now)).scalar_one()
    found = "; ".join(f"{group}: {max(delay_s, throttle_s):g} s a request" for group, delay_s, throttle_s in slow)
    yield CheckResult("slowest groups", "ok", f"{found or 'none is slower than asked for'}; {paused} cooling down")


def _check_budgets(conn: Connection, settings: Mapping[str, Any], now: datetime) -> Iterator[CheckResult]:
    since, limits = costs.month_start(now), {}
    for spender in (*PROVIDERS, "llm"):
        if used := costs.spent_amount(conn, spender, since=since):
            limits[spender] = (used, float(settings[monthly_limit_setting(spender)]))
    limits["US dollars"] = (costs.spent_usd(conn, since=since), float(settings["RORI_MONTHLY_BUDGET_USD"]))
    shares = {name: used / limit if limit else 1.0 for name, (used, limit) in limits.items() if used}
    found = ", ".join(f"{name} {share:.0%}" for name, share in shares.items()) or "nothing spent this month"
    do = f"{_GUIDE}#a-budget-is-spent says what saves; RORI_MONTHLY_BUDGET_USD is the limit."
    yield CheckResult("budgets", "warning" if any(one >= ALERT_AT for one in shares.values()) else "ok", found, do)
