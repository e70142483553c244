"""Pages that plain HTTP never shows: where the browser goes first. Data, with the source of each row.

S4 sends reviews, job boards and pages marked as heavy with script to the browser at once (EXTR-02), and then revises
that for "careers" (Pitfall 3): own-website `/careers` and `/jobs` "are typically static HTML [...] Direct Crawl4AI
routing wastes budget"; only "a known JS-heavy platform (LinkedIn, Glassdoor, Indeed)" is asked by the browser at once.
Its patterns by host stand here. Its pattern for hash routes (`/#/`) cannot: a URL is known without its fragment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from rori_spiders.ladder.names import BROWSER, HTTP


@dataclass(frozen=True, slots=True)
class Route:
    """Where pages begin whose host, with its parents, ends in *host*, and whose path begins like *path*."""

    name: str
    first: str  # the tier
    host: re.Pattern[str]
    path: re.Pattern[str]
    source: str

    def takes(self, host: str, path: str) -> bool:
        return self.host.fullmatch(host) is not None and self.path.match(path) is not None


def _route(name: str, first: str, host: str, source: str, path: str = "") -> Route:
    return Route(name, first, re.compile(rf"(?:[a-z0-9-]+\.)*(?:{host})"), re.compile(path), source)


_OF_COUNTRY = r"(?:com|[a-z]{2}|(?:co|com)\.[a-z]{2})"
_CAREERS = r"(?i)/(?:.*/)?(?:careers|jobs)(?:/|$)"

#: The first row that takes a page decides.
ROUTES: tuple[Route, ...] = (
    _route("trustpilot", BROWSER, rf"trustpilot\.{_OF_COUNTRY}", "S4, Pitfall 3: reviews, always heavy with script"),
    _route("google-maps", BROWSER, rf"google\.{_OF_COUNTRY}", "S4, Pitfall 3: reviews", r"/maps(?:/|$)"),
    _route("google-maps-host", BROWSER, rf"maps\.google\.{_OF_COUNTRY}|maps\.app\.goo\.gl", "S4, Pitfall 3: reviews"),
    _route("linkedin", BROWSER, r"linkedin\.com", "S4, Pitfall 3: a known platform"),
    _route("glassdoor", BROWSER, rf"glassdoor\.{_OF_COUNTRY}", "S4, Pitfall 3: a known platform"),
    _route("indeed", BROWSER, rf"indeed\.{_OF_COUNTRY}", "S4, Pitfall 3: a known platform"),
    _route("framer", BROWSER, r"framer\.(?:website|app|site|ai)", "S4, Open Question 1: sites made with Framer"),
    _route("webflow", BROWSER, r"webflow\.io", "S4, Open Question 1: sites made with Webflow"),
    _route("careers", HTTP, r".+", "S4, Pitfall 3, revised: own pages are static", _CAREERS),
)


def route_of(url: str) -> Route | None:
    """The row that says where the page at *url* begins; None: where its ladder does."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    return next((route for route in ROUTES if route.takes(host, parts.path)), None)


def needs_browser(url: str) -> bool:
    """Whether plain HTTP is known to show nothing of the page at *url*."""
    route = route_of(url)
    return route is not None and route.first == BROWSER
