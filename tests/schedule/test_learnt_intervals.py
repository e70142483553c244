"""Frequencies that are proposed by how often sources changed, within the manifest's and a person's bounds."""

from __future__ import annotations

from math import log

import pytest

from rori_spiders.schedule.learnt_intervals import CheckHistory, propose_interval


def test_propose_interval_source_that_changes_at_most_checks_is_checked_more_often() -> None:
    found = propose_interval("monthly", CheckHistory(6, 5, 180.0), "daily")
    assert found.proposed == "weekly"
    assert found.reason.startswith("it changed in 5 of 6 checks in 180 days: a weekly check finds a change ")
    assert found.reason.endswith("11.5 days sooner")


def test_propose_interval_never_passes_its_bounds() -> None:
    for changed in range(25):
        history = CheckHistory(24, changed, 168.0)
        assert propose_interval("weekly", history, "weekly").proposed == "weekly"
        assert propose_interval("weekly", history, "daily").proposed in {"weekly", "daily"}
        assert propose_interval("daily", history, "monthly").proposed == "daily", "never less often than the manifest"
    assert propose_interval("weekly", CheckHistory(24, 24, 168.0), "daily").proposed == "daily"


@pytest.mark.parametrize(
    "history", [CheckHistory(0, 0, 0.0), CheckHistory(3, 3, 90.0), CheckHistory(20, 1, 140.0), CheckHistory(5, 5, 0.0)]
)
def test_propose_interval_little_history_proposes_nothing(history: CheckHistory) -> None:
    found = propose_interval("monthly", history, "daily")
    assert found.proposed == "monthly"
    assert "too little" in found.reason


def test_check_history_rate_corrects_for_changes_between_checks() -> None:
    """Of changes once in seven days, half of weekly checks and more see one: 1 - 1/e."""
    assert CheckHistory(1000, 632, 7000.0).changes_a_day == pytest.approx(1 / 7, rel=0.01)
    assert CheckHistory(10, 10, 70.0).changes_a_day == pytest.approx(log(21) / 7)
