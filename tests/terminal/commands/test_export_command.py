"""`scrapy export changes|versions|...`: files that other programs open, and cursors that miss nothing."""

from __future__ import annotations

import csv
import json
import os
import re
import sqlite3
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from rori_spiders.evidence.export import envelope_files
from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import SITE, an_id
from tests.staging.job_driver import SOURCE, Job, begin, next_run
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.ledger.database import Ledger
    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]

OTHER, LATE = f"{SITE}5/", f"{SITE}6/"
VERBS = ("changes", "versions", "pages", "audit", "envelopes", "citations")
DOCUMENT = Path(__file__).parents[3] / "docs" / "how-to" / "export-data.md"


@pytest.fixture
def history(project: Project) -> Project:
    """Two pages, of which one gets another figure."""
    with closing(open_empty_ledger(project.ledger)) as ledger:
        _collect(ledger, project)
    return project


def _collect(ledger: Ledger, project: Project) -> Job:
    job = Job(ledger, DiskStore(project.staging), an_id(1))
    for visit in begin(job, SITE, OTHER):
        job.page(visit, f"Rule\n\nPay within 60 days, see 12 CFR 1024.5. {visit.url}")
    next_run(job)
    job.page(begin(job, SITE)[0], f"Rule\n\nPay within 61 days. {SITE}")
    next_run(job)
    return job


def _export(typed: Typed, verb: str, name: str, *options: str) -> int | None:
    """Export; the cursor that it printed."""
    done = typed("export", verb, "-o", name, *options)
    assert done.code == 0, done.err
    found = re.search(r"^Cursor: (\d+)$", done.err, re.MULTILINE)
    return int(found[1]) if found else None


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("verb", VERBS)
def test_export_every_format_has_the_same_rows(history: Project, typed: Typed, verb: str) -> None:
    for ending in ("jsonl", "csv", "parquet", "sqlite"):
        _export(typed, verb, f"x.{ending}")
    folder = history.folder
    lines = _lines(folder / "x.jsonl")
    assert len(lines) == {"changes": 1, "versions": 3, "pages": 2, "audit": 3, "envelopes": 3, "citations": 3}[verb]
    rows = list(csv.DictReader(StringIO((folder / "x.csv").read_text("utf-8"))))
    table = duckdb.read_parquet(str(folder / "x.parquet"))
    with closing(sqlite3.connect(folder / "x.sqlite")) as db:
        [(number,)] = db.execute(f"SELECT count(*) FROM {verb}").fetchall()
        names = [row[1] for row in db.execute(f"PRAGMA table_info({verb})")]
    assert len(lines) == len(rows) == len(table) == number
    assert list(rows[0]) == table.columns == names
    if verb != "envelopes":
        assert list(lines[0]) == names


def test_export_envelopes_as_json_lines_are_their_files(history: Project, typed: Typed) -> None:
    _export(typed, "envelopes", "x.jsonl")
    files = [json.loads(path.read_text("utf-8")) for path in history.staging.glob("[!_]*/**/*.json")]
    assert sorted(map(repr, _lines(history.folder / "x.jsonl"))) == sorted(map(repr, files))


@pytest.mark.parametrize("command", ["changes", "audit"])
def test_export_has_every_field_of_the_listing(history: Project, typed: Typed, command: str) -> None:
    listed = json.loads(typed(command, "--format", "json").out)
    _export(typed, command, "x.jsonl")
    [first, *_] = _lines(history.folder / "x.jsonl")
    assert set(first) == set(listed[0])


def test_export_filters_narrow_the_rows(history: Project, typed: Typed) -> None:
    _export(typed, "versions", "x.jsonl", "--until", "2026-02-13T12:30:00Z")
    assert len(_lines(history.folder / "x.jsonl")) == 2
    _export(typed, "changes", "x.jsonl", "--importance", "high", "--kind", "date")
    assert _lines(history.folder / "x.jsonl") == []
    assert typed("export", "audit", "-o", "x.jsonl", "--source", "another").code == 2
    assert typed("export", "audit", "-o", "x.txt").code == 2


def test_export_to_pipe_is_written_into_it(history: Project, typed: Typed) -> None:
    os.mkfifo(history.folder / "pipe.jsonl")
    (history.folder / "link.jsonl").symlink_to("pipe.jsonl")
    reader = os.open(history.folder / "pipe.jsonl", os.O_RDONLY | os.O_NONBLOCK)
    try:
        for name in ("pipe.jsonl", "link.jsonl"):
            _export(typed, "pages", name)
            assert len(os.read(reader, 1 << 16).splitlines()) == 2
        assert (history.folder / "pipe.jsonl").is_fifo()
    finally:
        os.close(reader)


def test_export_that_cannot_be_written_ends_with_a_sentence(history: Project, typed: Typed) -> None:
    full = typed("export", "pages", "--format", "jsonl", "-o", "/dev/full")
    assert (full.code, full.out) == (3, "")
    assert full.err == (
        "Nothing more can be written: No space left on device. Free some space, and run the command again.\n"
    )
    (history.folder / "file").touch()
    refused = typed("export", "pages", "-o", "file/x.csv")
    assert refused.code == 2 and "/file: File exists" in refused.err


