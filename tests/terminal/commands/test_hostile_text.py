"""Every command that lists what is stored, over a ledger whose texts attack terminals and spreadsheets."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.runtime.test_control_characters import ACTING
from tests.terminal.commands.conftest import START, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project

    Typed = Callable[..., Result]

#: It clears the screen, renames the window, types an answer, turns the line around; then a formula.
EVIL = "\x1b[2J\x1b]0;owned\x07\x9b6n\u202etxt.exe\u2066\u2028\r\x7f"
FORMULA = f"=cmd|'/C calc'!A0 {EVIL}"
#: Tables, and the columns that hold what servers, pages and people wrote.
TEXTS = {
    "runs": ["reason"],
    "run_urls": ["url", "reason", "found_on"],
    "audit": ["url", "error", "reason", "final_url"],
    "pages": ["title", "url"],
    "versions": ["title"],
    "envelopes": [],
}
ALERT = (
    "INSERT INTO alerts (source_id, event, cause, severity, message, opened_at) "
    "VALUES ('a-page', 'source_blocked', 'x', 'high', ?, '2026-02-13 07:10:00.000000')"
)
ACTION = (
    "INSERT INTO actions (at, actor, action, target, reason) "
    "VALUES ('2026-02-13 07:10:00.000000', ?, 'pause', 'a-page', ?)"
)
JOB = (
    "INSERT INTO jobs (job_id, spider, sources, priority, operator, state, queued_at, ended_at, outcome, reason, node) "
    "VALUES ('j', 'sources', '[\"a-page\"]', 1, 'manual', 'ended', '2026-02-13 07:00:00.000000', "
    "'2026-02-13 07:10:00.000000', 'failed', ?, ?)"
)


@pytest.fixture
def hostile(collected: Project) -> Project:
    """The collected project, each of its stored texts followed by EVIL or replaced by FORMULA."""
    with closing(sqlite3.connect(collected.ledger)) as connection, connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        for table, columns in TEXTS.items():
            for column in columns:
                new, value = (f"{column} || ?", EVIL) if "url" in column else ("?", FORMULA)
                connection.execute(f"UPDATE {table} SET {column} = {new}", (value,))
        connection.execute(ALERT, (FORMULA,))
        connection.execute(ACTION, (f"mallory{EVIL}", FORMULA))
        connection.execute(JOB, (FORMULA, f"node{EVIL}"))
    return collected


LISTINGS = [
    ("audit",),
    ("audit", "--status", "failed"),
    ("audit", "--status", "404"),
    ("audit", "--summary"),
    ("runs",),
    ("sources",),
    ("due",),
    ("jobs",),
    ("alerts",),
    ("verify",),
    ("staging",),
]


def _with_formats(listings: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [(*words, "--format", form) for words in listings for form in ("table", "json", "csv")]


@pytest.mark.parametrize("words", _with_formats(LISTINGS), ids=" ".join)
def test_listing_of_hostile_text_is_harmless(hostile: Project, typed: Typed, words: tuple[str, ...]) -> None:
    shown = typed(*words)
    assert not {*shown.out, *shown.err} & {*ACTING}
    if words[-1] == "json":
        json.loads(shown.out)
    if words[-1] == "csv":
        cells = [cell for row in csv.reader(io.StringIO(shown.out)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "@", "\t"))]


def test_audit_json_of_hostile_text_is_exact(hostile: Project, typed: Typed) -> None:
    rows = json.loads(typed("audit", "--format", "json").out)
    assert rows[0]["url"] == f"{START}{EVIL}"
    assert {row["reason"] for row in rows} == {FORMULA}


@pytest.mark.parametrize(
    "words",
    [("sources", "show", "a-page"), ("due", "--explain", "a-page"), ("diff", "a-page", START), ("manifest", "show")],
    ids=" ".join,
)
def test_details_of_hostile_text_are_harmless(hostile: Project, typed: Typed, words: tuple[str, ...]) -> None:
    shown = typed(*words)
    assert not {*shown.out, *shown.err} & {*ACTING}


def test_run_details_of_hostile_text_are_harmless(hostile: Project, typed: Typed) -> None:
    [run] = json.loads(typed("runs", "--format", "json").out)
    shown = typed("runs", "show", run["run_id"])
    assert not {*shown.out, *shown.err} & {*ACTING}
    assert "=cmd" in shown.out, "it is shown all the same"
