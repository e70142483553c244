"""The resolver that refuses names of non-public addresses. The address it returns is the one connected to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.resolver import CachingThreadedResolver
from twisted.internet.error import DNSLookupError

from rori_spiders.addresses import AddressRules
from rori_spiders.exceptions import AddressRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase
    from twisted.internet.defer import Deferred


class PublicResolver(CachingThreadedResolver):
    """Scrapy's caching resolver; each answer is judged, cached ones too.

    Raises (through the deferred) DNSLookupError whose text says why. The port is not known here: an entry ``host:port``
    of RORI_ALLOWED_ADDRESSES lets the name resolve, and ``scope.py`` has judged the port before.
    """

    rules = AddressRules()

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> PublicResolver:
        resolver = super().from_crawler(crawler, reactor)
        resolver.rules = AddressRules(crawler.settings.getlist("RORI_ALLOWED_ADDRESSES"))
        return resolver

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802 (Twisted's name)
        return super().getHostByName(name, timeout).addCallback(self._judge, name)

    def _judge(self, address: Any, name: str) -> Any:
        try:
            self.rules.check(str(address), name)
        except AddressRefused as error:
            raise DNSLookupError(str(error)) from error
        return address
