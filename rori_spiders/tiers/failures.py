"""How an answer over HTTP fails: Twisted's and Scrapy's errors, sorted into those that we retry and report by name.

Each is one of Scrapy's own download errors, so that ``retries`` knows it; its text is for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from OpenSSL import SSL
from scrapy.exceptions import (
    DownloadCancelledError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from service_identity import VerificationError
from twisted.internet import error as lost
from twisted.web._newclient import _WrapperException
from twisted.web.client import ResponseNeverReceived
from twisted.web.http import _DataLoss, _MalformedChunkedDataError

if TYPE_CHECKING:
    from collections.abc import Iterator


class TooLarge(DownloadCancelledError):
    """Raised for a body, unpacked or not, or a head above its cap. Never retried: it will not be smaller soon."""


class BadResponse(DownloadFailedError):
    """Raised for what is no answer to our request in HTTP/1: it proves nothing. Retried like a lost connection."""


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


def sorted_out(error: Exception, max_bytes: int) -> Exception:
    """The error to raise instead of *error*. ``max_bytes``: what the body was allowed."""
    if isinstance(error, DownloadCancelledError) and not isinstance(error, _OURS):
        return TooLarge(f"more than {max_bytes} bytes")
    if isinstance(error, lost.TimeoutError):
        return DownloadTimeoutError(str(error))
    if isinstance(error, lost.ConnectError):
        return DownloadFailedError(str(error))
    wrapper = error if isinstance(error, _WrapperException) else error.__cause__
    if not isinstance(wrapper, _WrapperException):
        return error
    cause = next((one for one in _reasons(wrapper) if not isinstance(one, _DataLoss)), None)
    if isinstance(error, ResponseDataLossError):
        return cause if isinstance(cause, _OURS) else ResponseDataLossError(_of_loss(cause))
    return _of_failure(cause, is_mute=isinstance(wrapper, ResponseNeverReceived))


def _reasons(wrapper: _WrapperException) -> Iterator[BaseException]:
    for failure in wrapper.reasons:
        if isinstance(failure.value, _WrapperException):
            yield from _reasons(failure.value)
        else:
            yield failure.value


def _of_loss(cause: BaseException | None) -> str:
    if isinstance(cause, _MalformedChunkedDataError):
        return f"broken chunks: {cause}"
    return "the connection ended before the body did"


def _of_failure(cause: BaseException | None, *, is_mute: bool) -> Exception:
    if isinstance(cause, _OURS):
        return cause
    if isinstance(cause, (SSL.Error, VerificationError)):
        return TlsFailed(_of_tls(cause))
    if cause is None or isinstance(cause, lost.ConnectionClosed):
        ended = "without an answer" if is_mute else "in the middle of the answer's head"
        return DownloadFailedError(f"the connection ended {ended}")
    return BadResponse(f"no HTTP that we understand ({type(cause).__name__}: {str(cause)[:200]})")


def _of_tls(cause: BaseException) -> str:
    if isinstance(cause, VerificationError):
        return "its certificate is of another host"
    told = [str(line[-1]) for line in (cause.args[0] if cause.args and isinstance(cause.args[0], list) else ())]
    return "; ".join(told) or "the handshake was broken off"
