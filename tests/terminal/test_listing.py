"""Listings: tables for people, JSON and CSV for programs, and nothing from the web that acts up in either."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.manifest.models import Source
from rori_spiders.operations.doctor.checks import CheckResult
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.redacted_output import name_program, name_rori, program_name
from rori_spiders.schedule import explain_schedule
from rori_spiders.terminal.commands.doctor import print_report
from rori_spiders.terminal.listing import Column, label_of_key, write_details, write_listing
from tests.support.cases import cases
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLUMNS = (
    Column("id", "source"),
    Column("at", "when"),
    Column("pages", "pages", right=True),
    Column("changed", "changed"),
    Column("hidden"),
)
ROWS: list[dict[str, Any]] = [
    {"id": "a", "at": datetime(2026, 2, 13, 14, 30, 5, tzinfo=UTC), "pages": 12, "changed": True, "hidden": {"x": [1]}},
    {"id": "b — §", "at": None, "pages": 0, "changed": False, "hidden": None},
]


def written(form: str, rows: list[dict[str, Any]] | None = None) -> str:
    out = io.StringIO()
    rows = ROWS if rows is None else rows
    assert write_listing(rows, COLUMNS, form, out) == len(rows)
    return out.getvalue()


def test_listing_table_is_aligned() -> None:
    lines = [line.rstrip() for line in written("table").splitlines()]
    assert lines[0].split() == ["source", "when", "pages", "changed"]
    assert lines[2].split() == ["a", "2026-02-13", "14:30", "12", "yes"]
    assert lines[3].split() == ["b", "—", "§", "0", "no"]
    assert "hidden" not in lines[0]


def test_listing_table_to_file_is_never_truncated() -> None:
    url = "https://www.example.org/" + "x" * 600
    assert url in written("table", [{"id": url}])


def test_listing_json_is_one_array_of_exact_values() -> None:
    told = json.loads(written("json"))
    assert told == [
        {"id": "a", "at": "2026-02-13T14:30:05Z", "pages": 12, "changed": True, "hidden": {"x": [1]}},
        {"id": "b — §", "at": None, "pages": 0, "changed": False, "hidden": None},
    ]


def test_listing_csv_has_keys_and_exact_values() -> None:
    rows = list(csv.reader(io.StringIO(written("csv"))))
    assert rows[0] == ["id", "at", "pages", "changed", "hidden"]
    assert rows[1] == ["a", "2026-02-13T14:30:05Z", "12", "true", '{"x": [1]}']
    assert rows[2] == ["b — §", "", "0", "false", ""]


@cases("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
def test_listing_csv_cell_is_no_formula(begin: str) -> None:
    [_, row] = csv.reader(io.StringIO(written("csv", [{"id": f"{begin}cmd|' /C calc'!A0", "pages": -3}])))
    assert row[0] == f"'{begin}cmd|' /C calc'!A0".replace("\r", "\\u000d")
    assert row[2] == "-3", "a number is a number"


def test_listing_empty() -> None:
    assert written("table", []) == ""
    assert json.loads(written("json", [])) == []
    assert written("csv", []) == "id,at,pages,changed,hidden\n"


def test_listing_control_characters_are_escaped() -> None:
    text = written("table", [{"id": "a\x1b[2Jb\x07c\u202ed\ne"}])
    assert "\x1b" not in text
    assert "a\\u001b[2Jb\\u0007c\\u202ed e" in text
    assert escape_one_line("§ 1024.5 — “ok”") == "§ 1024.5 — “ok”"


def test_listing_markup_of_page_is_text() -> None:
    assert "[red]x[/red] :smile:" in written("table", [{"id": "[red]x[/red] :smile:"}])


def test_listing_details() -> None:
    out = io.StringIO()
    write_details(
        {"id": "a", "last_check": datetime(2026, 2, 13, 14, 30, tzinfo=UTC), "pause": None}, out=out, label=label_of_key
    )
    assert out.getvalue() == "Id          a\nLast check  2026-02-13 14:30 UTC\nPause       -\n"


def test_listing_details_of_programs_have_the_keys_whatever_people_read() -> None:
    out = io.StringIO()
    facts = {"last_check": datetime(2026, 2, 13, 14, 30, tzinfo=UTC), "delay_in_s": 2.0}
    write_details(facts, "json", out, label=lambda _: "x")
    assert json.loads(out.getvalue()) == {"last_check": "2026-02-13T14:30:00Z", "delay_in_s": 2.0}
    out = io.StringIO()
    write_details({"id": "=a", "pause": None}, "csv", out, label=lambda _: "x")
    assert out.getvalue() == "id,pause\n'=a,\n"


def test_listing_file_lines_have_no_trailing_blanks() -> None:
    assert all(line == line.rstrip() for line in written("table").splitlines())


class Terminal(io.StringIO):
    """A terminal that can do nothing, 80 columns wide."""

    def isatty(self) -> bool:
        return True


def test_listing_terminal_folds_wide_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    out = Terminal()
    write_listing([{"id": "x" * 100, "pages": 1}], COLUMNS, "table", out)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert out.getvalue().count("x") == 100


@pytest.fixture
def folder_with_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder, which one is in, with an environment whose programs are not on the PATH."""
    for name in ("scrapy", "rori"):
        path = tmp_path / ".venv" / "bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n", encoding="ascii")
        path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    program_name.cache_clear()
    yield tmp_path
    program_name.cache_clear()


