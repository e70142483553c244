"""`method: mediawiki`: the pages of a wiki that the source names, each by the wiki's API, known by its human URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.tiers.wiki_titles import article_path, url_of
from rori_spiders.urls import host_of
from rori_spiders.walkers.base import Walker

if TYPE_CHECKING:
    from rori_spiders.items import Visit


class MediaWikiWalker(Walker):
    """One visit a title; the title is read off the page's URL again, so that a run can go on from its frontier."""

    def start(self) -> list[Visit]:
        source = self.run.source
        wiki = source.scrape_config.mediawiki
        titles = wiki.titles if wiki is not None and wiki.titles else ()
        urls = [url_of(title, source.url, self._prefix) for title in titles] or [source.url]
        visits = [self.visit(url, found_by="api") for url in urls]
        return list({visit.url: visit for visit in visits}.values())

    def meta(self, visit: Visit) -> dict[str, Any]:
        return {"api_url": self._api_url(visit.url), "wiki_prefix": self._prefix}

    def has_api(self, visit: Visit) -> bool:
        return self._api_url(visit.url) is not None

    def _api_url(self, url: str) -> str | None:
        wiki = self.run.source.scrape_config.mediawiki
        return (wiki.api_url if wiki is not None else None) or self.job.catalog.api_url(host_of(url))

    @property
    def _prefix(self) -> str:
        """What stands before a title in the URLs of this wiki, as the source's own URL shows it."""
        return article_path(self.run.source.url)
