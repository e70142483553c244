"""HTTP client for a provider's own server: JSON, time and size limits, no redirects.

Not through Scrapy's downloader: slot, robots and scope are the page's. Its address is the operator's own setting.
Imported by the first question: aiohttp takes a quarter of a second, which most commands need not wait for.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import aiohttp

from rori_spiders.crawl.tiers.errors import ProviderFailed, TooLarge, TransientProviderFailure

_IN_PLACE_BYTES = 64 * 1024
_CHUNK = 64 * 1024
#: One API at a time asks for no more than our own limit of requests at once.
_CONNECTIONS = 10


class ProviderAnswer(NamedTuple):
    """The answer of a provider's server: any JSON, or other text (then ``value`` is None)."""

    status: int
    headers: Mapping[str, str]
    value: Any

    @property
    def fields(self) -> dict[str, Any]:
        """Its JSON object. Raises ProviderFailed for what is none: an HTML page, a list, half of it."""
        if not isinstance(self.value, dict):
            kind = self.headers.get("Content-Type", "no type")[:60]
            raise ProviderFailed(
                "provider_bad_answer", f"the response is not a JSON object ({kind})", charged=self.status == 200
            )
        return self.value


class ProviderClient:
    """Connections to one provider; its session is opened by the first question."""

    def __init__(self, max_bytes: int, agent: str) -> None:
        self._max_bytes = max_bytes
        self._agent = agent
        self._session: aiohttp.ClientSession | None = None

    @property
    def session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=_CONNECTIONS, force_close=True),
                timeout=aiohttp.ClientTimeout(total=None),  # the tier has one clock for waits and calls together
                headers={"User-Agent": self._agent},
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                middlewares=(_refuse_redirect,),
                response_class=_capped_response_class(self._max_bytes),
            )
            self._session._retry_connection = False  # noqa: SLF001  (it would repeat a paid call behind our back)
        return self._session

    async def ask(self, method: str, url: str, **options: Any) -> ProviderAnswer:
        """The answer of the provider's server, whatever its status. *options*: headers, json, params, as aiohttp's.

        Raises ProviderFailed when there is none, and TooLarge.
        """
        with ConnectionErrorTranslator():
            async with self.session.request(method, url, **options) as response:
                body = await response.read()
                return ProviderAnswer(response.status, response.headers, await _parse_json(body))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


class ConnectionErrorTranslator:
    """Within: errors of the connection become ProviderFailed."""

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # Only kinds of errors are logged, never their text: it holds the question, and the key in it.
        what = type(error).__name__
        if isinstance(error, aiohttp.ClientConnectorError):
            raise TransientProviderFailure(
                "provider_unreachable", f"the provider's server cannot be reached ({what})"
            ) from None
        if isinstance(error, (aiohttp.ClientPayloadError, aiohttp.ClientOSError, aiohttp.ServerDisconnectedError)):
            raise TransientProviderFailure(
                "provider_unreachable", f"the connection broke ({what})", charged=True
            ) from None
        if isinstance(error, aiohttp.ClientError):
            raise ProviderFailed("provider_bad_answer", f"not a valid HTTP response ({what})") from None


async def _refuse_redirect(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    response = await send(request)
    if 300 <= response.status < 400:
        response.close()
        raise ProviderFailed(
            "provider_bad_answer", f"the provider's server redirected (HTTP {response.status}); not followed"
        )
    return response


async def _parse_json(body: bytes) -> Any:
    try:
        return json.loads(body) if len(body) <= _IN_PLACE_BYTES else await asyncio.to_thread(json.loads, body)
    except (ValueError, RecursionError):
        return None


def _capped_response_class(max_bytes: int) -> type[aiohttp.ClientResponse]:
    """aiohttp's response, read no further than *max_bytes*, and parsed beside the event loop when it is large."""

    class Capped(aiohttp.ClientResponse):
        async def read(self) -> bytes:
            if self._body is None:
                parts, size = [], 0
                async for part in self.content.iter_chunked(_CHUNK):
                    size += len(part)
                    if size > max_bytes:
                        self.close()
                        raise TooLarge(f"the provider's response has more than {max_bytes} bytes")
                    parts.append(part)
                self._body = b"".join(parts)
            return self._body

        async def json(self, **_: Any) -> Any:
            value = await _parse_json(await self.read())
            if value is None:
                kind = self.headers.get("Content-Type", "no type")[:60]
                raise ProviderFailed("provider_bad_answer", f"the response is not JSON ({kind})", charged=True)
            return value

    return Capped
