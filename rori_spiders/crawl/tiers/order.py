"""The tier order of a URL, cheapest first, and the tier remembered for its kind of page. Steps: no requests."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from rori_spiders.crawl.tiers.mediawiki.api_answers import parse_page_html
from rori_spiders.crawl.tiers.official.registry import has_official_api, restore_official_page
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.urls.canonical import host_of

# The tiers' names that code speaks of; `manifest/vocabulary.py` has them all, as a manifest may write them.

OFFICIAL = "official"
MEDIAWIKI = "mediawiki"
HTTP = "http"
BROWSER = "browser"


# The tier order of a URL: the tiers that are tried for it, cheapest first. Steps; nothing is asked.


def tier_order(
    configured: Sequence[str],
    *,
    own: Sequence[str] | None = None,
    fence: Sequence[str] | None = None,
    has_api: bool = False,
    is_official: bool = False,
    render: str = "auto",
    is_heavy: bool = False,
) -> tuple[str, ...]:
    """The tiers to try for a page, in order; none, when only tiers are allowed that are not here.

    *configured*: what RORI_TIERS names and can work here. *own*: the source's `tiers`, which replace the tier order.
    *fence*: the domain's `tiers`, which bound it. *has_api*: it is a wiki's, whose api.php is known. *is_official*: its
    publisher's own API has it. *render*: the source's. *is_heavy*: plain HTTP is known to show nothing of it.

    `render: always` begins with the browser, or not at all: what plain HTTP shows of such a page is not the page.
    A page that is only likely to be such begins lower where there is no browser, and where the source names its tiers.
    """
    applies = {MEDIAWIKI: has_api, OFFICIAL: is_official, BROWSER: render != "never"}
    tier_names = [
        name
        for name in own or configured
        if name in configured and (fence is None or name in fence) and applies.get(name, True)
    ]
    if not own:
        paid = [name for name in tier_names if name in PROVIDERS]
        tier_names = [name for name in tier_names if name not in paid[1:]]
    if render == "always" and BROWSER not in tier_names:
        return ()
    if render == "always" or (is_heavy and not own and BROWSER in tier_names):
        tier_names = tier_names[tier_names.index(BROWSER) :]
    return tuple(tier_names)


def tier_order_for_page(
    url: str, source: Source, catalog: Catalog, configured: Sequence[str], *, has_api: bool | None = None
) -> tuple[str, ...]:
    """The tier order of a page of *source*. *has_api*: as the manifest's `mediawiki_sites` has it, unless said."""
    host, config = host_of(url), source.scrape_config
    return tier_order(
        configured,
        own=config.tiers,
        fence=catalog.rules(host).tiers,
        has_api=catalog.api_url(host) is not None if has_api is None else has_api,
        is_official=has_official_api(url),
        render=config.render,
        is_heavy=needs_browser(url),
    )


def tier_order_for_sitemap(url: str, catalog: Catalog) -> tuple[str, ...]:
    """What a source says of its pages does not hold for its sitemaps; the fence of a domain holds for both."""
    fence = catalog.rules(host_of(url)).tiers
    return (HTTP,) if fence is None or HTTP in fence else ()


# Pages that plain HTTP never shows: where the browser goes first. Data, with the source of each row. S4 sends
# reviews, job boards and pages marked as heavy with script to the browser at once (EXTR-02), and then revises that
# for "careers" (Pitfall 3): own-website `/careers` and `/jobs` "are typically static HTML [...] Direct Crawl4AI
# routing wastes budget"; only "a known JS-heavy platform (LinkedIn, Glassdoor, Indeed)" is asked by the browser at
# once. Its patterns by host stand here. Its pattern for hash routes (`/#/`) cannot: a URL is known without its
# fragment.


@dataclass(frozen=True, slots=True)
class RenderRoute:
    """A rule for pages that start with the browser: *host* and its subdomains, paths that begin with *path*."""

    name: str
    first: str  # the tier
    host: re.Pattern[str]
    path: re.Pattern[str]
    source: str

    def takes(self, host: str, path: str) -> bool:
        return self.host.fullmatch(host) is not None and self.path.match(path) is not None


def _render_route(name: str, first: str, host: str, source: str, path: str = "") -> RenderRoute:
    return RenderRoute(name, first, re.compile(rf"(?:[a-z0-9-]+\.)*(?:{host})"), re.compile(path), source)


