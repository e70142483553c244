"""HTTP transport of the model client: no proxy, no redirects, bounded size of answers.

Imported with the first question, because its packages take two seconds to import.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from typing import TYPE_CHECKING

import httpx2
import openai

if TYPE_CHECKING:
    import ssl

#: Far above any real answer, which has a few thousand tokens.
MAX_BYTES = 4 * 2**20


class ResponseTooLarge(Exception):
    """Raised while reading an answer of more than MAX_BYTES."""


#: Errors while reading an answer that the openai package does not wrap in its own.
TransportError = httpx2.HTTPError


class _CappedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > MAX_BYTES:
                raise ResponseTooLarge(f"the answer has more than {MAX_BYTES} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


class _CappedTransport(httpx2.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _CappedStream(response.stream)
        return response


@cache
def _trusted_authorities() -> ssl.SSLContext:
    """The context of all clients: reading the authorities takes a fiftieth of a second."""
    return httpx2.create_ssl_context()


def open_client(url: str, timeout_s: float, agent: str) -> openai.AsyncOpenAI:
    """Open a client of the server at *url*. It sends nothing from the environment; each call passes its key."""
    client = openai.AsyncOpenAI(
        base_url=url,
        api_key="none",
        max_retries=0,
        timeout=timeout_s,
        default_headers={"User-Agent": agent},
        http_client=httpx2.AsyncClient(
            transport=_CappedTransport(verify=_trusted_authorities()),
            follow_redirects=False,
            trust_env=False,
            timeout=timeout_s,
        ),
    )
    client.organization = client.project = client.admin_api_key = None
    return client
