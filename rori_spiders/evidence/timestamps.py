"""Timestamps of heads (RFC 3161): the token of a timestamp authority, kept as a signature line of the note.

The line's name is the authority's host, its key id that of the name and the kind ``rfc3161``; the rest is the
authority's response (DER), over the SHA-256 of the note's text. Verifiers of notes pass over lines of keys that they do
not know.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from cryptography import x509
from rfc3161_client import (
    HashAlgorithm,
    TimeStampRequest,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from rori_spiders.evidence.signed_notes import NoteError, NoteSignature
from rori_spiders.exceptions import UsageError

_KIND = b"\xffrfc3161"
_GRANTED = 0
_CERTIFICATES = 0xA0  # tag of the only field of SignedData that has them


@dataclass(frozen=True, slots=True)
class Timestamp:
    """By whom, when, and whether a certificate that we trust stands behind it (None: none was given)."""

    authority: str
    at: datetime
    is_trusted: bool | None


def request_timestamp(text: str) -> TimeStampRequest:
    """The request for a timestamp over *text*."""
    builder = TimestampRequestBuilder().data(text.encode()).hash_algorithm(HashAlgorithm.SHA256)
    return builder.nonce(nonce=True).cert_request(cert_request=True).build()


def accept_response(request: TimeStampRequest, response: bytes, authority: str) -> NoteSignature:
    """The signature line of the *response* to *request*. Raises NoteError for one that is not of this request."""
    decoded = _decode(response)
    if decoded.status != _GRANTED:
        raise NoteError(f"the authority refused: status {decoded.status}, {'; '.join(decoded.status_string) or '-'}")
    info = decoded.tst_info
    if info.nonce != request.nonce or info.message_imprint.message != request.message_imprint.message:
        raise NoteError("the timestamp is not of this head")
    return NoteSignature(authority, derive_timestamp_id(authority), response)


def derive_timestamp_id(authority: str) -> bytes:
    """The key id of the lines that hold timestamps of *authority*."""
    return sha256(authority.encode() + b"\n" + _KIND).digest()[:4]


def read_timestamp(text: str, line: NoteSignature, roots: Sequence[x509.Certificate]) -> Timestamp | None:
    """The timestamp over *text* in a signature line; None for a line that holds none.

    Raises NoteError for one that is damaged, of another text, or (with *roots*) of an authority behind which none of
    them stands.
    """
    if line.key_id != derive_timestamp_id(line.name):
        return None
    decoded = _decode(line.signature)
    if decoded.status != _GRANTED or decoded.tst_info.message_imprint.message != sha256(text.encode()).digest():
        raise NoteError(f"the timestamp of {line.name} is not of this head")
    if roots:
        verifier = VerifierBuilder(roots=list(roots)).build()
        try:
            verifier.verify_message(decoded, text.encode())
        except VerificationError as error:
            raise NoteError(f"the timestamp of {line.name} is not valid: {error}") from error
    return Timestamp(line.name, decoded.tst_info.gen_time, True if roots else None)


def load_roots(path: Path | None) -> list[x509.Certificate]:
    """The certificates of a PEM file; none without one. Raises UsageError."""
    if path is None:
        return []
    try:
        return x509.load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"RORI_EVIDENCE_TSA_ROOTS: no certificates can be read from {path}: {error}") from error


def _decode(response: bytes) -> TimeStampResponse:
    try:
        return decode_timestamp_response(_sort_certificates(response))
    except ValueError as error:
        raise NoteError("the timestamp cannot be read: it is not an RFC 3161 response") from error


def _sort_certificates(response: bytes) -> bytes:
    """*response* (DER) with its certificates in the order of DER, in which OpenSSL's ``ts`` does not send them.

    The decoder refuses others. No signature covers the order; what is kept is the response as it came.
    """
    try:
        (whole, *_) = _split(response, 0, len(response))
        token = _split(response, *whole[1:])[1]
        (signed, *_) = _split(response, *_split(response, *token[1:])[1][1:])
        parts = _split(response, *signed[1:])
    except IndexError:
        return response  # it is none, as the decoder will say
    for tag_at, start, end in parts:
        if response[tag_at] == _CERTIFICATES:
            certificates = sorted(response[first:last] for first, _, last in _split(response, start, end))
            return response[:start] + b"".join(certificates) + response[end:]
    return response


def _split(der: bytes, at: int, end: int) -> list[tuple[int, int, int]]:
    """The elements of *der* from *at* to *end*: where each begins, where its content begins, and where it ends."""
    found = []
    while at < end:
        length, start = der[at + 1], at + 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(der[at + 2 : start], "big")
        found.append((at, start, start + length))
        at = start + length
    return found
