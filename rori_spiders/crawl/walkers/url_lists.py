"""Lists of the URLs of a site: its sitemaps (its own, those of robots.txt, or those at the usual paths), and the
map of a managed provider (`provider_map`, once a run).
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from rori_spiders.crawl.tiers.builders import build_tiers, mapping_tiers
from rori_spiders.crawl.tiers.official.registry import has_official_api
from rori_spiders.exceptions import ConversionError
from rori_spiders.items import Attempt, FrontierUrl
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.runs.frontier import GUESSED
from rori_spiders.manifest.scope import start_folder
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from rori_spiders.urls import sitemap_reader
from rori_spiders.urls.canonical import host_of, normalise_url, origin_of, url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.items import PageItem
    from rori_spiders.ledger.runs.frontier import SitemapCounts
    from rori_spiders.urls.list_marks import ListMarks

logger = logging.getLogger(__name__)


#: URLs that may wait to be recorded when the next list is read; how often that is looked at, and for how long, seconds.
_MAX_UNRECORDED, _POLL_S, _LONGEST_WAIT_S = 25_000, 0.1, 120.0
_OUTSIDE_HOSTS = Reason(ReasonCode.OUTSIDE_HOSTS)

ClassifiedUrls = tuple[list[FrontierUrl], list[tuple[FrontierUrl, Reason]]]


class SitemapDiscovery:
    """The sitemaps of one run: which were found, which are read, and how many pages they name."""

    def __init__(self, job: Job, run: Run) -> None:
        self._job = job
        self._run = run
        self._starts = [normalise_url(run.source.url)]  # the start URL, and where it redirects
        self._unread: set[str] = set()  # asked for and not yet read
        self._found = 0
        self._pages = 0

    @property
    def are_read(self) -> bool:
        return not self._unread

    def restore(self, pending: Iterable[FrontierUrl], counts: SitemapCounts | None) -> None:
        """Take over what earlier jobs of the run have found, and those that they left *pending*."""
        self._unread = {visit.url for visit in pending if visit.kind == "sitemap"}
        if counts is not None:
            self._pages += counts.pages
            self._found += counts.wanted

    def start_at(self, url: str) -> None:
        """Look for sitemaps where *url* is, to which the start URL leads."""
        self._starts.append(url)

    def count_pages(self, pages: int) -> None:
        """Count *pages* that a sitemap names."""
        self._pages += pages

    def first(self) -> ClassifiedUrls:
        """The sitemaps to read first, and those to exclude with the reason."""
        own, start = self._run.source.scrape_config.sitemaps, self._run.source.url
        if own is not None:
            return self.sifted(own, start, 0, found_by="manifest")
        named, foreign = self.sifted(self.of_robots(), start, 0, found_by="robots")
        if named:
            return named, foreign
        guessed, excluded = self.sifted(self._conventional_sitemaps()[:1], start, 0, found_by=GUESSED)
        return guessed, [*foreign, *excluded]

    def further(self, item: PageItem) -> ClassifiedUrls:
        """What to try after *item*, when no page is known by a sitemap yet: the next of the usual places."""
        is_named = self._run.source.scrape_config.sitemaps is not None or any(
            self._run.scope.host_in(url) for url in self.of_robots()
        )
        if is_named or self._pages or item.fetched is None:
            return [], []
        unknown = (
            url for url in self._conventional_sitemaps() if url_hash(normalise_url(url)) not in self._run.frontier.known
        )
        following = [url for url in (next(unknown, None),) if url]
        return self.sifted(following, self._run.source.url, 0, found_by=GUESSED)

    def of_robots(self) -> list[str]:
        """The sitemaps that the start host's robots.txt names; relative ones, which some write, made absolute.

        Where the start URL redirects to another host, those of that host too.
        """
        files = ((origin, self._job.robots.get(origin)) for origin in dict.fromkeys(map(origin_of, self._starts)))
        return [urljoin(f"{origin}/", line) for origin, file in files if file is not None for line in file.sitemaps]

    def _conventional_sitemaps(self) -> list[str]:
        """Where sitemaps are that nobody names, in the order of trying.

        Besides the root: the start's own folder, for guides that were built to stand in one (MkDocs, Docusaurus,
        Hugo), and the index of Yoast, the most used generator. Where a publisher's API has the pages, nothing else of
        the host is asked on a guess.
        """
        start = self._starts[-1]
        if has_official_api(start):
            return []
        origin, folder = origin_of(start), start_folder(start)
        places = (f"{origin}/sitemap.xml", f"{origin}{folder}sitemap.xml", f"{origin}/sitemap_index.xml")
        return list(dict.fromkeys(places))

    def sifted(
        self,
        urls: Iterable[str],
        found_on: str,
        depth: int,
        *,
        found_by: str = "sitemap",
        marks: ListMarks | None = None,
    ) -> ClassifiedUrls:
        """Of the sitemaps at *urls*, those to read, and those to exclude with the reason.

        With *marks*, of a list that names them all, those of other hosts are counted there.
        """
        visits: list[FrontierUrl] = []
        excluded: list[tuple[FrontierUrl, Reason]] = []
        for url in urls:
            visit = self._visit(url, found_on, depth, found_by)
            if visit is not None and marks is not None and not self._run.scope.host_in(visit.url):
                marks.exclude("sitemap", _OUTSIDE_HOSTS, is_new=self._run.frontier.exclude(visit))
                continue
            if marks is not None:
                marks.keep(has_row=visit is not None and self._job.redactor.url(visit.url) == visit.url)
            if visit is None or url_hash(visit.url) in self._run.frontier.known or visit.url in self._unread:
                continue
            reason = self._why_unread(visit)
            if reason is None:
                self._unread.add(visit.url)
                self._found += 1
                visits.append(visit)
            elif self._run.frontier.exclude(visit):
                excluded.append((visit, reason))
        return visits, excluded

    def _visit(self, url: str, found_on: str, depth: int, found_by: str) -> FrontierUrl | None:
        """The visit of a sitemap; None if it is not a URL."""
        run = self._run
        try:
            spelt = normalise_url(url)
        except ValueError:
            logger.warning("%(source)s: not a valid sitemap URL: %(url)r", {"source": run.source_id, "url": url})
            return None
        return FrontierUrl(
            run.run_id, run.source_id, spelt, kind="sitemap", found_on=found_on, found_by=found_by, depth=depth
        )

    def _why_unread(self, sitemap: FrontierUrl) -> Reason | None:
        if not self._run.scope.host_in(sitemap.url):
            return _OUTSIDE_HOSTS
        if sitemap.depth >= sitemap_reader.MAX_LEVELS:
            return Reason(ReasonCode.SITEMAP_TOO_DEEP, limit=sitemap_reader.MAX_LEVELS)
        if self._found >= sitemap_reader.MAX_SITEMAPS:
            return Reason(ReasonCode.SITEMAP_CAP, limit=sitemap_reader.MAX_SITEMAPS)
        return None

    async def read(self, item: PageItem) -> sitemap_reader.Sitemap:
        """What a sitemap that came to its end names; one that cannot be read fails, and names nothing."""
        self._unread.discard(item.visit.url)
        return await read_url_list(self._job, self._run, item)


async def read_url_list(job: Job, run: Run, item: PageItem) -> sitemap_reader.Sitemap:
    """What *item*, a sitemap or feed, names; one that cannot be read fails, and names nothing."""
    if item.state != "captured" or item.fetched is None:
        return sitemap_reader.Sitemap()
    # Wait while what other lists named is still to be recorded: a hundred bytes each, of 50,000 a list.
    until = monotonic() + _LONGEST_WAIT_S
    while run.frontier.unrecorded > _MAX_UNRECORDED and monotonic() < until and not job.stop.has_begun:
        await asyncio.sleep(_POLL_S)
    body = item.fetched.body
    try:
        found = await job.workers.run(
            sitemap_reader.sitemap_weight(body), sitemap_reader.read_sitemap, body, item.visit.url
        )
    except (ValueError, OSError, ConversionError) as error:
        item.state, item.reason = "failed", Reason(ReasonCode.BAD_SITEMAP, error=str(error))
        return sitemap_reader.Sitemap()
    if item.visit.kind == "page":  # a feed or sitemap at a page's address is not a document
        item.state, item.reason = "excluded", Reason(ReasonCode.URL_LIST, pages=len(found.pages))
        run.frontier.note_list(item.visit)
    if len(found.pages) >= sitemap_reader.MAX_URLS:
        item.reason = Reason(ReasonCode.SITEMAP_TOO_LONG, limit=sitemap_reader.MAX_URLS)
    elif found.is_torn:
        item.reason = Reason(ReasonCode.SITEMAP_TORN)
    return found


async def load_held_bytes(job: Job, item: PageItem) -> bytes:
    """The bytes of the page of *item* as it was last read; none where none are kept."""
    held = await job.page_states.of(item.visit)
    if held is None or held.held is None:
        return b""
    return await job.storage.load_object(held.held.raw_object) or b""


async def recall_list(job: Job, item: PageItem) -> None:
    """A start URL that is not modified, and was a list when it was staged as a page: it is one still."""
    is_same = item.visit.found_by == "start" and item.state == "unchanged" and item.fetched is not None
    if is_same and sitemap_reader.is_url_list(body := await load_held_bytes(job, item)):
        assert item.fetched is not None
        item.state, item.reason, item.fetched = "captured", CAPTURED, replace(item.fetched, body=body)


def is_list_item(item: PageItem) -> bool:
    """Whether *item* brings a sitemap or feed, asked for as such or at a page's place."""
    if item.visit.kind == "sitemap":
        return True
    return item.is_captured_page and item.fetched is not None and sitemap_reader.is_url_list(item.fetched.body)


