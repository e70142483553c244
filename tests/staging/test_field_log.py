"""The log of fields: appended once, whoever is killed when, and whoever else appends at the same time."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import field_history
from rori_spiders.ledger.tables import field_lines as table
from rori_spiders.staging.ledger_logs import log_pending_fields
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.staging.store import LogLine
from rori_spiders.staging.store_factory import open_store
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON
from tests.staging import child_processes, kill_points
from tests.staging.s3 import test_kill_points

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from tests.staging.s3.fixtures import Area

LINES = [
    json.dumps({"timestamp": "2026-02-13T12:00:00Z", "manifest_id": source, "seq": seq, "said": "é" * seq})
    for source, seq in (("a", 1), ("a", 2), ("b", 1))
]


def keep(ledger: Ledger) -> None:
    """All of LINES in the ledger, none in the log."""
    with ledger.begin() as conn:
        for text in LINES:
            line = json.loads(text)
            field_history.add_line(conn, (line["manifest_id"], line["seq"]), text, now=NOON)


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("kind", ["disk", "s3"])
def test_field_log_killed_at_any_step_is_complete(
    tmp_path: Path, request: pytest.FixtureRequest, kind: str, torn: bool
) -> None:
    if kind == "s3" and torn:
        return  # a segment is whole or not there
    uri = request.getfixturevalue("area").uri if kind == "s3" else str(tmp_path / "staged")
    empty, step, died = tmp_path / "empty.db", 0, True
    with_lines = open_ledger(str(empty))
    keep(with_lines)
    with_lines.close()
    while died:
        step += test_kill_points.STRIDE if kind == "s3" else 1
        area, database = f"{uri}-{step}", tmp_path / f"{step}.db"
        shutil.copy(empty, database)

        def life(area: str = area, database: Path = database, step: int = step) -> None:
            ledger = open_ledger(str(database))
            if kind == "s3":
                test_kill_points.die_at(step)
            else:
                kill_points.die_at(step, torn=torn)
            log_pending_fields(ledger, open_store(area))

        code = child_processes.run(life)
        assert code in {0, kill_points.KILLED}
        died = code == kill_points.KILLED
        ledger, store = open_ledger(str(database)), open_store(area)
        recover_staging(ledger, store, NOON)
        assert sorted(store.fields.lines()) == sorted(LINES)
        assert log_pending_fields(ledger, store) == 0 and verify_staging(ledger, store).findings == ()
        ledger.close()
    assert step > 3, "there are fewer steps than there should be: are they still counted?"


def test_field_log_two_writers_append_each_line_once(ledger: Ledger, area: Area, tmp_path: Path) -> None:
    """Another process has appended the lines, and not marked them yet: they are found there, and marked."""
    for uri in (str(tmp_path / "staged"), area.uri):
        first, second = open_store(uri), open_store(uri)
        with ledger.begin() as conn:
            conn.execute(table.delete())
        keep(ledger)
        first.fields.append_missing([LogLine(json.loads(text)["manifest_id"], text) for text in LINES])
        assert log_pending_fields(ledger, second) == 0
        assert sorted(second.fields.lines()) == sorted(LINES)
        with ledger.connect() as conn:
            assert field_history.list_lines(conn, unlogged=True) == []
