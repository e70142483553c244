"""Firecrawl, API v2 (docs.firecrawl.dev): its HTML, so that the markdown is ours like every other page's.

Its map (`/v2/map`) names addresses of a site, by the site's sitemaps and by what Firecrawl has seen of it before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.crawl.tiers.base import HealthStatus
from rori_spiders.crawl.tiers.errors import ProviderFailed, TransientProviderFailure
from rori_spiders.crawl.tiers.providers.response import ProviderPage, is_same_page, parse_credits
from rori_spiders.crawl.tiers.providers.tier import MappingTier

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from rori_spiders.crawl.tiers.providers.http_client import ProviderAnswer
    from rori_spiders.runtime.api_keys import ApiKey

#: How long its browser lets scripts write, where they are needed.
_WAIT_MS = 2000
_MARGIN_S = 5.0


class FirecrawlTier(MappingTier):
    """Never its cache, and its basic proxy only: one credit a page."""

    name = "firecrawl"
    about = "pages behind bot protection, by Firecrawl (paid, or your own server)"
    version = "firecrawl-v2"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._url = self._url.removesuffix("/v2")

    async def _ask(self, request: Request, key: ApiKey, *, rendered: bool) -> ProviderPage:
        answer = await self._endpoint.ask(
            "POST",
            f"{self._url}/v2/scrape",
            headers=_auth_headers(key),
            json=self._query(request.url, rendered=rendered),
        )
        if answer.status != 200:
            raise self._of_status(answer, key)
        fields = answer.fields
        if fields.get("success") is not True:
            raise ProviderFailed("provider_gave_up", f"firecrawl: {str(fields.get('error', 'no reason'))[:200]}")
        return _parse_page(fields.get("data"), request.url)

    async def _ask_map(self, url: str, limit: int, key: ApiKey, *, subdomains: bool) -> tuple[str, ...]:
        query = {
            "url": url,
            "limit": limit,
            "sitemap": "include",
            "includeSubdomains": subdomains,
            "ignoreQueryParameters": False,  # pages of some publishers differ by nothing else
            "ignoreCache": True,  # it may be a week old
            "timeout": self._milliseconds,
        }
        answer = await self._endpoint.ask("POST", f"{self._url}/v2/map", headers=_auth_headers(key), json=query)
        if answer.status != 200:
            raise self._of_status(answer, key)
        links = answer.fields.get("links")
        if answer.fields.get("success") is not True or not isinstance(links, list):
            raise ProviderFailed(
                "provider_bad_answer", "undocumented response: expected success and links", charged=True
            )
        named = (one.get("url") if isinstance(one, dict) else one for one in links)
        return tuple(dict.fromkeys(one for one in named if isinstance(one, str)))

    @property
    def _milliseconds(self) -> int:
        return round(max(1.0, self._seconds - _MARGIN_S) * 1000)

    def _query(self, url: str, *, rendered: bool) -> dict[str, Any]:
        return {
            "url": url,
            "formats": ["rawHtml", "markdown"],
            "onlyMainContent": False,
            "maxAge": 0,
            "storeInCache": False,
            "proxy": "basic",  # the others cost five credits, and are disguises
            "parsers": [],  # a PDF is one credit a page, and its text not as published
            "skipTlsVerification": False,
            "timeout": self._milliseconds,
            "headers": {"User-Agent": self._agent},
            **({"waitFor": _WAIT_MS} if rendered else {}),
        }

    def _of_status(self, answer: ProviderAnswer, key: ApiKey) -> ProviderFailed:
        fields = answer.value if isinstance(answer.value, dict) else {}
        says, code = str(fields.get("error", "no reason")), str(fields.get("code", ""))
        refusal = self._refusal(answer.status, says, answer.headers, key)
        if answer.status == 403 and "supported" in says:  # it does not serve that site; the key is good
            return ProviderFailed("provider_gave_up", str(refusal))
        if answer.status == 408:
            return ProviderFailed("provider_gave_up", str(refusal))
        if answer.status == 500 and code.startswith("SCRAPE_"):
            return TransientProviderFailure("provider_gave_up", str(refusal))
        return refusal

    async def _health(self, key: ApiKey) -> HealthStatus:
        answer = await self._endpoint.ask("GET", f"{self._url}/v2/team/credit-usage", headers=_auth_headers(key))
        if answer.status != 200:
            raise self._of_status(answer, key)
        data = answer.fields.get("data")
        left = data.get("remainingCredits") if isinstance(data, dict) else None
        return HealthStatus(ok=left is None or left > 0, says=f"{left} credits are left ({key.handle})")


def _parse_page(data: Any, url: str) -> ProviderPage:
    """The page in the answer's `data`. Raises ProviderFailed for another page, and for rubbish."""
    about = data.get("metadata") if isinstance(data, dict) else None
    if not isinstance(about, dict) or type(about.get("statusCode")) is not int:
        raise ProviderFailed(
            "provider_bad_answer", "undocumented response: expected data.metadata.statusCode", charged=True
        )
    if not is_same_page(about.get("sourceURL", url), url):
        raise ProviderFailed(
            "provider_wrong_page", f"the response is for {str(about['sourceURL'])[:200]}", charged=True
        )
    html = data.get("rawHtml") or data.get("html") or ""
    if not isinstance(html, str) or (not html.strip() and data.get("markdown")):
        raise ProviderFailed("provider_bad_answer", "markdown without its HTML", charged=True)
    kind, end = about.get("contentType"), about.get("url")
    return ProviderPage(
        about["statusCode"],
        html.encode("utf-8", "replace"),
        end if isinstance(end, str) else None,
        [("Content-Type", kind)] if isinstance(kind, str) else [],
        rendered=True,
        credits=parse_credits(about.get("creditsUsed")),
    )


def _auth_headers(key: ApiKey) -> dict[str, str]:
    return {"Authorization": f"Bearer {key.secret}"}
