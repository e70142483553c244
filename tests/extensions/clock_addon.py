"""A clock that a test gives to a job: by the add-on, the job's time of day leaps once the file of the test is there."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.crawl.job.job import Job

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: Names the file; its text is the number of hours by which the clock is ahead.
FILE = "TEST_CLOCK_FILE"


class LeapingClock:
    """For ``-s ADDONS={"tests.extensions.clock_addon.LeapingClock": 0}``."""

    def update_settings(self, settings: BaseSettings) -> None:
        file = Path(os.environ[FILE])

        def now(_: Job) -> datetime:
            ahead = float(file.read_text(encoding="utf-8")) if file.exists() else 0.0
            return datetime.now(UTC) + timedelta(hours=ahead)

        setattr(Job, "now", now)  # noqa: B010  (a test's clock, given to the whole process)
