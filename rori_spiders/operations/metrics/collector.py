"""Read every metric from the ledger at each scrape: runs and pages, sources, queue, leases, alerts, envelopes,
costs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import quantiles
from time import perf_counter
from typing import TYPE_CHECKING, Any

from prometheus_client.registry import Collector
from sqlalchemy import Connection, Table, func, select, text
from sqlalchemy.exc import SQLAlchemyError

import rori_spiders
from rori_spiders.configuration.active_manifest import load_active_catalog
from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import RoriError
from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.operations.costs import month_start, spent_amount, spent_usd
from rori_spiders.ledger.operations.source_status import ALL_SOURCES, load_states
from rori_spiders.ledger.tables import (
    alert_deliveries,
    alerts,
    audit,
    change_totals,
    costs,
    envelopes,
    jobs,
    leases,
    run_totals,
    runs,
    versions,
)
from rori_spiders.ledger.tables.runs import FINAL_URL_STATES, OPEN_RUN, OPEN_RUN_STATES, RUN_STATES
from rori_spiders.manifest.tier_selection import monthly_limit_setting
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.operations.fleet_status import load_last_runs, read_backlog, read_objectives
from rori_spiders.operations.metrics import definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from prometheus_client import Metric
    from scrapy.settings import BaseSettings

    from rori_spiders.configuration.locations import Locations
    from rori_spiders.ledger.operations.source_status import SourceState
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.operations.fleet_status import LastRun


class LedgerCollector(Collector):
    """Reads the ledger at each scrape. A failed scrape sets ``rori_up`` to 0 and passes the reason to *report*."""

    def __init__(
        self, places: Locations, settings: BaseSettings, now: Callable[[], datetime], report: Callable[[str], None]
    ) -> None:
        self._places, self._settings, self._now, self._report = places, settings, now, report
        self._errors = 0
        self._envelopes: tuple[datetime, list[Metric]] | None = None

    def collect(self) -> Iterator[Metric]:
        began = perf_counter()
        try:
            found = list(self.read())
        except (RoriError, SQLAlchemyError, OSError) as error:
            self._errors += 1
            self._report(str(error))
            found = []
        yield definitions.BUILD.of({(rori_spiders.__version__,): 1})
        yield definitions.UP.of({(): int(bool(found))})
        yield definitions.ERRORS.of({(): self._errors})
        yield definitions.SCRAPE.of({(): perf_counter() - began})
        yield from found

    def read(self) -> Iterator[Metric]:
        """Collect the metrics of the ledger; none if it does not exist yet. Raises LedgerError and ManifestError."""
        with open_existing_ledger(self._places, replica_url=self._places.replica_url) as ledger:
            if ledger is None:
                return
            catalog, now = load_active_catalog(self._places, ledger), self._now()
            with ledger.connect() as conn:
                states, last = load_states(conn), load_last_runs(conn)
                yield from source_metrics(conn, catalog, states, last)
                yield from fleet_metrics(conn, catalog, states, last, now)
                yield from run_metrics(conn)
                yield from change_metrics(conn)
                yield from last_hour_metrics(conn, now)
                yield from cost_metrics(conn, self._settings, now)
                yield from queue_metrics(conn, now)
                yield from lease_metrics(conn, now)
                yield from alert_metrics(conn)
                yield from delivery_metrics(conn)
                yield from self._envelope_metrics(conn, now)

    def _envelope_metrics(self, conn: Connection, now: datetime) -> list[Metric]:
        if self._envelopes is None or now - self._envelopes[0] >= _ENVELOPES_INTERVAL:
            self._envelopes = now, list(envelope_metrics(conn))
        return self._envelopes[1]


#: Every envelope that was ever staged is counted: a million takes 0.7 s (docs/explanation/scale.md).
_ENVELOPES_INTERVAL = timedelta(minutes=5)


# Runs, their pages, what changed; and of the last hour, tiers, verdicts and response times.

#: 10 requests at once, 3 to a group, one in 2 s: politeness itself keeps the rows of an hour to a few thousand.
_RECENT = timedelta(hours=1)


def run_metrics(conn: Connection) -> Iterator[Metric]:
    """Open runs, of which a source has one at most, and the totals of all that are closed."""
    sums = [func.sum(runs.c.counts[state].as_integer()) for state in FINAL_URL_STATES]
    totals = [func.sum(runs.c.requests), func.sum(runs.c.browser_pages), func.sum(runs.c.seconds)]
    under_way = select(runs.c.state, runs.c.method, func.count(), *totals, *sums).where(text(OPEN_RUN))
    columns = ("state", "method", "runs", "requests", "browser_pages", "seconds", *FINAL_URL_STATES)
    closed = select(*(run_totals.c[name] for name in columns))
    rows = [*conn.execute(under_way.group_by(runs.c.state, runs.c.method)), *conn.execute(closed)]
    states: Counter[str] = Counter(dict.fromkeys(RUN_STATES, 0))
    pages: Counter[str] = Counter(dict.fromkeys(FINAL_URL_STATES, 0))
    seconds: dict[str, tuple[int, float]] = {}
    requests = browser_pages = 0
    for state, method, number, asked_for, rendered, took, *of_states in rows:
        states[state] += number
        requests += asked_for
        browser_pages += rendered
        pages.update(dict(zip(FINAL_URL_STATES, (int(one or 0) for one in of_states), strict=True)))
        if state not in OPEN_RUN_STATES:
            count, total = seconds.get(method, (0, 0.0))
            seconds[method] = (count + number, total + took)
    yield definitions.RUNS.of({(one,): states[one] for one in RUN_STATES if one not in OPEN_RUN_STATES})
    yield definitions.OPEN_RUNS.of({(one,): states[one] for one in OPEN_RUN_STATES})
    yield definitions.RUN_PAGES.of({(state,): number for state, number in pages.items()})
    yield definitions.REQUESTS.of({(): requests})
    yield definitions.BROWSER_PAGES.of({(): browser_pages})
    yield definitions.run_seconds_metric(seconds)


def change_metrics(conn: Connection) -> Iterator[Metric]:
    """Versions of open runs, and the totals of the others."""
    under_way = select(runs.c.run_id).where(text(OPEN_RUN)).order_by(runs.c.source_id)  # the order of their index
    query = select(versions.c.change_type, func.count()).where(versions.c.run_id.in_(under_way))
    found = Counter({"new": 0, "modified": 0, "deleted": 0})
    closed = select(change_totals.c.change_type, change_totals.c.versions)
    for change, number in (*conn.execute(query.group_by(versions.c.change_type)), *conn.execute(closed)):
        found[change] += number
    yield definitions.CHANGES.of({(change,): number for change, number in found.items()})


def last_hour_metrics(conn: Connection, now: datetime) -> Iterator[Metric]:
    """By the audit's index of times."""
    query = select(audit.c.engine, audit.c.verdict, audit.c.response_time_ms, audit.c.attempts).where(
        audit.c.timestamp >= now - _RECENT, audit.c.kind == "page"
    )
    verdicts: Counter[tuple[str, ...]] = Counter()
    times: defaultdict[str, list[float]] = defaultdict(list)
    escalations: Counter[tuple[str, ...]] = Counter()
    for tier, verdict, took_ms, attempts in conn.execute(query):
        escalations.update(_count_escalations(attempts or ()))
        verdicts[tier or "none", verdict or "none"] += 1
        if took_ms is not None:
            times[tier].append(took_ms / 1000)
    yield definitions.RECENT.of(verdicts)
    yield definitions.RECENT_ESCALATIONS.of(escalations)
    yield definitions.RECENT_SECONDS.of(
        {(tier, name): value for tier, took in times.items() for name, value in _compute_quantiles(took).items()}
    )


