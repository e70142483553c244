"""Every discovered URL ends in one state, also when a walker breaks on its response."""

import logging
from collections.abc import AsyncIterator

from scrapy import Request
from scrapy.http import Response

from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.crawl.page_request import exchange, visit_of
from rori_spiders.exceptions import ConversionError, JobStopped
from rori_spiders.items import PageItem
from rori_spiders.reasons import Reason, ReasonCode

logger = logging.getLogger(__name__)


class FrontierMiddleware(JobComponent):
    """Turns an exception in a callback into the failure of its URL; the run goes on."""

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[PageItem | Request]
    ) -> AsyncIterator[PageItem | Request]:
        ended = False
        try:
            async for output in result:
                ended = ended or isinstance(output, PageItem)
                yield output
        except JobStopped:
            return  # its URL stays pending
        except Exception as error:
            assert response.request is not None
            visit = visit_of(response.request)
            is_known = isinstance(error, ConversionError)  # which says by itself what it is
            logger.exception(
                "Failed to read %(url)s; the page fails, the run continues",
                {"url": response.url},
                exc_info=not is_known,
            )
            self._crawler.stats.inc_value("rori/walker_errors")
            if visit is not None and not ended:
                # As far as it was read, so that its bytes are kept.
                item = exchange(response.request).item or PageItem(visit, "failed", at=self._job.now())
                code = error.reason if isinstance(error, ConversionError) else ReasonCode.WALKER_ERROR
                item.state, item.reason = "failed", Reason.of_error(error, code)
                yield item
