"""Check that ledger and staging area belong together, so that no job starts beside an unmounted disk.

Without its ledger every page would be staged once more beside its files; without its files the ledger's would be lost
without a word.
"""

from sqlalchemy import func, select

from rori_spiders.exceptions import LedgerError, StagingError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.tables import envelopes
from rori_spiders.staging.store import Store


def is_store_empty(store: Store) -> bool:
    """Return whether nothing was ever staged there; the index remains when files are pruned."""
    return next(iter(store.paths()), None) is None and next(iter(store.index.lines()), None) is None


def describe_missing_ledger(store: Store, ledger: str) -> LedgerError:
    """Return the error for staged files without their ledger at *ledger*."""
    return LedgerError(
        f"There are staged files in {store.location}, but no ledger at {ledger}. Check RORI_DATABASE_URL and "
        "RORI_STAGING; if the ledger is lost, restore its backup (docs/reference/ledger.md), or start over: move "
        "the files away."
    )


def check_no_staged_files(ledger: Ledger, store: Store) -> None:
    """Raise StagingError if the ledger has staged files although *store* is empty.

    Another job may have staged its first file since then. What the ledger has is in the store, so that is asked last.
    """
    with ledger.connect() as conn:
        recorded = envelopes.c.state.in_(("staged", "indexed", "pruning", "pruned"))
        number = conn.execute(select(func.count()).select_from(envelopes).where(recorded)).scalar_one()
    if number and is_store_empty(store):
        raise StagingError(
            f"The staging area {store.location} is empty, but the ledger at {ledger.place} lists {number} files "
            "staged there. Check that its disk is mounted and that RORI_STAGING is unchanged. Restore the files; "
            "if they are lost, `scrapy verify --repair` rebuilds their index, and jobs can run again."
        )