# A site's addresses as a managed provider knows them: for sources that ask for it (`provider_map`), once a run. It
# costs credits, and finds what no sitemap names and no link leads to. The provider only names addresses. Where none
# can be had, the site is walked without it, and the run says that it lacks one.


def _map_missing(why: str) -> Reason:
    return Reason(ReasonCode.PAGES_UNKNOWN, error=f"no site map from a provider: {why}")


class ProviderMap:
    """The one question of a run, asked when its start page has come to an end."""

    def __init__(self, crawler: Crawler, job: Job, run: Run) -> None:
        self._crawler = crawler
        self._job = job
        self._run = run

    async def urls(self, item: PageItem) -> tuple[str, ...]:
        """What is named, for the start page *item*, whose attempts tell of it and of its cost. Raises JobStopped."""
        source = self._run.source
        if not (source.scrape_config.provider_map and self._may_map(item)):
            return ()
        fence = self._job.manifests.catalog.rules(host_of(source.url)).tiers
        provider = next(mapping_tiers(build_tiers(self._crawler), fence), None)
        if provider is None:
            self._run.limits.mark_incomplete(_map_missing("no configured provider makes site maps for this host"))
            logger.warning(
                "%(source)s: no available provider makes site maps; continuing without one",
                {"source": source.id},
            )
            return ()
        mapping = provider.map(
            f"{origin_of(normalise_url(source.url))}/",
            sitemap_reader.MAX_URLS,
            visit=item.visit,
            subdomains=bool(source.allowed_hosts),
        )
        mapped = await self._job.stop.unless_stopped(mapping)
        facts = {"source": source.id, "name": mapped.provider, "error": mapped.failure, "urls": len(mapped.urls)}
        if mapped.failure:
            self._run.limits.mark_incomplete(_map_missing(f"{mapped.provider}: {mapped.failure}"))
            logger.warning("%(source)s: no site map from %(name)s: %(error)s", facts)
        else:
            logger.info("%(source)s: site map from %(name)s: %(urls)d URLs", facts)
        ended = (
            Reason(ReasonCode.MAP_FAILED, error=mapped.failure)
            if mapped.failure
            else Reason(ReasonCode.MAPPED, pages=len(mapped.urls))
        )
        made = Attempt(mapped.provider, self._job.now(), None, None, ended, mapped.ms, mapped.credits)
        item.attempts = (*item.attempts[:-1], made, *item.attempts[-1:])  # the last one is how the page itself ended
        return mapped.urls

    async def recall(self) -> None:
        """What an earlier job of the run learnt: whether there was a map, by the audit of its start page."""
        if not self._run.source.scrape_config.provider_map:
            return
        row = await self._job.storage.read(self._audited)
        for attempt in (row or {}).get("attempts") or ():
            if attempt.get("reason_code") == ReasonCode.MAP_FAILED:
                error = attempt["reason_detail"]["error"]
                self._run.limits.mark_incomplete(_map_missing(f"{attempt['tier']}: {error}"))

    def _audited(self, conn: Connection) -> dict[str, Any] | None:
        run = self._run
        rows = audit_log.query_rows(
            conn, source_id=run.source_id, url=normalise_url(run.source.url), since=run.started_at, limit=1
        )
        return next((row for row in rows if row["run_id"] == run.run_id), None)

    def _may_map(self, item: PageItem) -> bool:
        """Not of a site that keeps us from its start page, or shows programs a wall in place of its robots.txt."""
        robots = self._job.robots.get(origin_of(item.visit.url))
        return robots is not None and not robots.is_wall and robots.allows(item.visit.url)
