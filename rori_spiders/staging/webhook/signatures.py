"""Signatures of web hooks, as Standard Webhooks says (https://www.standardwebhooks.com, specification 1.0.0).

In: a secret and a message. Out: its headers; or why one that came is not believed.
"""

from __future__ import annotations

import hmac
import os
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

from rori_spiders.exceptions import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

_MIN_SECRET_BYTES = 24  # bytes, as the specification has it
SECRET_HINT = f"it must be the base64 of {_MIN_SECRET_BYTES} bytes or more. Make one with: openssl rand -base64 32"
#: Seconds that a message may be older or younger than our clock says: what was overheard is worth nothing later.
TOLERANCE_S = 300


def read_secret(variable: str, environment: Mapping[str, str] = os.environ) -> bytes | None:
    """The secret in *variable*; None when it is not set. Raises UsageError for what is none."""
    given = environment.get(variable, "").strip()
    if not given:
        return None
    try:
        secret = b64decode(given.removeprefix("whsec_"), validate=True)
    except ValueError:
        secret = b""
    if len(secret) < _MIN_SECRET_BYTES:
        raise UsageError(f"{variable} is no secret: {SECRET_HINT}")
    return secret


def signature_headers(secret: bytes, message: str, now: datetime, body: bytes) -> dict[str, str]:
    """Those of *body*, sent as *message*."""
    seconds = str(int(now.timestamp()))
    return {
        "content-type": "application/json",
        "user-agent": "RORI-Collector",
        "webhook-id": message,
        "webhook-timestamp": seconds,
        "webhook-signature": _compute_signature(secret, message, seconds, body),
    }


def verify_signature(secret: bytes, said: Mapping[str, str], body: bytes, now: datetime) -> str | None:
    """Why *body* with the headers *said* (names in lower case) is not believed; None: its sender knows the secret.

    Several signatures may stand there, divided by blanks: the sender's secret is being changed.
    """
    message, seconds, signatures = (said.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (message and seconds and signatures):
        return "it is not signed: webhook-id, webhook-timestamp and webhook-signature are wanted"
    wanted = _compute_signature(secret, message, seconds, body).encode()
    if not any(hmac.compare_digest(wanted, one.encode()) for one in signatures.split()):
        return "its signature is not that of the secret which is known here"
    if not seconds.isascii() or not seconds.isdecimal() or abs(now.timestamp() - int(seconds)) > TOLERANCE_S:
        return f"its time is more than {TOLERANCE_S // 60} minutes from ours"
    return None


def _compute_signature(secret: bytes, message: str, seconds: str, body: bytes) -> str:
    """That of ``id.timestamp.body``."""
    digest = hmac.digest(secret, b".".join((message.encode(), seconds.encode(), body)), sha256)
    return f"v1,{b64encode(digest).decode()}"
