"""The collector's judgement, conversion and politeness for another Scrapy project, without its ledger and sources.

Named by the add-ons of that project's settings (docs/how-to/use-the-add-on.md). A response that is content comes to its
callback with ``response.meta["rori_verdict"]`` and ``response.meta["rori_page"]``; another goes to the errback as
``NotContent``. Requests are made no faster, and robots.txt is obeyed, whatever the project's settings say.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import TextResponse

from rori_spiders.content.options import Options
from rori_spiders.exceptions import ConversionError
from rori_spiders.politeness import retries
from rori_spiders.politeness.robots_policy import read_robots_txt
from rori_spiders.urls.canonical import origin_of
from rori_spiders.workers.assessment import assess_response
from rori_spiders.workers.conversion import conversion_weight
from rori_spiders.workers.pool import WorkPool

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from scrapy.settings import BaseSettings

    from rori_spiders.verdicts.verdict import Verdict

logger = logging.getLogger(__name__)

#: As the collector's own settings promise it (docs/explanation/politeness.md).
MIN_DELAY_S = 2.0
MAX_CONCURRENT = 3
_CLOSED = b"User-agent: *\nDisallow: /\n"


class NotContent(IgnoreRequest):
    """Raised for a response that is not content; its request's errback gets it. ``verdict`` says what it is instead."""

    def __init__(self, response: Response, verdict: Verdict) -> None:
        super().__init__(f"{response.url} is not content: {verdict.kind}")
        self.response = response
        self.verdict = verdict


class RoriAddon:
    """What the setting for add-ons names."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Bring the settings up to what is promised to servers, and add the two middlewares."""
        polite = {
            "ROBOTSTXT_OBEY": True,
            "DOWNLOAD_DELAY": max(settings.getfloat("DOWNLOAD_DELAY"), MIN_DELAY_S),
            "DOWNLOAD_DELAY_JITTER": 0,
            "CONCURRENT_REQUESTS_PER_DOMAIN": min(settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"), MAX_CONCURRENT),
        }
        for name, value in polite.items():
            if settings.get(name) != value:
                settings.set(name, value, priority=max(settings.getpriority(name) or 0, 15))
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", PolitenessMiddleware, 560)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", AssessmentMiddleware, 540)


