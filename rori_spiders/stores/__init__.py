"""The staging area: where envelopes lie, and the code that reads and writes it. ``base.py`` says what a store can do.

``disk.py`` keeps it in a folder. ``staging.py`` is the order in which a changed page reaches store and ledger.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.exceptions import StagingError
from rori_spiders.stores.disk import DiskStore

if TYPE_CHECKING:
    from rori_spiders.stores.base import Store

__all__ = ["DiskStore", "open_store"]


def open_store(uri: str | Path) -> Store:
    """The store at *uri*, a folder, which need not exist yet. Raises StagingError for a kind that is not known."""
    text = str(uri)
    if text.startswith("s3://"):
        raise StagingError(f"{text}: S3 is not available in this build. Set RORI_STAGING to a folder.")
    if "://" in text or not text.strip() or "\0" in text:
        raise StagingError(f"{text!r} is not a staging area. Set RORI_STAGING to a folder.")
    return DiskStore(Path(uri))
