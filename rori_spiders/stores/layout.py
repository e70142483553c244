"""Where what lies in a staging area, whatever keeps it: names below its root, checked before they are used."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from hashlib import sha256

from rori_spiders.exceptions import DamagedObject, StagingError
from rori_spiders.ledger import summaries

INDEX, ERRORS, OBJECTS, SUMMARIES = "_index", "_errors", "_objects", summaries.FOLDER
#: What the ingestion side appends to.
CONFIRMED = "_confirmed"
_DIGEST = re.compile(r"[0-9a-f]{64}")


def object_path(digest: str) -> str:
    """Where an object lies, relative to the staging area. Raises StagingError for what is no hash."""
    folders, name = object_parts(digest)
    return "/".join((*folders, name))


def object_parts(digest: str) -> tuple[tuple[str, ...], str]:
    if not _DIGEST.fullmatch(digest):
        raise StagingError(f"{digest!r} is not a hex SHA-256, so no object has this name.")
    return (OBJECTS, digest[:2]), f"{digest}.gz"


def digest_of(folder: str, name: str) -> str | None:
    """The hash that an object's folder and file name stand for; None for another file among the objects."""
    digest = name.removesuffix(".gz")
    is_object = name.endswith(".gz") and _DIGEST.fullmatch(digest) and folder == digest[:2]
    return digest if is_object else None


def packed(data: bytes) -> bytes:
    """An object's file: the same bytes always give the same file."""
    return gzip.compress(data, compresslevel=6, mtime=0)


def unpacked(file: bytes, digest: str, location: str) -> bytes:
    """What an object's file holds. Raises DamagedObject when that is not what its name says."""
    try:
        data = gzip.decompress(file)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedObject(f"The object {digest} in {location} is damaged: {error}.") from error
    if sha256(data).hexdigest() != digest:
        raise DamagedObject(f"The object {digest} in {location} holds other bytes than its name says.")
    return data


def envelope_parts(path: str) -> tuple[tuple[str, ...], str]:
    """The folders and the name of an envelope's path. Raises StagingError for one that is not inside the area."""
    parts = path.split("/")
    if _odd(parts) or len(parts) != 3 or path.startswith("_") or not path.endswith(".json"):
        raise StagingError(f"{path!r} is not the path of an envelope ({{domain}}/{{date}}/{{name}}.json).")
    return tuple(parts[:-1]), parts[-1]


def summary_parts(path: str) -> tuple[tuple[str, ...], str]:
    """The folders and the name of a summary's path. Raises StagingError for one that is not inside its folder."""
    first, *parts = path.split("/")
    if _odd(parts) or first != SUMMARIES or len(parts) != 2 or not path.endswith(".json"):
        raise StagingError(f"{path!r} is not the path of a summary ({SUMMARIES}/{{source}}/{{run}}.json).")
    return (first, parts[0]), parts[1]


def legible(name: str) -> str:
    """A name of any bytes, fit for a terminal."""
    return os.fsencode(name).decode(errors="replace")


def _odd(parts: list[str]) -> bool:
    return any(not part or part.startswith(".") or "\0" in part for part in parts)
