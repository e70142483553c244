"""Signed notes (https://c2sp.org/signed-note): a text, and lines of Ed25519 signatures under it.

A key has a name. Its public half is written as ``name+hash+base64``, its private half as
``PRIVATE+KEY+name+hash+base64``, as Go's ``golang.org/x/mod/sumdb/note`` has them.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from rori_spiders.exceptions import RoriError

#: Kinds of keys: a signature over the text, and one over the text and a time (https://c2sp.org/tlog-cosignature).
ED25519 = 1
COSIGNATURE = 4
_KEY_BYTES = 32
_ID_BYTES = 4
_TIME_BYTES = 8
_PRIVATE = "PRIVATE+KEY+"
_DASH = "\N{EM DASH} "


class NoteError(RoriError):
    """Raised for a text that is not a signed note, and for a key that is not one."""


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: who signed, under which key id, and the signature; for a cosignature with its time."""

    name: str
    key_id: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {b64encode(self.key_id + self.signature).decode()}"


@dataclass(frozen=True)
class VerifierKey:
    """The public half of a key."""

    name: str
    public_key: bytes
    kind: int = ED25519

    @cached_property
    def key_id(self) -> bytes:
        """Four bytes that signature lines name the key by."""
        return derive_key_id(self.name, self.kind, self.public_key)

    def __str__(self) -> str:
        return _format_key(self.name, self.key_id, self.kind, self.public_key)

    def verifies(self, text: str, signature: NoteSignature) -> bool:
        """Whether *signature* is this key's, and one of *text*."""
        if (signature.name, signature.key_id) != (self.name, self.key_id):
            return False
        message, value = text.encode(), signature.signature
        if self.kind == COSIGNATURE:
            message = render_cosigned_message(text, cosigned_at(signature))
            value = value[_TIME_BYTES:]
        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(value, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True)
class SigningKey:
    """The private half of a key. Its text is a secret, which ``secret`` alone gives."""

    name: str
    private_key: Ed25519PrivateKey

    @classmethod
    def generate(cls, name: str) -> SigningKey:
        """A new key. Raises NoteError for a name that a note cannot have."""
        return cls(_check_name(name), Ed25519PrivateKey.generate())

    @cached_property
    def verifier(self) -> VerifierKey:
        """The public half."""
        return VerifierKey(self.name, self.private_key.public_key().public_bytes_raw())

    def secret(self) -> str:
        """The private half as text."""
        return _PRIVATE + _format_key(self.name, self.verifier.key_id, ED25519, self.private_key.private_bytes_raw())

    def sign(self, text: str) -> NoteSignature:
        """The signature line for *text*."""
        return NoteSignature(self.name, self.verifier.key_id, self.private_key.sign(text.encode()))


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text, which ends with a newline, and its signatures."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __str__(self) -> str:
        return "\n".join((self.text, *map(str, self.signatures), ""))

    def is_signed_by(self, key: VerifierKey) -> bool:
        """Whether a signature of *key* is there and valid."""
        return any(key.verifies(self.text, signature) for signature in self.signatures)


def derive_key_id(name: str, kind: int, public_key: bytes) -> bytes:
    """The id of a key: the first four bytes of the hash of its name, kind and public half."""
    return sha256(name.encode() + b"\n" + bytes([kind]) + public_key).digest()[:_ID_BYTES]


def sign_note(text: str, *keys: SigningKey) -> SignedNote:
    """The note of *text* with a signature of each of *keys*. Raises NoteError for a text that no note can have."""
    if not text.endswith("\n") or "\n\n" in text or text.startswith("\n"):
        raise NoteError("The text of a note must end with a newline, and have no empty line.")
    return SignedNote(text, tuple(key.sign(text) for key in keys))


def parse_note(note: str) -> SignedNote:
    """The parts of a note as it is written. Raises NoteError for another text."""
    text, separator, lines = note.rpartition("\n\n")
    if not separator or not text or not lines.endswith("\n"):
        raise NoteError("This is not a signed note: after its text must come an empty line and signatures.")
    return SignedNote(text + "\n", tuple(parse_signature(line) for line in lines.removesuffix("\n").split("\n")))


def parse_signature(line: str) -> NoteSignature:
    """The signature of one line. Raises NoteError."""
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    signature = _decode(encoded)
    if not line.startswith(_DASH) or len(signature) <= _ID_BYTES:
        raise NoteError(f"This is not a signature line of a note: {line[:100]!r}")
    return NoteSignature(_check_name(name), signature[:_ID_BYTES], signature[_ID_BYTES:])


def parse_verifier_key(text: str) -> VerifierKey:
    """The key of ``name+hash+base64``. Raises NoteError for another text, and where the hash is that of another key."""
    name, key_id, kind, public_key = _parse_key(text, "public")
    key = VerifierKey(name, public_key, kind)
    if key.key_id != key_id:
        raise NoteError(f"The public key {name}+{key_id.hex()} is damaged: its hash is {key.key_id.hex()}.")
    return key


def parse_signing_key(text: str) -> SigningKey:
    """The key of ``PRIVATE+KEY+name+hash+base64``. Raises NoteError, which does not repeat the text."""
    name, key_id, kind, private_key = _parse_key(text.removeprefix(_PRIVATE), "private")
    key = SigningKey(name, Ed25519PrivateKey.from_private_bytes(private_key))
    if not text.startswith(_PRIVATE) or kind != ED25519 or key.verifier.key_id != key_id:
        raise NoteError(f"The private key {name!r} is damaged.")
    return key


def cosigned_at(signature: NoteSignature) -> int:
    """The time of a cosignature, in seconds since 1970."""
    return int.from_bytes(signature.signature[:_TIME_BYTES], "big")


def render_cosigned_message(text: str, time_s: int) -> bytes:
    """What a witness signs who has seen *text* at this time."""
    return f"cosignature/v1\ntime {time_s}\n{text}".encode()


def _parse_key(text: str, half: str) -> tuple[str, bytes, int, bytes]:
    name, _, rest = text.partition("+")
    hexadecimal, _, encoded = rest.partition("+")
    key = _decode(encoded)
    try:
        key_id = bytes.fromhex(hexadecimal)
    except ValueError:
        key_id = b""
    if len(key_id) != _ID_BYTES or len(key) != 1 + _KEY_BYTES or key[0] not in (ED25519, COSIGNATURE):
        raise NoteError(f"This is not a {half} Ed25519 key of signed notes: it must be NAME+HASH+BASE64.")
    return _check_name(name), key_id, key[0], key[1:]


def _format_key(name: str, key_id: bytes, kind: int, key: bytes) -> str:
    return f"{name}+{key_id.hex()}+{b64encode(bytes([kind]) + key).decode()}"


def _check_name(name: str) -> str:
    if not name or "+" in name or not name.isprintable() or any(character.isspace() for character in name):
        raise NoteError(f"{name!r} is not a name of a key: it must not be empty, nor have spaces or `+`.")
    return name


def _decode(encoded: str) -> bytes:
    try:
        return b64decode(encoded, validate=True)
    except ValueError:
        return b""
