"""Open the staging area that a URI names: a folder, a bucket of S3, or what a plug-in opens."""

from pathlib import Path

from rori_spiders.exceptions import StagingError
from rori_spiders.runtime.plugins import StagingStore, active_plugins
from rori_spiders.staging.disk.store import DiskStore
from rori_spiders.staging.store import Store

__all__ = ["DiskStore", "open_store"]


def open_store(uri: str | Path) -> Store:
    """Open the store at *uri*: a folder, ``s3://bucket/prefix``, or ``SCHEME://...`` of a plug-in. Creates nothing yet.

    Raises StagingError for a kind that is not known.
    """
    text = str(uri)
    if text.startswith("s3://"):
        from rori_spiders.staging.s3 import S3Store

        return S3Store(text)
    scheme, separator, _ = text.partition("://")
    for plugin, store in active_plugins(StagingStore) if separator else ():
        if store.scheme == scheme:
            try:
                return store.open(text)
            except StagingError:
                raise
            except Exception as error:  # another's code: whatever it breaks on
                raise StagingError(f"{text!r} cannot be opened by {plugin}: {type(error).__name__}: {error}") from error
    if separator or not text.strip() or "\0" in text:
        raise StagingError(
            f"{text!r} is not a valid staging area. Set RORI_STAGING to a folder, to s3://bucket/prefix, or to what "
            "a plug-in opens (`scrapy doctor` lists plug-ins)."
        )
    return DiskStore(Path(uri))
