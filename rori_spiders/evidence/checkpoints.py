"""Heads of the log of facts as checkpoints (https://c2sp.org/tlog-checkpoint): the text that is signed.

Under origin, size and root stand lines of ours, each a name and a value: ``time`` (RFC 3339), ``previous`` (the hash of
the previous head's text), and one ``key`` for each key that signs, its public half.
"""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from rori_spiders.evidence.signed_notes import NoteError, VerifierKey, parse_verifier_key
from rori_spiders.ledger.audit.merkle_tree import HASH_BYTES

_SIZE = re.compile(r"0|[1-9][0-9]{0,17}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log: of *origin*, *size* leaves with this *root*, at this time.

    *previous* is the hash of the previous head's text, None for the first; *keys* are those that sign from here on.
    """

    origin: str
    size: int
    root: bytes
    at: datetime | None = None
    previous: bytes | None = None
    keys: tuple[VerifierKey, ...] = ()

    def render(self) -> str:
        """The text that is signed."""
        lines = [self.origin, str(self.size), b64encode(self.root).decode()]
        if self.at is not None:
            lines.append(f"time {self.at.astimezone(UTC).isoformat(timespec='microseconds').replace('+00:00', 'Z')}")
        if self.previous is not None:
            lines.append(f"previous {b64encode(self.previous).decode()}")
        lines += [f"key {key}" for key in self.keys]
        return "".join(f"{line}\n" for line in lines)


def hash_checkpoint(text: str) -> bytes:
    """What the next head names this one by."""
    return sha256(text.encode()).digest()


def parse_checkpoint(text: str) -> Checkpoint:
    """The head that *text* is, also one of another log without our lines. Raises NoteError for another text."""
    origin, *lines = text.removesuffix("\n").split("\n")
    if not origin or len(lines) < 2 or not _SIZE.fullmatch(lines[0]):
        raise NoteError("This is not the head of a log: it must begin with the lines origin, size and root.")
    values: dict[str, list[str]] = {}
    for line in lines[2:]:
        name, _, value = line.partition(" ")
        values.setdefault(name, []).append(value)
    return Checkpoint(
        origin,
        int(lines[0]),
        _decode_hash(lines[1], "root"),
        _parse_time(values["time"][0]) if "time" in values else None,
        _decode_hash(values["previous"][0], "previous head") if "previous" in values else None,
        tuple(parse_verifier_key(value) for value in values.get("key", ())),
    )


def _decode_hash(encoded: str, of: str) -> bytes:
    try:
        digest = b64decode(encoded, validate=True)
    except ValueError:
        digest = b""
    if len(digest) != HASH_BYTES:
        raise NoteError(f"This is not the head of a log: the hash of its {of} is {encoded[:60]!r}.")
    return digest


def _parse_time(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise NoteError(f"This is not the head of a log: its time is {text[:60]!r}.")
    return at
