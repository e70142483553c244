"""Is this URL ours to ask? Its scheme, its address, and the hosts of its source; redirects and retries included."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rori_spiders.exceptions import AddressRefused
from rori_spiders.job import Job
from rori_spiders.refusals import AddressNotPublic, OutOfScope

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from rori_spiders.items import Visit

_PORTS = {"http": 80, "https": 443}


class ScopeMiddleware:
    """First of all: what it refuses makes no request, not even for robots.txt."""

    def __init__(self, crawler: Crawler) -> None:
        self._job = Job.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ScopeMiddleware:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in _PORTS:
            raise AddressNotPublic(f"address refused: only http and https, not {parts.scheme}")
        try:
            port = parts.port or _PORTS[parts.scheme]
            self._job.addresses.check_url(request.url, port)
        except (AddressRefused, ValueError) as error:
            raise AddressNotPublic(f"address refused: {error}") from error
        visit: Visit | None = request.meta.get("visit")
        if visit is None or visit.kind == "robots" or visit.run_id not in self._job.runs:
            return  # the shell, or robots.txt, which may redirect to a sister host
        if not self._job.runs[visit.run_id].scope.host_in(request.url):
            how = "redirected to other domain" if request.meta.get("redirect_times") else "outside the source's hosts"
            raise OutOfScope(f"{how}: {request.url}")
