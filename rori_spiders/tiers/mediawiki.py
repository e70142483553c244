"""The `mediawiki` tier: a wiki page by ``api.php?action=parse`` (S3 WC-10), answered as HTML for the page's own URL.

The walker names the API and the title in the request's meta (``api_url``, ``wiki_title``). The JSON as received is kept
in ``meta["raw_body"]``; ``page_html`` turns it into the same HTML again whenever it is converted anew.
"""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from scrapy import Request
from scrapy.http import HtmlResponse, Response

from rori_spiders.refusals import refuse_unless_public
from rori_spiders.tiers.base import MEDIAWIKI, Health, Need

if TYPE_CHECKING:
    from rori_spiders.job import Job
    from rori_spiders.tiers.http import HttpTier

# https://www.mediawiki.org/wiki/API:Errors_and_warnings: errors come with HTTP 200.
_STATUS_OF_ERROR = {
    "missingtitle": 404,
    "nosuchpageid": 404,
    "invalidtitle": 404,
    "pagecannotexist": 404,
    "maxlag": 503,
    "readonly": 503,
    "ratelimited": 429,
    "readapidenied": 403,
    "permissiondenied": 403,
}


def api_query(title: str) -> str:
    """The query string that asks for *title*. Series of requests, gzip, contact and maxlag are the API's etiquette."""
    return urlencode(
        {
            "action": "parse",
            "page": title,
            "prop": "text|links|categories|revid|displaytitle",
            "redirects": "1",
            "disablelimitreport": "1",  # a timing comment would make each fetch differ
            "disableeditsection": "1",
            "disabletoc": "1",
            "maxlag": "5",
            "format": "json",
            "formatversion": "2",
            "utf8": "1",
        }
    )


def page_html(payload: bytes) -> str:
    """The HTML of a page from the API's JSON. Raises ValueError for JSON that holds no page."""
    parsed = _parsed(_answer(payload))
    if parsed is None:
        raise ValueError("the API's answer holds no parsed page")
    title = html.escape(str(parsed.get("title", "")))
    categories = ", ".join(
        str(one.get("category", ""))
        for one in parsed.get("categories") or ()
        if isinstance(one, dict) and not one.get("hidden")
    )
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title>"
        f'<meta name="keywords" content="{html.escape(categories.replace("_", " "))}">'
        f"</head><body><main><h1>{title}</h1>{parsed['text']}</main></body></html>"
    )


def error_of(payload: bytes) -> tuple[int, str] | None:
    """Status and code of an API error, or of a redirect that leads nowhere; None for an answer that holds a page."""
    try:
        answer = _answer(payload)
    except ValueError:
        return 502, "the API answered with something else than JSON"
    error = answer.get("error") or next(iter(answer.get("errors") or ()), None)
    if error:
        code = str(error.get("code", "unknown") if isinstance(error, dict) else error)
        return _STATUS_OF_ERROR.get(code, 502), code
    parsed = _parsed(answer)
    if parsed is None:
        return 502, "the API's answer holds no parsed page"
    if 'class="redirectMsg"' in parsed["text"]:
        return 404, "a redirect in a circle"  # the API returns the redirect's own stub instead of failing
    return None


def _answer(payload: bytes) -> dict[str, Any]:
    """The API's answer. Raises ValueError for what is no JSON object, however deeply it is nested."""
    try:
        answer = json.loads(payload)
    except RecursionError as error:
        raise ValueError("JSON that is nested too deeply") from error
    if not isinstance(answer, dict):
        raise ValueError("the API's answer is no JSON object")  # noqa: TRY004  (it is a value of the server)
    return answer


def _parsed(answer: dict[str, Any]) -> dict[str, Any] | None:
    parsed = answer.get("parse")
    return parsed if isinstance(parsed, dict) and isinstance(parsed.get("text"), str) else None


class MediaWikiTier:
    """Asks the wiki's API through the `http` tier; the group, its pace and robots are those of the page."""

    name = MEDIAWIKI
    version = "mediawiki-action-api"
    about = "pages of wikis by their own API (api.php), as the manifest names it"

    def __init__(self, http: HttpTier, job: Job) -> None:
        self._http = http
        self._job = job

    def needs(self) -> tuple[Need, ...]:
        return ()

    async def check(self) -> Health:
        return Health(ok=True, says="nothing to check: it asks each wiki's own API")

    async def fetch(self, request: Request) -> Response:
        api_url = f"{request.meta['api_url']}?{api_query(request.meta['wiki_title'])}"
        refuse_unless_public(api_url, self._job.addresses)
        asked = Request(
            api_url,
            headers={"User-Agent": request.headers.get("User-Agent", b""), "Accept-Encoding": "gzip"},
            meta={"on_sent": request.meta.get("on_sent"), "download_timeout": request.meta.get("download_timeout")},
        )
        answer = await self._http.fetch(asked)
        request.meta["download_latency"] = asked.meta.get("download_latency")
        if answer.status != 200:
            return self._refusal(request, answer, answer.status, answer.body)
        payload = answer.body
        request.meta["raw_body"] = payload
        if (error := error_of(payload)) is not None:
            return self._refusal(request, answer, error[0], error[1].encode())
        return HtmlResponse(
            request.url,
            status=200,
            body=page_html(payload).encode(),
            encoding="utf-8",
            request=request,
            headers={"Content-Type": "text/html; charset=utf-8"},
            ip_address=answer.ip_address,
        )

    @staticmethod
    def _refusal(request: Request, answer: Response, status: int, body: bytes) -> Response:
        waits = {"Retry-After": answer.headers[b"Retry-After"]} if b"Retry-After" in answer.headers else {}
        return Response(
            request.url, status=status, body=body, headers=waits, request=request, ip_address=answer.ip_address
        )

    async def close(self) -> None:
        """Nothing of its own: the connections are the `http` tier's."""