class PolitenessMiddleware:
    """Keep the pace that servers ask for, and take a robots.txt that cannot be read as closed (RFC 9309 §2.3.1.4).

    Stands before Scrapy's own retries: a ``Retry-After`` holds for all requests to the host.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._parsers: dict[str, RobotParser] = {}
        crawler.signals.connect(self._slow_down, signals.request_reached_downloader)
        crawler.signals.connect(self._note_robots_txt, signals.robots_parsed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raise IgnoreRequest for what robots.txt does not allow.

        Scrapy's middleware was asked before. Of requests that wait for one file it lets all but two through (2.19), and
        those whose meta says not to obey it.
        """
        if _is_robots_txt(request):
            return
        parser = self._parsers.get(urlsplit(request.url).netloc)
        if parser is None:
            raise IgnoreRequest(f"{request.url} is not requested: its robots.txt was not read")
        if not parser.allowed(request.url, self._agent(request)):
            raise IgnoreRequest("Forbidden by robots.txt")

    def process_response(self, request: Request, response: Response) -> Response:
        """Note what the server asks for. Raises IgnoreRequest where that is a longer rest than a job waits."""
        if _is_robots_txt(request):
            return self._checked_robots_txt(response)
        wait = retries.parse_retry_after(_header(response, "Retry-After"), datetime.now(UTC))
        if wait and retries.retry_row_for_status(response.status) is not None:
            if retries.exceeds_max_wait(wait):
                raise IgnoreRequest(f"{response.url}: the server asks for no request within {wait:.0f} s")
            if (slot := self._slot(request)) is not None:
                slot.lastseen = max(slot.lastseen, monotonic() + wait - slot.delay)
        return response

    def process_exception(self, request: Request, exception: Exception) -> Response | None:
        if not _is_robots_txt(request) or isinstance(exception, IgnoreRequest):
            return None
        logger.warning("%(url)s cannot be read: nothing of its host is requested", {"url": request.url})
        return TextResponse(request.url, body=_CLOSED, request=request)

    def _checked_robots_txt(self, response: Response) -> Response:
        if 300 <= response.status < 400:
            return response  # followed, and judged where it ends
        file = read_robots_txt(
            origin_of(response.url), status=response.status, body=response.body, at=datetime.now(UTC)
        )
        if file.outcome != "unavailable":
            return response if file.outcome == "rules" else response.replace(body=b"")
        logger.warning(
            "%(url)s: %(reason)s: nothing of its host is requested", {"url": response.url, "reason": file.reason}
        )
        return response.replace(status=200, body=_CLOSED)

    def _slot(self, request: Request) -> Slot | None:
        downloader = self._crawler.engine.downloader if self._crawler.engine else None
        return downloader.slots.get(downloader.get_slot_key(request)) if downloader else None

    def _slow_down(self, request: Request, spider: Any) -> None:
        """A spider's own delay and DOWNLOAD_SLOTS come after the settings: never faster, all the same."""
        if (slot := self._slot(request)) is not None:
            slot.delay, slot.jitter = max(slot.delay, MIN_DELAY_S), 0
            slot.concurrency = min(slot.concurrency, MAX_CONCURRENT)

    def _agent(self, request: Request) -> str | bytes:
        settings = self._crawler.settings
        agent: str | bytes = (
            settings["ROBOTSTXT_USER_AGENT"] or request.headers.get("User-Agent") or settings["USER_AGENT"]
        )
        return agent

    def _note_robots_txt(self, robotparser: RobotParser, request: Request) -> None:
        self._parsers[urlsplit(request.url).netloc] = robotparser
        delay = robotparser.crawl_delay(self._agent(request))
        if delay is not None and (slot := self._slot(request)) is not None:
            slot.delay = max(slot.delay, delay)


class AssessmentMiddleware:
    """Judge each response and convert what is content, in processes of their own."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._stats = crawler.stats
        self._pool = WorkPool(
            settings.getint("RORI_CONVERT_WORKERS", 2), settings.getfloat("RORI_CONVERT_TIMEOUT", 60.0)
        )
        crawler.signals.connect(self._pool.warm_up, signals.spider_opened)
        crawler.signals.connect(self._pool.close, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Add ``rori_verdict`` and ``rori_page`` to the request's meta. Raises NotContent, and IgnoreRequest where
        nothing can be made of the bytes. ``meta["rori_judge"] = False`` lets a response through as it is.
        """
        if _is_robots_txt(request) or request.meta.get("rori_judge") is False or 300 <= response.status < 400:
            return response
        headers = {
            name.decode("latin-1"): b", ".join(values).decode("latin-1") for name, values in response.headers.items()
        }
        try:
            made = await self._pool.run(
                conversion_weight(response.body),
                assess_response,
                status=response.status,
                url=response.url,
                headers=headers,
                body=response.body,
                known=None,
                is_measured=False,
                options=request.meta.get("rori_options") or Options(),
            )
            if isinstance(made.converted, ConversionError):
                raise made.converted
        except ConversionError as error:
            self._stats.inc_value("rori/addon/unreadable")
            raise IgnoreRequest(str(error)) from error
        self._stats.inc_value(f"rori/addon/{made.verdict.kind}")
        if not made.verdict.is_content:
            raise NotContent(response, made.verdict)
        request.meta["rori_verdict"], request.meta["rori_page"] = made.verdict, made.converted
        return response


def _is_robots_txt(request: Request) -> bool:
    """Whether it is Scrapy's own request for a robots.txt, or the project's."""
    return urlsplit(request.url).path == "/robots.txt"


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return None if value is None else value.decode("latin-1")
