"""ScrapingAnt, API v2 (docs.scrapingant.com): `/v2/extended`, which tells the site's status and headers as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.tiers.base import Health
from rori_spiders.tiers.providers.failing import Passing, ProviderFailed
from rori_spiders.tiers.providers.page import Found, told_credits
from rori_spiders.tiers.providers.tier import ProviderTier

if TYPE_CHECKING:
    from scrapy import Request

    from rori_spiders.tiers.providers.endpoint import Answer
    from rori_spiders.tiers.providers.keys import Key


class ScrapingAntTier(ProviderTier):
    """Its datacenter proxy only; its browser where a page's scripts are needed. It does not tell where a page ended."""

    name = "scrapingant"
    about = "pages behind walls, by ScrapingAnt (paid)"
    version = "scrapingant-v2"

    async def _ask(self, request: Request, key: Key, *, rendered: bool) -> Found:
        answer = await self._endpoint.ask(
            "GET",
            f"{self._url}/v2/extended",
            headers={"x-api-key": key.secret, "Ant-User-Agent": self._agent},
            params={"url": request.url, "browser": str(rendered).lower(), "proxy_type": "datacenter"},
        )
        if answer.status != 200:
            raise self._of_status(answer, key)
        return _found(answer)

    def _of_status(self, answer: Answer, key: Key) -> ProviderFailed:
        told = answer.value if isinstance(answer.value, dict) else {}
        refusal = self._refusal(answer.status, str(told.get("detail", "no reason")), answer.headers, key)
        if answer.status == 404:  # the site is out of its reach, which says nothing of the page
            return ProviderFailed("provider_gave_up", str(refusal))
        if answer.status == 423:  # taken for a program
            return Passing("provider_gave_up", str(refusal))
        return refusal

    async def _health(self, key: Key) -> Health:
        answer = await self._endpoint.ask("GET", f"{self._url}/v2/usage", headers={"x-api-key": key.secret})
        if answer.status != 200:
            raise self._of_status(answer, key)
        left = answer.fields.get("remained_credits")
        is_left = not isinstance(left, (int, float)) or left > 0
        return Health(ok=is_left, says=f"{left} credits are left ({key.handle})")


def _found(answer: Answer) -> Found:
    """The page in the answer. Raises ProviderFailed for rubbish."""
    fields: dict[str, Any] = answer.fields
    status, html, told = fields.get("status_code"), fields.get("html"), fields.get("headers")
    if type(status) is not int or not isinstance(html, str):
        raise ProviderFailed("provider_bad_answer", "no page as documented: status_code, html", charged=True)
    pairs = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
    headers = [(str(one.get("name")), str(one.get("value"))) for one in pairs]
    spent = told_credits(answer.headers.get("Ant-credits-cost"))
    return Found(status, html.encode("utf-8", "replace"), None, headers, rendered=True, credits=spent)
