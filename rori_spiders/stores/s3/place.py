"""``s3://bucket/prefix``: which bucket, and where in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rori_spiders.exceptions import StagingError

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")  # older buckets have capitals and underscores
#: A key has at most 1,024 bytes. Ours take 570 at most below the prefix: `domains`, a domain of 253, a run, a folder
#: and a name of 204 with separators; an envelope takes 553, the logs and summaries less.
PREFIX_BYTES = 400


@dataclass(frozen=True, slots=True)
class Place:
    bucket: str
    prefix: str  # empty, or ends with a slash

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


def parse(uri: str) -> Place:
    """The place that *uri* names. Raises StagingError for what is none."""
    bucket, _, path = uri.removeprefix("s3://").partition("/")
    prefix = path.strip("/")
    parts = prefix.split("/") if prefix else []
    odd = any(part in {"", ".", ".."} or not part.isprintable() for part in parts)
    if not uri.startswith("s3://") or not _BUCKET.fullmatch(bucket) or odd or len(prefix.encode()) > PREFIX_BYTES:
        raise StagingError(
            f"{uri!r} is not a place in S3. Set RORI_STAGING to s3://bucket/prefix: the bucket's name alone, then "
            f"names separated by single slashes, {PREFIX_BYTES} bytes at most."
        )
    return Place(bucket, f"{prefix}/" if prefix else "")
