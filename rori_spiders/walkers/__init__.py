"""How a source is walked: a walker makes requests from a source, and items and more requests from responses."""

from rori_spiders.walkers.base import Walker
from rori_spiders.walkers.mediawiki import MediaWikiWalker
from rori_spiders.walkers.page import PageWalker
from rori_spiders.walkers.site import SiteWalker

#: By the manifest's `method`.
WALKERS: dict[str, type[Walker]] = {"scrape": PageWalker, "crawl": SiteWalker, "mediawiki": MediaWikiWalker}

__all__ = ["WALKERS", "Walker"]
