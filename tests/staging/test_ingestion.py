"""The client of docs/how-to/ingestion.md, as it stands there, killed at every line: nothing missed, nothing twice."""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.staging.retention import import_confirmations
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON, SITE, an_id
from tests.staging import child_processes
from tests.staging.job_driver import Job, begin, next_run
from tests.staging.kill_points import KILLED, die_at

if TYPE_CHECKING:
    from types import FrameType

    import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "how-to" / "ingestion.md"
CLIENT = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[0]


def client(folder: Path, *, dies_at: int | None = None) -> bool:
    """Run the client in *folder*, in a process that dies before its *dies_at*-th line; whether it died."""

    def run() -> None:
        taken = 0

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal taken
            if frame.f_code.co_filename != "<client>":
                return None
            taken += event == "line"
            if taken == dies_at:
                os._exit(KILLED)
            return trace

        os.chdir(folder)
        if dies_at is not None:
            sys.settrace(trace)
        exec(compile(CLIENT, "<client>", "exec"), {})
        sys.settrace(None)

    code = child_processes.run(run)
    assert code in (0, KILLED)
    return code == KILLED


def ingested(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "ingested.db")) as db:
        return [one for (one,) in db.execute("SELECT envelope_id FROM texts ORDER BY rowid")]


def in_index(store: DiskStore) -> list[str]:
    return [json.loads(line)["envelope_id"] for line in store.index.lines()]


def test_ingestion_client_killed_at_every_line_misses_and_repeats_nothing(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RORI_STAGING", raising=False)
    store = DiskStore(tmp_path / "collect" / "staged")
    job = Job(ledger, store, an_id(1))
    for number, visit in enumerate(begin(job, *(f"{SITE}{number}/" for number in range(3)))):
        job.page(visit)
        while client(tmp_path, dies_at=3 + number):  # in ever other lines, without getting further
            break
    lines = 0
    while client(tmp_path, dies_at=(lines := lines + 1)):
        assert lines < 100
    assert lines > 20
    assert ingested(tmp_path) == in_index(store)
    taken = import_confirmations(ledger, store, NOON)
    assert taken.confirmed.now == 3
    assert (taken.confirmed.unknown, taken.wrong) == ((), ())


def test_ingestion_both_sides_killed_repeatedly_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RORI_STAGING", raising=False)
    database, chance = str(tmp_path / "ledger.db"), random.Random(20261122)
    root = tmp_path / "collect" / "staged"
    open_ledger(database).close()
    root.mkdir(parents=True)
    (root / "_index.jsonl").touch()
    for life in range(30):
        torn, step = life % 2 == 0, chance.randint(3, 40)

        def work(life: int = life, step: int = step, torn: bool = torn) -> None:
            ledger = open_ledger(database)
            die_at(step, torn=torn)
            Job(ledger, DiskStore(root), an_id(life + 1)).work()

        child_processes.run(work)
        client(tmp_path, dies_at=chance.randint(4, 40))
    with closing(open_ledger(database)) as ledger:
        store = DiskStore(root)
        recover_staging(ledger, store, NOON)
        job = Job(ledger, store, an_id(99))
        job.work()
        next_run_pages = begin(job, SITE + "more/")
        job.page(next_run_pages[0])
        assert not client(tmp_path)
        assert ingested(tmp_path) == in_index(store)
        assert set(import_confirmations(ledger, store, NOON).confirmed.unknown) == set()
        assert verify_staging(ledger, store).findings == ()


def test_ingestion_torn_confirmation_is_completed_by_next_run(ledger: Ledger, tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "collect" / "staged")
    job = Job(ledger, store, an_id(1))
    job.page(begin(job, SITE)[0])
    (tmp_path / "collect" / "staged" / "_confirmed.jsonl").write_text('{"envelope_id": "ha')
    assert not client(tmp_path)
    taken = import_confirmations(ledger, store, NOON)
    assert (taken.confirmed.now, len(taken.wrong)) == (1, 1)
    next_run(job)
