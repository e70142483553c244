"""Base class of provider tiers: one call per page, with a working key, within budget and time limit.

robots.txt, fence and scope were judged before, for the page's own URL. The source's own headers never go to a provider.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import Exchange, exchange, page_request, update_request, visit_of
from rori_spiders.crawl.tiers.base import FollowUpRequestNeeded, HealthStatus, Requirement
from rori_spiders.crawl.tiers.errors import KeyRefused, ProviderFailed, TooLarge, TransientProviderFailure
from rori_spiders.crawl.tiers.providers.budget import PRICES, ProviderBudget
from rori_spiders.crawl.tiers.providers.response import build_response, validate_page
from rori_spiders.items import Attempt
from rori_spiders.manifest.tier_selection import api_key_variables
from rori_spiders.politeness import retries
from rori_spiders.reasons import Reason
from rori_spiders.runtime.api_keys import REFUSED_S, KeyRing, parse_keys
from rori_spiders.runtime.redaction import get_redactor

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from rori_spiders.crawl.tiers.providers.http_client import ProviderClient
    from rori_spiders.crawl.tiers.providers.response import ProviderPage
    from rori_spiders.items import FrontierUrl
    from rori_spiders.runtime.api_keys import ApiKey

logger = logging.getLogger(__name__)


T = TypeVar("T")

#: Turns of a page at one provider: what fails in passing is tried once more.
MAX_ATTEMPTS = 2
#: Calls for a page beyond one by each key, where all are refused and none for long.
MORE_CALLS = 2
#: Where a provider asks for less without saying when.
BUSY_S = 5.0
#: A page waits so long for a key at most.
PATIENCE_S = 30.0
_CHECK_S = 10.0
#: Verdicts on which the page's own scripts are needed.
_NEEDS_SCRIPTS = frozenset({"js_shell", "empty", "content"})


def load_provider_keys(provider: str, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The keys of *provider* (RORI_ZYTE_KEYS, or what its own tools read), known to the redactor from now on."""
    variables = api_key_variables(provider)
    return parse_keys(next((environment[name] for name in variables if environment.get(name, "").strip()), ""))


