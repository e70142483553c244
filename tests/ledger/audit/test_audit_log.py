"""The audit's rows as they are asked for, and what the log of facts finds when a row was touched."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import JSON, select

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.tables import audit as table
from tests.ledger.factories import OTHER_RUN, RUN, a_row, a_run, a_visit, at, url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger

_DETAILS: dict[str, Any] = {
    "rules": ["http_200", "main_text"],
    "final_url": url("5"),
    "redirects": [(301, url("05"))],
    "ip_address": "192.0.2.10",
    "request_headers": {"User-Agent": ["RORI-Collector/1.0"]},
    "response_headers": {"Content-Type": ["text/html; charset=utf-8"]},
    "raw_hash": "b" * 64,
    "attempts": [{"tier": "http", "at": "2026-02-13T14:30:00+00:00", "status": 200, "ms": 120, "credits": 0}],
    "response_time_ms": 120,
    "reason": "§ 1024.5 — “coverage”",
}


@contextmanager
def _tampering(path: Path) -> Iterator[sqlite3.Connection]:
    """Someone with the file and a SQLite shell, who has dropped the triggers first."""
    conn = sqlite3.connect(path, isolation_level=None)
    for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        conn.execute(f"DROP TRIGGER {name}")
    yield conn
    conn.close()


def _problems(ledger: Ledger, run_id: str = RUN) -> list[str]:
    with ledger.connect() as conn:
        return audit_log.verify_chain(conn, run_id)


@pytest.fixture
def chained(ledger: Ledger, run_id: str) -> Ledger:
    with ledger.begin() as conn:
        assert audit_log.append_row(conn, a_row("5", **_DETAILS)) == 1
        assert audit_log.append_rows(conn, [a_row("6"), a_row("7"), a_row("8")]) == 4
    return ledger


def test_rows_are_numbered_per_run(chained: Ledger) -> None:
    with chained.begin() as conn:
        a_run(conn, OTHER_RUN, source_id="reg-z")
        mixed = [a_row("9"), a_row("1", run_id=OTHER_RUN, manifest_id="reg-z"), a_row("10")]
        assert audit_log.append_rows(conn, mixed) == 6
        last = conn.execute(select(table).where(table.c.run_id == OTHER_RUN)).mappings().one()
    assert last["seq"] == 1
    assert _problems(chained) == []
    assert _problems(chained, OTHER_RUN) == []


def test_append_of_no_rows_is_an_error(ledger: Ledger) -> None:
    with pytest.raises(ValueError, match="nothing to append"), ledger.begin() as conn:
        audit_log.append_rows(conn, [])


def test_anyone_can_recompute_the_leaves(chained: Ledger, path: Path) -> None:
    """From the file alone, as docs/explanation/evidence.md says: SQLite's own values, parsed JSON, truth values."""
    conn = sqlite3.connect(path)
    conn.row_factory = sqlite3.Row
    leaves = []
    for row in conn.execute("SELECT * FROM audit ORDER BY seq"):
        values = {key: row[key] for key in row.keys() if key != "audit_id" and row[key] is not None}  # noqa: SIM118
        for key in {"rules", "redirects", "request_headers", "response_headers", "attempts", "reason_detail"} & {
            *values
        }:
            values[key] = json.loads(values[key])
        values["content_changed"] = bool(values["content_changed"])
        text = json.dumps({"fact": "audit", **values}, sort_keys=True, separators=(",", ":"))
        leaves.append(hashlib.sha256(b"\0" + text.encode()).digest())
    hashes = conn.execute("SELECT hashes FROM fact_leaves WHERE kind = 'audit' ORDER BY position").fetchall()
    assert b"".join(found for (found,) in hashes) == b"".join(leaves)
    conn.close()


def test_changed_row_is_found(chained: Ledger, path: Path) -> None:
    with _tampering(path) as conn:
        conn.execute("UPDATE audit SET http_status = 404 WHERE seq = 2")
    assert _problems(chained) == [f"run {RUN}, audit row 2 ({url('6')}): was changed after it was written"]


