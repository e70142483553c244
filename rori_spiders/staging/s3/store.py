"""The staging area in a bucket.

::

    _index/{day}/{run id}/{number}.jsonl      lines of the index; see log_segments.py
    _errors/{day}/{run id}/{number}.jsonl     lines of the error log
    _fields/{day}/{source}/{number}.jsonl     lines of the log of fields
    _confirmed/{any name}                     lines of the ingestion side
    _objects/ab/{sha256}.gz                   as on a disk, and so are
    _summaries/{source}/{run id}.json
    {domain}/{date}/{name}.json
    domains/                                  corpora, as on a disk
    _tmp/                                     the key by which the server is tried out

A key appears whole, with the bytes that we hashed: the server compares two checksums. It is never overwritten: where
the server knows conditional writes it refuses, elsewhere we look first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TypeVar

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.layout import (
    CONFIRMATIONS,
    DOMAINS,
    ERRORS,
    FIELDS,
    INDEX,
    OBJECTS,
    SUMMARIES,
    domain_folder,
    domain_kind,
    domain_parts,
    envelope_parts,
    object_digest,
    object_path,
    pack_object,
    summary_parts,
    unpack_object,
)
from rori_spiders.staging.s3.bucket import TEMPORARY_FOLDER, Bucket, BucketEntry
from rori_spiders.staging.s3.client import parse_s3_uri
from rori_spiders.staging.s3.log_segments import SegmentedLog
from rori_spiders.staging.store import RemovedRemnant

#: Objects of which we remember that they are there, so that nobody asks twice: a page's raw bytes are put with its
#: envelope, and again with its audit row.
MAX_REMEMBERED = 1_000


#: Requests of one group of pages that are under way at the same time; boto3 keeps ten connections.
MAX_THREADS = 8
T = TypeVar("T")
U = TypeVar("U")


def _map_together(do: Callable[[T], U], to: Sequence[T]) -> list[U]:
    """What *do* gave for each, in their order; a few at a time. Raises the first error."""
    if len(to) <= 1:
        return [do(one) for one in to]
    with ThreadPoolExecutor(MAX_THREADS) as threads:
        return list(threads.map(do, to))


class S3Store:
    """The staging area at *uri*, ``s3://bucket/prefix``. See ``base.Store`` for each method."""

    #: A bucket takes some 20 ms to answer.
    concurrent_reads = MAX_THREADS

    def __init__(self, uri: str) -> None:
        self._bucket = Bucket(parse_s3_uri(uri))
        self.index = SegmentedLog(self._bucket, INDEX)
        self.errors = SegmentedLog(self._bucket, ERRORS)
        self.fields = SegmentedLog(self._bucket, FIELDS)
        self.domains = BucketDomains(self._bucket)
        self._stored: dict[str, None] = {}  # in the order in which they were put

    @property
    def location(self) -> str:
        return self._bucket.location

    def check_writable(self) -> None:
        self._bucket.check()

    def put_object(self, data: bytes) -> str:
        digest = sha256(data).hexdigest()
        if digest not in self._stored:
            self._bucket.put_same(object_path(digest), pack_object(data))
            self._stored[digest] = None
            for oldest in list(self._stored)[:-MAX_REMEMBERED]:
                self._stored.pop(oldest, None)
        return digest

    def put_objects(self, objects: Sequence[bytes]) -> list[str]:
        return _map_together(self.put_object, objects)

    def get_object(self, digest: str) -> bytes:
        return unpack_object(self._bucket.get(object_path(digest)), digest, self.location)

    def has_object(self, digest: str) -> bool:
        return self._bucket.exists(object_path(digest))

    def objects(self) -> Iterator[str]:
        for entry in self._bucket.entries(f"{OBJECTS}/"):
            _, folder, name = [*entry.key.split("/", 2), ""][:3]
            if (digest := object_digest(folder, name)) is not None:
                yield digest

    def write_envelope(self, path: str, data: bytes) -> None:
        envelope_parts(path)
        self._bucket.put_once(path, data)

    def write_envelopes(self, files: Mapping[str, bytes]) -> set[str]:
        def is_refused(path: str) -> bool:
            try:
                self.write_envelope(path, files[path])
            except FileExistsError:
                return True
            return False

        paths = list(files)
        return {path for path, refused in zip(paths, _map_together(is_refused, paths), strict=True) if refused}

    def read(self, path: str) -> bytes:
        envelope_parts(path)
        return self._bucket.get(path)

    def exists(self, path: str) -> bool:
        envelope_parts(path)
        return self._bucket.exists(path)

    def remove(self, path: str) -> None:
        envelope_parts(path)
        self._bucket.delete(path)

    def paths(self) -> Iterator[str]:
        return (entry.key for entry, belongs in self._walk() if belongs)

    def envelope_bytes(self) -> int:
        return sum(entry.size for entry, belongs in self._walk() if belongs)

    def strays(self) -> Iterator[str]:
        yield from (entry.key for entry, belongs in self._walk() if not belongs)
        for entry in self._bucket.entries(f"{OBJECTS}/"):
            _, folder, name = [*entry.key.split("/", 2), ""][:3]
            if object_digest(folder, name) is None:
                yield entry.key
        yield from self.domains.strays()
        _, files = self._bucket.level()
        yield from files
        for log in (self.index, self.errors, self.fields):
            yield from log.strays()
        yield from (f"{TEMPORARY_FOLDER}/{key}" for key in self._bucket.unfinished(remove=False))

    def _walk(self) -> Iterator[tuple[BucketEntry, bool]]:
        """Everything in folders that are not our own, and whether it is an envelope."""
        folders, _ = self._bucket.level()
        for folder in folders:
            if not folder.startswith("_") and folder != DOMAINS:
                for entry in self._bucket.entries(f"{folder}/"):
                    yield entry, _is_envelope(entry.key)

    def write_summary(self, path: str, data: bytes) -> bool:
        summary_parts(path)
        return self._bucket.put_once(path, data)

    def read_summary(self, path: str) -> bytes:
        summary_parts(path)
        return self._bucket.get(path)

    def summaries(self) -> Iterator[str]:
        return (entry.key for entry in self._bucket.entries(f"{SUMMARIES}/"))

    def confirmations(self, position: str) -> Iterator[tuple[list[str], str]]:
        return follow_new_files(self._bucket, f"{CONFIRMATIONS}/", position)

    def append_confirmations(self, lines: Sequence[str]) -> None:
        if lines:
            data = b"".join(line.encode() + b"\n" for line in lines)
            self._bucket.put_same(f"{CONFIRMATIONS}/copied-{sha256(data).hexdigest()}.jsonl", data)

    def torn(self) -> tuple[str, ...]:
        return ()  # a segment is whole or not there

    def mend(self) -> RemovedRemnant:
        return RemovedRemnant(temporary=len(self._bucket.unfinished(remove=True)))


