"""What prometheus_client scrapes: the ledger opened, read in one consistent state, closed."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

import rori_spiders
from rori_spiders.exceptions import RoriError
from rori_spiders.inforce import existing_ledger, read_in_force
from rori_spiders.metrics import crawling, families, operating, spending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from prometheus_client import Metric
    from scrapy.settings import BaseSettings

    from rori_spiders.places import Places


class LedgerCollector(Collector):
    """Each scrape reads anew. One that fails says so in ``rori_up``, and why to *tell*; the next one may succeed."""

    def __init__(
        self, places: Places, settings: BaseSettings, now: Callable[[], datetime], tell: Callable[[str], None]
    ) -> None:
        self._places, self._settings, self._now, self._tell = places, settings, now, tell
        self._errors = 0

    def collect(self) -> Iterator[Metric]:
        began = perf_counter()
        try:
            found = list(self.read())
        except (RoriError, SQLAlchemyError, OSError) as error:
            self._errors += 1
            self._tell(str(error))
            found = []
        yield families.BUILD.of({(rori_spiders.__version__,): 1})
        yield families.UP.of({(): int(bool(found))})
        yield families.ERRORS.of({(): self._errors})
        yield families.SCRAPE.of({(): perf_counter() - began})
        yield from found

    def read(self) -> Iterator[Metric]:
        """What the ledger says; nothing where there is none yet. Raises LedgerError and ManifestError."""
        with existing_ledger(self._places) as ledger:
            if ledger is None:
                return
            catalog, now = read_in_force(self._places, ledger), self._now()
            with ledger.connect() as conn:
                yield from operating.of_sources(conn, catalog)
                yield from crawling.of_runs(conn)
                yield from crawling.of_changes(conn)
                yield from crawling.of_the_last_hour(conn, now)
                yield from spending.of_costs(conn, self._settings, now)
                yield from operating.of_queue(conn, now)
                yield from operating.of_leases(conn, now)
                yield from operating.of_alerts(conn)
                yield from operating.of_messages(conn)
                yield from operating.of_envelopes(conn)
