"""The files of corpora in a bucket: ``domains/`` of an ``S3Store``. See ``base.DomainFiles`` for each method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.stores.layout import DOMAINS, domain_folder, domain_kind, domain_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.stores.s3.bucket import Bucket


class BucketDomains:
    """What lies below ``domains/`` of *bucket*."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def write_new(self, path: str, data: bytes) -> bool:
        domain_parts(path, "version", "run")
        return self._bucket.put_once(path, data)

    def replace(self, path: str, data: bytes) -> None:
        domain_parts(path, "run")
        self._bucket.replace(path, data)

    def exchange(self, path: str, before: bytes | None, data: bytes) -> bool:
        domain_parts(path, "latest")
        return self._bucket.exchange(path, before, data)

    def read(self, path: str) -> bytes:
        domain_parts(path)
        return self._bucket.get(path)

    def paths(self, below: str = DOMAINS) -> Iterator[str]:
        folder = "/".join(domain_folder(below))
        return (entry.key for entry in self._bucket.entries(f"{folder}/") if domain_kind(entry.key) is not None)

    def strays(self) -> Iterator[str]:
        return (entry.key for entry in self._bucket.entries(f"{DOMAINS}/") if domain_kind(entry.key) is None)
