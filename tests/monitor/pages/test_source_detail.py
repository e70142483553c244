"""One source: how it stands, why it is due, what its servers are owed, what it costs."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.operations import costs
from rori_spiders.schedule.status import source_status, source_statuses

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState


def test_source_detail_has_status_schedule_and_last_run(viewer: TestClient, guide: str) -> None:
    source = viewer.get("/api/v1/sources/guide").json()
    assert (source["url"], source["status"], source["pages"]) == (f"{guide}/", "changed", 5)
    assert source["last_run"]["state"] == "complete"
    assert source["explain"] and source["tiers"][0] == "http"
    assert source["politeness"]["delay_s"] == 0.02
    assert source["tiers_used"] == [{"tier": "http", "pages": 7}]
    assert source["fields"]["scrape_config"]["exclude_patterns"] == ["/drafts/*"]
    assert {one["name"] for one in source["facts"]} >= {"Status", "Interval", "Next due"}


def test_source_detail_status_equals_list(served: AppState, guide: str) -> None:
    with served.ledger.connect() as conn:
        catalog, now = served.catalog(conn), served.now()
        (of_all,) = source_statuses(catalog, conn, now)
        assert source_status(catalog, catalog.source("guide"), conn, now) == of_all
        assert source_status(catalog, catalog.source("guide"), None, now).outcome == "none yet"


@pytest.mark.usefixtures("guide")
def test_source_costs_by_month_tier_and_provider(viewer: TestClient, served: AppState) -> None:
    run_id = viewer.get("/api/v1/sources/guide/runs").json()["items"][0]["run_id"]
    now = served.now()
    with served.ledger.begin() as conn:
        for at in (now, now, now - timedelta(days=400)):
            costs.reserve_cost(
                conn, provider="firecrawl", unit="credit", amount=2, run_id=run_id, url="u", now=at, usd=0.01
            )
        costs.settle_cost(conn, 1, amount=1, usd=0.005, now=now)
    told = viewer.get("/api/v1/sources/guide/costs").json()
    (paid,) = told["providers"]
    assert (paid["calls"], paid["unsettled"], paid["amount"], paid["usd"]) == (2, 1, 3.0, 0.015)
    assert [(one["tier"], one["month"]) for one in told["tiers"]] == [("http", f"{now:%Y-%m}")]
    assert told["tiers"][0]["pages"] == 14 and told["usd"] == 0.015
    assert len(viewer.get("/api/v1/sources/guide/costs?months=24").json()["providers"]) == 2
