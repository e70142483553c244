"""Zyte API (docs.zyte.com/zyte-api), through scrapy-zyte-api: its client for calls, its responses for answers.

Not through its download handler: that knows one key, prints the beginning of it, waits for 429 without end, and without
a key takes http and https away from everything else. Its client is asked once at a time here; retries are the tier's.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rori_spiders.crawl.tiers.base import HealthStatus
from rori_spiders.crawl.tiers.errors import KeyRefused, ProviderFailed, TransientProviderFailure
from rori_spiders.crawl.tiers.providers.response import ProviderPage
from rori_spiders.crawl.tiers.providers.tier import BUSY_S, ProviderTier

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from zyte_api import AsyncZyteAPI, RequestError

    from rori_spiders.runtime.api_keys import ApiKey


class ZyteTier(ProviderTier):
    """No session, no cookies. A plain page's redirects are not followed by Zyte: they come back, and are judged."""

    name = "zyte"
    about = "pages behind bot protection, by Zyte API (paid)"
    version = f"scrapy-zyte-api/{version('scrapy-zyte-api')}"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._clients: dict[str, AsyncZyteAPI] = {}
        if self._url and not urlsplit(self._url).path:
            self._url += "/v1"

    async def _ask(self, request: Request, key: ApiKey, *, rendered: bool) -> ProviderPage:
        from zyte_api import RequestError

        from rori_spiders.crawl.tiers.providers.http_client import ConnectionErrorTranslator

        query = self._query(request.url, rendered=rendered)
        with ConnectionErrorTranslator():
            try:
                answer = await self._client(key).get(query, session=self._endpoint.session, handle_retries=False)
            except RequestError as error:
                raise self._of_status(error, key) from None
        return _parse_page(answer, rendered=rendered)

    def _client(self, key: ApiKey) -> AsyncZyteAPI:
        if key.handle not in self._clients:
            from zyte_api import AsyncZyteAPI

            self._clients[key.handle] = AsyncZyteAPI(api_key=key.secret, api_url=f"{self._url}/")
        return self._clients[key.handle]

    def _query(self, url: str, *, rendered: bool) -> dict[str, Any]:
        if rendered:  # only a Referer may be set for its browser
            return {"url": url, "browserHtml": True}
        return {
            "url": url,
            "httpResponseBody": True,
            "httpResponseHeaders": True,
            "followRedirect": False,
            "customHttpRequestHeaders": [{"name": "User-Agent", "value": self._agent}],
        }

    def _of_status(self, error: RequestError, key: ApiKey) -> ProviderFailed:
        problem = error.parsed.data or {}
        says = f"{problem.get('type', '')} {problem.get('title', '')}".strip() or "no problem details"
        refusal = self._refusal(error.status, says, error.headers or {}, key)
        if error.status == 503:  # /limits/over-global-limit: asked too much by everybody
            return KeyRefused("provider_rate_limited", str(refusal), BUSY_S)
        if error.status == 520:
            return TransientProviderFailure("provider_gave_up", str(refusal))
        if error.status in {451, 521}:
            return ProviderFailed("provider_gave_up", str(refusal))
        return refusal

    async def _health(self, key: ApiKey) -> HealthStatus:
        """It has no free question: a GET, which it does not know, shows that it is there."""
        answer = await self._endpoint.ask("GET", f"{self._url}/extract")
        is_there = answer.status < 500
        return HealthStatus(
            ok=is_there, says=f"{self._url} is reachable (HTTP {answer.status}); the first page tests the keys"
        )


def _parse_page(answer: Any, *, rendered: bool) -> ProviderPage:
    """What the answer holds. Raises ProviderFailed for rubbish."""
    from scrapy_zyte_api.responses import ZyteAPIResponse, ZyteAPITextResponse

    kind = ZyteAPITextResponse if rendered else ZyteAPIResponse
    wanted = "browserHtml" if rendered else "httpResponseBody"
    try:
        if type(answer["statusCode"]) is int and isinstance(answer.get(wanted, ""), str):
            response = kind.from_api_response(answer)
            headers = [(str(one["name"]), str(one["value"])) for one in answer.get("httpResponseHeaders") or ()]
            return ProviderPage(response.status, response.body, response.url, headers, rendered=rendered)
    except (KeyError, TypeError, ValueError, AttributeError):
        pass
    raise ProviderFailed(
        "provider_bad_answer", f"undocumented response: expected url, statusCode and {wanted}", charged=True
    )
