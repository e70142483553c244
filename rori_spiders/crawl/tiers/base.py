"""The interface of a tier: one way to fetch a URL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scrapy import signals

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response


#: Signal of a spider that yields no items: a URL has come to its end, which *item* says.
url_ended = object()


def connect_url_ended(crawler: Crawler, receiver: Callable[..., object]) -> None:
    """Call *receiver* with each *item* when its URL has come to its end, whatever spider asked for it."""
    for signal in (signals.item_scraped, signals.item_dropped, signals.item_error, url_ended):
        crawler.signals.connect(receiver, signal=signal)


class FollowUpRequestNeeded(Exception):
    """Raised by a tier that has learnt something, and needs a further request for the same page.

    It goes back to the queue, which keeps the group's pace: a call of ``fetch`` makes one request at most.
    """


def join_header_values(headers: Headers) -> dict[str, str]:
    """Headers as a judge wants them: text, the values of one name joined by commas."""
    return {name.decode("latin-1"): b", ".join(values).decode("latin-1") for name, values in headers.items()}


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something that a tier cannot work without: a package, a program, a key, a server's address."""

    what: str
    met: bool
    mend: str = ""  # the command or the setting that meets it


@dataclass(frozen=True, slots=True)
class HealthStatus:
    """The result of a tier's health check, as text for people."""

    ok: bool
    says: str


class Tier(Protocol):
    """One transport. It answers with a response for the page's own URL, and raises Scrapy's download errors."""

    name: str
    version: str  # what `scrape.engine_version` says
    about: str  # what it can do, in one line

    def needs(self) -> tuple[Requirement, ...]:
        """What it cannot work without, met or not; nothing is asked over the network."""

    async def check(self) -> HealthStatus:
        """Whether it works now (S0's healthCheck); it may ask its own server or start a program, never a publisher."""

    async def fetch(self, request: Request) -> Response:
        """Fetch ``request.url``; sets ``meta["download_latency"]`` (seconds to the headers).

        It calls ``meta["on_sent"]``, if there is one, when the request for the page really leaves, and may fill
        ``raw_body``, ``api_metadata``, ``credits`` and ``failure`` of the request's `Exchange`. Raises
        FollowUpRequestNeeded.
        """

    async def close(self) -> None: ...
