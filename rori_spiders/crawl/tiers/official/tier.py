"""The `official` tier: pages of publishers who offer programs a documented API, by that API, under their human URLs.

One request at a time, the next one through the queue again, at the group's own pace.

An API is asked at its publisher's pace: it must belong to the politeness group of the page, or be a server that the
operator named.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from scrapy import Request
from scrapy.http import HtmlResponse, Response

from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.crawl.page_request import exchange, page_request, request_meta, update_request
from rori_spiders.crawl.tiers.base import FollowUpRequestNeeded, HealthStatus, Requirement
from rori_spiders.crawl.tiers.errors import BadResponse
from rori_spiders.crawl.tiers.official.api import ApiRequest, NoFullText, PageNotFound, shared_answers
from rori_spiders.crawl.tiers.official.registry import OFFICIAL_APIS, official_api_for
from rori_spiders.crawl.tiers.order import OFFICIAL
from rori_spiders.crawl.tiers.refusals import Refused, refuse_unless_public
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of
from rori_spiders.verdicts import judge

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.tiers.http.tier import HttpTier
    from rori_spiders.crawl.tiers.official.api import OfficialApi

P = ParamSpec("P")
T = TypeVar("T")

#: Waited for like the site's own, whatever step of a page they answer.
_WAIT = frozenset({429, 503})
_IN_PLACE_BYTES = 64 * 1024
_PASSED_ON = ("on_sent", "download_timeout")


class OfficialTier:
    """Asks publishers' documented APIs through the `http` tier; the page keeps its own URL."""

    name = OFFICIAL
    version = "official-apis/1"
    about = "publishers' documented APIs: " + ", ".join(one.name for one in OFFICIAL_APIS)

    def __init__(self, http: HttpTier, job: Job) -> None:
        self._http = http
        self._job = job
        self._shared = shared_answers(job)
        self._learning = asyncio.Lock()

    def needs(self) -> tuple[Requirement, ...]:
        return ()

    async def check(self) -> HealthStatus:
        return HealthStatus(ok=True, says="no check needed: it requests the publishers' own APIs")

    async def fetch(self, request: Request) -> Response:
        """One request at most: raises FollowUpRequestNeeded when the page needs a further one."""
        publisher = official_api_for(request.url)
        if publisher is None:
            raise Refused(Reason(ReasonCode.NO_TIER, error="no official API provides this page"))
        try:
            ask = self._next(publisher, request)
            if ask.shared:
                async with self._learning:  # who waited finds it learnt, and goes on with its own request
                    ask = self._next(publisher, request)
                    if ask.shared:
                        return await self._step(publisher, ask, request)
            return await self._step(publisher, ask, request)
        except PageNotFound as error:
            return Response(request.url, status=404, body=str(error).encode(), request=request)
        except NoFullText as error:
            raise Refused(Reason(ReasonCode.NO_FULL_TEXT, error=str(error))) from error
        except ValueError as error:
            raise BadResponse(str(error)) from error

    def _next(self, publisher: OfficialApi, request: Request) -> ApiRequest:
        api = self._job.settings[publisher.setting].rstrip("/")
        known = {**self._shared.get(publisher.name, {}), **page_request(request).learnt}
        visit = page_request(request).visit
        if visit is not None and visit.kind == "api":  # a list, asked for in the name of its source's page
            ask = ApiRequest("api", visit.url, "*/*", names_page=True, last=True)
        else:
            ask = publisher.ask(request.url, api, known)
        refuse_unless_public(ask.url, self._job.addresses)
        own, api_group = (self._job.manifests.group(host_of(url)) for url in (request.url, ask.url))
        if own != api_group and not self._job.addresses.names(host_of(ask.url)):
            apart = f"{publisher.setting} is of the politeness group {api_group}, and the page of {own}"
            raise Refused(Reason(ReasonCode.NO_TIER, error=apart))
        return ask

    async def _step(self, publisher: OfficialApi, ask: ApiRequest, request: Request) -> Response:
        meta = {name: request.meta.get(name) for name in _PASSED_ON if name in request.meta}
        meta |= request_meta(page_request(request))
        own = {"User-Agent": request.headers.get("User-Agent", b""), "Accept": ask.accept, "Accept-Encoding": "gzip"}
        api_request = Request(ask.url, headers=own, meta=meta)
        answer = await self._http.fetch(api_request)
        request.meta["download_latency"] = api_request.meta.get("download_latency")
        if 300 <= answer.status < 400:
            target = _header_text(answer, "Location")[:200]
            raise Refused(Reason(ReasonCode.API_REDIRECTS, target_url=target, http_status=answer.status))
        if answer.status in _WAIT or (answer.status != 200 and ask.needed):
            return self._refusal(ask, request, answer)
        if ask.last:
            return await self._page(publisher, ask, request, answer)
        learnt = await _run_off_loop(
            len(answer.body), publisher.learn, ask, answer.body if answer.status == 200 else None
        )
        if ask.shared:
            self._shared[publisher.name] = learnt
        else:
            update_request(request, learnt={**page_request(request).learnt, **learnt})
        raise FollowUpRequestNeeded(ask.step)

    def _refusal(self, ask: ApiRequest, request: Request, answer: Response) -> Response:
        if answer.status in {404, 410} and not ask.names_page:
            raise BadResponse(f"the API's {ask.step}: HTTP {answer.status}")  # which says nothing of the page
        return answer.replace(url=request.url, request=request)

    async def _page(self, publisher: OfficialApi, ask: ApiRequest, request: Request, answer: Response) -> Response:
        content_type = _header_text(answer, "Content-Type") or None
        visit = page_request(request).visit
        if visit is not None and visit.kind == "api":
            if kind_of(answer.body, content_type) == "html":
                verdict = judge(status=answer.status, url=visit.url, headers={}, body=answer.body)
                what = "an HTML page" if verdict.is_content else f"an HTML page ({verdict.kind})"
                exchange(request).failure = Reason(ReasonCode.BAD_ANSWER, error=f"the API answered with {what}")
            return answer.replace(url=request.url, request=request)
        if kind_of(answer.body, content_type) == "html":
            # A page for people where data was asked for: what it is the verdict says, if only it is not content.
            if judge(status=answer.status, url=request.url, headers={}, body=answer.body).kind != "content":
                return answer.replace(url=request.url, request=request)
            if "text/" not in ask.accept:
                raise BadResponse("the API answered with an HTML page")
        known = {**self._shared.get(publisher.name, {}), **page_request(request).learnt}
        made = await _run_off_loop(len(answer.body), publisher.page, request.url, answer.body, content_type, known)
        update_request(request, learnt={})
        exchange(request).api_metadata = made.api_metadata
        if made.raw is None:
            return answer.replace(url=request.url, request=request)
        exchange(request).raw_body = made.raw
        return HtmlResponse(
            request.url,
            status=200,
            body=made.body,
            encoding="utf-8",
            headers={"Content-Type": made.content_type},
            request=request,
            ip_address=answer.ip_address,
        )

    async def close(self) -> None:
        """Nothing of its own: the connections are the `http` tier's."""


def _header_text(answer: Response, name: str) -> str:
    return (answer.headers.get(name) or b"").decode("latin-1")


async def _run_off_loop(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of *work* on *size* bytes; of many, in a thread: the event loop is for the network."""
    return work(*args, **kwargs) if size <= _IN_PLACE_BYTES else await asyncio.to_thread(work, *args, **kwargs)
