"""Requests that we refuse to make: each says in which state its URL ends, and why."""

from urllib.parse import urlsplit

from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from rori_spiders.exceptions import AddressRefused
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.public_addresses import AddressRules

_PORTS = {"http": 80, "https": 443}


class Refused(IgnoreRequest):
    """Raised by downloader middlewares; never escalated, never retried. The run goes on."""

    state = "failed"
    status: int | None = None  # of the answer that led here
    response: Response | None = None  # that answer, where it redirects

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class OutOfScope(Refused):
    """Raised for a URL, or a redirect to one, that is not of the source's hosts. *url* is where it would lead."""

    state = "excluded"

    def __init__(self, code: ReasonCode, url: str, *, status: int | None = None) -> None:
        super().__init__(Reason(code, target_url=url, http_status=status))
        self.url, self.status = url, status


class Redirected(Refused):
    """Raised for a page of a site that only redirects: the page is another URL of the run."""

    state = "excluded"

    def __init__(self, url: str, *, status: int | None = None) -> None:
        super().__init__(Reason(ReasonCode.REDIRECTED, target_url=url, http_status=status))
        self.url, self.status = url, status


class NoTier(Refused):
    """Raised for a URL that no tier may fetch: the source, or the fence of its domain, names only tiers not here."""


class BudgetSpent(Refused):
    """Raised when the browser has fetched as many pages of the run as it may (*most*). No other tier is tried then."""

    def __init__(self, most: int) -> None:
        super().__init__(Reason(ReasonCode.BROWSER_BUDGET_SPENT, limit=most))


class AddressNotPublic(Refused):
    """Raised for a URL whose host is, or resolves to, an address that is not public and that the operator did not name.

    Also for a URL that is neither http nor https. *url* is the one refused, which a redirect may have led to.
    """

    def __init__(self, why: str, url: str) -> None:
        super().__init__(Reason(ReasonCode.ADDRESS_NOT_PUBLIC, error=why, target_url=url))
        self.url = url


class RobotsDisallowed(Refused):
    """Raised when robots.txt forbids the page's URL to us."""

    state = "excluded"


class RobotsUnavailable(Refused):
    """Raised when robots.txt could not be read: forbidden for now (RFC 9309), and a failure."""


class CrawlDelayTooLong(Refused):
    """Raised when robots.txt requests a longer delay between requests (*requested*, seconds) than we keep (*most*)."""

    def __init__(self, requested: float, most: float) -> None:
        super().__init__(Reason(ReasonCode.CRAWL_DELAY, seconds=round(requested), limit=round(most)))


class RateLimited(Refused):
    """Raised for a URL of a group that is cooling down, or that answered nothing but 429 to the end."""


class NotOurs(Refused):
    """Raised when another job holds the lease on the URL's group. The URL stays pending; the run stops here."""

    state = "pending"


def refuse_unless_public(url: str, rules: AddressRules) -> None:
    """Raise AddressNotPublic for a URL that is neither http nor https, or whose host is an address of no public kind.

    A host that is a name is judged when it is resolved, by ``crawl/transport/resolver.py``.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme not in _PORTS:
            raise AddressNotPublic(f"only http and https are supported, not {parts.scheme}", url)
        rules.check_url(url, parts.port or _PORTS[parts.scheme])
    except (AddressRefused, ValueError) as error:
        raise AddressNotPublic(str(error), url) from error
