"""Open the staging area that a URI names: a folder, or a bucket of S3."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.disk.store import DiskStore

if TYPE_CHECKING:
    from rori_spiders.staging.store import Store

__all__ = ["DiskStore", "open_store"]


def open_store(uri: str | Path) -> Store:
    """Open the store at *uri*, a folder or ``s3://bucket/prefix``. Sends and creates nothing yet.

    Raises StagingError for a kind that is not known.
    """
    text = str(uri)
    if text.startswith("s3://"):
        from rori_spiders.staging.s3 import S3Store

        return S3Store(text)
    if "://" in text or not text.strip() or "\0" in text:
        raise StagingError(
            f"{text!r} is not a valid staging area. Set RORI_STAGING to a folder, or to s3://bucket/prefix."
        )
    return DiskStore(Path(uri))