_OF_COUNTRY = r"(?:com|[a-z]{2}|(?:co|com)\.[a-z]{2})"
_CAREERS = r"(?i)/(?:.*/)?(?:careers|jobs)(?:/|$)"

#: The first row that takes a page decides.
RENDER_ROUTES: tuple[RenderRoute, ...] = (
    _render_route(
        "trustpilot", BROWSER, rf"trustpilot\.{_OF_COUNTRY}", "S4, Pitfall 3: reviews, always heavy with script"
    ),
    _render_route("google-maps", BROWSER, rf"google\.{_OF_COUNTRY}", "S4, Pitfall 3: reviews", r"/maps(?:/|$)"),
    _render_route(
        "google-maps-host", BROWSER, rf"maps\.google\.{_OF_COUNTRY}|maps\.app\.goo\.gl", "S4, Pitfall 3: reviews"
    ),
    _render_route("linkedin", BROWSER, r"linkedin\.com", "S4, Pitfall 3: a known platform"),
    _render_route("glassdoor", BROWSER, rf"glassdoor\.{_OF_COUNTRY}", "S4, Pitfall 3: a known platform"),
    _render_route("indeed", BROWSER, rf"indeed\.{_OF_COUNTRY}", "S4, Pitfall 3: a known platform"),
    _render_route("framer", BROWSER, r"framer\.(?:website|app|site|ai)", "S4, Open Question 1: sites made with Framer"),
    _render_route("webflow", BROWSER, r"webflow\.io", "S4, Open Question 1: sites made with Webflow"),
    _render_route("careers", HTTP, r".+", "S4, Pitfall 3, revised: own pages are static", _CAREERS),
)


def render_route_for(url: str) -> RenderRoute | None:
    """The row that says where the page at *url* begins; None: where its tier order does."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    return next((route for route in RENDER_ROUTES if route.takes(host, parts.path)), None)


def needs_browser(url: str) -> bool:
    """Whether plain HTTP is known to show nothing of the page at *url*."""
    route = render_route_for(url)
    return route is not None and route.first == BROWSER


# Kinds of pages: the pages of a source that are likely to need the same tier are told by their addresses. What is
# remembered is a tier by kind, and by host once several kinds of it agree: a site is mostly of one make.

#: So many kinds of a host's pages must have the same tier, and none another, before it holds for the whole host: fewer
#: than the five pages that a run has for its browser (S4), so that the last of them can go to what differs.
KINDS_OF_A_HOST = 3
_DIGITS = re.compile(r"\d+")
_ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=[a-z]*\d)[0-9a-z]{16,}|[0-9a-f]{12,}",
    re.IGNORECASE,
)


def url_template(url: str) -> str:
    """*url* without what tells pages of one kind apart: ``www.hud.gov/rules/1024/5a?page=2`` ->
    ``www.hud.gov/rules/{n}/{n}a?page``. Ids become ``{id}``, digits ``{n}``; of a query only the names are left.
    """
    parts = urlsplit(url)
    path = "/".join("{id}" if _ID.fullmatch(one) else _DIGITS.sub("{n}", one) for one in parts.path.split("/"))
    names = sorted({_DIGITS.sub("{n}", name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{path}{'?' if names else ''}{'&'.join(names)}"


def host_key(url: str) -> str:
    """What all pages of one host are remembered by; no page's ``template`` is the same."""
    return urlsplit(url).netloc


def remembered_tier(url: str, remembered: Mapping[str, str]) -> str | None:
    """The tier that worked for pages like the one at *url*, or for all of its host."""
    return remembered.get(url_template(url)) or remembered.get(host_key(url)) if remembered else None


def agreed_host_tier(url: str, remembered: Mapping[str, str], least: int = KINDS_OF_A_HOST) -> str | None:
    """The tier that *least* kinds of pages of the host of *url* have, while none that is remembered has another."""
    start = host_key(url) + "/"
    found = [tier for kind, tier in remembered.items() if kind.startswith(start)]
    return found[0] if len(found) >= least and len(set(found)) == 1 else None


# The page from what a tier received: for converting, comparing and accepting it anew. Nothing is asked.


def restore_page(tier: str, received: bytes, content_type: str | None, url: str = "") -> tuple[bytes, str | None]:
    """Body and content type of the page at *url* from the bytes that *tier* received. Raises ValueError."""
    if tier == OFFICIAL:
        return restore_official_page(url, received, content_type)
    if tier == MEDIAWIKI:
        return parse_page_html(received).encode(), "text/html; charset=utf-8"
    return received, content_type
