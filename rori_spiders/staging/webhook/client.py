"""Send one request to a webhook, signed as Standard Webhooks specifies (https://www.standardwebhooks.com).

In: a batch of staged envelopes. Out: the receiver has it (2xx), or WebhookFailed with the reason in words.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode
from dataclasses import dataclass, field
from datetime import UTC
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from rori_spiders.exceptions import RoriError, UsageError
from rori_spiders.runtime.http_requests import RequestFailed, send_request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from rori_spiders.ledger.staged_envelopes import UnannouncedEnvelope

SECRET_VARIABLE = "RORI_WEBHOOK_SECRET"  # noqa: S105  (the variable's name)
_MIN_SECRET_BYTES = 24  # as the specification has it
_SECRET_HINT = f"it must be the base64 of {_MIN_SECRET_BYTES} bytes or more. Make one with: openssl rand -base64 32"
#: Standard Webhooks: 15 to 30 s are usual; a job's end must not wait for a receiver that does its work meanwhile.
TIMEOUT_S = 10.0
_MAX_RESPONSE_BYTES = 64 * 1024


class WebhookFailed(RoriError):
    """Raised when the receiver did not take a batch: it is sent again later."""


@dataclass(frozen=True, slots=True)
class WebhookClient:
    """The receiver at *url*, and the secret that it knows us by."""

    url: str = field(repr=False)  # its path may be a secret
    secret: bytes = field(repr=False)
    timeout_s: float = TIMEOUT_S

    @classmethod
    def from_settings(
        cls,
        url: str | None,
        environment: Mapping[str, str] = os.environ,
        *,
        setting: str = "RORI_WEBHOOK_URL",
        variable: str = SECRET_VARIABLE,
    ) -> WebhookClient | None:
        """The hook of *setting*; None when there is none. UsageError when its secret is missing, or is none."""
        if not url:
            return None
        secret = read_secret(variable, environment)
        if secret is None:
            raise UsageError(f"{setting} is set, but {variable} is not set: {_SECRET_HINT}")
        return cls(url, secret)

    @property
    def place(self) -> str:
        """The URL for messages, without path, user and password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"

    def post(self, batch: Sequence[UnannouncedEnvelope], now: datetime) -> None:
        """Send *batch*. Raises WebhookFailed unless the answer is 2xx; redirects are not followed."""
        self.send(batch_message_id(batch), build_payload(batch, now), now)

    def send(self, message: str, body: bytes, now: datetime) -> bytes:
        """Send *body* under the id *message*; the beginning of what is answered. Raises WebhookFailed as ``post``."""
        try:
            answer = send_request(
                "POST",
                self.url,
                body=body,
                headers=self._signed_headers(message, body, now),
                timeout_s=self.timeout_s,
                max_bytes=_MAX_RESPONSE_BYTES,
            )
        except RequestFailed as error:
            raise WebhookFailed(str(error)) from error
        if 300 <= answer.status < 400:
            raise WebhookFailed(f"the server answered {answer.status}; redirects are not followed")
        if not 200 <= answer.status < 300:
            raise WebhookFailed(f"it answered {answer.status}")
        return answer.body

    def _signed_headers(self, message: str, body: bytes, now: datetime) -> dict[str, str]:
        return {
            "content-type": "application/json",
            "webhook-id": message,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(self.secret).sign(message, now.astimezone(UTC), body.decode()),
        }


def read_secret(variable: str, environment: Mapping[str, str] = os.environ) -> bytes | None:
    """The secret in *variable*; None when it is not set. Raises UsageError for what is none."""
    encoded = environment.get(variable, "").strip()
    if not encoded:
        return None
    try:
        secret = b64decode(encoded.removeprefix("whsec_"), validate=True)
    except ValueError:
        secret = b""
    if len(secret) < _MIN_SECRET_BYTES:
        raise UsageError(f"{variable} is not a valid secret: {_SECRET_HINT}")
    return secret


def build_payload(batch: Sequence[UnannouncedEnvelope], now: datetime) -> bytes:
    """The body: the index lines of *batch*, each with its run."""
    lines = [{**json.loads(one.index_line), "run_id": one.run_id} for one in batch]
    payload = {"type": "envelopes.staged", "timestamp": now.isoformat(), "data": {"envelopes": lines}}
    return json.dumps(payload, separators=(",", ":")).encode()


def batch_message_id(batch: Sequence[UnannouncedEnvelope]) -> str:
    """The same batch has the same id whenever it is sent."""
    return f"msg_{sha256(' '.join(one.envelope_id for one in batch).encode()).hexdigest()[:32]}"
