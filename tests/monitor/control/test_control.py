"""What operators do: run, cancel, pause, resume, another moment for the next run; and that it is kept who did it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.runs import run_records
from tests.monitor.conftest import NOW

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState


@pytest.fixture
def ids(served: AppState) -> list[str]:
    """Of the sources in force."""
    with served.ledger.connect() as conn:
        return [source.id for source in served.catalog(conn).sources]


def done(client: TestClient, **asked: Any) -> list[tuple[str, str, str]]:
    found = client.get("/api/v1/actions", params=asked).json()["items"]
    return [(one["actor"], one["action"], one["target"]) for one in found]


def test_control_sources_are_queued_and_cancelled(operator: TestClient, ids: list[str]) -> None:
    made = operator.post("/api/v1/jobs", json={"sources": ids[:2]}).json()
    assert sorted(source for job in made["jobs"] for source in job["sources"]) == sorted(ids[:2])
    again = operator.post("/api/v1/jobs", json={"sources": ids[:1]}).json()
    assert again["jobs"] == [] and "has waited for a node" in again["refused"][0]["why"]
    job_id = made["jobs"][0]["job_id"]
    after = operator.post(f"/api/v1/jobs/{job_id}/cancel").json()
    assert (after["state"], after["cancelled_by"], after["operator"]) == ("cancelled", "olga", "manual")
    twice = operator.post(f"/api/v1/jobs/{job_id}/cancel")
    assert (twice.status_code, twice.json()["error"]["code"]) == (409, "refused")
    listed = {one["job_id"]: one["state"] for one in operator.get("/api/v1/jobs").json()["items"]}
    assert listed[job_id] == "cancelled"
    assert ("olga", "cancel_job", job_id) in done(operator) and ("olga", "run_now", ids[0]) in done(operator)


def test_control_category_and_all_due_are_queued(operator: TestClient, served: AppState) -> None:
    with served.ledger.connect() as conn:
        all_of_them = served.catalog(conn).sources
    category = all_of_them[0].effective_category
    wanted = {one.id for one in all_of_them if one.effective_category == category and one.status == "active"}
    made = operator.post("/api/v1/jobs", json={"category": category}).json()
    assert {source for job in made["jobs"] for source in job["sources"]} == wanted
    due = operator.post("/api/v1/jobs", json={"all_due": True}).json()
    told = {one["source_id"]: one["why"] for one in due["refused"]}
    assert wanted <= set(told)
    assert any(why.startswith("Held until 2026-11-21 07:00 UTC") for why in told.values()), "15:00 UTC is no night"


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"sources": ["nope"]}, 404, "unknown_source"),
        ({"sources": []}, 422, "invalid_input"),
        ({"sources": ["x"] * 501}, 422, "invalid_input"),
        ({}, 422, "invalid_input"),
        ({"sources": ["a"], "all_due": True}, 422, "invalid_input"),
        ({"all_due": False}, 422, "invalid_input"),
        ({"category": "nope"}, 422, "invalid_input"),
    ],
)
def test_control_invalid_order_is_refused(operator: TestClient, body: dict[str, Any], status: int, code: str) -> None:
    answer = operator.post("/api/v1/jobs", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_control_source_is_paused_and_resumed(operator: TestClient, ids: list[str]) -> None:
    path = f"/api/v1/sources/{ids[0]}"
    told = operator.post(f"{path}/pause", json={"reason": " the agency asked us to wait "}).json()
    assert told["paused"]["by"] == "olga" and told["paused"]["reason"] == "the agency asked us to wait"
    assert "a person paused it on 2026-11-20 15:00 UTC" in told["hindrance"]
    refused = operator.post("/api/v1/jobs", json={"sources": ids[:1]}).json()["refused"]
    assert "the agency asked us to wait" in refused[0]["why"]
    assert operator.post(f"{path}/resume").json() == {"paused": None, "hindrance": None}
    assert done(operator, q=ids[0]) == [("olga", "resume", ids[0]), ("olga", "pause", ids[0])]
    assert operator.post("/api/v1/sources/none/pause", json={"reason": "x"}).status_code == 404
    for reason in ("", "  ", "x" * 501):
        assert operator.post(f"{path}/pause", json={"reason": reason}).status_code == 422


def test_control_schedule_is_paused_and_resumed(operator: TestClient, viewer: TestClient, ids: list[str]) -> None:
    assert viewer.get("/api/v1/schedule").json()["paused"] is None
    operator.post("/api/v1/schedule/pause", json={"reason": "the network is being moved"})
    assert viewer.get("/api/v1/schedule").json()["paused"]["reason"] == "the network is being moved"
    told = operator.post(f"/api/v1/sources/{ids[0]}/resume").json()
    assert "all sources are paused" in told["hindrance"]
    assert operator.post("/api/v1/schedule/resume").json()["paused"] is None
    assert viewer.post("/api/v1/schedule/pause", json={"reason": "x"}).json()["error"]["code"] == "not_allowed"


def test_control_next_run_is_set_once(operator: TestClient, served: AppState, ids: list[str]) -> None:
    path, at = f"/api/v1/sources/{ids[0]}/next-run", NOW + timedelta(days=2)
    told = operator.post(path, json={"at": at.isoformat()}).json()
    assert told["next_run_at"] == told["next_due"] == "2026-11-22T15:00:00Z"
    assert "A person scheduled the next run; the interval applies again after it." in told["explained"]
    assert "Next due: 2026-11-22 15:00 UTC, in 2 days." in told["explained"]
    due = operator.post("/api/v1/jobs", json={"all_due": True}).json()
    asked = {one["source_id"] for one in due["refused"]} | {one for job in due["jobs"] for one in job["sources"]}
    assert ids[0] not in asked
    facts = {"source_id": ids[0], "manifest_version": "1", "method": "crawl", "operator": "system", "job_id": "j"}
    with served.ledger.begin() as conn:
        run_records.open_run(conn, now=at, resume_after=at, begun_after=None, plugins=(), **facts)
        for state, left in (("partial", at), ("complete", None)):
            after = source_status.record_outcome(
                conn, ids[0], run_id="r", state=state, operator="system", changed=False, now=at
            )
            assert after.next_run_at == left, "this was the run, once it has ended"
    operator.post(path, json={"at": at.isoformat()})
    assert operator.post(path, json={"at": None}).json()["next_run_at"] is None
    assert [action for _, action, _ in done(operator, q=ids[0])] == ["next_run"] * 3


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize("at", ["2026-11-22T15:00:00", "tomorrow", "0.5", 1, "2026-13-01T00:00:00Z"])
def test_control_invalid_time_is_refused(operator: TestClient, ids: list[str], at: object) -> None:
    answer = operator.post(f"/api/v1/sources/{ids[0]}/next-run", json={"at": at})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")
    answer = operator.post(f"/api/v1/sources/{ids[0]}/next-run", json={"at": "9999-12-31T00:00:00Z"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "refused"), "no schema can name that day"


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_activity_log_filters_find_actions(operator: TestClient, viewer: TestClient, ids: list[str]) -> None:
    operator.post("/api/v1/schedule/pause", json={"reason": "100% Müll_"})
    operator.post(f"/api/v1/sources/{ids[0]}/next-run", json={"at": None})
    expected = {"NEXT RUN": 1, "olga": 2, ids[0][:-1]: 1, "00% m": 1, "müll_": 1, "_": 1, "x%": 0}
    found = {words: len(done(viewer, q=words)) for words in expected}
    assert found == expected


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_activity_log_continues_at_cursor(operator: TestClient, viewer: TestClient, ids: list[str]) -> None:
    for one in ids[:5]:
        operator.post(f"/api/v1/sources/{one}/pause", json={"reason": "x"})
    first = viewer.get("/api/v1/actions?limit=3").json()
    rest = viewer.get("/api/v1/actions", params={"limit": 3, "after": first["next"]}).json()
    assert [one["target"] for one in [*first["items"], *rest["items"]]] == ids[:5][::-1]
    assert rest["next"] is None
    for after in ("x", "-1", "9" * 30, "١"):
        assert viewer.get("/api/v1/actions", params={"after": after}).status_code == 404
