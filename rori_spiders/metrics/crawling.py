"""Runs, their pages, what changed; and of the last hour, tiers, verdicts and response times."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import timedelta
from itertools import pairwise
from statistics import quantiles
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from rori_spiders.ledger.tables import audit, runs, versions
from rori_spiders.ledger.tables.runs import FINAL_URL_STATES, OPEN_RUN_STATES, RUN_STATES
from rori_spiders.metrics import families

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from prometheus_client import Metric
    from sqlalchemy import Connection

#: 10 requests at once, 3 to a group, one in 2 s: politeness itself keeps the rows of an hour to a few thousand.
_RECENT = timedelta(hours=1)


def of_runs(conn: Connection) -> Iterator[Metric]:
    """One pass over `runs`: a row a run, some 30 pages each."""
    sums = [func.sum(runs.c.counts[state].as_integer()) for state in FINAL_URL_STATES]
    asked = [func.sum(runs.c.requests), func.sum(runs.c.browser_pages), func.sum(runs.c.seconds)]
    query = select(runs.c.state, runs.c.method, func.count(), *asked, *sums).group_by(runs.c.state, runs.c.method)
    states: Counter[str] = Counter(dict.fromkeys(RUN_STATES, 0))
    pages: Counter[str] = Counter(dict.fromkeys(FINAL_URL_STATES, 0))
    seconds: dict[str, tuple[int, float]] = {}
    requests = browser_pages = 0
    for state, method, number, asked_for, rendered, took, *of_states in conn.execute(query):
        states[state] += number
        requests += asked_for
        browser_pages += rendered
        pages.update(dict(zip(FINAL_URL_STATES, (int(one or 0) for one in of_states), strict=True)))
        if state not in OPEN_RUN_STATES:
            count, total = seconds.get(method, (0, 0.0))
            seconds[method] = (count + number, total + took)
    yield families.RUNS.of({(one,): states[one] for one in RUN_STATES if one not in OPEN_RUN_STATES})
    yield families.OPEN_RUNS.of({(one,): states[one] for one in OPEN_RUN_STATES})
    yield families.RUN_PAGES.of({(state,): number for state, number in pages.items()})
    yield families.REQUESTS.of({(): requests})
    yield families.BROWSER_PAGES.of({(): browser_pages})
    yield families.run_seconds(seconds)


def of_changes(conn: Connection) -> Iterator[Metric]:
    """From the index of what changed, without the rows."""
    query = select(versions.c.change_type, func.count()).group_by(versions.c.change_type)
    found = {"new": 0, "modified": 0, "deleted": 0} | {row[0]: row[1] for row in conn.execute(query)}
    yield families.CHANGES.of({(change,): number for change, number in found.items()})


def of_the_last_hour(conn: Connection, now: datetime) -> Iterator[Metric]:
    """By the audit's index of times."""
    query = select(audit.c.engine, audit.c.verdict, audit.c.response_time_ms, audit.c.attempts).where(
        audit.c.timestamp >= now - _RECENT, audit.c.kind == "page"
    )
    verdicts: Counter[tuple[str, ...]] = Counter()
    times: defaultdict[str, list[float]] = defaultdict(list)
    escalations: Counter[tuple[str, ...]] = Counter()
    for tier, verdict, took_ms, attempts in conn.execute(query):
        escalations.update(_escalations(attempts or ()))
        verdicts[tier or "none", verdict or "none"] += 1
        if took_ms is not None:
            times[tier].append(took_ms / 1000)
    yield families.RECENT.of(verdicts)
    yield families.RECENT_ESCALATIONS.of(escalations)
    yield families.RECENT_SECONDS.of(
        {(tier, name): value for tier, took in times.items() for name, value in _quantiles(took).items()}
    )


def _escalations(attempts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """(from, to, verdict) of each step to another tier; reasons are sentences, and verdicts a short list."""
    for one, following in pairwise(attempts):
        if one["tier"] != following["tier"]:
            yield one["tier"], following["tier"], one.get("verdict") or "none"


def _quantiles(took: list[float]) -> dict[str, float]:
    if len(took) == 1:
        return {"0.5": took[0], "0.95": took[0]}
    cuts = quantiles(took, n=20, method="inclusive")
    return {"0.5": cuts[9], "0.95": cuts[18]}
