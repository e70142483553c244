"""Lists of failures: newest first, by words, one list after the other."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.audit import audit_log, failure_log
from rori_spiders.ledger.audit.failure_log import FailureFilter, FailurePosition, list_failures
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.tables.audit_trail import HIGH_VERDICTS, INFO_VERDICTS, severity_of
from rori_spiders.reviews.events import EVENT_OF_START_VERDICT, EVENTS
from rori_spiders.verdicts import KINDS
from tests.ledger.factories import OTHER_RUN, SOURCE, a_row, a_run, at

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger


@pytest.fixture
def failing(ledger: Ledger, run_id: str) -> Ledger:
    """Ten failures of one source, two at each instant; one of another source; a page and a robots.txt beside them."""
    with ledger.begin() as conn:
        a_run(conn, OTHER_RUN, source_id="hud")
        audit_log.append_rows(
            conn,
            [a_row(f"p{i}", state="failed", reason=f"Server_Error: {i}", timestamp=at(i // 2)) for i in range(10)],
        )
        audit_log.append_row(
            conn, a_row("other", run_id=OTHER_RUN, manifest_id="hud", state="failed", timestamp=at(60))
        )
        audit_log.append_row(conn, a_row("well", timestamp=at(70)))
        audit_log.append_row(conn, a_row("robots", kind="robots", state="failed", timestamp=at(80)))
    return ledger


def _names(conn: Connection, limit: int, words: str = "", source_id: str | None = None) -> list[list[str]]:
    """Of all lists, one after the other."""
    lists: list[list[str]] = []
    after: FailurePosition | None = None
    while True:
        page = list_failures(conn, FailureFilter(words=words, source_id=source_id), after=after, limit=limit)
        lists.append([one.url.split("/")[-2] for one in page.found])
        after = page.further
        if after is None:
            return lists


def test_failure_is_in_one_list_newest_first(failing: Ledger) -> None:
    with failing.connect() as conn:
        assert _names(conn, 4) == [["other", "p9", "p8", "p7"], ["p6", "p5", "p4", "p3"], ["p2", "p1", "p0"]]
        assert _names(conn, 5, source_id=SOURCE) == [
            [f"p{i}" for i in (9, 8, 7, 6, 5)],
            ["p4", "p3", "p2", "p1", "p0"],
            [],
        ]


def test_words_are_found_in_either_case_in_address_and_reason(failing: Ledger) -> None:
    with failing.connect() as conn:
        assert _names(conn, 50, "server_error: 7") == [["p7"]]
        assert _names(conn, 50, "/OTHER/") == [["other"]]
        assert _names(conn, 50, "100 %_") == [[]]


def test_failure_list_reports_how_far_back_it_looked(failing: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_log, "MAX_SCANNED", 5)
    with failing.connect() as conn:
        first = list_failures(conn, FailureFilter(words=": 2"))
        assert first.found == []
        assert first.further is not None
        assert first.further.at == at(3)  # p6: the fifth that was looked at
        assert _names(conn, 50, ": 2") == [[], ["p2"], []]


def test_failures_since_a_time(failing: Ledger) -> None:
    with failing.connect() as conn:
        assert len(list_failures(conn, FailureFilter(since=at(4))).found) == 3
        assert len(list_failures(conn, FailureFilter(until=at(4))).found) == 8
        assert len(list_failures(conn, FailureFilter(since=at(4), until=at(5))).found) == 2


@pytest.fixture
def refused(ledger: Ledger, run_id: str) -> Ledger:
    """Of each severity two failures, minutes apart; the first of each was overcome later, the second elsewhere."""
    verdicts = ["server_error", "denied", None, "js_shell", "login_wall", "empty"]
    with ledger.begin() as conn:
        a_run(conn, OTHER_RUN, source_id="hud")
        for minute, verdict in enumerate(verdicts):
            told = {
                "verdict": verdict,
                "http_status": 403 if verdict else None,
                "engine": "zyte" if minute > 3 else "http",
            }
            audit_log.append_row(
                conn, a_row(f"p{minute}", state="failed", timestamp=at(minute), retry_count=minute, **told)
            )
        for name, state in (("p0", "captured"), ("p1", "unchanged"), ("p3", "gone"), ("p5", "excluded")):
            audit_log.append_row(conn, a_row(name, state=state, timestamp=at(30)))
        audit_log.append_row(conn, a_row("p2", run_id=OTHER_RUN, manifest_id="hud", timestamp=at(30)))
    return ledger


def _of(ledger: Ledger, order: failure_log.FailureOrder = "newest", limit: int = 50, **wanted: object) -> list[str]:
    """The names of all, read list by list."""
    names: list[str] = []
    after: FailurePosition | None = None
    with ledger.connect() as conn:
        while True:
            page = list_failures(conn, FailureFilter(**wanted), order=order, after=after, limit=limit)  # type: ignore[arg-type]
            names += [one.url.split("/")[-2] for one in page.found]
            after = page.further
            if after is None:
                return names


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_failures_in_each_order(refused: Ledger, limit: int) -> None:
    assert _of(refused, "oldest", limit) == ["p0", "p1", "p2", "p3", "p4", "p5"]
    assert _of(refused, "severity", limit) == ["p4", "p1", "p5", "p3", "p2", "p0"]
    assert _of(refused, "severity", limit, verdict="js_shell") == ["p3"]


def test_failures_by_what_became_of_them(refused: Ledger) -> None:
    assert _of(refused, resolved=True) == ["p3", "p1", "p0"]
    assert _of(refused, resolved=False) == ["p5", "p4", "p2"]
    with refused.connect() as conn:
        first, *_ = list_failures(conn, order="oldest").found
    assert (first.resolved_at, first.retries, first.severity) == (at(30), 0, "info")


def test_failures_by_what_they_are(refused: Ledger) -> None:
    assert _of(refused, severity="high") == ["p4", "p1"]
    assert _of(refused, severity="info") == ["p2", "p0"]
    assert _of(refused, verdict="empty") == ["p5"]
    assert _of(refused, http_status=403, tier="http") == ["p3", "p1", "p0"]
    assert _of(refused, severity="high", source_id="hud") == []


_STATISTICS = {
    "url_time": "1000000 20 1",
    "time": "1000000 1",
    "state_time": "1000000 500000 1",
    "source_time": "1000000 200 1",
    "failed_source": "33333 33333 67 1",
    "failed_high": "11111 11111 1",
}


def test_failure_list_order_reads_from_index(refused: Ledger) -> None:
    """What is asked of a ledger of a million rows must not sort them."""
    if refused.place.path is None:
        return
    with refused.begin() as conn:  # as of a million rows, of which one in thirty is a page that failed
        conn.exec_driver_sql("ANALYZE")
        conn.exec_driver_sql("DELETE FROM sqlite_stat1")
        for name, told in _STATISTICS.items():
            conn.exec_driver_sql("INSERT INTO sqlite_stat1 VALUES ('audit', ?, ?)", (f"ix_audit_{name}", told))
    asked = (
        (FailureFilter(severity="high"), "failed_high"),
        (FailureFilter(source_id="hud"), "failed_source"),
        (FailureFilter(), "state_time"),
        (FailureFilter(since=at(1), words="a word"), "state_time"),
    )
    with closing(open_ledger(f"sqlite:///{refused.place.path}")) as reopened, reopened.connect() as conn:
        for wanted, name in asked:
            query = failure_log._failure_query(conn, wanted, wanted.severity, None, oldest=False).limit(5)
            said = str(query.compile(conn, compile_kwargs={"literal_binds": True}))
            plan = " ".join(row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {said}"))
            assert f"ix_audit_{name}" in plan and "TEMP B-TREE" not in plan, plan


def test_verdict_has_one_severity() -> None:
    """Verdicts that open an alert on a start URL are as severe here as there."""
    assert {severity_of(one) for one in EVENT_OF_START_VERDICT} == {"high"}
    assert all(EVENTS[event].severity == "high" for event in EVENT_OF_START_VERDICT.values())
    assert set(HIGH_VERDICTS) | set(INFO_VERDICTS) <= set(KINDS)
    assert [severity_of(one) for one in (None, "server_error", "js_shell", "content")] == ["info", "info"] + [
        "warning"
    ] * 2
