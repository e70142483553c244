"""Five weeks of 500 sources, over each night of the clock change, and over an outage: see ``month``."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from rori_spiders.schedule import check_interval
from tests.schedule.month import NODES_RUN, WAITING, Simulation, five_hundred, pages_of, utc

if TYPE_CHECKING:
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from tests.schedule.month import Run

NEW_YORK = ZoneInfo("America/New_York")
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return five_hundred()


@pytest.fixture(scope="module")
def spring(catalog: Catalog) -> Simulation:
    """All sources new on 2 February; the clocks go forward on 8 March."""
    simulation = Simulation(catalog, utc("2026-02-02 00:00"))
    simulation.until(utc("2026-02-02 00:00"), utc("2026-03-12 00:00"))
    return simulation


@pytest.fixture(scope="module")
def autumn(catalog: Catalog) -> Simulation:
    """All sources new on 1 October; nothing runs from the 16th to the 19th; the clocks go back on 1 November."""
    simulation = Simulation(catalog, utc("2026-10-01 00:00"))
    simulation.until(utc("2026-10-01 00:00"), utc("2026-10-16 12:00"))
    simulation.until(utc("2026-10-19 12:00"), utc("2026-11-06 00:00"))
    return simulation


@pytest.fixture(params=["spring", "autumn"])
def simulation(request: pytest.FixtureRequest) -> Simulation:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Simulation)
    return found


def complete(simulation: Simulation) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {}
    for run in simulation.runs:
        if run.complete:
            runs.setdefault(run.source.id, []).append(run)
    return runs


def is_gov(source: Source) -> bool:
    return source.host.endswith(".gov")


def window(source: Source) -> timedelta:
    """How long a source may take beyond its interval: four hours, and the nights that it needs."""
    return 4 * HOUR + DAY * (pages_of(source) // 7_000)


def test_month_gov_is_requested_in_its_hours_only(simulation: Simulation) -> None:
    asked = [run for run in simulation.runs if is_gov(run.source)]
    assert len(asked) > 1000
    for run in asked:
        began, ended = run.began.astimezone(NEW_YORK), run.ended.astimezone(NEW_YORK)
        assert 2 <= began.hour < 6
        assert began.date() == ended.date()
        assert (ended.hour, ended.minute, ended.second) <= (6, 0, 0)


@pytest.mark.parametrize(("name", "night", "first_hour"), [("spring", "2026-03-08", 3), ("autumn", "2026-11-01", 2)])
def test_month_nights_of_clock_change_are_used(
    name: str, night: str, first_hour: int, request: pytest.FixtureRequest
) -> None:
    simulation: Simulation = request.getfixturevalue(name)
    of_night = [run.began.astimezone(NEW_YORK) for run in simulation.runs if is_gov(run.source)]
    hours = [began.hour for began in of_night if str(began.date()) == night]
    assert len(hours) > 10
    assert min(hours) == first_hour


def test_month_every_source_within_interval_and_window(spring: Simulation, catalog: Catalog) -> None:
    runs = complete(spring)
    assert set(runs) == {source.id for source in catalog.sources}
    for source_id, found in runs.items():
        allowed = check_interval(catalog.source(source_id), None) + window(catalog.source(source_id))
        assert all(after.ended - before.ended <= allowed for before, after in pairwise(found)), source_id
        assert utc("2026-03-12 00:00") - found[-1].ended <= allowed, source_id


def test_month_nothing_twice_within_interval(simulation: Simulation, catalog: Catalog) -> None:
    """But for the third by which a check may come earlier, and for a source's hours of a day."""
    for source_id, found in complete(simulation).items():
        whole = check_interval(catalog.source(source_id), None)
        least = whole * 2 / 3 if whole > DAY else whole - 4 * HOUR
        assert all(after.began - before.ended >= least - HOUR for before, after in pairwise(found)), source_id


def test_month_monthly_sources_spread_over_nights(spring: Simulation, catalog: Catalog) -> None:
    """All were collected first within two nights."""
    monthly = [one for one in complete(spring).items() if check_interval(catalog.source(one[0]), None).days == 30]
    first = Counter(found[0].began.date() for _, found in monthly)
    again = Counter(found[1].began.date() for _, found in monthly if len(found) > 1)
    assert len(monthly) > 200
    assert max(first.values()) > len(monthly) / 3
    assert max(again.values()) < len(monthly) / 5


def test_month_three_day_outage_is_caught_up_gradually(autumn: Simulation, catalog: Catalog) -> None:
    assert autumn.most_outstanding <= WAITING + NODES_RUN
    back = utc("2026-10-19 12:00")
    for source_id, found in complete(autumn).items():
        source = catalog.source(source_id)
        over = [after.ended for before, after in pairwise(found) if before.ended < back < after.ended]
        due = [before.ended + check_interval(source, None) for before in found if before.ended < back][-1]
        if over:
            assert over[0] <= max(due, back) + window(source) + DAY, source_id


def test_month_large_sources_take_several_nights(spring: Simulation) -> None:
    parts = Counter(run.source.id for run in spring.runs if not run.complete)
    assert [source_id for source_id, number in parts.items() if number]
