"""Classify a response or an error by the rows of ``retries.TABLE``, for pages and robots.txt alike."""

from datetime import datetime

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Response

from rori_spiders.crawl.tiers.errors import NoApi, RenderTimeout, TlsFailed
from rori_spiders.crawl.tiers.refusals import AddressNotPublic
from rori_spiders.politeness import retries
from rori_spiders.politeness.retries import RetryRow

# The order matters: TlsFailed and NoApi are DownloadFailedErrors, RenderTimeout a DownloadTimeoutError.
# None: never retried.
_ROWS_BY_ERROR: tuple[tuple[type[Exception], RetryRow | None], ...] = (
    (AddressNotPublic, None),
    (CannotResolveHostError, None),
    (TlsFailed, None),
    (NoApi, None),
    (RenderTimeout, None),
    (DownloadTimeoutError, retries.RETRY_TABLE["timeout"]),
    (DownloadConnectionRefusedError, retries.RETRY_TABLE["dropped"]),
    (DownloadFailedError, retries.RETRY_TABLE["dropped"]),
    (ResponseDataLossError, retries.RETRY_TABLE["dropped"]),
)


def retry_row_for_error(error: Exception, otherwise: RetryRow | None = None) -> RetryRow | None:
    """How a request that brought no answer is retried; *otherwise*: where the table does not know the error."""
    return next((row for kind, row in _ROWS_BY_ERROR if isinstance(error, kind)), otherwise)


def parse_retry_after(response: Response, now: datetime) -> float | None:
    """Seconds that the ``Retry-After`` of *response* asks for; None for nothing."""
    header = response.headers.get(b"Retry-After")
    return retries.parse_retry_after(header.decode("latin-1") if header else None, now)
