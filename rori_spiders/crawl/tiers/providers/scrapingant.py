"""ScrapingAnt, API v2 (docs.scrapingant.com): `/v2/extended`, which tells the site's status and headers as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.crawl.tiers.base import HealthStatus
from rori_spiders.crawl.tiers.errors import ProviderFailed, TransientProviderFailure
from rori_spiders.crawl.tiers.providers.response import ProviderPage, parse_credits
from rori_spiders.crawl.tiers.providers.tier import ProviderTier

if TYPE_CHECKING:
    from scrapy import Request

    from rori_spiders.crawl.tiers.providers.http_client import ProviderAnswer
    from rori_spiders.runtime.api_keys import ApiKey


class ScrapingAntTier(ProviderTier):
    """Its datacenter proxy only; its browser where a page's scripts are needed. It does not tell where a page ended."""

    name = "scrapingant"
    about = "pages behind bot protection, by ScrapingAnt (paid)"
    version = "scrapingant-v2"

    async def _ask(self, request: Request, key: ApiKey, *, rendered: bool) -> ProviderPage:
        answer = await self._endpoint.ask(
            "GET",
            f"{self._url}/v2/extended",
            headers={"x-api-key": key.secret, "Ant-User-Agent": self._agent},
            params={"url": request.url, "browser": str(rendered).lower(), "proxy_type": "datacenter"},
        )
        if answer.status != 200:
            raise self._of_status(answer, key)
        return _parse_page(answer)

    def _of_status(self, answer: ProviderAnswer, key: ApiKey) -> ProviderFailed:
        fields = answer.value if isinstance(answer.value, dict) else {}
        refusal = self._refusal(answer.status, str(fields.get("detail", "no reason")), answer.headers, key)
        if answer.status == 404:  # the site is out of its reach, which says nothing of the page
            return ProviderFailed("provider_gave_up", str(refusal))
        if answer.status == 423:  # taken for a program
            return TransientProviderFailure("provider_gave_up", str(refusal))
        return refusal

    async def _health(self, key: ApiKey) -> HealthStatus:
        answer = await self._endpoint.ask("GET", f"{self._url}/v2/usage", headers={"x-api-key": key.secret})
        if answer.status != 200:
            raise self._of_status(answer, key)
        left = answer.fields.get("remained_credits")
        is_left = not isinstance(left, (int, float)) or left > 0
        return HealthStatus(ok=is_left, says=f"{left} credits are left ({key.handle})")


def _parse_page(answer: ProviderAnswer) -> ProviderPage:
    """The page in the answer. Raises ProviderFailed for rubbish."""
    fields: dict[str, Any] = answer.fields
    status, html, page_headers = fields.get("status_code"), fields.get("html"), fields.get("headers")
    if type(status) is not int or not isinstance(html, str):
        raise ProviderFailed(
            "provider_bad_answer", "undocumented response: expected status_code and html", charged=True
        )
    pairs = [one for one in page_headers if isinstance(one, dict)] if isinstance(page_headers, list) else []
    headers = [(str(one.get("name")), str(one.get("value"))) for one in pairs]
    spent = parse_credits(answer.headers.get("Ant-credits-cost"))
    return ProviderPage(status, html.encode("utf-8", "replace"), None, headers, rendered=True, credits=spent)