def _is_envelope(key: str) -> bool:
    try:
        envelope_parts(key)
    except StagingError:
        return False
    return key.isprintable()


# The files of corpora in a bucket: ``domains/`` of an ``S3Store``. See ``base.DomainFiles`` for each method.


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


# Files of lines that others put into a bucket, under names of their own: those that are new. A position is the time,
# by the server's clock, of the newest file that was read. Names tell nothing of their order, and a file's time may be
# that at which its upload began: what is not an hour older than the position is read again.

_REREAD_PERIOD = timedelta(hours=1)
#: Files that are read together.
_FILES_PER_BATCH = 64


def follow_new_files(bucket: Bucket, folder: str, position: str) -> Iterator[tuple[list[str], str]]:
    """Lines of the files in *folder* that are new after *position* ("" at first), with the position after them."""
    since = (
        _position_time(position) - _REREAD_PERIOD
        if _position_time(position) > datetime.min.replace(tzinfo=UTC)
        else _position_time(position)
    )
    found = sorted((entry.modified, entry.key) for entry in bucket.entries(folder) if entry.modified >= since)
    for start in range(0, len(found), _FILES_PER_BATCH):
        batch = found[start : start + _FILES_PER_BATCH]
        lines = [
            line
            for _, data in bucket.get_all(key for _, key in batch)
            for line in data.decode(errors="replace").split("\n")
        ]
        yield lines, max(_position_time(position), batch[-1][0]).isoformat()


def _position_time(position: str) -> datetime:
    """The time in a position; the beginning of time for one of another kind of store."""
    try:
        return datetime.fromisoformat(position).astimezone(UTC)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
