"""The staging area: where envelopes lie, and the code that reads and writes it. ``base.py`` says what a store can do.

``disk.py`` keeps it in a folder, ``s3/`` in a bucket. ``staging.py`` is the order in which a changed page reaches store
and ledger.
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
    """The store at *uri*, a folder or ``s3://bucket/prefix``. Nothing is asked or made yet.

    Raises StagingError for a kind that is not known.
    """
    text = str(uri)
    if text.startswith("s3://"):
        from rori_spiders.stores.s3 import S3Store

        return S3Store(text)
    if "://" in text or not text.strip() or "\0" in text:
        raise StagingError(f"{text!r} is not a staging area. Set RORI_STAGING to a folder, or to s3://bucket/prefix.")
    return DiskStore(Path(uri))