def _count_escalations(attempts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """(from, to, verdict) of each step to another tier; reasons are sentences, and verdicts a short list."""
    for one, following in pairwise(attempts):
        if one["tier"] != following["tier"]:
            yield one["tier"], following["tier"], one.get("verdict") or "none"


def _compute_quantiles(took: list[float]) -> dict[str, float]:
    if len(took) == 1:
        return {"0.5": took[0], "0.95": took[0]}
    cuts = quantiles(took, n=20, method="inclusive")
    return {"0.5": cuts[9], "0.95": cuts[18]}


# Sources, queue, leases, alerts, envelopes: how things stand now.

_OPEN_JOB_STATES = ("waiting", "leased", "running")


def source_metrics(
    conn: Connection, catalog: Catalog, known: Mapping[str, SourceState], last: Mapping[str, LastRun]
) -> Iterator[Metric]:
    """Bounded by the manifest: a label a source, for those that are active."""
    open_runs = dict(conn.execute(select(runs.c.source_id, runs.c.state).where(text(OPEN_RUN))).all())
    all_paused = ALL_SOURCES in known and known[ALL_SOURCES].paused_by is not None
    found: Counter[tuple[str, ...]] = Counter()
    for source in catalog.sources:
        state = known.get(source.id)
        if source.status != "active":
            found[(source.status,)] += 1
        elif all_paused or (state is not None and state.paused_by):
            found[("paused",)] += 1
        elif source.id in open_runs:
            found[(open_runs[source.id],)] += 1
        else:
            found[(last[source.id].state if source.id in last else "pending",)] += 1
    yield definitions.SOURCES.of(found)
    checked = {source.id: known[source.id].last_checked_at for source in catalog.sources if source.id in known}
    yield definitions.LAST_SUCCESS.of({(one,): at.timestamp() for one, at in checked.items() if at is not None})


def fleet_metrics(
    conn: Connection, catalog: Catalog, known: Mapping[str, SourceState], last: Mapping[str, LastRun], now: datetime
) -> Iterator[Metric]:
    """What waits for nodes, and whether the objectives of service are kept."""
    backlog = read_backlog(conn, catalog, known, last, now)
    yield definitions.BACKLOG.of({(): backlog.work_s})
    yield definitions.BACKLOG_SOURCES.of({(): backlog.sources})
    yield definitions.BACKLOG_AGE.of({(): backlog.oldest_s})
    objectives = read_objectives(conn, catalog, known, last, now)
    yield definitions.SLO_GOOD.of({(name,): good for name, (good, _) in objectives.items()})
    yield definitions.SLO_EXPECTED.of({(name,): total for name, (_, total) in objectives.items()})


def queue_metrics(conn: Connection, now: datetime) -> Iterator[Metric]:
    yield definitions.JOBS.of(_count_by(conn, jobs, "state", _OPEN_JOB_STATES))
    oldest = conn.execute(select(func.min(jobs.c.queued_at)).where(jobs.c.state == "waiting")).scalar_one()
    yield definitions.OLDEST_JOB.of({(): (now - oldest).total_seconds() if oldest is not None else 0})


def lease_metrics(conn: Connection, now: datetime) -> Iterator[Metric]:
    query = select(leases.c.expires_at, leases.c.last_request_at).where(leases.c.owner.is_not(None))
    held = conn.execute(query).all()
    live = [row for row in held if row.expires_at > now]
    yield definitions.LEASES.of({("live",): len(live), ("stale",): len(held) - len(live)})
    idle = [(now - row.last_request_at).total_seconds() for row in live if row.last_request_at is not None]
    yield definitions.LEASE_IDLE.of({(): max(idle, default=0)})


def alert_metrics(conn: Connection) -> Iterator[Metric]:
    query = select(alerts.c.severity, func.count()).where(alerts.c.cleared_at.is_(None)).group_by(alerts.c.severity)
    yield definitions.ALERTS.of({(severity,): number for severity, number in conn.execute(query)})


def delivery_metrics(conn: Connection) -> Iterator[Metric]:
    """Alerts and announcements that were not delivered."""
    given_up = alert_deliveries.c.next_try_at.is_(None)
    query = (
        select(given_up, func.count())
        .join(alerts, alerts.c.alert_id == alert_deliveries.c.alert_id)
        .where(alerts.c.cleared_at.is_(None), alert_deliveries.c.delivered.is_(False))
        .group_by(given_up)
    )
    found = {bool(row[0]): row[1] for row in conn.execute(query)}
    yield definitions.DELIVERIES.of({("waiting",): found.get(False, 0), ("given_up",): found.get(True, 0)})
    yield definitions.ANNOUNCEMENTS.of({(): staged_envelopes.count_unannounced(conn)})


def envelope_metrics(conn: Connection) -> Iterator[Metric]:
    """Count by index: the confirmed ones, and the rest by subtraction."""
    by_state = _count_by(conn, envelopes, "state", ("reserved", "staged", "indexed", "pruned"))
    yield definitions.ENVELOPES.of(by_state)
    confirmed = conn.execute(select(func.count()).where(envelopes.c.confirmed_at.is_not(None))).scalar_one()
    announced = by_state[("indexed",)] + by_state[("pruned",)]
    yield definitions.UNCONFIRMED.of({(): max(0, announced - confirmed)})


def _count_by(conn: Connection, table: Table, column: str, words: tuple[str, ...]) -> dict[tuple[str, ...], float]:
    """How many rows have each of *words*; none is a number too."""
    query = select(table.c[column], func.count()).where(table.c[column].in_(words)).group_by(table.c[column])
    found = {row[0]: row[1] for row in conn.execute(query)}
    return {(word,): found.get(word, 0) for word in words}


# What providers and the language model have cost: ever, and of this month against its limits. What is only reserved
# counts as spent.

#: Those with a monthly limit of their own: providers, and the language model.
_LIMITED = (*PROVIDERS, "llm")


def cost_metrics(conn: Connection, settings: BaseSettings, now: datetime) -> Iterator[Metric]:
    amount = func.sum(func.coalesce(costs.c.settled, costs.c.reserved))
    query = select(costs.c.provider, costs.c.unit, amount, func.sum(costs.c.usd)).group_by(
        costs.c.provider, costs.c.unit
    )
    rows = conn.execute(query).all()
    credits_of: dict[tuple[str, ...], float] = {(row[0], row[1]): float(row[2] or 0) for row in rows}
    yield definitions.CREDITS.of(credits_of)
    dollars: dict[tuple[str, ...], float] = {}
    for provider, _, _, usd in rows:
        dollars[(provider,)] = dollars.get((provider,), 0.0) + float(usd or 0)
    yield definitions.USD.of(dollars)
    since, used = month_start(now), sorted({row[0] for row in rows})
    yield definitions.MONTH.of({(one,): spent_amount(conn, one, since=since) for one in used})
    known: list[str] = [one for one in used if one in _LIMITED]
    limits: dict[tuple[str, ...], float] = {(one,): settings.getfloat(monthly_limit_setting(one)) for one in known}
    yield definitions.MONTH_LIMIT.of(limits)
    yield definitions.MONTH_USD.of({(): spent_usd(conn, since=since)})
    yield definitions.MONTH_USD_LIMIT.of({(): settings.getfloat("RORI_MONTHLY_BUDGET_USD")})
