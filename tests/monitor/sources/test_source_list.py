"""The list of sources: what a row says, filters, facets, order, and how fresh it is."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.operations import alerts, source_status
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.pages.page_history import NewVersion
from rori_spiders.ledger.runs import tier_memory
from rori_spiders.ledger.tables import pages, runs
from tests.ledger.factories import a_row
from tests.monitor.conftest import NOW

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from sqlalchemy import Connection

    from rori_spiders.monitor.state.dependencies import AppState

_HELD = (("1", "a"), ("2", "b"), ("of its first run", "c"))
REG_X, REG_Z = "cfpb-reg-1002", "cfpb-reg-1003"


def run(conn: Connection, source_id: str, state: str = "complete", *, days: float = 1, changed: int = 0) -> str:
    run_id = f"{source_id}-{days}"
    began = NOW - timedelta(days=days)
    conn.execute(
        runs.insert().values(
            run_id=run_id,
            source_id=source_id,
            manifest_version="1",
            method="crawl",
            state=state,
            operator="system",
            job_id="j",
            started_at=began,
            finished_at=None if state == "running" else began + timedelta(minutes=5),
            counts={"discovered": 3, "changed": changed, "pending": 0},
        )
    )
    return run_id


def page(conn: Connection, source_id: str, name: str, run_id: str, *versions: tuple[float, str]) -> None:
    """A page with versions, each so many days ago; the first is what was captured first."""
    made = pages.insert().values(
        source_id=source_id,
        url=f"https://www.consumerfinance.gov/{name}/",
        url_hash=sha256(name.encode()).hexdigest(),
        first_seen_at=NOW,
    )
    page_id = conn.execute(made).inserted_primary_key[0]  # type: ignore[index]
    for seq, (days, letter) in enumerate(versions):
        told: dict[str, Any] = {"captured_at": NOW - timedelta(days=days), "content_hash": letter * 64, "tier": "http"}
        told |= {
            "run_id": run_id,
            "change_type": "modified" if seq else "new",
            "raw_object": "b" * 64,
            "body_object": "c" * 64,
        }
        page_history.add_version(
            conn, page_id, NewVersion(**told, section_hashes=[], converter_version="1"), body_chars=9
        )


def listed(client: TestClient, **asked: object) -> dict[str, Any]:
    answer = client.get("/api/v1/sources", params={name: str(value) for name, value in asked.items()})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def row(client: TestClient, source_id: str) -> dict[str, Any]:
    [found] = [one for one in listed(client, q=source_id)["items"] if one["id"] == source_id]
    return dict(found)


def test_sources_row_has_status(served: AppState, viewer: TestClient) -> None:
    with served.ledger.begin() as conn:
        run_id = run(conn, REG_X, changed=2)
        page(conn, REG_X, "1", run_id, (40, "a"), (29.1, "a"), (1, "a"))
        page(conn, REG_X, "2", run_id, (0, "b"))
        page(conn, REG_X, "of its first run", run_id, (1, "c"))
        page(conn, REG_X, "never captured", run_id)
        tier_memory.remember_tier(conn, REG_X, "x", "browser", now=NOW - timedelta(hours=1))
        told = {"cause": "", "severity": "warning", "message": "look", "now": NOW}
        alerts.raise_alert(conn, source_id=REG_X, event="suspect", **told)  # type: ignore[arg-type]
    found = row(viewer, REG_X)
    assert (found["status"], found["why"], found["pages"], found["open_alerts"]) == ("changed", None, 3, 1)
    assert found["last_run"] == {
        "run_id": run_id,
        "state": "complete",
        "started_at": "2026-11-19T15:00:00Z",
        "ended_at": "2026-11-19T15:05:00Z",
        "outcome": "complete: 3 pages, 2 changed",
    }
    assert (found["changes"], found["changed_30d"]) == ([1] + [0] * 27 + [1, 1], 3)
    lines = sorted(f"{sha256(name.encode()).hexdigest()} {letter * 64}\n" for name, letter in _HELD)
    assert found["hash"] == sha256("".join(lines).encode()).hexdigest()
    assert (found["tier"], found["is_due"], found["next_due"]) == ("browser", True, None)


def test_sources_never_collected_source_is_listed(viewer: TestClient) -> None:
    found = row(viewer, REG_Z)
    nothing = ("last_run", "tier", "hash", "last_checked_at")
    assert [found[name] for name in nothing] == [None] * len(nothing)
    assert (found["status"], found["changes"], found["pages"]) == ("pending", [0] * 30, 0)


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_sources_row_hash_and_tier_of_last_page(served: AppState, viewer: TestClient) -> None:
    with served.ledger.begin() as conn:
        run_id = run(conn, REG_Z)
        page(conn, REG_Z, "1", run_id, (1, "d"))
        for minute, (state, tier) in enumerate((("captured", "zyte"), ("unchanged", "http"), ("failed", "browser"))):
            made = {"run_id": run_id, "manifest_id": REG_Z, "state": state, "engine": tier}
            audit_log.append_row(conn, a_row(f"{minute}", timestamp=NOW + timedelta(minutes=minute), **made))
    found = row(viewer, REG_Z)
    assert (found["hash"], found["tier"]) == ("d" * 64, "http")


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_sources_filters_and_their_facets(served: AppState, viewer: TestClient) -> None:
    with served.ledger.begin() as conn:
        run(conn, REG_X, "suspect")
        run(conn, REG_Z, "failed")
    every = listed(viewer, limit=500)
    assert every["total"] == every["matching"] == len(every["items"]) == sum(every["facets"]["status"].values())
    agency = next(one["agency"] for one in every["items"] if one["id"] == REG_X)
    held = listed(viewer, status="suspect", agency=agency, q="REG-1002")
    assert [one["id"] for one in held["items"]] == [REG_X]
    assert (held["matching"], held["total"]) == (1, every["total"])
    by_agency = listed(viewer, status="suspect")["facets"]
    assert by_agency["agency"] == {agency: 1}
    assert by_agency["status"] == every["facets"]["status"], "a filter does not narrow its own choices"
    assert listed(viewer, domain="www.consumerfinance.gov", status="failed")["matching"] == 1
    assert listed(viewer, q="no such words")["items"] == []


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_sources_list_is_paged_in_each_order(served: AppState, viewer: TestClient) -> None:
    with served.ledger.begin() as conn:
        run(conn, REG_X, "failed", days=2)
        page(conn, REG_X, "1", run(conn, REG_Z, days=1, changed=1), (2, "c"), (1, "d"))
    ids = [one["id"] for one in listed(viewer, limit=500)["items"]]
    assert ids == sorted(ids)
    assert [one["id"] for one in listed(viewer, offset=3, limit=2)["items"]] == ids[3:5]
    assert listed(viewer, offset=9999)["items"] == []
    firsts = {"status": REG_X, "last_run": REG_X}
    for key in ("id", "name", "agency", "domain", "status", "last_run", "next_due", "pages", "changes"):
        up = listed(viewer, sort=key, limit=1)["items"][0]["id"]
        assert up == firsts.get(key, up)
    assert listed(viewer, sort="last_run", order="desc", limit=1)["items"][0]["id"] == REG_Z
    assert listed(viewer, sort="pages", order="desc", limit=1)["items"][0]["id"] == REG_X
    assert listed(viewer, sort="changes", order="desc", limit=1)["items"][0]["id"] == REG_X


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize(
    "asked", [{"limit": 0}, {"limit": 501}, {"offset": -1}, {"status": "odd"}, {"sort": "x"}, {"colour": "red"}]
)
def test_sources_invalid_query_is_refused(viewer: TestClient, asked: dict[str, Any]) -> None:
    answer = viewer.get("/api/v1/sources", params=asked)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")
    [problem] = answer.json()["error"]["details"]["problems"]
    assert next(iter(asked)) in problem["where"]


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_alerts_are_sorted_by_severity_with_action(served: AppState, viewer: TestClient) -> None:
    with served.ledger.begin() as conn:
        for minute, (source_id, event, severity) in enumerate(
            ((REG_X, "unparseable", "warning"), (REG_X, "page_missing", "high"), ("", "of another version", "warning"))
        ):
            at = NOW + timedelta(minutes=minute)
            told = {"cause": "", "severity": severity, "message": "<b>look</b>", "pages": ["https://x.gov/"]}
            alerts.raise_alert(conn, source_id=source_id, event=event, now=at, **told)  # type: ignore[arg-type]
    found = viewer.get("/api/v1/alerts").json()
    assert found["total"] == 3
    assert [one["event"] for one in found["items"]] == ["page_missing", "unparseable", "of another version"]
    assert REG_X in found["items"][0]["what_to_do"]
    assert [found["items"][2][name] for name in ("source_id", "what_to_do")] == [None, None]
    assert found["items"][1]["message"] == "<b>look</b>"


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_sources_overview_is_refreshed_after_own_action(served: AppState, operator: TestClient) -> None:
    assert row(operator, REG_X)["status"] == "pending"
    with served.ledger.begin() as conn:
        source_status.pause_source(conn, REG_X, by="person", reason="moving", now=NOW)
    assert row(operator, REG_X)["status"] == "pending", "read a moment ago"
    operator.post("/api/v1/anything")
    found = row(operator, REG_X)
    assert (found["status"], found["is_due"]) == ("paused", False)
    assert found["why"] == "a person paused it on 2026-11-20 15:00 UTC: moving"


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_source_names_commands_of_the_program_that_serves_it(
    served: AppState, viewer: TestClient, operator: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served.ledger.begin() as conn:
        alerts.raise_alert(
            conn, source_id=REG_X, event="source_blocked", now=NOW, cause="", severity="high", message="m", pages=[]
        )
    assert operator.post(f"/api/v1/sources/{REG_X}/pause", json={"reason": "x"}).status_code == 200
    monkeypatch.setattr("sys.argv", ["/usr/bin/rori", "monitor"])
    found = viewer.get(f"/api/v1/sources/{REG_X}").json()
    for sentence in (found["alerts"][0]["what_to_do"], found["review"][0]["to_do"], " ".join(found["explain"])):
        assert "`rori " in sentence and "scrapy " not in sentence
    moved = operator.post(f"/api/v1/sources/{REG_X}/next-run", json={"at": None}).json()
    assert "`rori " in " ".join(moved["explained"])
