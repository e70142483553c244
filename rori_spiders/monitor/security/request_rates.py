"""How many requests each API token has sent in this minute, to this process."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

#: In a minute of the clock. The page itself asks some 30 times a minute while it is open.
MOST_REQUESTS = 120


class RequestRates:
    """Counts by minutes of the clock: up to two minutes' worth can fall into one that straddles them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._minute: int | None = None
        self._counts: dict[int, int] = {}

    def count_request(self, token_id: int, now: datetime) -> int | None:
        """Count a request; in how many seconds the token may ask again, None: this one may pass."""
        seconds = int(now.timestamp())
        with self._lock:
            if self._minute != seconds // 60:
                self._minute, self._counts = seconds // 60, {}
            self._counts[token_id] = self._counts.get(token_id, 0) + 1
            return 60 - seconds % 60 if self._counts[token_id] > MOST_REQUESTS else None