class ProviderTier:
    """A tier behind a company's or one's own server. Subclasses say how it is asked, and what its answers mean."""

    name: str
    about: str
    version: str
    #: Whether it can do nothing without a key.
    needs_key = True

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._url = (settings.get(f"RORI_{self.name.upper()}_URL") or "").rstrip("/")
        self._agent = settings["USER_AGENT"]
        self._seconds = settings.getfloat("RORI_PROVIDER_TIMEOUT")
        self._secrets = load_provider_keys(self.name)
        self._keys = KeyRing(self._secrets or (() if self.needs_key else ("",)))
        self._refusals: dict[str, KeyRefused] = {}  # the last one of each key, by its handle
        self._budget = ProviderBudget(self.name, self._job)
        self._price = PRICES[self.name]
        self._opened: ProviderClient | None = None

    # --- what subclasses say --------------------------------------------------------------------------------------

    async def _ask(self, request: Request, key: ApiKey, *, rendered: bool) -> ProviderPage:
        """One call. Raises ProviderFailed."""
        raise NotImplementedError

    async def _health(self, key: ApiKey) -> HealthStatus:
        """What its server says without being paid. Raises ProviderFailed."""
        raise NotImplementedError

    @property
    def _endpoint(self) -> ProviderClient:
        if self._opened is None:
            from rori_spiders.crawl.tiers.providers.http_client import ProviderClient

            self._opened = ProviderClient(self._crawler.settings.getint("RORI_MAX_BYTES"), self._agent)
        return self._opened

    # --- the tier -------------------------------------------------------------------------------------------------

    def needs(self) -> tuple[Requirement, ...]:
        name, customary = api_key_variables(self.name)
        address = f"RORI_{self.name.upper()}_URL"
        found = [Requirement(f"its server's URL ({address})", bool(self._url), f"export {address}=http://...")]
        if self.needs_key:
            found.append(Requirement(f"a key ({name} or {customary})", bool(self._secrets), f"export {name}=..."))
        return tuple(found)

    async def check(self) -> HealthStatus:
        for need in self.needs():
            if not need.met:
                return HealthStatus(ok=False, says=f"{need.what} is missing: {need.mend}")
        try:
            async with asyncio.timeout(_CHECK_S):
                return await self._health(self._keys.soonest())
        except TimeoutError:
            return HealthStatus(ok=False, says=f"no answer within {_CHECK_S:.0f} s")
        except (ProviderFailed, TooLarge) as error:
            return HealthStatus(ok=False, says=get_redactor().text(str(error)))
        finally:
            await self.close()

    async def fetch(self, request: Request) -> Response:
        """The page, as the provider found it. Raises ProviderFailed, TooLarge, FollowUpRequestNeeded."""
        page, tried = page_request(request), exchange(request)
        tried.credits = 0
        began = monotonic()
        try:
            async with asyncio.timeout(self._seconds):
                return build_response(await self._by_key(partial(self._call, request)), request, self._job)
        except TimeoutError:
            error = ProviderFailed("provider_timeout", f"{self.name} took longer than {self._seconds:g} s")
            raise self._counted(error) from None
        except TransientProviderFailure as error:
            self._counted(error)
            turn = page.provider_turns.get(self.name, 0) + 1
            if turn >= MAX_ATTEMPTS or not page.is_retried:
                raise
            # A call that failed in passing is an attempt of its own in the audit.
            reason, ms = Reason(error.word, error=str(error)), round((monotonic() - began) * 1000)
            attempt = Attempt(self.name, self._job.now(), None, None, reason, ms, tried.credits)
            turns = {**page.provider_turns, self.name: turn}
            update_request(request, attempts=(*page.attempts, attempt), provider_turns=turns)
            raise FollowUpRequestNeeded(str(error)) from error
        except ProviderFailed as error:
            raise self._counted(error) from None

    async def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.close()

    # --- one call -------------------------------------------------------------------------------------------------

    async def _by_key(self, call: Callable[[ApiKey], Awaitable[T]]) -> T:
        """What *call* brings with the first key that is let in."""
        for _ in range(len(self._keys) + MORE_CALLS):
            key = await self._key()
            try:
                return await call(key)
            except KeyRefused as refusal:
                self._rests(key, refusal)
                last = refusal
        raise ProviderFailed(last.word, str(last))

    def _rests(self, key: ApiKey, refusal: KeyRefused) -> None:
        self._counted(refusal)
        self._keys.rest(key, refusal.rest_s, monotonic())
        self._refusals[key.handle] = refusal
        details = {"provider": self.name, "key": key.handle, "rest": refusal.rest_s, "why": refusal}
        if refusal.rest_s < REFUSED_S:
            logger.info("%(provider)s: %(key)s cools down for %(rest).0f s: %(why)s", details)
        else:
            logger.warning("%(provider)s: %(key)s was refused and cools down for %(rest).0f s: %(why)s", details)

    async def _key(self) -> ApiKey:
        """A key that does not rest, waited for if that is soon. Raises what the last one was refused with."""
        while True:
            now = monotonic()
            if (key := self._keys.ready(now)) is not None:
                return key
            soonest = self._keys.soonest()
            wait = soonest.rests_until - now
            if wait > min(PATIENCE_S, self._seconds):
                refusal = self._refusals[soonest.handle]
                handles = (
                    f"all {len(self._keys)} keys are cooling down" if len(self._keys) > 1 else f"{soonest.handle} rests"
                )
                raise ProviderFailed(refusal.word, f"{refusal}; {handles}")
            await asyncio.sleep(wait)

    async def _call(self, request: Request, key: ApiKey) -> ProviderPage:
        rendered = self._renders(request)
        charge = self._price.of(rendered=rendered)
        count = partial(self._count, exchange(request))
        async with self._budget.paying(charge, request.url, visit_of(request), count) as paid:
            if (on_sent := request.meta.get("on_sent")) is not None:
                on_sent()
            began = monotonic()
            try:
                found = await self._ask(request, key, rendered=rendered)
                paid.amount = charge.amount if found.credits is None else found.credits
                return validate_page(found)
            finally:
                request.meta["download_latency"] = monotonic() - began

    def _renders(self, request: Request) -> bool:
        """Whether the page is asked for as a browser shows it: by the source's `render`, else when scripts write it."""
        run = self._job.run_of(request)
        render = run.source.scrape_config.render if run is not None else "auto"
        if render != "auto":
            return render == "always"
        return any(attempt.verdict in _NEEDS_SCRIPTS for attempt in page_request(request).attempts)

    def _count(self, tried: Exchange, spent: float) -> None:
        self._crawler.stats.inc_value(f"rori/providers/{self.name}/calls")
        if self._price.plain.usd:
            tried.credits += round(spent)
            self._crawler.stats.inc_value(f"rori/providers/{self.name}/credits", round(spent))

    def _counted(self, error: ProviderFailed) -> ProviderFailed:
        self._crawler.stats.inc_value(f"rori/providers/{self.name}/failed/{error.word}")
        return error

    # --- what a provider's status means ---------------------------------------------------------------------------

    def _refusal(self, status: int, says: str, headers: Mapping[str, str], key: ApiKey) -> ProviderFailed:
        """The error for a status that is the provider's own, not the site's."""
        message = get_redactor().text(f"{self.name} answered {key.handle} with HTTP {status}: {says[:200]}")
        if status in {401, 403}:
            return KeyRefused("provider_refused", message, REFUSED_S)
        if status == 402:
            return KeyRefused("provider_out_of_credits", message, REFUSED_S)
        if status in {409, 429}:
            retry_after = retries.parse_retry_after(headers.get("Retry-After"), self._job.now())
            return KeyRefused(
                "provider_rate_limited", message, BUSY_S if retry_after is None else max(retry_after, 1.0)
            )
        if status == 408 or status >= 500:
            return TransientProviderFailure("provider_error", message)
        return ProviderFailed("provider_error", message)


