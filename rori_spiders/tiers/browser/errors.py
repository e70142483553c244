"""Playwright's errors, sorted into those that we report by name."""

from __future__ import annotations

import re

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

from rori_spiders.tiers.failures import BadResponse, BrowserCrashed, BrowserFailed, DamagedEncoding, TlsFailed

# https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h; the first that fits.
_NET: tuple[tuple[str, type[Exception]], ...] = (
    ("CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED", ResponseDataLossError),
    ("CONTENT_DECODING|ZSTD|BROTLI", DamagedEncoding),
    ("CERT_|SSL_|TLS", TlsFailed),
    ("NAME_NOT_RESOLVED|NAME_RESOLUTION", CannotResolveHostError),
    ("TIMED_OUT", DownloadTimeoutError),
    ("INVALID_HTTP_RESPONSE|RESPONSE_HEADERS|INVALID_CHUNKED|INVALID_RESPONSE", BadResponse),
    ("CONNECTION|EMPTY_RESPONSE|TUNNEL|PROXY|SOCKET|ADDRESS|NETWORK|HTTP2", DownloadFailedError),
)
_CODE = re.compile(r"net::ERR_(\w+)")


def of_net(message: str) -> Exception:
    """The error to raise for what Chromium says of a request."""
    found = _CODE.search(message)
    said = found[1] if found else message.partition("\n")[0]
    for codes, kind in _NET:
        if found and re.match(f".*({codes})", said):
            return kind(said.lower().replace("_", " "))
    if any(word in message for word in ("crash", "closed", "Connection closed", "disconnected")):
        return BrowserCrashed(said)
    return BrowserFailed(said)