@pytest.mark.parametrize(
    ("started", "on_path", "typed"),
    [
        ("{}/.venv/bin/scrapy", False, ".venv/bin/scrapy"),
        (".venv/bin/rori", False, ".venv/bin/rori"),
        ("{}/.venv/bin/rori", True, "rori"),
        ("{}/.venv/bin/scrapy", True, "scrapy"),
        ("scrapy", False, "scrapy"),
        ("{}/tests/runner", False, "scrapy"),
    ],
)
def test_name_program_gives_commands_as_they_are_typed_here(
    folder_with_programs: Path, monkeypatch: pytest.MonkeyPatch, started: str, on_path: bool, typed: str
) -> None:
    if on_path:
        monkeypatch.setenv("PATH", str(folder_with_programs / ".venv" / "bin"))
    monkeypatch.setattr("sys.argv", [started.format(folder_with_programs)])
    hint = "Nothing yet: run `scrapy collect`. Then: scrapy due; 'scrapy x' and /opt/scrapy here stay, scrapy.cfg too."
    shown = name_program(hint)
    assert shown == hint.replace("`scrapy c", f"`{typed} c").replace(": scrapy", f": {typed}")


def test_name_program_leaves_what_a_person_wrote(folder_with_programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [f"{folder_with_programs}/.venv/bin/rori"])
    reason = "until `scrapy verify` is clean"
    state = SourceState(paused_by="person", paused_reason=reason)
    a_source = Source.model_validate(source("a", "https://www.example.org/"))
    lines = explain_schedule(a_source, state, datetime(2026, 2, 13, tzinfo=UTC))
    for name, program in ((name_program, ".venv/bin/rori"), (name_rori, "rori")):
        paused, advice = map(name, lines[-2:])
        assert paused == f"Paused: a person paused it: {reason}."
        assert f"`{program} resume a`" in advice


def test_print_report_names_commands_as_typed_before_it_breaks_lines(
    folder_with_programs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [f"{folder_with_programs}/.venv/bin/rori"])
    found = "no scrapyd.conf here: `scrapy collect` or `scrapy dispatch` starts jobs " * 4
    print_report([], [CheckResult("Scrapyd", "warning", found, "Run `scrapy collect`.")])
    printed = capsys.readouterr().out
    assert printed.count(".venv/bin/rori") == 9 and "`scrapy" not in printed


def test_write_listing_names_commands_as_typed_in_what_is_to_do_alone(
    folder_with_programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [f"{folder_with_programs}/.venv/bin/rori"])
    row = {"to_do": "Run `scrapy verify`.", "title": "The `scrapy verify` command"}
    columns = [Column(key, key) for key in row]
    for form, expected in (("table", "Run `.venv/bin/rori verify`."), ("csv", "Run `scrapy verify`.")):
        out = io.StringIO()
        write_listing([row], columns, form, out)
        assert expected in out.getvalue() and row["title"] in out.getvalue()
    out = io.StringIO()
    write_details({"what_to_do": row["to_do"], "title": row["title"]}, out=out)
    assert "Run `.venv/bin/rori verify`." in out.getvalue() and row["title"] in out.getvalue()