def test_export_to_link_keeps_it(history: Project, typed: Typed) -> None:
    (history.folder / "link.jsonl").symlink_to("x.jsonl")
    _export(typed, "pages", "link.jsonl")
    assert (history.folder / "link.jsonl").is_symlink()
    assert len(_lines(history.folder / "x.jsonl")) == 2


@pytest.mark.parametrize("verb", ["changes", "versions", "audit", "envelopes", "citations"])
def test_export_since_cursor_has_each_new_row_once(project: Project, typed: Typed, verb: str) -> None:
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = _collect(ledger, project)
        before = _export(typed, verb, "all.jsonl")
        again = _export(typed, verb, "none.jsonl", "--since-cursor", str(before))
        assert (_lines(project.folder / "none.jsonl"), again) == ([], before)
        job.page(begin(job, LATE)[0], "Late\n\nPay within 62 days, see 12 CFR 1024.7.")
        next_run(job)
        after = _export(typed, verb, "new.jsonl", "--since-cursor", str(before))
        _export(typed, verb, "whole.jsonl")
    old, new, whole = (_lines(project.folder / f"{name}.jsonl") for name in ("all", "new", "whole"))
    assert len(new) == 1
    assert after is not None
    assert before is not None
    assert after > before
    assert sorted(map(repr, [*old, *new])) == sorted(map(repr, whole))


def test_export_cursor_of_another_ledger_is_refused(history: Project, typed: Typed) -> None:
    done = typed("export", "audit", "-o", "x.jsonl", "--since-cursor", "999999")
    assert (done.code, "is not a cursor of this ledger" in done.err) == (2, True)
    assert not (history.folder / "x.jsonl").exists()


def test_export_sqlite_file_is_brought_up_to_date(history: Project, typed: Typed) -> None:
    cursor = _export(typed, "versions", "x.db")
    _export(typed, "versions", "x.db", "--since-cursor", str(cursor))
    _export(typed, "pages", "x.db")
    with closing(sqlite3.connect(history.folder / "x.db")) as db:
        counts = [db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("versions", "pages")]
    assert counts == [3, 2]
    (history.folder / "other.db").write_bytes(b"not a database, but a file of somebody")
    done = typed("export", "versions", "-o", "other.db")
    assert (done.code, "cannot be brought up to date" in done.err) == (2, True)


def test_export_damaged_envelope_is_named_and_left_out(history: Project, typed: Typed) -> None:
    path = next(history.staging.glob("[!_]*/**/*.json"))
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"days", b"DAYS"))
    next(one for one in history.staging.glob("[!_]*/**/*.json") if one != path).unlink()
    done = typed("export", "envelopes", "-o", "x.jsonl")
    assert done.code == 1
    assert f"Damaged in the staging area, so not exported: {path.relative_to(history.staging)}" in done.err
    assert "Missing from the staging area, so not exported: " in done.err
    assert len(_lines(history.folder / "x.jsonl")) == 1


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet", "sqlite"])
def test_export_envelopes_by_processes_are_the_same_file(
    history: Project, typed: Typed, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    next(iter(sorted(history.staging.glob("[!_]*/**/*.json")))).unlink()
    alone = typed("export", "envelopes", "-o", f"alone.{ending}")
    monkeypatch.setattr(envelope_files, "_READ_ALONE", 0)
    monkeypatch.setattr(envelope_files, "_MAX_BYTES", 1)  # gives one file, and comes again for the others
    monkeypatch.setattr(envelope_files, "total_cores", lambda: 2.0)
    by_processes = typed("export", "envelopes", "-o", f"by-processes.{ending}")
    assert (alone.code, by_processes.code) == (1, 1)
    assert by_processes.err.replace("by-processes.", "alone.") == alone.err
    first, second = (history.folder / f"{name}.{ending}" for name in ("alone", "by-processes"))
    if ending == "sqlite":
        dumps = []
        for path in (first, second):
            with closing(sqlite3.connect(path)) as db:
                dumps.append(list(db.iterdump()))
        assert dumps[0] == dumps[1]
    elif ending == "parquet":
        assert duckdb.read_parquet(str(first)).fetchall() == duckdb.read_parquet(str(second)).fetchall()
    else:
        assert first.read_bytes() == second.read_bytes() != b""


def test_export_documented_examples_run(history: Project, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas  # half a second, not for each worker to collect tests

    blocks = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    _export(typed, "changes", "changes.parquet")
    _export(typed, "versions", "versions.csv")
    _export(typed, "audit", "audit.jsonl")
    rows = _lines(history.folder / "audit.jsonl")
    for row, name in zip(rows, ("ETag", "Etag", "Content-Type"), strict=True):  # two servers write it differently
        row["response_headers"] = {name: ["x"], "Content-Type": ["text/html"]}
    (history.folder / "audit.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    by = ("--partition-by", "source", "--partition-by", "month")
    _export(typed, "versions", "history", "--format", "parquet", *by)
    assert len(list(history.folder.glob("history/source=*/month=2026-02/*.parquet"))) == 1
    monkeypatch.chdir(history.folder)
    found: dict[str, Any] = {}
    for block in blocks:
        exec(block, found)
    assert found["rows"] == [(SOURCE, "high", 1)]
    assert found["pages"] == [(2,)]
    assert found["kinds"] == [(["text/html"], 3)]
    assert isinstance(found["per_month"], pandas.Series)
    assert found["per_month"].to_dict() == {"2026-02": 2}
