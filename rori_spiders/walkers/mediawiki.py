"""`method: mediawiki`: the pages of a wiki that the source names, each by the wiki's API, known by its human URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from rori_spiders.urls import escape_title, host_of, origin_of
from rori_spiders.walkers.base import Walker

if TYPE_CHECKING:
    from rori_spiders.items import Visit


class MediaWikiWalker(Walker):
    """One visit a title; the title is read off the page's URL again, so that a run can go on from its frontier."""

    def start(self) -> list[Visit]:
        wiki = self.run.source.scrape_config.mediawiki
        titles = list(wiki.titles) if wiki is not None and wiki.titles else [self._title(self.run.source.url)]
        visits = [self.visit(self._url(title), found_by="api") for title in titles]
        return list({visit.url: visit for visit in visits}.values())

    def meta(self, visit: Visit) -> dict[str, Any]:
        return {"api_url": self._api_url(visit.url), "wiki_title": self._title(visit.url)}

    def has_api(self, visit: Visit) -> bool:
        return self._api_url(visit.url) is not None

    def _api_url(self, url: str) -> str | None:
        wiki = self.run.source.scrape_config.mediawiki
        return (wiki.api_url if wiki is not None else None) or self.job.catalog.api_url(host_of(url))

    @property
    def _article_path(self) -> str:
        """What stands before a title in the paths of this wiki: `/wiki/`, or whatever the source's URL shows."""
        path = urlsplit(self.run.source.url).path
        return "/wiki/" if "/wiki/" in path or path in {"", "/"} else path[: path.rfind("/") + 1]

    def _url(self, title: str) -> str:
        return f"{origin_of(self.run.source.url)}{self._article_path}{escape_title(title)}"

    def _title(self, url: str) -> str:
        parts = urlsplit(url)
        if "title" in (query := parse_qs(parts.query)):
            return query["title"][0].replace("_", " ")
        return unquote(parts.path.removeprefix(self._article_path)).replace("_", " ") or "Main Page"
