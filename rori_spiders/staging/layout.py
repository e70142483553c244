"""File names below the root of a staging area, whatever stores it; checked before use."""

import gzip
import os
import re
import zlib
from hashlib import sha256

from rori_spiders.exceptions import DamagedObject, StagingError
from rori_spiders.ledger.runs import crawl_summaries

INDEX, ERRORS, FIELDS, OBJECTS, SUMMARIES = "_index", "_errors", "_fields", "_objects", crawl_summaries.SUMMARIES_FOLDER
#: What the ingestion side appends to.
CONFIRMATIONS = "_confirmed"
#: Corpora: their runs' working files, and what was published of them.
DOMAINS = "domains"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.~-]{0,203}"  # a doc_id has 200 at most, and its suffix
_DOMAIN = r"domains/[a-z0-9_\[][a-z0-9_.:\[\]-]{0,252}"  # a host, with its port if need be
#: Kind -> what its paths look like. Of a version and of ``latest`` see ``corpus/publishing``.
_DOMAIN_PATTERNS = {
    "version": re.compile(
        rf"{_DOMAIN}/corpora/v[1-9][0-9]*/"
        rf"(?:manifest\.json|chunks\.(?:jsonl|parquet)|references\.jsonl|(?:pages|tombstones)/{_NAME})"
    ),
    "latest": re.compile(rf"{_DOMAIN}/corpora/latest\.json"),
    "run": re.compile(rf"{_DOMAIN}/runs/[A-Za-z0-9_-]{{1,64}}(?:/[a-z_]{{1,32}})?/{_NAME}"),
}


def encode_line(line: str) -> bytes:
    """A line of a log as its file has it. Raises ValueError for what is several lines."""
    if "\n" in line:
        raise ValueError(f"not one line: {line[:80]!r}")
    return line.encode() + b"\n"


def object_path(digest: str) -> str:
    """The path of an object, relative to the staging area. Raises StagingError for an invalid hash."""
    folders, name = object_parts(digest)
    return "/".join((*folders, name))


def object_parts(digest: str) -> tuple[tuple[str, ...], str]:
    if not _DIGEST.fullmatch(digest):
        raise StagingError(f"{digest!r} is not a valid object name (hex SHA-256).")
    return (OBJECTS, digest[:2]), f"{digest}.gz"


def object_digest(folder: str, name: str) -> str | None:
    """The hash that an object's folder and file name stand for; None for another file among the objects."""
    digest = name.removesuffix(".gz")
    is_object = name.endswith(".gz") and _DIGEST.fullmatch(digest) and folder == digest[:2]
    return digest if is_object else None


#: Of gzip. Of 200 real pages (154 KB) level 6 takes 2.6 ms of a processor each, level 3 1.2 ms, for 8 % more bytes
#: (26.7 and 28.9 KB; 2026-11).
_COMPRESSION_LEVEL = 3


def pack_object(data: bytes) -> bytes:
    """An object's file. Another version may pack the same bytes differently: an object is known by what it holds."""
    return gzip.compress(data, compresslevel=_COMPRESSION_LEVEL, mtime=0)


def unpack_object(file: bytes, digest: str, location: str) -> bytes:
    """The content of an object's file. Raises DamagedObject if it does not match the file's name."""
    try:
        data = gzip.decompress(file)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedObject(f"The object {digest} in {location} is damaged: {error}.") from error
    if sha256(data).hexdigest() != digest:
        raise DamagedObject(f"The bytes of the object {digest} in {location} do not match its name.")
    return data


def envelope_parts(path: str) -> tuple[tuple[str, ...], str]:
    """The folders and the name of an envelope's path. Raises StagingError for one that is not inside the area."""
    parts = path.split("/")
    odd = _has_unsafe_part(parts) or len(parts) != 3 or path.startswith("_") or not path.endswith(".json")
    if odd or parts[0] == DOMAINS:
        raise StagingError(f"{path!r} is not the path of an envelope ({{domain}}/{{date}}/{{name}}.json).")
    return tuple(parts[:-1]), parts[-1]


def summary_parts(path: str) -> tuple[tuple[str, ...], str]:
    """The folders and the name of a summary's path. Raises StagingError for one that is not inside its folder."""
    first, *parts = path.split("/")
    if _has_unsafe_part(parts) or first != SUMMARIES or len(parts) != 2 or not path.endswith(".json"):
        raise StagingError(f"{path!r} is not the path of a summary ({SUMMARIES}/{{source}}/{{run}}.json).")
    return (first, parts[0]), parts[1]


def domain_kind(path: str) -> str | None:
    """What a path below ``domains/`` is of: ``run``, ``version`` (immutable), ``latest``; None for what is none."""
    return next((kind for kind, pattern in _DOMAIN_PATTERNS.items() if pattern.fullmatch(path)), None)


def domain_parts(path: str, *kinds: str) -> tuple[tuple[str, ...], str]:
    """The folders and the name of a corpus's file. Raises StagingError for another path, or for one of no such kind."""
    kind = domain_kind(path)
    if kind is None:
        raise StagingError(f"{path!r} is not the path of a corpus's file ({DOMAINS}/{{domain}}/...).")
    if kinds and kind not in kinds:
        raise StagingError(f"{path!r} belongs to a corpus's {kind}, which this operation does not write.")
    parts = path.split("/")
    return tuple(parts[:-1]), parts[-1]


def domain_folder(below: str) -> tuple[str, ...]:
    """The folders of *below*, which is ``domains`` or in it. Raises StagingError for another."""
    parts = below.split("/")
    if _has_unsafe_part(parts) or parts[0] != DOMAINS:
        raise StagingError(f"{below!r} is not a folder of corpora ({DOMAINS}/{{domain}}/...).")
    return tuple(parts)


def printable_name(name: str) -> str:
    """A name of any bytes, fit for a terminal."""
    return os.fsencode(name).decode(errors="replace")


def _has_unsafe_part(parts: list[str]) -> bool:
    return any(not part or part.startswith(".") or "\0" in part for part in parts)
