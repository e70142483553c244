"""The signature of a WACZ file, by a key that is derived from the one which signs heads.

Viewers of web archives check anonymous signatures by ECDSA on P-384 only. A second key to keep, rotate and publish is
spared: the same signing key always gives the same one, and it cannot be led back (HKDF, RFC 5869).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

if TYPE_CHECKING:
    from rori_spiders.evidence.signed_notes import SigningKey

_PURPOSE = b"rori-collector wacz-auth ecdsa p-384"
#: Of the curve: SEC 2, 2.5.1.
_ORDER = int(
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973", base=16
)
_NUMBER_BYTES = 48


class DerivedSigner:
    """Signs packages in the name of a signing key."""

    def __init__(self, key: SigningKey) -> None:
        self._key = key

    @property
    def public_key(self) -> bytes:
        """SubjectPublicKeyInfo, DER."""
        return self._private_key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    def sign(self, data: bytes) -> bytes:
        """Both numbers of the signature, 48 bytes each."""
        numbers = decode_dss_signature(self._private_key.sign(data, ec.ECDSA(SHA256())))
        return b"".join(number.to_bytes(_NUMBER_BYTES, "big") for number in numbers)

    @cached_property
    def _private_key(self) -> ec.EllipticCurvePrivateKey:
        # 24 bytes more than the order has: what the remainder favours is beyond measure (FIPS 186-5, A.2.1).
        seed = HKDF(SHA512(), _NUMBER_BYTES + 24, None, _PURPOSE).derive(self._key.private_key.private_bytes_raw())
        return ec.derive_private_key(int.from_bytes(seed, "big") % (_ORDER - 1) + 1, ec.SECP384R1())
