"""Requests that we refuse to make: each says in which state its URL ends, and why."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest


class Refused(IgnoreRequest):
    """Raised by downloader middlewares; never escalated, never retried. The run goes on."""

    state = "failed"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class OutOfScope(Refused):
    """Raised for a URL, or a redirect to one, that is not of the source's hosts."""

    state = "excluded"


class Redirected(Refused):
    """Raised for a page of a site that only redirects: the page is another URL of the run."""

    state = "excluded"

    def __init__(self, url: str) -> None:
        super().__init__(f"redirected to {url}")
        self.url = url


class NoTier(Refused):
    """Raised for a URL that no tier may fetch: the source, or the fence of its domain, names only tiers not here."""


class AddressNotPublic(Refused):
    """Raised for a URL whose host is an address that is not public and that the operator did not name."""


class RobotsDisallowed(Refused):
    """Raised when robots.txt forbids the page's URL to us."""

    state = "excluded"


class RobotsUnavailable(Refused):
    """Raised when robots.txt could not be read: forbidden for now (RFC 9309), and a failure."""


class CrawlDelayTooLong(Refused):
    """Raised when robots.txt asks for a longer time between two requests (*asked*, seconds) than we keep (*most*)."""

    def __init__(self, asked: float, most: float) -> None:
        super().__init__(
            f"crawl_delay: robots.txt asks for {asked:.0f} s between two requests; above {most:.0f} s nothing is asked"
        )


class NotOurs(Refused):
    """Raised when another job holds the lease on the URL's group. The URL stays pending; the run stops here."""

    state = "pending"
