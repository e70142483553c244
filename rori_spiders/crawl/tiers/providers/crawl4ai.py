"""crawl4ai, as a server of one's own (docs.crawl4ai.com, "Self-hosting"): pages rendered there. It costs nothing."""

from typing import Any

from scrapy import Request

from rori_spiders.crawl.tiers.base import HealthStatus
from rori_spiders.crawl.tiers.errors import ProviderFailed, TransientProviderFailure
from rori_spiders.crawl.tiers.providers.response import ProviderPage, is_same_page
from rori_spiders.crawl.tiers.providers.tier import ProviderTier
from rori_spiders.runtime.api_keys import ApiKey

_MARGIN_S = 5.0


class Crawl4aiTier(ProviderTier):
    """A key is sent when there is one: the server asks for it, or not, as its operator set it up."""

    name = "crawl4ai"
    about = "pages rendered by your own crawl4ai server"
    version = "crawl4ai-server"
    needs_key = False

    async def _ask(self, request: Request, key: ApiKey, *, rendered: bool) -> ProviderPage:
        answer = await self._endpoint.ask(
            "POST", f"{self._url}/crawl", headers=_auth_headers(key), json=self._query(request.url)
        )
        fields = answer.value if isinstance(answer.value, dict) else {}
        if answer.status == 500 and "correlation_id" in fields:  # so it says that every URL failed
            raise TransientProviderFailure("provider_gave_up", "crawl4ai could not fetch the page")
        if answer.status != 200:
            says = str(fields.get("detail") or fields.get("error") or "no reason")
            raise self._refusal(answer.status, says, answer.headers, key)
        results = answer.fields.get("results")
        if not isinstance(results, list) or len(results) != 1 or not isinstance(results[0], dict):
            raise ProviderFailed("provider_bad_answer", "undocumented response: expected one entry in results")
        return _parse_page(results[0], request.url)

    def _query(self, url: str) -> dict[str, Any]:
        params = {"cache_mode": "bypass", "page_timeout": round(max(1.0, self._seconds - _MARGIN_S) * 1000)}
        return {
            "urls": [url],
            "browser_config": {"type": "BrowserConfig", "params": {"headless": True, "user_agent": self._agent}},
            "crawler_config": {"type": "CrawlerRunConfig", "params": params},
        }

    async def _health(self, key: ApiKey) -> HealthStatus:
        answer = await self._endpoint.ask("GET", f"{self._url}/health", headers=_auth_headers(key))
        fields = answer.value if isinstance(answer.value, dict) else {}
        is_well = answer.status == 200 and fields.get("status") == "ok"
        return HealthStatus(ok=is_well, says=f"crawl4ai {str(fields.get('version', ''))[:20]}: HTTP {answer.status}")


def _parse_page(result: dict[str, Any], url: str) -> ProviderPage:
    """The page of one result. Raises ProviderFailed for another page, for none, and for rubbish."""
    if not is_same_page(result.get("url"), url):
        raise ProviderFailed("provider_wrong_page", f"the response is for {str(result.get('url'))[:200]}")
    status, html, end = result.get("status_code"), result.get("html"), result.get("redirected_url")
    if result.get("success") is not True and not (isinstance(status, int) and status >= 400):
        raise TransientProviderFailure(
            "provider_gave_up", f"crawl4ai: {str(result.get('error_message', 'no reason'))[:200]}"
        )
    if type(status) is not int or not isinstance(html, str):
        raise ProviderFailed("provider_bad_answer", "undocumented response: expected status_code and html")
    response_headers = result.get("response_headers")
    headers = (
        [(str(name), str(value)) for name, value in response_headers.items()]
        if isinstance(response_headers, dict)
        else []
    )
    body = html.encode("utf-8", "replace")
    return ProviderPage(
        status, body, end if isinstance(end, str) and end else None, headers, rendered=True, credits=1.0
    )


def _auth_headers(key: ApiKey) -> dict[str, str]:
    return {"Authorization": f"Bearer {key.secret}"} if key.secret else {}
