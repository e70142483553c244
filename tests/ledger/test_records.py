"""Small records: actions, robots.txt as seen, alerts, costs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rori_spiders.ledger.operations import activity_log, alerts, costs, source_status
from rori_spiders.ledger.runs import run_records
from rori_spiders.runtime.redaction import MASK, Redactor
from tests.ledger.factories import RUN, at, url

if TYPE_CHECKING:
    import pytest
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_ORIGIN = "https://www.hud.gov"


def test_activity_log_lists_actions_with_actor(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        first = activity_log.record_action(
            conn, now=at(), actor="frank", action="pause", target="reg-x", reason="quiet week"
        )
        second = activity_log.record_action(
            conn, now=at(1), actor="candi", action="resume", target="reg-z", details={"was": "breaker"}
        )
        assert [row["action_id"] for row in activity_log.recent_actions(conn)] == [second, first]
        (row,) = activity_log.recent_actions(conn, target="reg-x")
    assert (row["actor"], row["action"], row["reason"], row["at"]) == ("frank", "pause", "quiet week", at())


def test_robots_files_are_recorded_per_run(ledger: Ledger, run_id: str) -> None:
    first = run_records.RobotsFileRecord(RUN, _ORIGIN, at(), "unavailable", 503, "HTTP 503")
    second = run_records.RobotsFileRecord(RUN, _ORIGIN, at(1), "rules", 200, None, "a" * 64, 2.5)
    with ledger.begin() as conn:
        run_records.record_robots_file(conn, first)
        (row,) = run_records.list_robots_files(conn, RUN)
        assert row._asdict() == asdict(first)
        run_records.record_robots_file(conn, second)
        (row,) = run_records.list_robots_files(conn, RUN)
        assert row._asdict() == asdict(second)
        assert run_records.list_robots_files(conn, "another") == []


def _raise(conn: Connection, cause: str, minutes: float = 0, source_id: str = "reg-x") -> bool:
    return alerts.raise_alert(
        conn,
        source_id=source_id,
        event="blocked",
        cause=cause,
        severity="high",
        message=f"403 at {minutes}",
        pages=[url("5")],
        now=at(minutes),
    )


def _clear(conn: Connection, cause: str, minutes: float = 0) -> bool:
    return alerts.clear_alert(conn, source_id="reg-x", event="blocked", cause=cause, now=at(minutes))


def test_alert_is_open_once_a_cause(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert [_raise(conn, "hud.gov", 0), _raise(conn, "hud.gov", 5), _raise(conn, "cfpb.gov")] == [True, False, True]
        found = alerts.open_alerts(conn, "reg-x")
    assert [(row["cause"], row["message"], row["opened_at"]) for row in found] == [
        ("hud.gov", "403 at 5", at()),
        ("cfpb.gov", "403 at 0", at()),
    ]
    assert found[0]["pages"] == [url("5")]


def test_alert_cleared_can_open_again(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _raise(conn, "hud.gov")
        assert [_clear(conn, "hud.gov", 1), _clear(conn, "hud.gov", 2)] == [True, False]
        assert alerts.open_alerts(conn) == []
        assert _raise(conn, "hud.gov", 3)
        assert len(alerts.open_alerts(conn)) == 1


def test_alert_without_source_is_open_once(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert [_raise(conn, "disk", source_id=""), _raise(conn, "disk", source_id="")] == [True, False]
        assert len(alerts.open_alerts(conn, "")) == 1
        assert alerts.open_alerts(conn, "reg-x") == []


def test_costs_are_reserved_until_settled(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert costs.spent_amount(conn, "zyte", since=at()) == 0.0
        first, second = (
            costs.reserve_cost(conn, provider="zyte", unit="usd", amount=0.5, run_id=RUN, url=url("5"), now=at(minute))
            for minute in (0, 1)
        )
        costs.reserve_cost(conn, provider="firecrawl", unit="credit", amount=1, run_id=None, url=None, now=at())
        assert costs.spent_amount(conn, "zyte", since=at()) == 1.0
        costs.settle_cost(conn, first, amount=0.25, usd=0.25, now=at(2))
        costs.settle_cost(conn, second, amount=0, usd=None, now=at(2))
        assert costs.spent_amount(conn, "zyte", since=at()) == 0.25
        assert costs.spent_amount(conn, "zyte", since=at(1)) == 0.0


def test_records_with_free_text_are_redacted(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "canary-52d1/told by mistake"
    knowing = Redactor([secret])
    for room in (activity_log, alerts, source_status):
        monkeypatch.setattr(room, "get_redactor", lambda: knowing)
    with ledger.begin() as conn:
        activity_log.record_action(
            conn, now=at(), actor="frank", action="pause", target="reg-x", reason=f"key is {secret}"
        )
        alerts.raise_alert(
            conn, source_id="reg-x", event="x", cause="y", severity="high", message=f"sent {secret}", now=at()
        )
        source_status.pause_source(conn, "reg-x", by="person", reason=f"key is {secret}", now=at())
        stored = (
            f"{activity_log.recent_actions(conn)}{source_status.load_state(conn, 'reg-x')}{alerts.open_alerts(conn)}"
        )
    assert "canary" not in stored
    assert stored.count(MASK) == 3
