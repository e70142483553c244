"""Histories that are read from a server: answers, one after the other, as a person's import asks for them.

A *history* is a generator: it yields the URL that it wants next, is sent the answer, and records what it holds. It
requests nothing itself, so the caller decides how politely.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

from rori_spiders.exceptions import RoriError


class HistoryStopped(RoriError):
    """Raised by a history that cannot go on: what a server answered, or why it did not. What is recorded stays."""


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """The answer to one URL. ``body``: None where there is none, for ``reason``."""

    url: str
    status: int | None = None
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    sha1: bytes = b""  # of the body as it was sent, before any Content-Encoding was undone

    def require_body(self) -> bytes:
        """The body. Raises HistoryStopped where there is none."""
        if self.body is None:
            raise HistoryStopped(f"{self.url}: {self.reason}")
        return self.body


History = Generator[str, ServedAnswer, None]
