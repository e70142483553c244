"""The error log: what a failure tells, filters, where a list goes on, and CSV that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.audit.failure_log import FailurePosition
from rori_spiders.monitor.failures import queries
from tests.ledger.factories import RUN, SOURCE, a_row, a_run, at

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState


@pytest.fixture
def failed(served: AppState) -> AppState:
    """Five failures, a minute apart; the first was overcome."""
    verdicts = ("server_error", "denied", None, "js_shell", "not_found")
    with served.ledger.begin() as conn:
        a_run(conn, RUN)
        for minute, verdict in enumerate(verdicts):
            told = {"verdict": verdict, "http_status": 503 if verdict == "server_error" else None}
            row = a_row(f"p{minute}", state="failed", timestamp=at(minute), reason=f"=cmd|' /C calc'!A{minute}", **told)
            audit_log.append_row(conn, row)
        audit_log.append_row(conn, a_row("p0", state="captured", timestamp=at(9)))
    return served


def listed(client: TestClient, **asked: object) -> dict[str, Any]:
    answer = client.get("/api/v1/failures", params={name: str(value) for name, value in asked.items()})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def names(client: TestClient, **asked: object) -> list[str]:
    return [one["url"].split("/")[-2] for one in listed(client, **asked)["items"]]


def test_failures_row_has_outcome(failed: AppState, viewer: TestClient) -> None:
    first = listed(viewer, sort="oldest", limit=1)
    [one] = first["items"]
    assert (one["at"], one["source_id"], one["http_status"]) == ("2026-02-13T14:30:00Z", SOURCE, 503)
    assert (one["severity"], one["resolved"], one["resolved_at"]) == ("info", True, "2026-02-13T14:39:00Z")
    assert (first["looked_until"], first["next"] is None) == ("2026-02-13T14:30:00Z", False)


def test_failures_filters_and_order(failed: AppState, viewer: TestClient) -> None:
    assert names(viewer) == ["p4", "p3", "p2", "p1", "p0"]
    assert names(viewer, sort="severity") == ["p4", "p1", "p3", "p2", "p0"]
    assert names(viewer, severity="high", source=SOURCE) == ["p4", "p1"]
    assert names(viewer, resolved="true") == ["p0"]
    assert names(viewer, status=503) == ["p0"]
    assert names(viewer, q="/P2/") == ["p2"]
    assert names(viewer, verdict="denied", tier="http") == ["p1"]
    assert names(viewer, since=at(1).isoformat(), until=at(3).isoformat()) == ["p2", "p1"]
    assert names(viewer, source="none") == []


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize("sort", ["newest", "oldest", "severity"])
def test_failures_list_continues_at_cursor(failed: AppState, viewer: TestClient, sort: str) -> None:
    whole = names(viewer, sort=sort)
    found: list[str] = []
    after: dict[str, str] = {}
    for _ in range(9):
        some = listed(viewer, sort=sort, limit=2, **after)
        found += [one["url"].split("/")[-2] for one in some["items"]]
        if some["next"] is None:
            break
        after = {"after": some["next"]}
    assert found == whole


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize(
    "asked",
    [
        {"after": "x"},
        {"after": "eyJhIjoxfQ"},
        {"after": queries.encode_position(FailurePosition(at(), 1, "high"))},
        {"after": queries.encode_position(FailurePosition(at(), -1))},
        {"after": queries.encode_position(FailurePosition(at().replace(tzinfo=None), 1))},
        {"after": queries.encode_position(FailurePosition(at(), 1)), "sort": "severity"},
        {"since": "2026-01-01"},
        {"until": "0.5"},
        {"status": "odd"},
        {"limit": "0"},
        {"severity": "worst"},
    ],
)
def test_failures_invalid_query_is_refused(viewer: TestClient, asked: dict[str, str]) -> None:
    answer = viewer.get("/api/v1/failures", params=asked)
    if "after" in asked:
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_cursor")
        return
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")
    assert next(iter(asked)) in answer.json()["error"]["details"]["problems"][0]["where"]


def test_failures_csv_has_all_rows_and_no_formula(
    failed: AppState, viewer: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "_BATCH_ROWS", 2)
    answer = viewer.get("/api/v1/failures.csv", params={"sort": "severity"})
    assert answer.headers["content-disposition"] == 'attachment; filename="failures.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["url"].split("/")[-2] for row in rows] == ["p4", "p1", "p3", "p2", "p0"]
    assert rows[0]["message"] == "'=cmd|' /C calc'!A4"
    assert (rows[0]["at"], rows[0]["resolved"], rows[0]["http_status"]) == ("2026-02-13T14:34:00Z", "False", "")
    assert not any(value.startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows for value in row.values())


def test_failure_causes_row_tells_consequence(failed: AppState, viewer: TestClient) -> None:
    answer = viewer.get("/api/v1/failures/causes", params={"resolved": "false", "q": "/p4/"}).json()
    [one] = answer["items"]
    assert (one["number"], one["first_at"], one["last_at"]) == (1, "2026-02-13T14:34:00Z", "2026-02-13T14:34:00Z")
    assert (one["consequence"], one["severity"], answer["is_cut"]) == ("dead_link", "info", False)
