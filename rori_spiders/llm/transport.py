"""HTTP to a model's server: no proxy, no redirects, nothing of the environment, bounded time and size of answers.

In: a request and a key. Out: a ``Reply``, whatever its status; raises ExtractionError where there is none. httpx2, of
the extra ``llm``, is imported with the first request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from rori_spiders.exceptions import ExtractionError, PackageMissing

if TYPE_CHECKING:
    import ssl

    import httpx2

AGENT = "RORI-Collector/1.0 (+https://rori.dev/collector; research-purposes)"
#: Far above any real answer, which has a few thousand tokens.
MAX_BYTES = 4 * 2**20


class Reply(NamedTuple):
    """A complete answer of the server."""

    status: int
    reason_phrase: str
    headers: Mapping[str, str]
    content: bytes


class ServerConnection:
    """Connections to the server at *url*, kept open until ``close``. Raises PackageMissing where httpx2 is missing."""

    def __init__(self, url: str) -> None:
        if find_spec("httpx2") is None:
            raise PackageMissing("Language models need httpx2: pip install 'rori-collector[llm]'")
        self._url = url
        self._opened: httpx2.AsyncClient | None = None

    async def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.aclose()

    async def send(
        self, method: str, path: str, key: str, *, timeout_s: float, max_bytes: int = MAX_BYTES, **content: Any
    ) -> Reply:
        """Send a request with *key*; *content* as httpx2 takes it (``json``, ``files``, ...).

        Raises ExtractionError: ``llm_timeout``, ``llm_unreachable``, ``llm_bad_answer`` for too large an answer.
        """
        import httpx2

        client = self._client  # opened here, so that opening it does not count towards the timeout
        headers = {"Authorization": f"Bearer {key}", "User-Agent": AGENT}
        body = bytearray()
        try:
            async with (
                asyncio.timeout(timeout_s),
                client.stream(method, f"{self._url}/{path}", headers=headers, timeout=timeout_s, **content) as reply,
            ):
                async for part in reply.aiter_bytes():
                    body += part
                    if len(body) > max_bytes:
                        says = f"the answer has more than {max_bytes} bytes"
                        raise ExtractionError(says, reason="llm_bad_answer", charged=True)
        except (TimeoutError, httpx2.TimeoutException):
            says = f"the model did not answer within {timeout_s:g} s"
            raise ExtractionError(says, reason="llm_timeout", passing=True, charged=True) from None
        except httpx2.HTTPError as error:
            # Only the error's class is reported: its text may contain the question and the key.
            is_unsent = isinstance(error, httpx2.ConnectError | httpx2.UnsupportedProtocol | httpx2.ProxyError)
            what = "cannot be reached" if is_unsent else "broke off before its answer was whole"
            says = f"the model's server {what} ({type(error).__name__})"
            raise ExtractionError(says, reason="llm_unreachable", passing=True, charged=not is_unsent) from None
        return Reply(reply.status_code, reply.reason_phrase, reply.headers, bytes(body))

    @property
    def _client(self) -> httpx2.AsyncClient:
        if self._opened is None:
            import httpx2

            secure = self._url.lower().startswith("https:")
            self._opened = httpx2.AsyncClient(
                verify=_trusted_authorities() if secure else False, follow_redirects=False, trust_env=False
            )
        return self._opened


@cache
def _trusted_authorities() -> ssl.SSLContext:
    """The context of all clients: reading the authorities takes a fiftieth of a second."""
    import httpx2

    return httpx2.create_ssl_context()
