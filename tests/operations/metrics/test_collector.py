"""What is told of a ledger with something in it, on both databases, as Prometheus' own parser reads it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from scrapy.settings import Settings
from sqlalchemy import select

from rori_spiders.configuration.locations import Locations
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import alerts, costs
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.tables import envelopes, runs
from rori_spiders.operations.metrics.collector import LedgerCollector, _count_escalations
from tests.support.project import source
from tests.terminal.commands.conftest import BEGAN, _one_run

if TYPE_CHECKING:
    from tests.support.project import Project

NOW = BEGAN + timedelta(minutes=30)
Told = dict[tuple[str, ...], float]


@pytest.fixture
def places(project: Project, database_url: str) -> Locations:
    """Of a project with three sources, one of them collected half an hour ago."""
    page = "https://www.example.org/"
    manifest = project.manifest(
        [source("a-page", page), source("b-page", f"{page}b"), source("c-paused", f"{page}c", status="paused")]
    )
    ledger = open_ledger(database_url)
    with ledger.begin() as conn:
        _one_run(conn)
        call = costs.reserve_cost(
            conn, provider="zyte", unit="request", amount=2, usd=0.01, run_id=None, url=None, now=NOW
        )
        costs.settle_cost(conn, call, amount=1, usd=0.005, now=NOW)
        call = costs.reserve_cost(conn, provider="llm", unit="token", amount=900, usd=0, run_id=None, url=None, now=NOW)
        costs.settle_cost(conn, call, amount=700, usd=0, now=NOW)
        leases.acquire_lease(conn, "example.org", owner="live:1:x", now=NOW)
        leases.acquire_lease(conn, "example.com", owner="dead:1:x", now=NOW - timedelta(hours=1))
        alerts.raise_alert(conn, source_id="a-page", event="e", cause="c", severity="high", message="m", now=NOW)
        alert_id = alerts.alerts_to_deliver(conn, now=NOW)[0]["alert_id"]
        alerts.record_attempts(conn, "email-1", [(alert_id, "opened")], {}, NOW)
    ledger.close()
    return Locations(manifests=(manifest,), staging=str(project.staging), database_url=database_url)


def scraped(places: Locations) -> Told:
    """(name, label values ...) -> value."""
    settings = Settings(
        {"RORI_MONTHLY_BUDGET_USD": 20, "RORI_ZYTE_MONTHLY_CREDITS": 1000, "RORI_LLM_MONTHLY_TOKENS": 2_000_000}
    )
    errors: list[str] = []
    registry = CollectorRegistry()
    registry.register(LedgerCollector(places, settings, lambda: NOW, errors.append))
    text = generate_latest(registry).decode()
    found = list(text_string_to_metric_families(text))
    return {(one.name, *one.labels.values()): one.value for family in found for one in family.samples}


def test_metrics_collector_reports_ledger(places: Locations) -> None:
    told = scraped(places)
    assert told["rori_up",] == 1
    assert told["rori_sources", "complete"] == 1
    assert told["rori_sources", "pending"] == 1
    assert told["rori_sources", "paused"] == 1
    ended = (BEGAN + timedelta(minutes=10)).timestamp()
    assert told["rori_source_last_success_timestamp_seconds", "a-page"] == ended
    assert told["rori_runs_total", "complete"] == 1
    assert told["rori_runs_total", "failed"] == 0
    states = ("captured", "unchanged", "excluded", "failed", "gone")
    assert [told["rori_run_pages", state] for state in states] == [1, 1, 1, 2, 0]
    assert told["rori_page_changes_total", "new"] == 1
    assert told["rori_page_changes_total", "deleted"] == 0
    assert told["rori_run_duration_seconds_count", "scrape"] == 1
    assert told["rori_recent_urls", "http", "none"] == 5
    assert told["rori_recent_response_seconds", "0.5", "http"] == 0.12
    assert told["rori_provider_credits_total", "zyte", "request"] == 1
    assert told["rori_provider_month_limit", "zyte"] == 1000
    assert told["rori_provider_credits_total", "llm", "token"] == 700
    assert told["rori_provider_month_credits", "llm"] == 700
    assert told["rori_provider_month_limit", "llm"] == 2_000_000
    assert told["rori_cost_month_usd",] == 0.005
    assert told["rori_leases", "live"] == 1
    assert told["rori_leases", "stale"] == 1
    assert told["rori_alerts", "high"] == 1
    assert told["rori_jobs", "waiting"] == 0
    assert (told["rori_backlog_sources",], told["rori_backlog_age_seconds",]) == (1, 0)
    assert told["rori_backlog_seconds",] > 0
    assert (told["rori_slo_good", "freshness"], told["rori_slo_expected", "freshness"]) == (1, 2)
    assert told["rori_alert_deliveries_pending", "waiting"] == 1
    assert told["rori_alert_deliveries_pending", "given_up"] == 0
    assert told["rori_announcements_waiting",] == 0


def test_metrics_collector_partial_run_is_open_and_counted(places: Locations) -> None:
    ledger = open_ledger(places.database_url)
    with ledger.begin() as conn:
        conn.execute(runs.update().values(state="partial"))
    ledger.close()
    told = scraped(places)
    assert told["rori_runs_open", "partial"] == 1
    assert told["rori_runs_total", "complete"] == 0
    assert told["rori_sources", "partial"] == 1


def test_metrics_collector_unreadable_ledger_is_reported(places: Locations) -> None:
    told = scraped(replace(places, database_url="postgresql://127.0.0.1:1/rori"))
    assert told["rori_up",] == 0
    assert told["rori_scrape_errors_total",] == 1
    assert ("rori_sources", "complete") not in told


def test_metrics_collector_label_cannot_break_line(places: Locations) -> None:
    ledger = open_ledger(places.database_url)
    with ledger.begin() as conn:
        evil = 'x"} 1\nrori_up 7'
        alerts.raise_alert(conn, source_id="", event="e", cause="d", severity=evil[:10], message="m", now=NOW)
    ledger.close()
    assert scraped(places)["rori_up",] == 1


def test_metrics_collector_counts_escalations_by_tiers_and_verdict() -> None:
    attempts: list[dict[str, str | None]] = [
        {"tier": "http", "verdict": None},
        {"tier": "http", "verdict": "shell"},
        {"tier": "browser", "verdict": "denied"},
        {"tier": "zyte", "verdict": "content"},
    ]
    assert list(_count_escalations(attempts)) == [("http", "browser", "shell"), ("browser", "zyte", "denied")]


def test_metrics_collector_counts_envelopes_every_five_minutes(places: Locations) -> None:
    at = [NOW]
    collector = LedgerCollector(places, Settings(), lambda: at[0], pytest.fail)

    def reserved() -> float:
        [found] = [metric for metric in collector.read() if metric.name == "rori_envelopes"]
        return next(sample.value for sample in found.samples if sample.labels["state"] == "reserved")

    assert reserved() == 0
    with open_ledger(places.database_url) as ledger, ledger.begin() as conn:
        run_id = conn.execute(select(runs.c.run_id)).scalar_one()
        hashes = dict.fromkeys(("url_hash", "file_hash", "content_hash"), "ab" * 32)
        of_page = {"run_id": run_id, "source_id": "a-page", "url": "https://www.example.org/", "path": "a/b.json"}
        row = {"envelope_id": "1", "state": "reserved", "index_line": "{}", "change_type": "new", "reserved_at": NOW}
        conn.execute(envelopes.insert().values(**row, **of_page, **hashes))
    at[0] += timedelta(minutes=4)
    assert reserved() == 0
    at[0] += timedelta(minutes=1)
    assert reserved() == 1
