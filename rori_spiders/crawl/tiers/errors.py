"""The errors that tiers raise: Twisted's and Scrapy's, translated to be retried and reported; those of providers."""

from collections.abc import Iterator

from OpenSSL import SSL
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from service_identity import VerificationError
from twisted.internet import error as lost
from twisted.web.client import ResponseNeverReceived

from rori_spiders.crawl.scrapy_internals.http_client import DataLoss, MalformedChunkedDataError, WrapperException


class TooLarge(DownloadCancelledError):
    """Raised for a body, unpacked or not, or a head above its cap. Never retried: it will not be smaller soon."""


class BadResponse(DownloadFailedError):
    """Raised for bytes that are not an HTTP/1 answer to our request: they prove nothing. Retried."""


class NoApi(BadResponse):
    """Raised when no wiki's api.php answers, or nobody knows of one. Never retried: it says nothing of the page."""


class UnknownEncoding(DownloadCancelledError):
    """Raised for a Content-Encoding that we did not ask for and cannot undo. Never retried."""


class DamagedEncoding(ResponseDataLossError):
    """Raised for a body that is not in its Content-Encoding, or breaks it. Retried: it may have been hurt underway."""


class TlsFailed(DownloadFailedError):
    """Raised when no trusted TLS connection came about: a certificate that is expired, self-signed, of another host."""


class BrowserFailed(DownloadCancelledError):
    """Raised when the browser could not bring the page, for a reason that has no name of its own. Never retried."""


class BrowserCrashed(BrowserFailed):
    """Raised when the page, or the browser under it, died: of itself, or because it took too much memory."""


class RenderTimeout(DownloadTimeoutError):
    """Raised when a page's document came and did not get ready in time. Never retried: its server did answer."""


_OURS = (TooLarge, BadResponse, UnknownEncoding, DamagedEncoding, TlsFailed)


def translate_error(error: Exception, max_bytes: int) -> Exception:
    """The error to raise instead of *error*. ``max_bytes``: what the body was allowed."""
    if isinstance(error, DownloadCancelledError) and not isinstance(error, _OURS):
        return TooLarge(f"more than {max_bytes} bytes")
    if isinstance(error, lost.TimeoutError):
        return DownloadTimeoutError(str(error))
    if isinstance(error, lost.ConnectError):
        return DownloadFailedError(str(error))
    wrapper = error if isinstance(error, WrapperException) else error.__cause__
    if not isinstance(wrapper, WrapperException):
        return error
    cause = next((one for one in _flatten_reasons(wrapper) if not isinstance(one, DataLoss)), None)
    if isinstance(error, ResponseDataLossError):
        return cause if isinstance(cause, _OURS) else ResponseDataLossError(_data_loss_message(cause))
    is_mute = isinstance(wrapper, ResponseNeverReceived)
    if isinstance(cause, _OURS):
        return cause
    if isinstance(cause, (SSL.Error, VerificationError)):
        return TlsFailed(_tls_message(cause))
    if cause is None or isinstance(cause, lost.ConnectionClosed):
        ended = "without a response" if is_mute else "in the middle of the response headers"
        return DownloadFailedError(f"the connection closed {ended}")
    return BadResponse(f"not a valid HTTP response ({type(cause).__name__}: {str(cause)[:200]})")


def is_unreachable(error: Exception) -> bool:
    """Whether a tier's *error* says that no server was reached: no name, no connection, no answer in time."""
    if isinstance(error, DownloadTimeoutError):
        return not isinstance(error, RenderTimeout)
    is_unconnected = isinstance(error, (CannotResolveHostError, DownloadConnectionRefusedError))
    return is_unconnected or isinstance(error.__cause__, lost.ConnectError)


def _flatten_reasons(wrapper: WrapperException) -> Iterator[BaseException]:
    for failure in wrapper.reasons:
        if isinstance(failure.value, WrapperException):
            yield from _flatten_reasons(failure.value)
        else:
            yield failure.value


def _data_loss_message(cause: BaseException | None) -> str:
    if isinstance(cause, MalformedChunkedDataError):
        return f"invalid chunked encoding: {cause}"
    return "the connection closed before the body was complete"


def _tls_message(cause: BaseException) -> str:
    if isinstance(cause, VerificationError):
        return "the certificate is for another host"
    reasons = [str(line[-1]) for line in (cause.args[0] if cause.args and isinstance(cause.args[0], list) else ())]
    return "; ".join(reasons) or "the server aborted the handshake"


# How a provider fails: by its own fault, for want of a key or of money, or because it could not get the page.
#
# * ProviderFailed               final: the next tier, or the end
#   + KeyRefused                 its site was not asked: another key may
#   + TransientProviderFailure   its site may have been asked: once more, in the page's turn

#: Reason codes, explained in docs/reference/logs.md.
PROVIDER_REASONS = (
    "provider_unreachable",
    "provider_timeout",
    "provider_refused",
    "provider_out_of_credits",
    "provider_rate_limited",
    "provider_error",
    "provider_bad_answer",
    "provider_wrong_page",
    "provider_gave_up",
    "provider_no_document",
    "cost_limit",
    "paid_calls_full",
)


class ProviderFailed(DownloadCancelledError):
    """Raised when a provider brought no answer for a page. Goes to the next tier; never retried, never a page.

    *word* is one of WORDS. *charged*: the call may have been paid for, and counts as what was reserved for it.
    """

    def __init__(self, word: str, says: str, *, charged: bool = False) -> None:
        assert word in PROVIDER_REASONS, word
        super().__init__(says)
        self.word = word
        self.charged = charged


class KeyRefused(ProviderFailed):
    """Raised when a key may not be used for *rest_s* seconds: unknown, out of credits, too often used."""

    def __init__(self, word: str, says: str, rest_s: float) -> None:
        super().__init__(word, says)
        self.rest_s = rest_s


class TransientProviderFailure(ProviderFailed):
    """Raised for what a second call may better. The site may have been asked: that call waits for its turn."""
