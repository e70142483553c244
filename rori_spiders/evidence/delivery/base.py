"""What a destination of heads is.

A *copy* has every head, in order: a file, a bucket, a webhook. A *receipt* is asked for the newest head alone, and
comes back as a signature line of it: a timestamp authority, a witness.
"""

from abc import ABC, abstractmethod
from datetime import datetime

from rori_spiders.exceptions import RoriError
from rori_spiders.ledger.audit.head_log import StoredHead
from rori_spiders.ledger.database import Ledger

#: A job's end waits for no destination longer.
REQUEST_TIMEOUT_S = 5.0


class DeliveryFailed(RoriError):
    """Raised when a destination did not accept a head: it is sent again with the next one."""


class CopyDestination(ABC):
    """A place that has a copy of every head. *name* is how it is shown and remembered: without secrets."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def send(self, head: StoredHead, now: datetime) -> None:
        """Send one head. Raises DeliveryFailed."""


class ReceiptDestination(ABC):
    """Who confirms the newest head. *name* is how it is shown and remembered: without secrets."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def request(self, ledger: Ledger, head: StoredHead, since: int) -> str:
        """Signature lines for *head*; *since* is the size of the last one that was confirmed. Raises DeliveryFailed."""
