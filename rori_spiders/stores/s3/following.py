"""Files of lines that others put into a bucket, under names of their own: those that are new.

A position is the time, by the server's clock, of the newest file that was read. Names tell nothing of their order, and
a file's time may be that at which its upload began: what is not an hour older than the position is read again.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.stores.s3.bucket import Bucket

_AGAIN = timedelta(hours=1)
#: Files that are read together.
_AT_ONCE = 64


def follow(bucket: Bucket, folder: str, position: str) -> Iterator[tuple[list[str], str]]:
    """Lines of the files in *folder* that are new after *position* ("" at first), with the position after them."""
    since = _time(position) - _AGAIN if _time(position) > datetime.min.replace(tzinfo=UTC) else _time(position)
    found = sorted((entry.modified, entry.key) for entry in bucket.entries(folder) if entry.modified >= since)
    for start in range(0, len(found), _AT_ONCE):
        batch = found[start : start + _AT_ONCE]
        lines = [
            line
            for _, data in bucket.get_all(key for _, key in batch)
            for line in data.decode(errors="replace").split("\n")
        ]
        yield lines, max(_time(position), batch[-1][0]).isoformat()


def _time(position: str) -> datetime:
    """What a position says; the beginning of time for one of another kind of store."""
    try:
        return datetime.fromisoformat(position).astimezone(UTC)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
