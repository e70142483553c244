"""Records of a WACZ file: the WARC files in its folder ``archive/``, each compared with the hash in its package."""

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from rori_spiders.evidence.imports.records import DamagedRecord, Record, name_record
from rori_spiders.evidence.imports.warc_files import WarcReader
from rori_spiders.exceptions import UsageError

_READ = 2**20
_IN_MEMORY_BYTES = 32 * 2**20
#: Of ``datapackage.json``: thousands of entries.
_MAX_PACKAGE_BYTES = 64 * 2**20
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


def read_wacz(file: IO[bytes], reader: WarcReader) -> Iterator[Record]:
    """The records of *file*. Raises UsageError if it is not a WACZ, or has no WARC file."""
    try:
        package = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise UsageError(f"not a WACZ file: {error}") from None
    with package:
        hashes = _read_hashes(package)
        members = sorted(
            one.filename
            for one in package.infolist()
            if one.filename.startswith("archive/") and one.filename.endswith((".warc", ".warc.gz"))
        )
        if not members:
            raise UsageError("not a WACZ file: it has no WARC file in archive/")
        for name in members:
            with SpooledTemporaryFile(_IN_MEMORY_BYTES) as content:
                digest, damage = _copy_member(package, name, content)
                stated = hashes.get(name)
                if damage is None and stated is not None and stated != f"sha256:{digest}":
                    damage = "the whole file does not match its hash in datapackage.json; its records are read"
                if damage is not None:
                    yield DamagedRecord(name_record(name), damage)
                yield from reader.read(content, name)


def _read_hashes(package: zipfile.ZipFile) -> dict[str, str]:
    """What ``datapackage.json`` says of the files; nothing where there is none that can be read."""
    found: dict[str, str] = {}
    with suppress(KeyError, ValueError, *_ZIP_ERRORS), package.open("datapackage.json") as file:
        document: Any = json.loads(file.read(_MAX_PACKAGE_BYTES))
        for one in document.get("resources", []) if isinstance(document, dict) else []:
            if isinstance(one, dict) and isinstance(one.get("path"), str) and isinstance(one.get("hash"), str):
                found[one["path"]] = one["hash"]
    return found


def _copy_member(package: zipfile.ZipFile, name: str, out: IO[bytes]) -> tuple[str, str | None]:
    """Copy a file of the package as far as it can be read; its SHA-256, and what is wrong with it."""
    digest = sha256()
    try:
        with package.open(name) as member:
            while piece := member.read(_READ):
                digest.update(piece)
                out.write(piece)
    except _ZIP_ERRORS as error:
        return digest.hexdigest(), f"the package does not give all of it: {error}"
    return digest.hexdigest(), None
