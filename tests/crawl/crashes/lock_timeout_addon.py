"""An add-on by which a job waits two seconds for a locked ledger, in place of thirty."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import rori_spiders.crawl.job.job
from rori_spiders.ledger.database import open_ledger

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

ADDONS = json.dumps({"tests.crawl.crashes.lock_timeout_addon.Impatient": 0})


class Impatient:
    """For ``-s ADDONS={"tests.crawl.crashes.lock_timeout_addon.Impatient": 0}``."""

    def update_settings(self, settings: BaseSettings) -> None:
        setattr(rori_spiders.crawl.job.job, "open_ledger", partial(open_ledger, timeout_s=2))  # noqa: B010  (a test's patience)
