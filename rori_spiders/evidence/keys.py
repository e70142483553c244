"""The keys that sign heads: a file that nobody else may read (RORI_EVIDENCE_KEY_FILE), or the text of one in
RORI_EVIDENCE_KEY. Each line is a private key, or ``retired TIME PUBLIC-KEY [REASON]``; ``#`` begins a comment.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rori_spiders.evidence.signed_notes import (
    NoteError,
    SigningKey,
    VerifierKey,
    parse_signing_key,
    parse_verifier_key,
)
from rori_spiders.exceptions import UnknownName, UsageError
from rori_spiders.runtime.redaction import get_redactor

KEY_VARIABLE = "RORI_EVIDENCE_KEY"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_HEADING = """\
# The keys that sign the heads of the ledger's log of facts (docs/how-to/prove-the-record.md).
# Who has this file can sign in your name: keep a copy where only you can read it.
"""


@dataclass(frozen=True, slots=True)
class RetiredKey:
    """A key whose signatures do not count in heads later than *since*."""

    verifier: VerifierKey
    since: datetime
    reason: str = ""

    def __str__(self) -> str:
        since = self.since.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        return f"retired {since} {self.verifier} {self.reason}".rstrip()


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys that sign, the keys that are trusted without their private half, and those that were retired."""

    signing: tuple[SigningKey, ...] = ()
    trusted: tuple[VerifierKey, ...] = ()
    retired: tuple[RetiredKey, ...] = ()

    @property
    def origin(self) -> str:
        """The name of the ledger in its heads: that of the key which signs longest."""
        return self.signing[0].name

    @property
    def verifiers(self) -> tuple[VerifierKey, ...]:
        """The public halves of all of them."""
        signing = (key.verifier for key in self.signing)
        return (*signing, *self.trusted, *(key.verifier for key in self.retired))

    def retired_since(self, key: VerifierKey) -> datetime | None:
        """From when on signatures of *key* do not count; None: they count."""
        return min((one.since for one in self.retired if one.verifier == key), default=None)

    def with_key(self, key: SigningKey) -> KeyRing:
        """This ring with one more key that signs."""
        return replace(self, signing=(*self.signing, key))

    def with_public(self, other: KeyRing) -> KeyRing:
        """This ring with the public halves of *other*."""
        trusted = (*self.trusted, *(key.verifier for key in other.signing), *other.trusted)
        return replace(self, trusted=trusted, retired=(*self.retired, *other.retired))

    def without_key(self, key_id: str, *, since: datetime, reason: str) -> tuple[KeyRing, RetiredKey]:
        """This ring with the key retired. Raises UnknownName for the id of no key that signs."""
        for key in self.signing:
            if key.verifier.key_id.hex() == key_id:
                retired = RetiredKey(key.verifier, since, reason)
                left = tuple(one for one in self.signing if one != key)
                return replace(self, signing=left, retired=(*self.retired, retired)), retired
        raise UnknownName(f"no signing key {key_id!r}: `scrapy evidence key list` lists them")

    def public_lines(self) -> list[str]:
        """What others verify by: one line a key, as `scrapy verify --keys` reads them."""
        return [*map(str, (key.verifier for key in self.signing)), *map(str, self.trusted), *map(str, self.retired)]


def load_keys(path: Path | None, environment: Mapping[str, str] = os.environ) -> KeyRing:
    """The keys of RORI_EVIDENCE_KEY, else of the file at *path* (None: no file); an empty ring without either.

    Keys that the file says were retired are read also where the variable is set. Raises UsageError for a file that
    others may read, and for a line that is not a key.
    """
    ring = read_key_file(path) if path is not None else KeyRing()
    text = environment.get(KEY_VARIABLE, "").strip()
    if not text:
        return ring
    own = parse_keys(text, KEY_VARIABLE)
    return KeyRing(own.signing, own.trusted, (*own.retired, *ring.retired))


def read_key_file(path: Path) -> KeyRing:
    """The keys of a key file; an empty ring where there is none. Raises UsageError as ``load_keys``."""
    try:
        rights = stat.S_IMODE(path.stat().st_mode)
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return KeyRing()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The key file {path} cannot be read: {error}") from error
    if rights & _OTHERS:
        raise UsageError(
            f"Other users may read or change the key file {path} (mode {rights:04o}): it is not used. Run: chmod 600 "
            f"{shlex.quote(str(path))}. If others could read it, retire its keys and create new ones."
        )
    return parse_keys(text, str(path))


def load_public_keys(place: str) -> KeyRing:
    """The keys of a file of public keys, as ``scrapy evidence key show`` prints them. Raises UsageError."""
    try:
        return parse_keys(Path(place).read_text(encoding="utf-8"), place)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The keys in {place} cannot be read: {error}") from error


def parse_keys(text: str, where: str) -> KeyRing:
    """The keys of *text*, private and public ones. Raises UsageError, which names *where* and the line's number."""
    signing, trusted, retired = [], [], []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        try:
            if line.startswith("retired "):
                retired.append(_parse_retired(line))
            elif line.startswith("PRIVATE+KEY+"):
                get_redactor().learn(line)
                signing.append(parse_signing_key(line))
            elif line and not line.startswith("#"):
                trusted.append(parse_verifier_key(line))
        except (NoteError, ValueError) as error:
            raise UsageError(f"{where}, line {number}: {error}") from error
    return KeyRing(tuple(signing), tuple(trusted), tuple(retired))


def write_key_file(path: Path, ring: KeyRing) -> None:
    """Write *ring* to *path*, which its owner alone may read. Raises UsageError where that cannot be done."""
    lines = [*(key.secret() for key in ring.signing), *map(str, ring.trusted), *map(str, ring.retired)]
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(_HEADING + "".join(f"{line}\n" for line in lines))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise UsageError(f"The key file {path} cannot be written: {error}") from error


def _parse_retired(line: str) -> RetiredKey:
    _, time, key, *reason = line.split(" ", 3)
    since = datetime.fromisoformat(time)
    if since.tzinfo is None:
        raise ValueError(f"the time {time!r} has no zone")
    return RetiredKey(parse_verifier_key(key), since, *reason)
