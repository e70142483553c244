"""How the fleet stands, as the API tells it: what `scrapy doctor --fleet` finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState


def _checks(client: TestClient) -> dict[str, dict[str, str]]:
    answer = client.get("/api/v1/fleet")
    assert answer.status_code == 200, answer.text
    return {one["check"]: one for one in answer.json()["checks"]}


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_fleet_on_one_machine_misses_no_nodes(viewer: TestClient) -> None:
    checks = _checks(viewer)
    assert {"backlog", "freshness", "completeness", "detection", "queue", "budgets"} <= checks.keys()
    assert "nodes" not in checks and "replica" not in checks
    assert checks["freshness"]["result"] in {"ok", "warning"} and "the objective is 95%" in checks["freshness"]["found"]


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_fleet_without_nodes_says_so_where_jobs_wait_for_them(
    served: AppState, viewer: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(served), "runs_here", False)
    missing = _checks(viewer)["nodes"]
    assert (missing["result"], missing["found"]) == ("warning", "none has had a job within the hour")
    assert "Start Scrapyd" in missing["do"]