def test_removed_row_is_found(chained: Ledger, path: Path) -> None:
    with _tampering(path) as conn:
        conn.execute("DELETE FROM audit WHERE seq = 1")
    assert _problems(chained) == [f"run {RUN}: 1 row of its audit missing"]


def test_rows_cut_off_at_the_end_are_found(chained: Ledger, path: Path) -> None:
    with chained.begin() as conn:
        run_records.close_run(conn, RUN, state="complete", reason=None, now=at(5))
    assert _problems(chained) == []
    with _tampering(path) as stranger:
        stranger.execute("DELETE FROM audit WHERE seq > 2")
    assert _problems(chained) == [f"run {RUN}: 2 rows of its audit missing"]


def test_row_begins_with_record_of_specification(chained: Ledger) -> None:
    with chained.connect() as conn:
        row = next(audit_log.query_rows(conn))
    assert list(row)[: len(audit_log.RECORD_FIELDS)] == list(audit_log.RECORD_FIELDS)
    assert {name: row[name] for name in audit_log.RECORD_FIELDS} == {
        "run_id": RUN,
        "timestamp": "2026-02-13T14:30:00Z",
        "manifest_id": "reg-x",
        "url": url("5"),
        "engine": "http",
        "http_status": 200,
        "content_hash": "sha256:" + "a" * 64,
        "content_changed": True,
        "response_time_ms": 120,
        "credits_consumed": 0,
        "retry_count": 0,
        "error": None,
        "staged_path": None,
    }
    assert row["redirects"] == [[301, url("05")]]
    assert row["request_headers"] == {"User-Agent": ["RORI-Collector/1.0"]}


@pytest.fixture
def of_a_week(ledger: Ledger, run_id: str) -> Ledger:
    """Days 0 to 6: a page each, captured or failed by turns, of two sources; and robots.txt on day 0."""
    with ledger.begin() as conn:
        a_run(conn, OTHER_RUN, source_id="reg-z")
        rows = [
            a_row(
                str(day),
                timestamp=at(days=day),
                state="failed" if day % 2 else "captured",
                manifest_id="reg-z" if day > 4 else "reg-x",
                run_id=OTHER_RUN if day > 4 else RUN,
                content_hash=None,
                http_status=404 if day % 3 else 200,
            )
            for day in range(7)
        ]
        audit_log.append_rows(conn, [*rows, a_row("robots", kind="robots", state="fetched")])
    return ledger


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        ({}, "0123456"),
        ({"source_id": "reg-z"}, "56"),
        ({"state": "failed"}, "135"),
        ({"since": at(days=2)}, "23456"),
        ({"until": at(days=2)}, "01"),
        ({"since": at(days=1), "until": at(days=4), "state": "failed", "source_id": "reg-x"}, "13"),
        ({"url": url("3")}, "3"),
        ({"limit": 2}, "56"),
        ({"limit": 2, "state": "captured"}, "46"),
        ({"http_status": 404}, "1245"),
        ({"http_status": 404, "limit": 2}, "45"),
        ({"http_status": 404, "state": "failed", "since": at(days=2)}, "5"),
        ({"http_status": 503}, ""),
        ({"source_id": "reg-a"}, ""),
    ],
)
def test_rows_by_source_date_state_and_url(of_a_week: Ledger, asked: dict[str, Any], days: str) -> None:
    with of_a_week.connect() as conn:
        found = [row["url"] for row in audit_log.query_rows(conn, **asked)]
    assert found == [url(day) for day in days]


def test_rows_of_other_kinds(of_a_week: Ledger) -> None:
    with of_a_week.connect() as conn:
        assert [row["url"] for row in audit_log.query_rows(conn, kind="robots")] == [url("robots")]
        assert len(list(audit_log.query_rows(conn, kind=None))) == 8


