"""A job killed before any call to S3, or any commit: nothing is lost, staged twice, or left that cannot be mended."""

from __future__ import annotations

import json
import os
import shutil
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from botocore.client import BaseClient
from sqlalchemy import event
from sqlalchemy.engine import Engine

from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.staging.s3 import S3Store
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON, an_id
from tests.staging import child_processes
from tests.staging.job_driver import PAGES, Job
from tests.staging.kill_points import KILLED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.staging.s3.fixtures import Area

#: Every third step: each life and its recovery ask S3 some sixty times. The steps of a page repeat, so none is spared.
STRIDE = 3


def die_at(step: int) -> None:
    """End this process instead of its *step*-th call to S3 or commit."""
    taken = 0

    def count() -> None:
        nonlocal taken
        taken += 1
        if taken == step:
            os._exit(KILLED)

    call = BaseClient._make_api_call

    def counted(self: BaseClient, operation: str, params: dict[str, Any]) -> Any:
        count()
        return call(self, operation, params)

    BaseClient._make_api_call = counted
    event.listen(Engine, "commit", lambda conn: count())


def test_s3_job_killed_then_resumed_stages_everything_once(area: Area, tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    open_ledger(str(empty)).close()
    died, step, adopted, dropped = True, 1, 0, 0
    while died:
        step += STRIDE
        uri, database = f"{area.uri}-{step}", tmp_path / f"{step}.db"
        shutil.copy(empty, database)

        def life(uri: str = uri, database: Path = database, step: int = step) -> None:
            ledger = open_ledger(str(database))
            die_at(step)
            Job(ledger, S3Store(uri), an_id(1)).work()

        code = child_processes.run(life)
        assert code in {0, KILLED}
        died = code == KILLED
        ledger, store = open_ledger(str(database)), S3Store(uri)
        found = recover_staging(ledger, store, NOON)
        adopted, dropped = adopted + len(found.adopted), dropped + len(found.dropped)
        if died:
            Job(ledger, store, an_id(2), NOON + timedelta(hours=1)).work()
        assert verify_staging(ledger, store).findings == ()
        lines = [json.loads(line) for line in store.index.lines()]
        assert sorted(line["url"] for line in lines) == sorted(PAGES)
        assert sorted(line["path"] for line in lines) == list(store.paths())
        ledger.close()
    assert step > 25, "the crawl has fewer steps than it should: are they still counted?"
    assert dropped
    assert adopted
