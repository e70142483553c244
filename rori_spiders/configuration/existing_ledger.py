"""Open the ledger that the settings name, if there is one: without the manifests, which take long to import."""

from collections.abc import Iterator
from contextlib import contextmanager

from rori_spiders.configuration.locations import Locations
from rori_spiders.ledger.database import BUSY_TIMEOUT_S, Ledger, open_ledger


@contextmanager
def open_existing_ledger(
    places: Locations, *, migrate: bool = False, timeout_s: float = BUSY_TIMEOUT_S, replica_url: str = ""
) -> Iterator[Ledger | None]:
    """The ledger for reading if there is one, closed after use; never a new one. LedgerError when it cannot be read.

    *migrate* is for those who are about to collect: a SQLite ledger of an older version is brought to this one.
    *replica_url* is for those who look at all sources, again and again.
    """
    if not places.has_ledger:
        yield None
        return
    with open_ledger(places.database_url, migrate=migrate, timeout_s=timeout_s, replica_url=replica_url) as ledger:
        yield ledger
