"""Which sitemaps a run reads: the source's own, those of robots.txt, or those at the usual places; to which limits."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from rori_spiders import sitemaps
from rori_spiders.exceptions import ConversionError
from rori_spiders.items import Visit
from rori_spiders.publishers import serves
from rori_spiders.urls import normalise, origin_of, url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.items import PageItem
    from rori_spiders.job import Job
    from rori_spiders.run import Run

Sifted = tuple[list[Visit], list[tuple[Visit, str]]]

logger = logging.getLogger(__name__)


class Sitemaps:
    """The sitemaps of one run; which are out and which are known stands in the run."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self._start = normalise(run.source.url)

    def first(self) -> Sifted:
        """The sitemaps to read first, and those to exclude with the reason."""
        own = self._run.source.scrape_config.sitemaps
        named = (self.of_robots() or self._usual()[:1]) if own is None else own
        return self.sifted(named, self._run.source.url, 0)

    def further(self, item: PageItem) -> Sifted:
        """What to try after *item*, when no page is known by a sitemap yet: the next of the usual places."""
        is_named = self._run.source.scrape_config.sitemaps is not None or self.of_robots()
        if is_named or self._run.sitemap_pages or item.fetched is None:
            return [], []
        unknown = (url for url in self._usual() if url_hash(normalise(url)) not in self._run.known)
        return self.sifted([url for url in (next(unknown, None),) if url], self._run.source.url, 0)

    def of_robots(self) -> list[str]:
        """The sitemaps that the start host's robots.txt names; relative ones, which some write, made absolute."""
        origin = origin_of(self._start)
        robots = self._job.robots.get(origin)
        return [urljoin(f"{origin}/", line) for line in (robots.sitemaps if robots else ())]

    def _usual(self) -> list[str]:
        """Where sitemaps are that nobody names, in the order of trying.

        Besides the root: the start's own folder, for guides that were built to stand in one (MkDocs, Docusaurus,
        Hugo), and the index of Yoast, the most used generator. Where a publisher's API has the pages, nothing else of
        the host is asked on a guess.
        """
        if serves(self._start):
            return []
        origin, folder = origin_of(self._start), urlsplit(self._start).path.rpartition("/")[0]
        places = (f"{origin}/sitemap.xml", f"{origin}{folder}/sitemap.xml", f"{origin}/sitemap_index.xml")
        return list(dict.fromkeys(places))

    def sifted(self, urls: Iterable[str], found_on: str, depth: int) -> Sifted:
        """Of the sitemaps at *urls*, those to read, and those to exclude with the reason."""
        visits: list[Visit] = []
        excluded: list[tuple[Visit, str]] = []
        for url in urls:
            visit = self._new(url, found_on, depth)
            if visit is None:
                continue
            reason = self._why_unread(visit)
            if reason is None:
                self._run.sitemaps.add(visit.url)
                self._run.sitemaps_known += 1
                visits.append(visit)
            elif self._run.exclude(visit):
                excluded.append((visit, reason))
        return visits, excluded

    def _new(self, url: str, found_on: str, depth: int) -> Visit | None:
        """A sitemap that is new to the run; None for one that is known, or no URL."""
        run = self._run
        try:
            spelt = normalise(url)
        except ValueError:
            logger.warning("%(source)s: the sitemap %(url)r is no URL", {"source": run.source_id, "url": url})
            return None
        if url_hash(spelt) in run.known or spelt in run.sitemaps:
            return None
        return Visit(
            run.run_id, run.source_id, spelt, kind="sitemap", found_on=found_on, found_by="sitemap", depth=depth
        )

    def _why_unread(self, sitemap: Visit) -> str | None:
        if not self._run.scope.host_in(sitemap.url):
            return "outside the source's hosts"
        if sitemap.depth >= sitemaps.MAX_LEVELS:
            return f"a sitemap more than {sitemaps.MAX_LEVELS} levels deep"
        if self._run.sitemaps_known >= sitemaps.MAX_SITEMAPS:
            return f"{sitemaps.MAX_SITEMAPS} sitemaps reached, the most that a run reads"
        return None

    async def read(self, item: PageItem) -> sitemaps.Sitemap:
        """What a sitemap that came to its end names; one that cannot be read fails, and names nothing."""
        self._run.sitemaps.discard(item.visit.url)
        if item.state != "captured" or item.fetched is None:
            return sitemaps.Sitemap()
        body = item.fetched.body
        try:
            found = await self._job.in_pool(sitemaps.weight(body), sitemaps.read, body, item.visit.url)
        except (ValueError, OSError, ConversionError) as error:
            item.state, item.reason = "failed", str(error)
            return sitemaps.Sitemap()
        if len(found.pages) >= sitemaps.MAX_URLS:
            item.reason = f"of its addresses only the first {sitemaps.MAX_URLS} are read"
        elif found.is_torn:
            item.reason = "it breaks off: what it would have named after that is not known"
        return found
