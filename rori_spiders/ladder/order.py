"""The ladder of a URL: the tiers that are tried for it, cheapest first. Steps; nothing is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ladder.names import BROWSER, HTTP, MEDIAWIKI, OFFICIAL
from rori_spiders.ladder.rendering import needs_browser
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.publishers import serves
from rori_spiders.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source


def ladder(
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

    *configured*: what RORI_TIERS names and can work here. *own*: the source's `tiers`, which replace the ladder.
    *fence*: the domain's `tiers`, which bound it. *has_api*: it is a wiki's, whose api.php is known. *is_official*: its
    publisher's own API has it. *render*: the source's. *is_heavy*: plain HTTP is known to show nothing of it.

    `render: always` begins with the browser, or not at all: what plain HTTP shows of such a page is not the page.
    A page that is only likely to be such begins lower where there is no browser, and where the source names its tiers.
    """
    applies = {MEDIAWIKI: has_api, OFFICIAL: is_official, BROWSER: render != "never"}
    rungs = [
        name
        for name in own or configured
        if name in configured and (fence is None or name in fence) and applies.get(name, True)
    ]
    if not own:
        paid = [name for name in rungs if name in PROVIDERS]
        rungs = [name for name in rungs if name not in paid[1:]]
    if render == "always" and BROWSER not in rungs:
        return ()
    if render == "always" or (is_heavy and not own and BROWSER in rungs):
        rungs = rungs[rungs.index(BROWSER) :]
    return tuple(rungs)


def ladder_of(
    url: str, source: Source, catalog: Catalog, configured: Sequence[str], *, has_api: bool | None = None
) -> tuple[str, ...]:
    """The ladder of a page of *source*. *has_api*: as the manifest's `mediawiki_sites` has it, unless said."""
    host, config = host_of(url), source.scrape_config
    return ladder(
        configured,
        own=config.tiers,
        fence=catalog.rules(host).tiers,
        has_api=catalog.api_url(host) is not None if has_api is None else has_api,
        is_official=serves(url),
        render=config.render,
        is_heavy=needs_browser(url),
    )


def ladder_of_sitemap(url: str, catalog: Catalog) -> tuple[str, ...]:
    """What a source says of its pages does not hold for its sitemaps; the fence of a domain holds for both."""
    fence = catalog.rules(host_of(url)).tiers
    return (HTTP,) if fence is None or HTTP in fence else ()
