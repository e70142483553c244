"""Copies of heads outside of the ledger: notes one after the other in a file, in a bucket, or at a URL."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rori_spiders.evidence.checkpoints import Checkpoint, parse_checkpoint
from rori_spiders.evidence.signed_notes import NoteError, SignedNote, parse_note
from rori_spiders.exceptions import StagingError, UsageError
from rori_spiders.runtime.http_requests import RequestFailed, send_request

_DASH = "\N{EM DASH} "
_TIMEOUT_S = 120.0
_MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HeadCopy:
    """A head, and where it was read."""

    where: str
    note: SignedNote
    head: Checkpoint


@dataclass(frozen=True, slots=True)
class DamagedCopy:
    """What stands among copies of heads and is none: it was cut off, or edited."""

    where: str
    line: int
    problem: str


def load_heads(place: str) -> list[HeadCopy | DamagedCopy]:
    """The heads in a file, below ``s3://bucket/prefix``, or at an https URL, in their order there.

    Raises UsageError for a place that cannot be read, and for one without a head.
    """
    found = [copy for name, text in _read_texts(place) for copy in parse_heads(text, name)]
    if not any(isinstance(copy, HeadCopy) for copy in found):
        raise UsageError(f"{place} has no heads: a copy of heads was expected (docs/how-to/prove-the-record.md).")
    return found


def parse_heads(text: str, where: str) -> list[HeadCopy | DamagedCopy]:
    """The heads of *text*, notes one after the other, and what stands between them."""
    heads: list[HeadCopy | DamagedCopy] = []
    for number, note in split_notes(text):
        try:
            signed = parse_note(note)
            heads.append(HeadCopy(where, signed, parse_checkpoint(signed.text)))
        except NoteError as error:
            heads.append(DamagedCopy(where, number, str(error)))
    return heads


def split_notes(text: str) -> Iterator[tuple[int, str]]:
    """Each note of *text*, with the number of its first line: a note ends where its signature lines do.

    So does one that was cut off: where an empty line is followed by something that is not a signature.
    """
    lines: list[str] = []
    first = 1
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        is_text = not line.startswith(_DASH)
        if lines and is_text and (lines[-1].startswith(_DASH) or not lines[-1].strip()):
            yield first, "".join(lines)
            lines = []
        if lines or line.strip():
            first = first if lines else number
            lines.append(line)
    if lines:
        yield first, "".join(lines)


def _read_texts(place: str) -> Iterator[tuple[str, str]]:
    scheme = urlsplit(place).scheme
    if scheme == "s3":
        yield from _read_bucket(place)
    elif scheme in {"http", "https"}:
        yield place, _decode(_fetch(place), place)
    else:
        path = Path(unquote(urlsplit(place).path) if scheme == "file" else place)
        try:
            yield str(path), _decode(path.read_bytes(), place)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error


def _read_bucket(place: str) -> Iterator[tuple[str, str]]:
    from rori_spiders.staging.s3.client import create_client, parse_s3_uri

    # isort: split
    from botocore.exceptions import BotoCoreError, ClientError  # after what says that it is not installed

    try:
        bucket = parse_s3_uri(place)
        client = create_client()
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket.bucket, Prefix=bucket.prefix)
        keys = sorted(one["Key"] for page in pages for one in page.get("Contents", ()) if one["Key"].endswith(".txt"))
        for key in keys:
            body = client.get_object(Bucket=bucket.bucket, Key=key)["Body"].read()
            yield f"s3://{bucket.bucket}/{key}", _decode(body, key)
    except (BotoCoreError, ClientError, StagingError) as error:
        raise UsageError(f"The heads at {place} cannot be read: {error}") from error


def _fetch(url: str) -> bytes:
    try:
        status, body = send_request("GET", url, timeout_s=_TIMEOUT_S, max_bytes=_MAX_BYTES + 1)
    except RequestFailed as error:
        raise UsageError(f"The heads at {url} cannot be read: {error}") from error
    if status != 200:
        raise UsageError(f"The heads at {url} cannot be read: the server answered {status}")
    if len(body) > _MAX_BYTES:
        raise UsageError(
            f"The heads at {url} are larger than {_MAX_BYTES // 2**20} MiB, and a part of them proves nothing. "
            "Download them, and name the file with --heads."
        )
    return body


def _decode(body: bytes, where: str) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{where} has no heads: it is not UTF-8 text.") from error
