"""Why a source is or is not collected, in sentences that a person can act on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.manifest.models import Source
from rori_spiders.schedule import RunProgress, explain_schedule
from tests.support.project import source as written

NOON = datetime(2026, 2, 13, 17, 0, tzinfo=UTC)


def source(url: str = "https://www.example.org/", **more: Any) -> Source:
    return Source.model_validate(written("a", url, **more))


def test_explain_never_checked() -> None:
    assert explain_schedule(source(), None, NOON) == [
        "Last successful check: none yet.",
        "Interval: weekly, every 7 days.",
        "Next due: now; no check has succeeded yet.",
        "Due now; the next `scrapy collect` or `scrapy dispatch` collects it.",
    ]


def test_explain_inside_interval() -> None:
    state = SourceState(last_checked_at=NOON - timedelta(hours=3))
    assert explain_schedule(source(frequency="daily"), state, NOON) == [
        "Last successful check: 2026-02-13 14:00 UTC, 3 h 0 min ago.",
        "Interval: daily.",
        "Next due: 2026-02-14 14:00 UTC, in 21 h 0 min.",
        "Not due yet. To collect it now: `scrapy collect --source a`.",
    ]


def test_explain_overdue_waiting_for_window() -> None:
    state = SourceState(last_checked_at=NOON - timedelta(days=2))
    said = explain_schedule(source("https://www.hud.gov/", frequency="daily"), state, NOON)
    assert said[2] == "Next due: since 2026-02-12 17:00 UTC, 1 day overdue."
    assert said[3] == "Crawl window: scheduled runs use this site only at 02:00-06:00 New York time."
    assert said[4] == "Due now; waiting for the crawl window, which opens at 2026-02-14 07:00 UTC (02:00 in New York)."


def test_explain_run_of_several_nights_counts_those_left() -> None:
    begun = NOON - timedelta(days=1)
    said = explain_schedule(source("https://www.hud.gov/"), None, NOON, progress=RunProgress(begun, 7_000, 22_000, 2.0))
    assert said[3] == (
        "A run has been in progress since 2026-02-12 17:00 UTC: 7000 of 22000 known pages are done (31 %); "
        "the rest take about 8 h 20 min: 3 nights."
    )
    assert said[-1].startswith("Due now; waiting for the crawl window, which opens at")
    said = explain_schedule(source(), None, NOON, progress=RunProgress(begun, 5, 10, 2.0))
    assert said[3].endswith("5 of 10 known pages are done (50 %); the rest take about 1 min.")


def test_explain_stretched_interval_has_reason() -> None:
    state = SourceState(last_checked_at=NOON, interval_factor=2)
    said = explain_schedule(source(frequency="daily"), state, NOON)
    assert said[1] == "Interval: daily, extended to every 2 days because the site rate limited the collector."
    assert said[2] == "The interval returns to every day after 2 complete runs in a row (so far: 0)."


def test_explain_servers_cooling_down() -> None:
    said = explain_schedule(source(), None, NOON, left_alone_until=NOON + timedelta(hours=1))
    assert said[-2] == (
        "Cooling down: the server asked for no requests until 2026-02-13 18:00 UTC (13:00 in New York)."
    )
    assert said[-1] == "Due now; the next `scrapy collect` or `scrapy dispatch` after the cool-down collects it."
    assert explain_schedule(source(), None, NOON, left_alone_until=NOON) == explain_schedule(source(), None, NOON)


def test_explain_early_check() -> None:
    state = SourceState(last_checked_at=NOON - timedelta(days=1) + timedelta(minutes=40))
    said = explain_schedule(source(frequency="daily"), state, NOON)
    assert said[2] == "Next due: 2026-02-13 17:40 UTC, in 40 min (close enough to be collected now)."
    assert said[-1] == "Due now; the next `scrapy collect` or `scrapy dispatch` collects it."


def test_explain_breaker_pause_names_failures_and_resume() -> None:
    state = SourceState(paused_by="breaker", paused_reason="5 scheduled runs failed in a row", paused_at=NOON)
    said = " ".join(explain_schedule(source(), state, NOON))
    assert "the circuit breaker" in said
    assert "5 scheduled runs failed in a row" in said
    assert "scrapy audit --source a --status failed" in said
    assert "scrapy resume a" in said


def test_explain_manual_pause_names_resume() -> None:
    state = SourceState(paused_by="person", paused_reason="the agency asked us to wait", paused_at=NOON)
    said = explain_schedule(source(), state, NOON)
    assert said[-1] == "To resume: `scrapy resume a`."
    assert "the agency asked us to wait" in said[-2]


def test_explain_manifest_pause_names_no_resume() -> None:
    said = explain_schedule(source(status="paused"), None, NOON)
    assert "scrapy manifest activate" in said[-1]
    assert "scrapy resume" not in " ".join(said)


def test_explain_suspect_runs() -> None:
    state = SourceState(
        last_checked_at=NOON - timedelta(days=9), doubted_in_row=2, doubted_at=NOON - timedelta(hours=5)
    )
    said = explain_schedule(source(), state, NOON)
    assert said[2].startswith("The last 2 runs ended suspect or incomplete (`scrapy sources --review` shows why)")
    assert said[2].endswith("next attempt in 2 days, or once a person accepts it.")
    assert said[3] == "Next due: 2026-02-15 12:00 UTC, in 1 day 19 h."
