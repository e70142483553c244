"""Scenarios of ``scrapy due --what-if``: what a person would change, and today's plan with that change.

In: ``KEY=VALUE`` words, the catalogue, the ledger's history. Out: `Plan`s for `what_if.foresee`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, get_args

from sqlalchemy import func, select

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.runs.run_records import load_run_means
from rori_spiders.ledger.tables import jobs, leases
from rori_spiders.manifest.vocabulary import Frequency
from rori_spiders.politeness.rate_limiter import MARGIN
from rori_spiders.schedule.plan import blocked_reason
from rori_spiders.schedule.what_if import SINGLE_PAGE_REQUESTS, Forecast, Plan, RunCost

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.operations.source_status import SourceState
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source

#: A node without a job for so long is not counted: a pool may have shrunk.
_RECENT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Scenario:
    """What would be other than it is; None stays as it is."""

    frequency: Frequency | None = None
    manifest: str | None = None  # the path of a file
    nodes: int | None = None
    jobs: int | None = None  # at once on each node

    @classmethod
    def parse(cls, words: Sequence[str]) -> Scenario:
        """Of ``frequency=daily``, ``manifest=FILE``, ``nodes=4``, ``jobs=8``. Raises UsageError."""
        values = {key: value for key, _, value in (word.partition("=") for word in words)}
        numbers = {key: int(value) for key, value in values.items() if key in {"nodes", "jobs"} and value.isdecimal()}
        frequency = next((one for one in get_args(Frequency) if one == values.get("frequency")), None)
        manifest = values.get("manifest") or None
        understood = {*numbers, *(["frequency"] if frequency else []), *(["manifest"] if manifest else [])}
        if wrong := [key for key in values if key not in understood or numbers.get(key) == 0]:
            raise UsageError(
                f"--what-if {wrong[0]}={values[wrong[0]]}: expected frequency={'|'.join(get_args(Frequency))}, "
                "manifest=FILE, nodes=NUMBER or jobs=NUMBER"
            )
        return cls(frequency, manifest, numbers.get("nodes"), numbers.get("jobs"))


@dataclass(frozen=True, slots=True)
class Today:
    """What the ledger and this machine say of today."""

    states: Mapping[str, SourceState]
    everything: SourceState | None
    costs: Mapping[str, RunCost]
    learnt_delays: Mapping[str, float]  # seconds, by group
    nodes: int  # that had a job lately; 0: `scrapy collect` on one machine
    jobs: int  # at once on each node
    runs: int  # at once in `scrapy collect`
    most_requests: int  # RORI_FLEET_MAX_CONCURRENT_REQUESTS; 0: no limit


def load_run_costs(conn: Connection) -> dict[str, RunCost]:
    """Of each source that has complete runs, the means of its last ones."""
    return {source_id: RunCost(*means) for source_id, means in load_run_means(conn).items()}


def load_learnt_delays(conn: Connection) -> dict[str, float]:
    """What robots.txt asked for, and what slow answers taught, by group."""
    return {
        group: max(by_robots or 0.0, throttled or 0.0)
        for group, by_robots, throttled in conn.execute(select(leases.c.group, leases.c.delay_s, leases.c.throttle_s))
    }


def count_nodes(conn: Connection, now: datetime) -> int:
    """The nodes that have had a job lately."""
    lately = jobs.c.state.in_(("leased", "running")) | (jobs.c.started_at >= now - _RECENT)
    return int(conn.execute(select(func.count(jobs.c.node.distinct())).where(lately)).scalar_one())


def apply_frequency(sources: Sequence[Source], frequency: Frequency | None, ids: Collection[str]) -> list[Source]:
    """*sources* with the frequency, all of them or those of *ids*."""
    if frequency is None:
        return list(sources)
    return [one.model_copy(update={"frequency": frequency}) if not ids or one.id in ids else one for one in sources]


def build_plan(
    catalog: Catalog,
    sources: Sequence[Source],
    today: Today,
    scenario: Scenario,
    is_single_page: Callable[[Source], bool],
) -> tuple[Plan, dict[str, RunCost], list[Source]]:
    """The plan of *scenario*, what each of its sources costs, and the sources that are left out: no run of theirs has
    been complete, so that nobody knows their size.
    """
    costs, chosen, unknown = {}, [], []
    for source in sources:
        if blocked_reason(source, today.states.get(source.id), today.everything) is not None:
            continue
        cost = today.costs.get(source.id)
        if cost is None and is_single_page(source):
            cost = RunCost(SINGLE_PAGE_REQUESTS, 1.0, 0.0, 0.0, 0.0, 0.0)
        if cost is None:
            unknown.append(source)
        else:
            chosen.append(source)
            costs[source.id] = cost
    nodes = today.nodes if scenario.nodes is None else scenario.nodes
    at_once = today.runs
    if nodes or scenario.jobs is not None:
        at_once = max(1, nodes) * (today.jobs if scenario.jobs is None else scenario.jobs)
    plan = Plan(
        sources=chosen,
        group_of=lambda source: catalog.group(source.host),
        every_s=lambda group: max(catalog.rules_of_group(group).delay_s, today.learnt_delays.get(group, 0.0)) * MARGIN,
        rules=catalog.rules,
        runs_at_once=min(at_once, today.most_requests) if today.most_requests else at_once,
    )
    return plan, costs, unknown


#: Key, words, and how a value is shown.
_MEASURES: tuple[tuple[str, str, Callable[[Forecast], float]], ...] = (
    ("sources", "sources", lambda one: one.sources),
    ("runs_a_week", "runs a week", lambda one: one.runs / one.days * 7),
    ("requests_a_week", "requests a week", lambda one: one.requests / one.days * 7),
    ("pages_a_week", "pages a week", lambda one: one.pages / one.days * 7),
    ("browser_pages_a_week", "pages in the browser a week", lambda one: one.browser_pages / one.days * 7),
    ("credits_a_week", "credits a week", lambda one: one.credits / one.days * 7),
    ("request_hours_a_week", "hours of requests a week", lambda one: one.request_hours / one.days * 7),
    ("busy_share", "share of the time that runs take", lambda one: one.busy_share),
    (
        "in_time_share",
        "sources checked in time at the end",
        lambda one: one.in_time / one.sources if one.sources else 1.0,
    ),
    ("waited_p95_hours", "hours that 95 % of runs wait at most", lambda one: one.waited_p95_h),
    ("waited_most_hours", "hours that any run waits at most", lambda one: one.waited_most_h),
    ("waiting", "sources that still wait at the end", lambda one: one.waiting),
)


def compare(now: Forecast, then: Forecast) -> list[dict[str, str | float]]:
    """One row a measure, as it is and as it would be."""
    return [
        {"measure": key, "words": words, "now": round(measure(now), 3), "what_if": round(measure(then), 3)}
        for key, words, measure in _MEASURES
    ]
