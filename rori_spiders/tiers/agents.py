"""Scrapy's HTTP/1.1 handler, with one Twisted agent for all requests, which knows its servers again.

Scrapy makes an agent for each request, and that an endpoint for each, name and all (IDNA), also where a connection of
the pool is used and nothing is connected to: a twentieth of the CPU of a page (benchmarks/second_visit.py, 2026-11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler, _BindAddressAgent, _ScrapyAgent
from scrapy.utils._download_handlers import normalize_bind_address, wrap_twisted_exceptions
from scrapy.utils.defer import maybe_deferred_to_future

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.web.client import URI, Agent, HTTPConnectionPool

#: Servers whose endpoints are kept; with more, all are forgotten.
_SERVERS = 1000
_NEVER_S = 3600.0


class _KnowingAgent(_BindAddressAgent):
    """Keeps the endpoint of each server: it is a description of whom to connect to, made anew it is the same."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._endpoints: dict[tuple[bytes, bytes, int], Any] = {}

    def _getEndpoint(self, uri: URI) -> Any:  # noqa: N802 (Twisted's name)
        key = (uri.scheme, uri.host, uri.port)
        if key not in self._endpoints:
            if len(self._endpoints) >= _SERVERS:
                self._endpoints.clear()
            self._endpoints[key] = super()._getEndpoint(uri)  # type: ignore[no-untyped-call]
        return self._endpoints[key]


class _OneAgent(_ScrapyAgent):
    """One request's download, by the agent of all."""

    def __init__(self, agent: Agent, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._agent = agent

    def _get_agent(self, request: Request, timeout: float) -> Agent:
        return self._agent


class Handler(HTTP11DownloadHandler):
    """For requests without proxy or bind address of their own. Whoever asks ends what takes too long to connect."""

    def __init__(self, crawler: Crawler, pool: HTTPConnectionPool) -> None:
        super().__init__(crawler)
        pool.maxPersistentPerHost = self._pool.maxPersistentPerHost
        self._pool = pool
        bound_to = normalize_bind_address(self._bind_address)
        self._agent = _KnowingAgent(pool._reactor, self._contextFactory, _NEVER_S, bound_to, pool)

    async def download_request(self, request: Request) -> Response:
        agent = _OneAgent(
            self._agent,
            contextFactory=self._contextFactory,
            pool=self._pool,
            maxsize=self._default_maxsize,
            warnsize=self._default_warnsize,
            fail_on_dataloss=self._fail_on_dataloss,
            crawler=self._crawler,
            tls_verbose_logging=self._tls_verbose_logging,
        )
        with wrap_twisted_exceptions():
            return await maybe_deferred_to_future(agent.download_request(request))