def test_more_rows_than_are_read_at_once(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        audit_log.append_rows(conn, [a_row(str(number), timestamp=at(number)) for number in range(1203)])
    with ledger.connect() as conn:
        assert [row["seq"] for row in audit_log.query_rows(conn)] == list(range(1, 1204))
        assert audit_log.verify_chain(conn, RUN) == []


def test_url_of_any_length_is_recorded(ledger: Ledger, run_id: str) -> None:
    long = url("%2f" * 1400)
    with ledger.begin() as conn:
        audit_log.append_row(conn, a_row("%2f" * 1400))
    with ledger.connect() as conn:
        assert [row["url"] for row in audit_log.query_rows(conn, url=long)] == [long]


def test_last_states_are_those_of_pages_of_the_source(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN, state="complete")
        a_run(conn, "1" * 8, state="complete", source_id="reg-z")
        a_run(conn, OTHER_RUN)
        for name in ("5", "6", "7"):
            frontier.add_urls(conn, OTHER_RUN, [a_visit(name, run_id=OTHER_RUN)])
        audit_log.append_rows(
            conn,
            [
                a_row("5", state="failed", timestamp=at(1)),
                a_row("5", state="captured", timestamp=at(2)),
                a_row("5", kind="robots", state="failed", timestamp=at(3)),
                a_row("6", state="captured", timestamp=at(2)),
                a_row("6", state="failed", timestamp=at(2)),  # at the same moment: the later row counts
                a_row("6", run_id="1" * 8, manifest_id="reg-z", state="gone", timestamp=at(4)),
            ],
        )
        told = audit_log.find_last_states(conn, OTHER_RUN, [url("5"), url("6"), url("7"), url("8")])
    assert told == {url("5"): "captured", url("6"): "failed"}


def test_unchanged_page_row_has_its_own_headers(ledger: Ledger, run_id: str) -> None:
    shared = {"Server": ["Apache"], "Content-Security-Policy": ["default-src 'self'"]}
    sent = {"User-Agent": ["RORI-Collector/1.0"]}
    rows = [
        a_row(name, state=state, content_changed=False, request_headers=sent | asked, response_headers=shared | came)
        for name, state, asked, came in (
            ("1", "captured", {}, {"Content-Type": ["text/html"], "Date": ["Mon"]}),
            ("2", "unchanged", {"If-None-Match": ['"a"']}, {"Date": ["Tue"]}),
            ("3", "failed", {}, {"Date": ["Wed"]}),
        )
    ]
    with ledger.begin() as conn:
        audit_log.append_rows(conn, rows[:1])
        audit_log.append_rows(conn, rows[1:])
        kept = conn.execute(select(table.c.request_headers, table.c.response_headers).order_by(table.c.seq)).all()
        told = list(audit_log.query_rows(conn))
        last = list(audit_log.query_rows(conn, state="unchanged", limit=1))
    like = audit_log.LIKE_ROW
    assert kept[1] == ({like: 1, "If-None-Match": ['"a"']}, {like: 1, "Date": ["Tue"], "Content-Type": None})
    assert kept[2].response_headers == rows[2].response_headers
    for record, row in zip(told, rows, strict=True):
        assert (record["request_headers"], record["response_headers"]) == (row.request_headers, row.response_headers)
    assert last == told[1:2] and last[0]["final_url"] == url("2")
    assert _problems(ledger) == []
    names = [column.name for column in table.columns]
    with ledger.connect() as conn:
        whole, texts = list(audit_log.stream_rows(conn)), list(audit_log.stream_values(conn, names))
    as_json = {column.name for column in table.columns if isinstance(column.type, JSON)}
    read = [
        {
            name: value and json.loads(value) if name in as_json else value
            for name, value in zip(names, row, strict=True)
        }
        for row in texts
    ]
    assert read == whole


def test_newest_file_is_that_whose_bytes_came_lately(ledger: Ledger, run_id: str) -> None:
    response = {"kind": "robots", "state": "fetched", "raw_hash": "b" * 64, "response_headers": {"ETag": ['"one"']}}
    read, confirmed = (
        a_row("robots.txt", **response),
        a_row("robots.txt", http_status=304, timestamp=at(days=20), **response),
    )
    with ledger.begin() as conn:
        audit_log.append_rows(conn, [read, confirmed])
        newest = audit_log.newest_file(conn, url("robots.txt"), "robots", read_since=at())
        assert newest == audit_log.FileRecord("b" * 64, {"If-None-Match": '"one"'})
        assert audit_log.newest_file(conn, url("robots.txt"), "robots", read_since=at(days=1)) is None
