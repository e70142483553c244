"""Do we hold the right to ask this group of hosts? One lease a group, over all processes and nodes."""

from scrapy import Request
from scrapy.http import Response

from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.crawl.page_request import visit_of
from rori_spiders.crawl.tiers.refusals import NotOurs
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of


class LeaseMiddleware(JobComponent):
    """Checks the lease's deadline before each request; takes the lease of a group that a redirect led to."""

    async def process_request(self, request: Request) -> None:
        group = self._job.manifests.group(host_of(request.url))
        if self._job.leasing.valid(group):
            return
        if not self._job.storage.is_open:
            await self._job.open()  # `scrapy shell` opens no run
        if (why_not := await self._job.leasing.hold(group)) is not None:
            raise NotOurs(Reason(ReasonCode.NOT_OURS, error=why_not))

    async def process_response(self, request: Request, response: Response) -> Response:
        await self._give_back(request)
        return response

    async def process_exception(self, request: Request, exception: Exception) -> None:
        await self._give_back(request)

    async def _give_back(self, request: Request) -> None:
        """Outside of a run nobody else would: `scrapy shell` ends without a word, and its lease would go on."""
        visit = visit_of(request)
        if not self._job.runs and visit is None:
            await self._job.leasing.release(self._job.leasing.groups)
