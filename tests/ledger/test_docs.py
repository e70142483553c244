"""docs/reference/ledger.md names every table and every message, and what it tells people to run, runs."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger import db_errors
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import metadata
from rori_spiders.ledger.tables.runs import URL_STATES
from tests.ledger.factories import RUN, SOURCE, a_row, a_version, at, url

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

_PAGE = (Path(__file__).parent.parent.parent / "docs" / "reference" / "ledger.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", _PAGE, flags=re.MULTILINE | re.DOTALL)


def test_ledger_documentation_has_line_for_every_table() -> None:
    assert not [table for table in sorted(metadata.tables) if f"\n| `{table}` | " not in _PAGE]


def test_ledger_documentation_names_every_url_state() -> None:
    assert not [state for state in URL_STATES if f"`{state}`" not in _PAGE]


def test_ledger_documentation_has_action_for_every_database_message() -> None:
    named = re.findall(r"`([^`]+)`", "\n".join(line for line in _PAGE.splitlines() if line.startswith("| `")))
    for sentence in db_errors.SQLITE_SENTENCES.values():
        start = sentence.split(":")[0].split(".")[0]
        assert any(start.startswith(message) or message.startswith(start) for message in named), sentence


@pytest.fixture
def filled(ledger: Ledger, run_id: str) -> Ledger:
    with ledger.begin() as conn:
        page = page_history.ensure_page(conn, SOURCE, url("5"), now=at())
        page_history.add_version(conn, page.page_id, a_version("1", change_type="new"), body_chars=900)
        audit_log.append_row(conn, a_row("5", content_hash="1" * 64))
    return ledger


def test_ledger_documentation_python_examples_run(
    filled: Ledger, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chain, held, sections, revision = (
        block.replace("/srv/rori/collect/ledger.db", str(path)) for block in _blocks("python")
    )
    exec(chain, {})
    assert capsys.readouterr().out == ""
    exec(held, {})
    assert capsys.readouterr().out.startswith(f"{SOURCE} {'1' * 64} 2026-02-13 14:30:00+00:00")
    with filled.begin() as conn:
        page = page_history.ensure_page(conn, SOURCE, url("5"), now=at())
        newer = a_version("2", section_hashes=[("§ 1024.5", "c" * 64), ("§ 1024.5 > (a)", "e" * 64)])
        page_history.add_version(conn, page.page_id, newer, body_chars=900)
    exec(sections.replace("cfpb-reg-x", SOURCE), {})
    assert capsys.readouterr().out == "changed § 1024.5 > (a)\n"
    scripts = tmp_path / "migrations"
    (scripts / "versions").mkdir(parents=True)
    mako = Path(__file__).parent.parent.parent / "rori_spiders/ledger/migrations/script.py.mako"
    (scripts / "script.py.mako").write_text(mako.read_text(encoding="utf-8"), encoding="utf-8")
    exec(revision.replace("rori_spiders/ledger/migrations", str(scripts)), {})
    compile((scripts / "versions" / "0002_what_it_adds.py").read_text(encoding="utf-8"), "0002", "exec")


def test_ledger_documentation_sql_examples_run(filled: Ledger, path: Path, tmp_path: Path) -> None:
    states, accepted, held, backup = _blocks("sql")
    with filled.connect() as conn:
        conn.exec_driver_sql(states)
        conn.exec_driver_sql(accepted)
        assert conn.exec_driver_sql(held).one()[:2] == (SOURCE, "1" * 64)
    shell = sqlite3.connect(path)
    shell.execute(backup.replace("/backup", str(tmp_path)))
    shell.close()
    assert (tmp_path / "ledger-2026-02-13.db").stat().st_size > 0
    with filled.connect() as conn:
        assert audit_log.verify_chain(conn, RUN) == []
