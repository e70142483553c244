"""What is foreseen of a plan: requests, hours, who waits, and what does not fit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.manifest.catalog import DomainRuleIndex
from rori_spiders.manifest.models import Source
from rori_spiders.schedule.scenario import Scenario, apply_frequency, compare
from rori_spiders.schedule.what_if import Forecast, Plan, RunCost, foresee
from tests.support.project import source as written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
_RULES = DomainRuleIndex([{}]).rules


def source(manifest_id: str, url: str, frequency: str = "daily") -> Source:
    return Source.model_validate(written(manifest_id, url, frequency=frequency))


def forecast(
    sources: Sequence[Source],
    requests: float,
    *,
    at_once: int = 1,
    days: int = 14,
    states: Mapping[str, Any] | None = None,
) -> Forecast:
    plan = Plan(sources, lambda one: one.host, lambda _: 2.0, _RULES, at_once)
    costs = {one.id: RunCost(requests, requests - 1, 0, 0, 0, requests * 2.0) for one in sources}
    return foresee(plan, states or {}, costs, NOW, days=days)


def test_foresee_daily_and_weekly_source_counts_their_runs() -> None:
    assert forecast([source("a", "https://www.example.org/")], 100).runs == 15  # each is taken an hour early
    weekly = forecast([source("a", "https://www.example.org/", "weekly")], 100)
    assert 2 <= weekly.runs <= 4  # the first checks come nearer to the source's own moment
    assert weekly.requests == weekly.runs * 100
    assert weekly.request_hours == pytest.approx(weekly.runs * 200 / 3600)


def test_foresee_one_group_is_never_asked_by_two_runs_at_once() -> None:
    """Twelve runs of two hours a day in one group: more nodes make nothing faster."""
    sources = [source(f"s{at}", f"https://www.example.org/{at}") for at in range(12)]
    alone, many = forecast(sources, 3600), forecast(sources, 3600, at_once=8)
    assert alone.runs == many.runs
    assert many.busy_share == pytest.approx(1 / 8, rel=0.05)
    assert many.waited_most_h == pytest.approx(22)


def test_foresee_more_nodes_shorten_waits_of_different_groups() -> None:
    sources = [source(f"s{at}", f"https://www.site{at}.org/") for at in range(12)]
    alone, four = forecast(sources, 3600), forecast(sources, 3600, at_once=4)
    assert alone.waited_most_h == pytest.approx(22)
    assert four.waited_most_h == pytest.approx(4)


def test_foresee_run_longer_than_its_hours_goes_on_the_next_night() -> None:
    """.gov is open for four hours, 7,200 requests of 2 s: a daily source of 10,000 is in time never again."""
    found = forecast([source("a", "https://www.example.gov/")], 10_000)
    assert 6 <= found.runs <= 8
    [(group, load)] = found.too_full
    assert group == "www.example.gov"
    assert load == pytest.approx(10_000 / 7_200, rel=0.01)
    assert not forecast([source("a", "https://www.example.gov/", "weekly")], 10_000).too_full


def test_foresee_source_due_after_the_days_is_not_visited() -> None:
    state = SourceState(last_checked_at=NOW)
    assert forecast([source("a", "https://www.a.gov/", "monthly")], 10, days=7, states={"a": state}).runs == 0


def test_foresee_begins_with_what_was_checked() -> None:
    state = SourceState(last_checked_at=NOW - timedelta(hours=1))
    found = forecast([source("a", "https://www.example.org/", "monthly")], 10, days=14, states={"a": state})
    assert found.runs == 0
    assert found.in_time == 1


def test_scenario_parse_refuses_what_it_does_not_know() -> None:
    assert Scenario.parse(["frequency=daily", "nodes=4"]) == Scenario(frequency="daily", nodes=4)
    for word in ("frequency=hourly", "nodes=0", "nodes=many", "speed=2", "manifest="):
        with pytest.raises(UsageError, match="expected frequency="):
            Scenario.parse([word])


def test_scenario_frequency_of_some_sources_leaves_the_others() -> None:
    both = [source("a", "https://a.org/", "weekly"), source("b", "https://b.org/", "weekly")]
    assert [one.effective_frequency for one in apply_frequency(both, "daily", {"a"})] == ["daily", "weekly"]
    assert [one.effective_frequency for one in apply_frequency(both, "daily", ())] == ["daily", "daily"]


def test_compare_gives_a_row_for_each_measure() -> None:
    now, then = forecast([source("a", "https://a.org/", "weekly")], 10), forecast([source("a", "https://a.org/")], 10)
    rows = {row["measure"]: row for row in compare(now, then)}
    assert rows["runs_a_week"]["what_if"] == 7.5
    assert rows["requests_a_week"]["what_if"] == 75
