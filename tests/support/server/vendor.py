"""A managed provider for tests: four companies' APIs at one loopback address, as far as the collector speaks them.

In: what is found at each URL, and what goes wrong on the way. Out: answers in the forms that the companies document
(Zyte `/v1/extract`, Firecrawl `/v2/scrape` and `/v2/map`, crawl4ai `/crawl`, ScrapingAnt
`/v2/extended`), and the log of all calls.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections import defaultdict, deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from threading import Condition, Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.server.scripted import GOOD_KEY, Raw, Scripted, Sending

__all__ = ["GOOD_KEY", "Page", "Raw", "Vendor", "VendorRequest", "fault"]

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class VendorRequest:
    """One call: by which company's protocol, for which page, with which key, and all of its fields."""

    company: str
    url: str
    key: str
    fields: dict[str, Any]
    headers: dict[str, str]


@dataclass(frozen=True)
class Page:
    """What is found at a URL: the site's own status and headers, and where the page is at its end."""

    html: str = ""
    status: int = 200
    end: str | None = None
    content_type: str = HTML
    repeats: str | None = None  # the URL that the answer is said to be for


def fault(status: int, **headers: str) -> Raw:
    """A company's refusal, in a form that each of the clients understands; it repeats the key that it was sent."""
    problem = {"type": "/x", "title": "Fault", "status": status, "detail": "fault", "success": False, "error": "fault"}
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Raw(status, json.dumps(problem).encode(), {"Content-Type": "application/json", **named})


class Vendor(Scripted):
    """``page`` what it finds, ``first`` what it says before; ``asked`` what was asked."""

    def __init__(self, address: str, *keys: str) -> None:
        self._keys = set(keys or (GOOD_KEY,))
        self._pages: dict[str, Page] = {}
        self._first: defaultdict[str, deque[Raw]] = defaultdict(deque)
        self._always: dict[str, Raw] = {}
        self._maps: dict[str, list[str]] = {}
        self._requests: list[VendorRequest] = []
        self._lock = Lock()
        self._called = Condition(self._lock)
        self.credits = 100
        super().__init__(address, _Handler)

    def page(self, url: str, html: str = "", **more: Any) -> None:
        self._pages[url] = Page(html, **more)

    def map(self, url: str, *named: str) -> None:
        """The addresses that it knows of the site at *url*."""
        self._maps[url] = list(named)

    def first(self, url: str, *answers: Raw) -> None:
        """Say these, one a call, before anything else for *url*."""
        self._first[url].extend(answers)

    def always(self, url: str, answer: Raw) -> None:
        self._always[url] = answer

    def requests(self, url: str | None = None) -> list[VendorRequest]:
        with self._lock:
            return [one for one in self._requests if url in (None, one.url)]

    def wait_for(self, url: str, seconds: float = 60.0) -> bool:
        """Whether *url* is asked for within so long."""
        with self._called:
            return self._called.wait_for(lambda: any(one.url == url for one in self._requests), seconds)

    def env(self, *companies: str) -> dict[str, str]:
        """The settings by which a project finds it."""
        named = {f"RORI_{one.upper()}_URL": self.url for one in companies}
        return named | {f"RORI_{one.upper()}_KEYS": GOOD_KEY for one in companies}

    def answer(self, request: VendorRequest) -> Raw:
        with self._lock:
            self._requests.append(request)
            self._called.notify_all()
            if request.key not in self._keys:
                return fault(403 if request.company == "scrapingant" else 401)
            if self._first[request.url]:
                return self._first[request.url].popleft()
        if request.url in self._always:
            return self._always[request.url]
        if "limit" in request.fields:  # a map
            links = [{"url": one, "title": "T"} for one in self._maps.get(request.url, [])]
            return Raw(200, json.dumps({"success": True, "links": links[: request.fields["limit"]]}).encode())
        page = self._pages.get(request.url, Page("<title>Not found</title><p>Not found</p>", 404))
        fields, headers = _FORMS[request.company](request, page)
        return Raw(200, json.dumps(fields).encode(), {"Content-Type": "application/json", **headers})


class _Handler(Sending, BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/v2/extended":
            self.send(self.api.answer(self._read_request("scrapingant", query["url"], query)))
        else:
            self.send(self._about(parts.path))

    def do_POST(self) -> None:
        fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        companies = {"/v1/extract": "zyte", "/v2/scrape": "firecrawl", "/v2/map": "firecrawl", "/crawl": "crawl4ai"}
        company = companies[self.path]
        url = fields["urls"][0] if company == "crawl4ai" else fields["url"]
        self.send(self.api.answer(self._read_request(company, url, fields)))

    def _about(self, path: str) -> Raw:
        """What costs nothing to ask."""
        metadata: dict[str, Any] = {
            "/v2/team/credit-usage": {"success": True, "data": {"remainingCredits": self.api.credits}},
            "/v2/usage": {"remained_credits": self.api.credits},
            "/health": {"status": "ok", "version": "0.9.0"},
        }
        if path not in metadata:
            return Raw(405, b"no", {"Content-Type": "text/plain"})
        if path != "/health" and self._key() != GOOD_KEY:
            return fault(401)
        return Raw(200, json.dumps(metadata[path]).encode(), {"Content-Type": "application/json"})

    def _read_request(self, company: str, url: str, fields: dict[str, Any]) -> VendorRequest:
        return VendorRequest(company, url, self._key(), fields, dict(self.headers))

    def _key(self) -> str:
        kind, _, key = self.headers.get("Authorization", "").partition(" ")
        if kind == "Basic":
            try:
                return base64.b64decode(key, validate=True).decode().removesuffix(":")
            except binascii.Error:
                return "?"
        return key or self.headers.get("x-api-key", "")


_Form = tuple[dict[str, Any], dict[str, str]]


def _zyte(request: VendorRequest, page: Page) -> _Form:
    answer: dict[str, Any] = {"url": page.end or request.url, "statusCode": page.status}
    if request.fields.get("browserHtml"):
        return {**answer, "browserHtml": page.html}, {}
    headers = [{"name": "content-type", "value": page.content_type}, {"name": "content-encoding", "value": "gzip"}]
    return {
        **answer,
        "httpResponseBody": base64.b64encode(page.html.encode()).decode(),
        "httpResponseHeaders": headers,
    }, {}


def _firecrawl(request: VendorRequest, page: Page) -> _Form:
    about = {
        "sourceURL": page.repeats or request.url,
        "url": page.end or request.url,
        "statusCode": page.status,
        "contentType": page.content_type,
        "creditsUsed": 1,
    }
    return {"success": True, "data": {"rawHtml": page.html, "markdown": "text", "metadata": about}}, {}


def _crawl4ai(request: VendorRequest, page: Page) -> _Form:
    result = {
        "url": page.repeats or request.url,
        "html": page.html,
        "success": page.status < 400,
        "status_code": page.status,
        "redirected_url": page.end or request.url,
        "response_headers": {"content-type": page.content_type},
        "error_message": "",
    }
    return {"success": True, "results": [result]}, {}


def _scrapingant(request: VendorRequest, page: Page) -> _Form:
    cost = 10 if request.fields["browser"] == "true" else 1
    headers = [{"name": "content-type", "value": page.content_type}]
    return {"html": page.html, "status_code": page.status, "headers": headers}, {"Ant-credits-cost": str(cost)}


_FORMS = {"zyte": _zyte, "firecrawl": _firecrawl, "crawl4ai": _crawl4ai, "scrapingant": _scrapingant}
