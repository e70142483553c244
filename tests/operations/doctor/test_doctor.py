"""`scrapy doctor` on what is well, and on each broken state: a row with a sentence, and nothing changed."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from datetime import timedelta
from hashlib import sha256
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from rori_spiders.ledger import upgrades
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import leases
from rori_spiders.operations.doctor.fetching_checks import check_browser
from tests.house.code import REPOSITORY
from tests.operations.doctor.doctor_output import told
from tests.support.project import source
from tests.terminal.commands.conftest import BEGAN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.operations.doctor.doctor_output import Typed
    from tests.support.project import Project


def everything(folder: Path) -> dict[str, str]:
    """Each file and folder, with its bytes."""
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


def test_doctor_new_project_passes_unchanged(three: Project, typed: Typed) -> None:
    before = everything(three.folder)
    found = told(typed, code=0)
    assert everything(three.folder) == before
    assert "does not exist yet" in found["ledger"][0]["found"]
    assert "does not exist yet" in found["staging"][0]["found"]
    assert "3 sources, 2 active" in found["manifest"][0]["found"]
    assert found["browser"][0]["found"] == "not used: not in RORI_TIERS"


def test_doctor_collected_project_passes_unchanged(collected: Project, typed: Typed) -> None:
    before = everything(collected.folder)
    found = told(typed)
    assert everything(collected.folder) == before
    assert found["ledger"][0]["result"] == "ok"
    assert upgrades.known_revisions()[-1] in found["ledger"][0]["found"]
    assert "2026-02-13" in found["last success"][0]["found"]


def test_doctor_settings_have_origin_and_no_secret(
    three: Project, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    three.env |= {
        "RORI_DATABASE_URL": "postgresql://rori:opensesame-42@127.0.0.1:1/rori",
        "RORI_ZYTE_KEYS": "0123456789abcdef0123",
        "RORI_STAGIN": "elsewhere",
    }
    said = typed("doctor", "-s", "RORI_MAX_PAGES=9")
    assert "opensesame" not in said.out + said.err
    assert "0123456789abcdef" not in said.out + said.err
    rows = {line.split()[0]: line.split()[1:] for line in said.out.splitlines() if line.startswith("RORI_")}
    assert rows["RORI_MAX_PAGES"] == ["command", "line", "9"]
    assert rows["RORI_PARALLEL_RUNS"] == ["default", "5"]
    assert rows["RORI_DATABASE_URL"] == ["environment", "postgresql://[redacted]@127.0.0.1:1/rori"]
    assert rows["RORI_ZYTE_KEYS"] == ["environment", "[redacted]"]
    assert "cannot be reached" in said.out
    assert "did you mean RORI_STAGING?" in said.out


def test_doctor_wrong_settings_are_rows_other_checks_run(three: Project, typed: Typed) -> None:
    three.env |= {"RORI_PARALLEL_RUNS": "abc"}
    found = told(typed, "-s", "RORI_MAX_BYTES=-1", "-s", "RORI_NOTHING=1", code=1)
    assert [row["found"] for row in found["settings"]] == [
        "RORI_PARALLEL_RUNS is 'abc'; it must be a whole number from 1 on.",
        "RORI_MAX_BYTES is '-1'; it must be a whole number from 1 on.",
        "Unknown setting RORI_NOTHING; docs/reference/settings.md lists all settings",
    ]
    assert found["manifest"][0]["result"] == "ok"


def newer(ledger: Path) -> None:
    with sqlite3.connect(ledger) as conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    conn.close()


def older(ledger: Path) -> None:
    with sqlite3.connect(ledger) as conn:
        conn.execute("UPDATE alembic_version SET version_num = '0001'")
    conn.close()


def foreign(ledger: Path) -> None:
    ledger.unlink()
    with sqlite3.connect(ledger) as conn:
        conn.execute("CREATE TABLE books (title TEXT)")
    conn.close()


def damaged(ledger: Path) -> None:
    size = ledger.stat().st_size
    with ledger.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))


def no_database(ledger: Path) -> None:
    ledger.write_bytes(b"these are notes, no database at all\n" * 300)


def a_folder(ledger: Path) -> None:
    ledger.unlink()
    ledger.mkdir()


@pytest.mark.parametrize(
    ("break_it", "sentence"),
    [
        (newer, "supports only up to"),
        (older, "has the older version 0001"),
        (foreign, "holds tables of another program"),
        (damaged, "is damaged"),
        (no_database, "is not a database"),
        (a_folder, "is a folder"),
    ],
)
def test_doctor_broken_ledger_fails(
    collected: Project, typed: Typed, break_it: Callable[[Path], None], sentence: str
) -> None:
    break_it(collected.ledger)
    before = everything(collected.folder)
    found = told(typed, code=1)
    failed = [row["found"] for rows in found.values() for row in rows if row.get("result") == "failed"]
    assert any(sentence in one for one in failed), failed
    assert not any("Traceback" in one or "This is a bug" in one for one in failed)
    assert everything(collected.folder) == before


def test_doctor_ledger_locked_by_other_process_fails(collected: Project, typed: Typed) -> None:
    holder = sqlite3.connect(collected.ledger, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        found = told(typed, code=1)
    finally:
        holder.close()
    assert "is locked" in found["ledger"][0]["found"]


def test_doctor_staging_area_that_is_a_file_fails(three: Project, typed: Typed) -> None:
    three.staging.parent.mkdir(parents=True)
    three.staging.write_text("no folder", encoding="utf-8")
    found = told(typed, code=1)
    assert "is a file" in found["staging"][0]["found"]


def test_doctor_staged_files_without_ledger_fail(three: Project, typed: Typed) -> None:
    folder = three.staging / "example.org" / "2026-02-13"
    folder.mkdir(parents=True)
    (folder / "a__b__c.json").write_text("{}", encoding="utf-8")
    found = told(typed, code=1)
    assert "but no ledger at" in found["staging"][-1]["found"]


def test_doctor_invalid_manifest_fails(three: Project, typed: Typed) -> None:
    (three.folder / "manifest.json").write_text("{", encoding="utf-8")
    found = told(typed, code=1)
    assert found["manifest"][0]["result"] == "failed"


def test_doctor_source_without_tier_fails(three: Project, typed: Typed) -> None:
    three.env["RORI_TIERS"] = "mediawiki"
    three.manifest([{**source("a-page", "https://www.example.org/"), "scrape_config": {"tiers": ["http"]}}])
    found = told(typed, code=1)
    assert found["tiers"][0]["found"].startswith("1 sources have no tier")


def test_doctor_provider_without_key_or_server_fails(three: Project, typed: Typed) -> None:
    three.env |= {"RORI_TIERS": "http,zyte,crawl4ai", "RORI_CRAWL4AI_URL": "http://127.0.0.1:1"}
    found = told(typed, code=1)
    assert found["zyte"][0]["found"] == "it has no key"
    assert "no connection" in found["crawl4ai"][0]["found"]


def test_doctor_webhook_is_checked(three: Project, typed: Typed) -> None:
    three.env |= {"RORI_WEBHOOK_URL": "http://127.0.0.1:1/hooks/T0Kq9ZxP4w", "RORI_WEBHOOK_SECRET": "MDEy" * 8}
    found = told(typed, code=1)
    assert found["webhook"][0]["found"].startswith("http://127.0.0.1:1, 0 envelopes wait")
    assert "no connection" in found["webhook"][0]["found"]
    assert "T0Kq9ZxP4w" not in str(found)


def test_doctor_webhook_without_secret_fails(three: Project, typed: Typed) -> None:
    three.env["RORI_WEBHOOK_URL"] = "http://127.0.0.1:1/"
    assert "RORI_WEBHOOK_SECRET is not set" in told(typed, code=1)["webhook"][0]["found"]


def test_doctor_missing_browser_fails(three: Project, typed: Typed) -> None:
    three.env |= {"RORI_TIERS": "http,browser", "RORI_CHROMIUM": "/nowhere/chromium"}
    found = told(typed, code=1)
    assert found["browser"][0]["found"] == "no Chromium at /nowhere/chromium"


def test_doctor_remains_of_dead_job_are_listed(collected: Project, typed: Typed) -> None:
    ledger = open_ledger(f"sqlite:///{collected.ledger}")
    with ledger.begin() as conn:
        leases.acquire_lease(conn, "example.org", owner="gone:1:x", now=BEGAN + timedelta(minutes=1))
    ledger.close()
    assert "1 left by jobs that died" in told(typed)["leases"][0]["found"]


def test_doctor_unknown_format_is_refused(three: Project, typed: Typed) -> None:
    assert typed("doctor", "--format", "csv").code == 2
    assert typed("doctor", "everything").code == 2


@pytest.mark.slow
def test_doctor_without_browser_package_checks_all_else() -> None:
    # Set to None in sys.modules, a package cannot be imported, and find_spec finds none.
    code = (
        "import sys\n"
        "sys.modules['playwright'] = None\n"
        "import importlib.util as util\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'scrapy_playwright' else found(name, *more)\n"
        "from types import SimpleNamespace\n"
        "from rori_spiders.operations.doctor import check_runner, fetching_checks\n"
        "[one] = fetching_checks.check_browser(SimpleNamespace(settings={'RORI_TIERS': 'http,browser'}))\n"
        "print(one.result, one.do)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert done.stdout.startswith("warning pip install 'rori-collector[browser]'"), done.stderr


def test_doctor_names_the_package_of_the_library_that_playwright_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = tmp_path / "node"  # as a slim image of Debian answers
    node.write_text(f"#!/bin/sh\necho '{_LIBATOMIC}' >&2\nexit 127\n", encoding="utf-8")
    node.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    settings = Settings({"RORI_TIERS": "http,browser", "RORI_CHROMIUM": sys.executable, "USER_AGENT": "x"})
    [one] = check_browser(SimpleNamespace(settings=settings))  # type: ignore[arg-type]
    assert (one.result, one.do) == ("failed", "Install Debian's libatomic1.")
    assert one.found == f"Playwright's own Node does not start: {_LIBATOMIC}"


_LIBATOMIC = (
    "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or "
    "directory"
)
