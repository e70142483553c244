"""What a job may not write any more: files and folders by their modes, also for root, and the ledger under its hands.

In: paths. Out: the paths, read-only or not; an add-on. A job that is to obey their modes is started as `obedient`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import event
from sqlalchemy.engine import Engine

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

#: Names a file: once it is there, the ledger of the job is read-only.
FILE = "TEST_READONLY_FILE"
ADDONS = json.dumps({"tests.crawl.crashes.read_only.ReadonlyLedger": 0})


def lock(*paths: Path) -> None:
    """None of these files may be written any more, and nothing be made or removed in these folders."""
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)


def unlock(*paths: Path) -> None:
    """Their owner may write them again."""
    for path in paths:
        path.chmod(path.stat().st_mode | 0o200)


class ReadonlyLedger:
    """An add-on under which the ledger's disk becomes read-only: ``tests.crawl.crashes.read_only.ReadonlyLedger``.

    The mode of a file does nothing to those who have it open.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        file = Path(os.environ[FILE])

        def begun(conn: Connection, _cursor: object, statement: str, *_: object) -> None:
            if statement == "BEGIN IMMEDIATE" and file.exists():
                conn.exec_driver_sql("PRAGMA query_only = ON")

        event.listen(Engine, "after_cursor_execute", begun)
