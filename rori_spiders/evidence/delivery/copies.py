"""Copies of heads in a file, and by a webhook."""

import fcntl
import json
import os
from base64 import b64encode
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from rori_spiders.evidence.checkpoints import parse_checkpoint
from rori_spiders.evidence.delivery.base import REQUEST_TIMEOUT_S, CopyDestination, DeliveryFailed
from rori_spiders.evidence.signed_notes import parse_note
from rori_spiders.ledger.audit.head_log import StoredHead
from rori_spiders.staging.webhook.client import WebhookClient, WebhookFailed


class FileDestination(CopyDestination):
    """A file to which each head is appended, on the disk before it counts as sent."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"file://{path}")
        self._path = path

    def send(self, head: StoredHead, now: datetime) -> None:
        """Append *head* and an empty line."""
        try:
            file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                before = os.fstat(file).st_size
                # What was cut off in the middle of a head is ended, so that the next stands by itself.
                gap = b"" if not before or os.pread(file, 2, before - 2) == b"\n\n" else b"\n\n"
                _write_all(file, gap + f"{head.full_note}\n".encode(), before)
                os.fsync(file)
            finally:
                os.close(file)
        except OSError as error:
            raise DeliveryFailed(f"the file cannot be written ({error.strerror or error})") from error


def _write_all(file: int, data: bytes, before: int) -> None:
    """Append *data*, or nothing of it: a full disk takes a part."""
    written = 0
    try:
        while written < len(data):
            written += os.write(file, data[written:])
    except OSError:
        os.ftruncate(file, before)
        raise


class WebhookDestination(CopyDestination):
    """A webhook, signed as that of RORI_WEBHOOK_URL is (Standard Webhooks)."""

    def __init__(self, name: str, hook: WebhookClient) -> None:
        super().__init__(name)
        self._hook = WebhookClient(hook.url, hook.secret, REQUEST_TIMEOUT_S)

    def send(self, head: StoredHead, now: datetime) -> None:
        """Post *head* as an event ``ledger.head``."""
        parsed = parse_checkpoint(parse_note(head.note).text)
        values = {
            "origin": parsed.origin,
            "size": parsed.size,
            "root": b64encode(parsed.root).decode(),
            "note": head.full_note,
        }
        payload = {"type": "ledger.head", "timestamp": now.isoformat(), "data": values}
        message = f"msg_{sha256(head.note.encode()).hexdigest()[:32]}"
        try:
            self._hook.send(message, json.dumps(payload, separators=(",", ":")).encode(), now)
        except WebhookFailed as error:
            raise DeliveryFailed(str(error)) from error