# Providers that can name the addresses of a site (S0's ``mapUrls``): one call, for one price, whatever it brings. It
# only names them: what becomes of each is judged by scope, robots.txt, fence and tier order like any other address.


@dataclass(frozen=True, slots=True)
class MappingResult:
    """The result of a provider's site map: *urls* as spelt, or *failure* as text for the log."""

    provider: str
    ms: int
    credits: int = 0
    urls: tuple[str, ...] = ()
    failure: str | None = None


class MappingTier(ProviderTier):
    """A provider's tier with one more door. Subclasses say how its server is asked."""

    async def _ask_map(self, url: str, limit: int, key: ApiKey, *, subdomains: bool) -> tuple[str, ...]:
        """One call. Raises ProviderFailed."""
        raise NotImplementedError

    async def map(
        self, url: str, limit: int, *, visit: FrontierUrl | None = None, subdomains: bool = False
    ) -> MappingResult:
        """At most *limit* addresses of the site at *url*; of its other hosts too, with *subdomains*.

        Its cost counts for the run of *visit*. What fails in passing is asked once more; nothing is raised but a stop.
        """
        tried = Exchange()
        began = monotonic()
        urls: tuple[str, ...] = ()
        failure = None
        try:
            async with asyncio.timeout(self._seconds):
                urls = await self._mapped(partial(self._paid_map, url, limit, visit, subdomains, tried))
        except TimeoutError:
            error = ProviderFailed("provider_timeout", f"{self.name} took longer than {self._seconds:g} s")
            failure = f"{self._counted(error).word}: {error}"
        except ProviderFailed as error:
            failure = f"{self._counted(error).word}: {error}"
        except TooLarge as error:
            failure = f"too_large: {error}"
        return MappingResult(self.name, round((monotonic() - began) * 1000), tried.credits, urls[:limit], failure)

    async def _mapped(self, call: Any) -> tuple[str, ...]:
        for _ in range(MAX_ATTEMPTS - 1):
            try:
                return await self._by_key(call)
            except TransientProviderFailure as error:
                self._counted(error)
        return await self._by_key(call)

    async def _paid_map(
        self, url: str, limit: int, visit: FrontierUrl | None, subdomains: bool, tried: Exchange, key: ApiKey
    ) -> tuple[str, ...]:
        charge = self._price.mapped
        assert charge is not None, self.name
        async with self._budget.paying(charge, url, visit, partial(self._count, tried)):
            return await self._ask_map(url, limit, key, subdomains=subdomains)
