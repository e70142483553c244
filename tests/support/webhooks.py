"""Webhooks signed as any other sender signs them, by the standard's own library."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from standardwebhooks import Webhook


def sign(key: bytes, body: bytes, late_s: float = 0) -> dict[str, str]:
    """The headers of *body*, sent *late_s* seconds ago."""
    at = datetime.now(UTC) - timedelta(seconds=late_s)
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(key).sign("msg_1", at, body.decode()),
    }
