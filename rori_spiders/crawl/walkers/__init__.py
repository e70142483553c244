"""Which URLs a source asks for: a walker makes requests from a source, and items and further requests from
responses.
"""

from rori_spiders.crawl.walkers.base import PageWalker, Walker
from rori_spiders.crawl.walkers.mediawiki import MediaWikiWalker
from rori_spiders.crawl.walkers.site import SiteWalker

#: By the manifest's `method`.
WALKERS: dict[str, type[Walker]] = {"scrape": PageWalker, "crawl": SiteWalker, "mediawiki": MediaWikiWalker}

__all__ = ["WALKERS", "Walker"]
