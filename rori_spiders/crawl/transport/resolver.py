"""The resolver that refuses what is not public. The addresses that it hands on are those that are connected to.

Twisted asks it for every host, literal addresses included, before each new connection; nothing else resolves a name
for the tiers of this program.
"""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Literal

from scrapy.resolver import HostResolution
from scrapy.utils.datatypes import LocalCache
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IAddress, IHostnameResolver
from twisted.internet.threads import deferToThreadPool
from zope.interface import implementer

from rori_spiders.exceptions import AddressRefused
from rori_spiders.urls.public_addresses import AddressRules, is_public_address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure

#: Refusals that are remembered until somebody asks for the reason.
_REFUSALS = 10_000


@implementer(IHostnameResolver)
class PublicResolver:
    """IPv4 and IPv6. A name's whole answer is judged at each use, also one that was kept, with the port that is asked.

    A refused name resolves to nothing; ``refusal`` says why.
    """

    def __init__(self, reactor: Any, rules: AddressRules, cache_size: int) -> None:
        self._reactor = reactor
        self._rules = rules
        # By name alone: what a name resolves to does not depend on the port, what may be asked does.
        self._answers: LocalCache[str, tuple[str, ...]] = LocalCache(cache_size)
        self._refusals: LocalCache[tuple[str, int], str] = LocalCache(_REFUSALS)

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> PublicResolver:
        settings = crawler.settings
        cache_size = settings.getint("DNSCACHE_SIZE") if settings.getbool("DNSCACHE_ENABLED") else 0
        return cls(reactor, AddressRules(settings.getlist("RORI_ALLOWED_ADDRESSES")), cache_size)

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def refusal(self, host: str, port: int) -> str | None:
        """Why *host* was refused when it was last asked for with *port*; None when it was not."""
        return self._refusals.get((host.lower(), port))

    def look_up(self, host: str) -> tuple[str, ...]:
        """The addresses of *host* by this machine's own means; none when it has none. In a thread: it may take long."""
        try:
            found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
        except (OSError, ValueError):  # not found; no name at all
            return ()
        return tuple(dict.fromkeys(str(one[4][0]) for one in found))

    def resolveHostName(  # noqa: N802  (Twisted's name)
        self,
        resolutionReceiver: Any,  # noqa: N803  (an IResolutionReceiver)
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: Literal["TCP", "UDP"] = "TCP",  # noqa: N803
    ) -> HostResolution:
        resolution = HostResolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)

        def answered(found: tuple[str, ...] | Failure) -> None:
            answer = found if isinstance(found, tuple) else ()
            if answer:
                self._answers[hostName] = answer
            for address in self._judged(answer, hostName, portNumber):
                made = (IPv6Address if ":" in address else IPv4Address)(transportSemantics, address, portNumber)
                if addressTypes is None or isinstance(made, tuple(addressTypes)):
                    resolutionReceiver.addressResolved(made)
            resolutionReceiver.resolutionComplete()

        if hostName in self._answers:
            answered(self._answers[hostName])
        else:
            pool = self._reactor.getThreadPool()
            deferToThreadPool(self._reactor, pool, self.look_up, hostName).addBoth(answered)
        return resolution

    def _judged(self, answer: tuple[str, ...], host: str, port: int) -> list[str]:
        """The addresses of *answer* that may be connected to; none as soon as public and other ones are mixed.

        Who answers for a name with both wants to be let through by the one and asked at the other.
        """
        key = (host.lower(), port)
        self._refusals.pop(key, None)
        passed, why_not = [], None
        for address in answer:
            try:
                self._rules.check(address, host, port)
                passed.append(address)
            except AddressRefused as error:
                why_not = str(error)
        if why_not is None or (passed and not any(is_public_address(ip_address(address)) for address in passed)):
            return passed
        self._refusals[key] = why_not
        return []
