"""The staging area in a folder.

::

    _index.jsonl                          one line a staged envelope, appended, never changed
    _errors.jsonl                         one line a URL that failed, or is overcome; appended, never changed
    _fields.jsonl                         one line a change of what was drawn from a source; appended, never changed
    _confirmed.jsonl                      one line an envelope that the ingestion side has; the only file of others
    _objects/ab/{sha256}.gz               raw responses and bodies by their hash, gzip; immutable, never pruned
    _tmp/                                 files being written; empty when nobody writes
    _summaries/{source}/{run id}.json     what a crawl came to, immutable
    {domain}/{date}/{name}.json           envelopes, immutable
    domains/                              corpora; see DiskDomains

Everything but the logs appears whole: it is written under ``_tmp/``, flushed to the disk, then linked to its name,
which fails where another file is. A reader never sees half a file; a process that dies leaves at most a file in
``_tmp/`` and half a line at the end of a log, and ``mend`` removes both. Names that begin with ``_`` are ours.
Symbolic links below the root are refused.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.disk.errors import explain_os_errors
from rori_spiders.staging.disk.folder import TEMPORARY_FOLDER, Folder, FolderEntry, NewFile
from rori_spiders.staging.disk.line_files import LineFile, follow_lines
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
    object_parts,
    pack_object,
    printable_name,
    summary_parts,
    unpack_object,
)
from rori_spiders.staging.store import LogLine, RemovedRemnant

_OWN_ENTRIES = {
    *((f"{name}.jsonl", "file") for name in (INDEX, ERRORS, FIELDS, CONFIRMATIONS)),
    *((name, "folder") for name in (OBJECTS, SUMMARIES, TEMPORARY_FOLDER)),
}
#: One page of the allowed 32 MiB, as object and inside its envelope.
MIN_FREE_BYTES = 64 * 1024 * 1024


class DiskStore:
    """A staging area in the folder *root*, made when it is first needed. See ``base.Store`` for each method."""

    #: Files in memory are read faster than threads take turns: `benchmarks.verification`, 10,000 captures, 12 s of a
    #: processor with one thread, 15 s with two, 20 s with eight, and longer by the clock too.
    concurrent_reads = 1

    def __init__(self, root: Path) -> None:
        self._folder = Folder(root.absolute())
        self.index = LineFile(self._folder, f"{INDEX}.jsonl")
        self.errors = LineFile(self._folder, f"{ERRORS}.jsonl")
        self.fields = LineFile(self._folder, f"{FIELDS}.jsonl")
        self._confirmed = LineFile(self._folder, f"{CONFIRMATIONS}.jsonl")
        self.domains = DiskDomains(self._folder)

    @property
    def _logs(self) -> tuple[LineFile, ...]:
        """Those that are ours to mend."""
        return self.index, self.errors, self.fields

    @property
    def location(self) -> str:
        return str(self._folder.root)

    def check_writable(self) -> None:
        with explain_os_errors(self.location):
            name = f"check-{uuid4().hex}"
            self._folder.write_new((TEMPORARY_FOLDER,), name, b"writable?")
            self._folder.unlink((TEMPORARY_FOLDER,), name)
            self.index.check()
            self.errors.check()
            with self._folder.entered() as fd:
                space = os.fstatvfs(fd)
        if (free := space.f_bavail * space.f_frsize) < MIN_FREE_BYTES:
            raise StagingError(
                f"The staging area {self.location} is nearly full: {free // 2**20} MiB are free, and one page may need "
                f"{MIN_FREE_BYTES // 2**20} MiB. Free some space, or set RORI_STAGING to another folder."
            )

    def put_object(self, data: bytes) -> str:
        return self.put_objects([data])[0]

    def put_objects(self, objects: Sequence[bytes]) -> list[str]:
        digests = [sha256(data).hexdigest() for data in objects]
        with explain_os_errors(self.location):
            new = {
                digest: NewFile(*object_parts(digest), partial(pack_object, data))
                for digest, data in zip(digests, objects, strict=True)
                if not self._folder.is_file(*object_parts(digest))
            }
            self._folder.write_all_new(list(new.values()))
        return digests

    def get_object(self, digest: str) -> bytes:
        with explain_os_errors(self.location, missing_is_fine=True):
            file = self._folder.read(*object_parts(digest))
        return unpack_object(file, digest, self.location)

    def has_object(self, digest: str) -> bool:
        with explain_os_errors(self.location):
            return self._folder.is_file(*object_parts(digest))

    def objects(self) -> Iterator[str]:
        with explain_os_errors(self.location):
            for folder in self._folder.entries((OBJECTS,)):
                files = self._folder.entries((OBJECTS, folder.name)) if folder.kind == "folder" else []
                found = (object_digest(folder.name, file.name) for file in files if file.kind == "file")
                yield from (digest for digest in found if digest is not None)

    def write_envelope(self, path: str, data: bytes) -> None:
        _write_once(self._folder, *envelope_parts(path), data)

    def write_envelopes(self, files: Mapping[str, bytes]) -> set[str]:
        new = {path: NewFile(*envelope_parts(path), partial(bytes, data)) for path, data in files.items()}
        with explain_os_errors(self.location):
            made = dict(zip(new, self._folder.write_all_new(list(new.values())), strict=True))
            return {path for path, is_new in made.items() if not is_new and self.read(path) != files[path]}

    def read(self, path: str) -> bytes:
        with explain_os_errors(self.location, missing_is_fine=True):
            return self._folder.read(*envelope_parts(path))

    def exists(self, path: str) -> bool:
        with explain_os_errors(self.location):
            return self._folder.is_file(*envelope_parts(path))

    def remove(self, path: str) -> None:
        with explain_os_errors(self.location):
            self._folder.unlink(*envelope_parts(path))

    def paths(self) -> Iterator[str]:
        return (path for path, belongs in self._walk() if belongs)

    def envelope_bytes(self) -> int:
        with explain_os_errors(self.location):
            return sum(self._folder.size(*envelope_parts(path)) for path in self.paths())

    def strays(self) -> Iterator[str]:
        yield from (printable_name(path) for path, belongs in self._walk() if not belongs)
        with explain_os_errors(self.location):
            yield from map(printable_name, self._unknown_own_names())
        yield from self.domains.strays()
        with explain_os_errors(self.location):
            yield from (f"{TEMPORARY_FOLDER}/{name}" for name in self._folder.unfinished(remove=False))

    def _unknown_own_names(self) -> Iterator[str]:
        """What has a name of ours and is not ours: beside our folders and logs, or among the objects."""
        for entry in self._folder.entries(()):
            if entry.name.startswith("_") and entry.kind != "other" and entry not in _OWN_ENTRIES:
                yield entry.name
        for folder in self._folder.entries((OBJECTS,)):
            if folder.kind != "folder":
                yield f"{OBJECTS}/{folder.name}"
                continue
            for file in self._folder.entries((OBJECTS, folder.name)):
                if file.kind != "file" or object_digest(folder.name, file.name) is None:
                    yield f"{OBJECTS}/{folder.name}/{file.name}"

    def _walk(self) -> Iterator[tuple[str, bool]]:
        """Every name outside our own folders, and whether it is an envelope's."""
        with explain_os_errors(self.location):
            for domain in self._folder.entries(()):
                if (domain.name.startswith("_") and domain.kind != "other") or domain == (DOMAINS, "folder"):
                    continue
                if _is_expected_entry(domain, "folder"):
                    yield from self._walk_domain(domain.name)
                else:
                    yield domain.name, False

    def _walk_domain(self, domain: str) -> Iterator[tuple[str, bool]]:
        for date in self._folder.entries((domain,)):
            if not _is_expected_entry(date, "folder"):
                yield f"{domain}/{date.name}", False
                continue
            for file in self._folder.entries((domain, date.name)):
                belongs = _is_expected_entry(file, "file") and file.name.endswith(".json")
                yield f"{domain}/{date.name}/{file.name}", belongs

    def write_summary(self, path: str, data: bytes) -> bool:
        return _write_once(self._folder, *summary_parts(path), data)

    def read_summary(self, path: str) -> bytes:
        with explain_os_errors(self.location, missing_is_fine=True):
            return self._folder.read(*summary_parts(path))

    def summaries(self) -> Iterator[str]:
        with explain_os_errors(self.location):
            for source in self._folder.entries((SUMMARIES,)):
                if source.kind != "folder":
                    yield printable_name(f"{SUMMARIES}/{source.name}")
                    continue
                for file in self._folder.entries((SUMMARIES, source.name)):
                    yield printable_name(f"{SUMMARIES}/{source.name}/{file.name}")

    def confirmations(self, position: str) -> Iterator[tuple[list[str], str]]:
        with explain_os_errors(self.location):
            yield from follow_lines(self._folder, self._confirmed.name, position)

    def append_confirmations(self, lines: Sequence[str]) -> None:
        self._confirmed.append([LogLine("", line) for line in lines])

    def torn(self) -> tuple[str, ...]:
        with explain_os_errors(self.location):
            return tuple(log.name for log in self._logs if log.is_torn())

    def mend(self) -> RemovedRemnant:
        with explain_os_errors(self.location):
            torn = tuple(log.name for log in self._logs if log.mend())
            return RemovedRemnant(torn=torn, temporary=len(self._folder.unfinished(remove=True)))


