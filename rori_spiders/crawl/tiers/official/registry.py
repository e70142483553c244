"""The official APIs, by the hosts of their pages. Steps: no requests."""

from rori_spiders.crawl.tiers.official.api import OfficialApi
from rori_spiders.crawl.tiers.official.ecfr import EcfrApi, is_titles_url, parse_cfr_contents, parse_cfr_part
from rori_spiders.crawl.tiers.official.federal_register import FederalRegisterApi, parse_search
from rori_spiders.manifest.models import Source
from rori_spiders.urls.canonical import host_of

# The publishers of the `official` tier, by the hosts of their pages.

OFFICIAL_APIS: tuple[OfficialApi, ...] = (EcfrApi(), FederalRegisterApi())


def official_api_for(url: str) -> OfficialApi | None:
    """Whose API has what the page at *url* shows; None: nobody's."""
    host = host_of(url)
    return next((one for one in OFFICIAL_APIS if host in one.hosts and one.serves(url)), None)


def has_official_api(url: str) -> bool:
    """Whether the `official` tier can fetch *url*. Nothing is asked."""
    return official_api_for(url) is not None


def is_official_list(source: Source) -> bool:
    """Whether the source's URL is a list of an official API, and what that names is collected."""
    url = source.url
    is_contents = source.method == "crawl" and parse_cfr_contents(url) is not None
    return is_contents or is_titles_url(url) or parse_cfr_part(url) is not None or parse_search(url) is not None


def is_single_page(source: Source) -> bool:
    """Whether a run of *source* asks for its URL alone, as far as the manifest tells: it may be a feed."""
    return source.method == "scrape" and not is_official_list(source)


def permitted_by_documentation(url: str) -> str | None:
    """Where the publisher says that programs may ask its API for what *url* shows; None: nowhere.

    It speaks of the API alone: the page itself, and all else of its host, stays for robots.txt to judge.
    """
    publisher = official_api_for(url)
    return None if publisher is None else publisher.documentation


def restore_official_page(url: str, received: bytes, content_type: str | None) -> tuple[bytes, str | None]:
    """Body and content type of the page at *url* from the bytes that its API gave. Raises ValueError."""
    publisher = official_api_for(url)
    return (received, content_type) if publisher is None else publisher.restored(url, received, content_type)
