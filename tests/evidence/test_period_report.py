"""The report of a period: its changes with their reviews, and how long each source was not seen completely."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lxml import html
from sqlalchemy import update

from rori_spiders.evidence.period_report import Period, render_period_report
from rori_spiders.ledger.pages import change_assignments, change_records, page_history
from rori_spiders.ledger.tables import runs
from tests.ledger.factories import RUN, SOURCE, a_run, a_version, at
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Connection

EXCERPT = ["§ 1024.5", ["=", "within "], ["-", "60"], ["+", "61"], ["=", " days"]]
MONTH = Period(at(), at(days=28))


def _run(conn: Connection, ended: datetime, *, state: str = "complete", run_id: str = "") -> None:
    name = run_id or str(uuid4())
    a_run(conn, name, state=state)
    values = {"started_at": ended, "finished_at": ended, "counts": {"captured": 2, "failed": 1, "gone": 0}}
    conn.execute(update(runs).where(runs.c.run_id == name).values(values))


def _change(conn: Connection, name: str, *, on: float, importance: int, title: str = "") -> None:
    page = page_history.ensure_page(conn, SOURCE, f"https://a.gov/{name}", now=at())
    page_history.add_version(conn, page.page_id, a_version("a", captured_at=at(days=on), title=title), body_chars=1)
    change_records.add_changes(conn, [{
        "page_id": page.page_id, "seq": 1, "source_id": SOURCE, "at": at(days=on), "from_seq": None, "kind": "number",
        "importance": importance, "details": {"rules": ["deadline"], "excerpt": EXCERPT}, "described_at": at(days=on),
        "url": page.url,
    }])  # fmt: skip


def _report(conn: Connection, period: Period = MONTH, *sources: str) -> Any:
    return html.fromstring(render_period_report(conn, period, sources or [SOURCE], now=at(days=30)))


def _rows(report: Any, number: int) -> list[list[str]]:
    table = report.findall(".//table")[number]
    return [
        [cell.text_content() for cell in row.iterfind("td")] for row in table.iter("tr") if row.find("td") is not None
    ]


def test_period_report_lists_its_changes_with_reviews(tmp_path: Path) -> None:
    with open_empty_ledger(tmp_path / "ledger.db") as ledger, ledger.begin() as conn:
        _run(conn, at(days=1), run_id=RUN)
        _change(conn, "before", on=-1, importance=3)
        _change(conn, "1", on=2, importance=3, title="Escrow <accounts>")
        _change(conn, "2", on=3, importance=1)
        _change(conn, "after", on=28, importance=3)
        change_records.review_changes(conn, [(2, 1)], "material", reason="new term", actor="ann", now=at(days=4))
        change_assignments.assign_changes(
            conn, [(2, 1)], "ben", due_on=date(2026, 3, 1), comment="Our letters?", actor="ann", now=at(days=5)
        )
        report = _report(conn)
    assert _rows(report, 0) == [
        ["high", "0", "1", "0", "0"],
        ["medium", "0", "0", "0", "0"],
        ["low", "1", "0", "0", "0"],
    ]
    first, second = _rows(report, 1)
    assert first[:5] == [
        "2-1",
        "2026-02-15 14:30",
        "high: a date or period by which something is due or takes effect",
        "Escrow <accounts> (https://a.gov/1)",
        "§ 1024.5: within 60 → 61 days",
    ]
    assert first[6] == (
        "material, by ann, 2026-02-17 14:30: new term; assigned to ben, due 2026-03-01; "
        "ann, 2026-02-18 14:30: Our letters?"
    )
    assert (second[0], second[6]) == ("3-1", "not reviewed")
    # One table, whose head each printed page repeats, with a row for a publication; what is wide scrolls by keyboard.
    summary, changes, _ = report.iter("table")
    assert changes.xpath("tbody/tr[@class='group']/th/text()") == [f"{SOURCE}: 2 pages"]
    assert [one.getparent().get("tabindex") for one in (summary, changes)] == [None, "0"]
    assert report.find("body/main") is not None


def test_period_report_names_the_longest_gap_of_a_source(tmp_path: Path) -> None:
    with open_empty_ledger(tmp_path / "ledger.db") as ledger, ledger.begin() as conn:
        for day in (-3, 1, 15, 27):
            _run(conn, at(days=day))
        _run(conn, at(days=8), state="failed")
        report = _report(conn, MONTH, SOURCE, "never-run")
        later = _report(conn, Period(at(days=30), at(days=40)))
    assert _rows(report, 1) == [
        [SOURCE, "4", "3", "1 failed", "14.0 days, 2026-02-14 to 2026-02-28", "2 captured, 1 failed"],
        ["never-run", "0", "0", "none", "never complete until the period's end", "none"],
    ]
    # A gap that began before the period is as long as it was.
    assert _rows(later, 1)[0][4] == "13.0 days, 2026-03-12 to 2026-03-25"


def test_period_report_says_when_nothing_changed(tmp_path: Path) -> None:
    with open_empty_ledger(tmp_path / "ledger.db") as ledger, ledger.begin() as conn:
        _run(conn, at(days=2))
        report = _report(conn)
    assert "No text changed." in report.text_content()
    assert _rows(report, 1)[0][4] == "26.0 days, 2026-02-15 to 2026-03-13"


def test_period_report_of_a_source_seen_first_late_says_so(tmp_path: Path) -> None:
    with open_empty_ledger(tmp_path / "ledger.db") as ledger, ledger.begin() as conn:
        _run(conn, at(days=27))
        report = _report(conn)
    assert _rows(report, 1)[0][4] == "27.0 days, 2026-02-13 to 2026-03-12, never complete before"
