"""What is the response? The verdict decides; what is not content goes to the next tier of the URL's ladder."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.exceptions import DownloadTimeoutError

from rori_spiders.exceptions import ConversionError
from rori_spiders.items import Attempt
from rori_spiders.job import Job
from rori_spiders.tiers import HTTP, MEDIAWIKI
from rori_spiders.verdicts import Known, judge

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from rori_spiders.items import Visit
    from rori_spiders.verdicts import Verdict

logger = logging.getLogger(__name__)

#: Verdicts that another tier would not better: the page is not there, or the publisher said no.
FINAL = frozenset({"content", "not_found", "denied", "rate_limited"})
#: A wiki's API that refuses says nothing of its pages; one that asks for less does, since they are the same server's.
FINAL_OF_API = frozenset({"content", "not_found", "rate_limited"})
_OWN = (
    "retries",
    "download_latency",
    "download_slot",
    "redirect_times",
    "redirect_ttl",
    "redirect_urls",
    "redirect_reasons",
    "redirect_statuses",
    "raw_body",
    "verdict",
    "failure",
    "response_ms",
    "revalidated",
    "gated",
)


class TierMiddleware:
    """Judges pages; robots.txt and sitemaps are judged by their own readers."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TierMiddleware:
        return cls(crawler)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        visit: Visit | None = request.meta.get("visit")
        if (visit is not None and visit.kind != "page") or response.status == 304:
            return response
        try:
            verdict = await self._judge(request, response)
        except ConversionError as error:
            self._crawler.stats.inc_value(f"rori/conversion/{error.reason}")
            request.meta["failure"] = f"{error.reason}: {error}"  # the bytes go on, as evidence
            return response
        request.meta["verdict"] = verdict
        self._crawler.stats.inc_value(f"rori/verdicts/{verdict.kind}")
        final = FINAL_OF_API if request.meta.get("tier") == MEDIAWIKI else FINAL
        if verdict.kind in final or "failure" in request.meta:
            return response
        again = self._next_tier(request, response.status, verdict.kind, f"{verdict.kind}: HTTP {response.status}")
        return again or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """A timeout comes here once its retries are spent."""
        visit: Visit | None = request.meta.get("visit")
        if visit is None or visit.kind != "page" or not isinstance(exception, DownloadTimeoutError):
            return None
        return self._next_tier(request, None, None, f"timeout: {exception}")

    async def _judge(self, request: Request, response: Response) -> Verdict:
        headers = {
            name.decode("latin-1"): b", ".join(values).decode("latin-1") for name, values in response.headers.items()
        }
        return await self._job.in_pool(
            len(response.body),
            judge,
            status=response.status,
            url=response.url,
            headers=headers,
            body=response.body,
            known=self._known(request),
        )

    def _known(self, request: Request) -> Known | None:
        visit: Visit | None = request.meta.get("visit")
        run = self._job.runs.get(visit.run_id) if visit is not None and visit.found_by == "start" else None
        expect = run.source.scrape_config.expect if run is not None else None
        return Known(must_contain=tuple(expect.must_contain or ())) if expect is not None else None

    def _next_tier(self, request: Request, status: int | None, kind: str | None, reason: str) -> Request | None:
        """The same URL by the next rung: fresh retries, the original headers, the history kept."""
        tier: str = request.meta.get("tier", HTTP)
        rungs: tuple[str, ...] = request.meta.get("ladder", ())
        if tier not in rungs or tier == rungs[-1]:
            return None
        following = rungs[rungs.index(tier) + 1]
        logger.info(
            "%(url)s: %(tier)s gave %(reason)s, now %(next)s",
            {"url": request.url, "tier": tier, "reason": reason, "next": following},
        )
        self._crawler.stats.inc_value(f"rori/tiers/escalated/{tier}-{following}")
        visit: Visit = request.meta["visit"]
        attempt = Attempt(tier, self._job.now(), status, kind, reason, int(request.meta.get("response_ms", 0)))
        meta = {name: value for name, value in request.meta.items() if name not in _OWN}
        meta |= {"tier": following, "attempts": [*request.meta.get("attempts", []), attempt]}
        own = {name: request.headers[name] for name in meta.get("own_headers", ()) if name in request.headers}
        return request.replace(url=visit.url, headers=own, meta=meta, dont_filter=True)
