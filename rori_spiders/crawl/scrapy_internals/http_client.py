"""Scrapy's and Twisted's HTTP/1.1 client: the classes that the ``http`` tier extends, the errors that it translates.

Scrapy has settings for neither the parser, the protocol nor the agent of its download handler, and Twisted's client
exports neither its transfer decoders nor what its errors have in common.
"""

import rori_spiders.crawl.scrapy_internals.tls_import  # noqa: F401  # before all others of scrapy.core.downloader

# isort: split
from scrapy.core.downloader.handlers.http11 import _BindAddressAgent as BindAddressAgent
from scrapy.core.downloader.handlers.http11 import _LenientHTTP11ClientFactory as LenientClientFactory
from scrapy.core.downloader.handlers.http11 import _LenientHTTP11ClientProtocol as LenientClientProtocol
from scrapy.core.downloader.handlers.http11 import _LenientHTTPClientParser as LenientClientParser
from scrapy.core.downloader.handlers.http11 import _ScrapyAgent as ScrapyAgent
from scrapy.utils._download_handlers import normalize_bind_address, wrap_twisted_exceptions
from twisted.python.failure import Failure
from twisted.web._newclient import Response
from twisted.web._newclient import _WrapperException as WrapperException
from twisted.web.http import _DataLoss as DataLoss
from twisted.web.http import _IdentityTransferDecoder as IdentityTransferDecoder
from twisted.web.http import _MalformedChunkedDataError as MalformedChunkedDataError

__all__ = [
    "BindAddressAgent",
    "DataLoss",
    "IdentityTransferDecoder",
    "LenientClientFactory",
    "LenientClientParser",
    "LenientClientProtocol",
    "MalformedChunkedDataError",
    "ScrapyAgent",
    "WrapperException",
    "end_body",
    "normalize_bind_address",
    "wrap_twisted_exceptions",
]


def end_body(response: Response, reason: Failure) -> None:
    """End the body of *response* with *reason*: only the parser's own reading of the wire does so otherwise."""
    response._bodyDataFinished(reason)  # type: ignore[no-untyped-call]
