"""Conditional requests (ETag, Last-Modified): for pages that the ledger holds, for sitemaps and robots.txt files."""

from functools import partial

from scrapy import Request

from rori_spiders.crawl.job.job import Job, JobComponent
from rori_spiders.crawl.page_request import page_request, update_request
from rori_spiders.crawl.tiers.order import HTTP
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages.page_history import CONFIRMED_FOR
from rori_spiders.runtime.redaction import MASK


class RevalidationMiddleware(JobComponent):
    """Adds the validators that the same tier gave with the text that we hold; other tiers' bodies never match."""

    async def process_request(self, request: Request) -> None:
        page = page_request(request)
        visit = page.visit
        if visit is None or visit.kind != "page" or not visit.run_id or request.meta.get("redirect_times"):
            return
        if page.tier != HTTP or page.is_unconditional:
            return
        update_request(request, is_unconditional=True)
        known = await self._job.page_states.of(visit)
        if known is None or known.held is None or known.held.tier != HTTP:
            return  # a 304 would confirm a text that we do not hold any more
        validators = known.validators.get(HTTP)
        if validators is None or self._job.now() - validators.seen_at > CONFIRMED_FOR:
            return
        if validators.etag:
            request.headers["If-None-Match"] = validators.etag
        if validators.last_modified:
            request.headers["If-Modified-Since"] = validators.last_modified


async def request_if_changed(job: Job, request: Request, kind: str) -> bytes | None:
    """Make *request* conditional; gives the bytes that a 304 confirms: those read last, whichever source read them.

    *kind*: of its audit rows, `sitemap` or `robots`. None, and an unconditional request, where no validators are
    known, and where the bytes are no longer there or came too long ago.
    """
    read_since = job.now() - CONFIRMED_FOR
    last = await job.storage.read(partial(audit_log.newest_file, url=request.url, kind=kind, read_since=read_since))
    if last is None or all(MASK in value for value in last.validators.values()):
        return None
    body = await job.storage.load_object(last.raw_hash)
    if body is not None:
        for name, value in last.validators.items():
            if MASK not in value:
                request.headers[name] = value
    return body