def _write_once(folder: Folder, parts: tuple[str, ...], name: str, data: bytes) -> bool:
    """Whether the file was written; False when it is there already. FileExistsError when other bytes are there."""
    with explain_os_errors(str(folder.root)):
        if folder.write_new(parts, name, data):
            return True
        if folder.read(parts, name) == data:
            return False
    raise FileExistsError(f"{'/'.join((*parts, name))} exists in {folder.root} with other contents")


def _is_expected_entry(entry: FolderEntry, kind: str) -> bool:
    return entry.kind == kind and not entry.name.startswith(".") and entry.name.isprintable()


# The files of corpora in a folder: ``domains/`` of a ``DiskStore``. See ``base.DomainFiles`` for each method.


class DiskDomains:
    """What lies below ``domains/`` of *folder*, the root of a staging area."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._location = str(folder.root)

    def write_new(self, path: str, data: bytes) -> bool:
        return _write_once(self._folder, *domain_parts(path, "version", "run"), data)

    def replace(self, path: str, data: bytes) -> None:
        parts, name = domain_parts(path, "run")
        with explain_os_errors(self._location):
            self._folder.replace(parts, name, data)

    def exchange(self, path: str, before: bytes | None, data: bytes) -> bool:
        parts, name = domain_parts(path, "latest")
        with explain_os_errors(self._location), self._folder.locked(parts):
            try:
                there = self._folder.read(parts, name)
            except FileNotFoundError:
                there = None
            if there != before:
                return there == data
            self._folder.replace(parts, name, data)
        return True

    def read(self, path: str) -> bytes:
        parts, name = domain_parts(path)
        with explain_os_errors(self._location, missing_is_fine=True):
            return self._folder.read(parts, name)

    def paths(self, below: str = DOMAINS) -> Iterator[str]:
        with explain_os_errors(self._location):
            yield from (path for path, kind in self._walk(domain_folder(below)) if _is_corpus_path(path, kind))

    def strays(self) -> Iterator[str]:
        with explain_os_errors(self._location):
            yield from (
                printable_name(path) for path, kind in self._walk((DOMAINS,)) if not _is_corpus_path(path, kind)
            )

    def _walk(self, parts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Everything below that is not a folder, and what it is."""
        for entry in self._folder.entries(parts):
            if entry.kind == "folder":
                yield from self._walk((*parts, entry.name))
            else:
                yield "/".join((*parts, entry.name)), entry.kind


def _is_corpus_path(path: str, kind: str) -> bool:
    return kind == "file" and domain_kind(path) is not None
