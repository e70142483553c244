"""The staging area in a bucket.

::

    _index/{day}/{run id}/{number}.jsonl      lines of the index; see segments.py
    _errors/{day}/{run id}/{number}.jsonl     lines of the error log
    _fields/{day}/{source}/{number}.jsonl     lines of the log of fields
    _confirmed/{any name}                     lines of the ingestion side; see following.py
    _objects/ab/{sha256}.gz                   as on a disk, and so are
    _summaries/{source}/{run id}.json
    {domain}/{date}/{name}.json
    domains/                                  corpora, as on a disk; see domains.py
    _tmp/                                     the key by which the server is tried out

A key appears whole, with the bytes that we hashed: the server compares two checksums. It is never overwritten: where
the server knows conditional writes it refuses, elsewhere we look first.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from rori_spiders.exceptions import StagingError
from rori_spiders.stores.base import Mended
from rori_spiders.stores.layout import (
    CONFIRMED,
    DOMAINS,
    ERRORS,
    FIELDS,
    INDEX,
    OBJECTS,
    SUMMARIES,
    digest_of,
    envelope_parts,
    object_path,
    packed,
    summary_parts,
    unpacked,
)
from rori_spiders.stores.s3.bucket import TEMPORARY, Bucket
from rori_spiders.stores.s3.domains import BucketDomains
from rori_spiders.stores.s3.following import follow
from rori_spiders.stores.s3.place import parse
from rori_spiders.stores.s3.segments import Segments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.stores.base import LogLine
    from rori_spiders.stores.s3.bucket import Entry

#: Objects of which we remember that they are there, so that nobody asks twice: a page's raw bytes are put with its
#: envelope, and again with its audit row.
REMEMBERED = 1_000


class S3Store:
    """The staging area at *uri*, ``s3://bucket/prefix``. See ``base.Store`` for each method."""

    def __init__(self, uri: str) -> None:
        self._bucket = Bucket(parse(uri))
        self._index = Segments(self._bucket, INDEX)
        self._errors = Segments(self._bucket, ERRORS)
        self._fields = Segments(self._bucket, FIELDS)
        self.domains = BucketDomains(self._bucket)
        self._kept: dict[str, None] = {}  # in the order in which they were put

    @property
    def location(self) -> str:
        return self._bucket.location

    def check_writable(self) -> None:
        self._bucket.check()

    def put_object(self, data: bytes) -> str:
        digest = sha256(data).hexdigest()
        if digest not in self._kept:
            self._bucket.put_same(object_path(digest), packed(data))
            self._kept[digest] = None
            for oldest in list(self._kept)[:-REMEMBERED]:
                self._kept.pop(oldest, None)
        return digest

    def get_object(self, digest: str) -> bytes:
        return unpacked(self._bucket.get(object_path(digest)), digest, self.location)

    def has_object(self, digest: str) -> bool:
        return self._bucket.exists(object_path(digest))

    def objects(self) -> Iterator[str]:
        for entry in self._bucket.entries(f"{OBJECTS}/"):
            _, folder, name = [*entry.key.split("/", 2), ""][:3]
            if (digest := digest_of(folder, name)) is not None:
                yield digest

    def write_envelope(self, path: str, data: bytes) -> None:
        envelope_parts(path)
        self._bucket.put_once(path, data)

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
        yield from self.domains.strays()
        _, files = self._bucket.level()
        yield from files
        for log in (self._index, self._errors, self._fields):
            yield from log.strays()
        yield from (f"{TEMPORARY}/{key}" for key in self._bucket.unfinished(remove=False))

    def _walk(self) -> Iterator[tuple[Entry, bool]]:
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

    def append_index(self, lines: Sequence[LogLine]) -> None:
        self._index.append(lines)

    def append_missing(self, lines: Sequence[LogLine]) -> int:
        return self._index.append_missing(lines)

    def append_errors(self, lines: Sequence[LogLine]) -> None:
        self._errors.append(lines)

    def append_missing_errors(self, lines: Sequence[LogLine]) -> int:
        return self._errors.append_missing(lines)

    def append_fields(self, lines: Sequence[LogLine]) -> None:
        self._fields.append(lines)

    def append_missing_fields(self, lines: Sequence[LogLine]) -> int:
        return self._fields.append_missing(lines)

    def index_lines(self) -> Iterator[str]:
        return (line for _, line in self._index.lines())

    def error_lines(self) -> Iterator[str]:
        return (line for _, line in self._errors.lines())

    def field_lines(self) -> Iterator[str]:
        return (line for _, line in self._fields.lines())

    def index_places(self) -> Iterator[tuple[str, str]]:
        return self._index.lines()

    def error_places(self) -> Iterator[tuple[str, str]]:
        return self._errors.lines()

    def field_places(self) -> Iterator[tuple[str, str]]:
        return self._fields.lines()

    def confirmations(self, position: str) -> Iterator[tuple[list[str], str]]:
        return follow(self._bucket, f"{CONFIRMED}/", position)

    def append_confirmations(self, lines: Sequence[str]) -> None:
        if lines:
            data = b"".join(line.encode() + b"\n" for line in lines)
            self._bucket.put_same(f"{CONFIRMED}/copied-{sha256(data).hexdigest()}.jsonl", data)

    def torn(self) -> tuple[str, ...]:
        return ()  # a segment is whole or not there

    def mend(self) -> Mended:
        return Mended(temporary=len(self._bucket.unfinished(remove=True)))


def _is_envelope(key: str) -> bool:
    try:
        envelope_parts(key)
    except StagingError:
        return False
    return key.isprintable()
