"""Tell a network of our own that is down from publishers that are: when nobody can be reached, the job checks itself.

A request that reaches nobody (no name, no connection, no answer in time) waits until a server of another politeness
group has answered (then the fault is its server's) or others could not be reached either. Then this machine is checked:
its resolver by the hosts of other sources, its routes, servers that answered this job before, and the host that the
operator names. A job that is offline stops; nothing counts against its sources, and the next job goes on.
"""

import asyncio
import logging
import socket
from collections.abc import Callable
from ipaddress import ip_address
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import CannotResolveHostError

from rori_spiders.crawl.job.active_manifests import ActiveManifests
from rori_spiders.exceptions import AddressRefused
from rori_spiders.manifest.models import Source
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of
from rori_spiders.urls.public_addresses import AddressRules

logger = logging.getLogger(__name__)

#: So many unreachable politeness groups in a row mean that we are offline; two may be dead servers.
MIN_UNREACHABLE_GROUPS = 3
#: A failure waits no longer than this for others to be reached or not.
MAX_WAIT_S = 60.0
_POLL_S = 0.2
#: Names that are looked up, and seconds for these and for a connection.
MAX_NAMES_CHECKED = 5
CHECK_TIMEOUT_S = 15.0
#: Servers that answered last, which a job in doubt connects to: one of them may have gone down as well.
MAX_SERVERS_CHECKED = 3
#: Reserved for documentation (RFC 5737, RFC 3849): asked for a route, never for a connection.
_ADDRESSES_ABROAD = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


class Connectivity:
    """What one job knows of its own network."""

    def __init__(
        self,
        manifests: ActiveManifests,
        addresses: AddressRules,
        *,
        named_host: str,
        asked_sources: Callable[[], list[Source]],
        stop: Callable[[Reason], None],
    ) -> None:
        """*asked_sources* gives those that have requests in progress, or will; *stop* ends the job."""
        self._manifests = manifests
        self._addresses = addresses
        self._named_host = named_host
        self._asked_sources = asked_sources
        self._stop = stop
        self._unreachable: dict[str, str] = {}  # groups that cannot be reached, since a server last answered -> host
        self._doubted: set[str] = set()  # of these: the check found nothing, and too few have failed to tell
        self._at_fault: set[str] = set()  # groups that could not be reached while others could
        self._check: asyncio.Task[str | None] | None = None
        self._has_news = asyncio.Event()
        self._answered: dict[str, tuple[str, int]] = {}  # the groups that answered last -> host and port
        self.offline_reason: Reason | None = None  # why the job stopped; None: it is online, as far as is known

    @property
    def has_answered(self) -> bool:
        """Whether any server has answered this job."""
        return bool(self._answered)

    def note_answer(self, url: str) -> None:
        """A server has answered: those that cannot be reached meanwhile have themselves to blame."""
        self._blame_servers()
        parts = urlsplit(url)
        group = self._manifests.group(host_of(url))
        self._at_fault.discard(group)
        self._answered.pop(group, None)
        self._answered[group] = host_of(url), parts.port or (443 if parts.scheme == "https" else 80)
        if len(self._answered) > MAX_SERVERS_CHECKED:
            del self._answered[next(iter(self._answered))]
        self._has_news.set()

    async def is_offline(self, request: Request, error: Exception) -> bool:
        """Whether *request* reached nobody for a fault of ours; the job then stops. *error*: how it failed."""
        host = host_of(request.url)
        group = self._manifests.group(host)
        if self.offline_reason is not None:
            return True
        is_decided = group in self._doubted and len(self._unreachable) < MIN_UNREACHABLE_GROUPS
        if group in self._at_fault or is_decided:
            return False
        self._unreachable[group] = host
        self._has_news.set()
        await self._wait_for_others(group)
        if self.offline_reason is None and group in self._unreachable:
            self._check = self._check or asyncio.ensure_future(
                self._why_offline(is_by_name=isinstance(error, CannotResolveHostError))
            )
            why = await asyncio.shield(self._check)
            self._check = None
            if group in self._unreachable:  # nobody has answered meanwhile
                self._conclude(why)
        return self.offline_reason is not None

    def _conclude(self, why: str | None) -> None:
        if why is None and len(self._unreachable) < MIN_UNREACHABLE_GROUPS:
            self._doubted |= self._unreachable.keys()
        elif why is None:
            self._blame_servers()
        elif self.offline_reason is None:
            self.offline_reason = reason = Reason(ReasonCode.OFFLINE, error=why)
            logger.error("This machine seems to be offline, and the job stops: %(why)s", {"why": why})
            self._stop(reason)
        self._has_news.set()

    def _blame_servers(self) -> None:
        self._at_fault |= self._unreachable.keys()
        self._unreachable.clear()
        self._doubted.clear()

    async def _wait_for_others(self, group: str) -> None:
        """Until a server answers, enough groups cannot be reached, or no other group is asked."""
        until = monotonic() + MAX_WAIT_S
        while (
            self.offline_reason is None
            and group in self._unreachable
            and len(self._unreachable) < MIN_UNREACHABLE_GROUPS
            and self._others_are_asked()
            and monotonic() < until
        ):
            self._has_news.clear()
            try:
                async with asyncio.timeout(_POLL_S):
                    await self._has_news.wait()
            except TimeoutError:
                continue

    def _others_are_asked(self) -> bool:
        """Whether requests of this job to other groups are in progress, or follow by themselves."""
        groups = {self._manifests.group(source.host) for source in self._asked_sources()}
        return bool(groups - self._unreachable.keys() - self._at_fault)

    # --- the check ------------------------------------------------------------------------------------------------

    async def _why_offline(self, *, is_by_name: bool) -> str | None:
        """Why this machine seems to be offline; None: nothing says so."""
        if self._named_host:
            # Connect to the host that the operator names (``host`` or ``host:port``), and say why that fails.
            parts = urlsplit(f"//{self._named_host}")
            why_not = await _why_not_connected(parts.hostname or "", parts.port or 443)
            return None if why_not is None else f"{self._named_host} (RORI_CONNECTIVITY_HOST) {why_not}"
        if is_by_name and (why := await self._why_no_names()) is not None:
            return why
        if not is_by_name and not await self._has_route():
            return "it has no route to other networks"
        if len(self._unreachable) >= MIN_UNREACHABLE_GROUPS and not await self._is_server_there():
            hosts = ", ".join(list(self._unreachable.values())[:MAX_NAMES_CHECKED])
            return f"none of {len(self._unreachable)} hosts in a row could be reached ({hosts})"
        return None

    async def _why_no_names(self) -> str | None:
        """Look up hosts of other sources of the manifest; nothing is sent to these."""
        failed = dict(self._unreachable)
        for source in self._manifests.catalog.sources:
            group = self._manifests.group(source.host)
            if group not in failed and group not in self._at_fault and not _is_address(source.host):
                failed[group] = source.host
            if len(failed) >= len(self._unreachable) + MAX_NAMES_CHECKED:
                break
        others = [host for group, host in failed.items() if group not in self._unreachable]
        if any(await asyncio.gather(*map(_has_addresses, others))) or len(failed) < MIN_UNREACHABLE_GROUPS:
            return None
        return f"no name is resolved ({', '.join(list(failed.values())[:MAX_NAMES_CHECKED])})"

    async def _is_server_there(self) -> bool:
        """Whether a server that answered this job takes a connection still; nothing is sent to it."""
        return any(await asyncio.gather(*(self._is_connected(*one) for one in self._answered.values())))

    async def _is_connected(self, host: str, port: int) -> bool:
        for address in await _addresses(host):
            try:
                self._addresses.check(address, host, port)
                if await _why_not_connected(address, port) is None:
                    return True
            except AddressRefused:
                continue
        return False

    async def _has_route(self) -> bool:
        """Whether packets could leave for a host that was not reached, or for any network abroad."""
        hosts = list(self._unreachable.values())  # a server may answer while they are looked up
        found = [address for host in hosts for address in await _addresses(host)]
        tried = [(socket.AF_INET6 if ":" in address else socket.AF_INET, address) for address in found]
        return any(_is_routed(*one) for one in (*_ADDRESSES_ABROAD, *tried))


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


async def _addresses(host: str) -> tuple[str, ...]:
    """The addresses of *host*, by the resolver that requests use, but not from what it kept; none after a while."""
    from twisted.internet import reactor  # whoever imports it chooses it, so not before there is a crawler

    loop: Any = reactor
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S):
            return tuple(await asyncio.to_thread(loop.nameResolver.look_up, host))
    except TimeoutError:
        return ()


async def _has_addresses(host: str) -> bool:
    return bool(await _addresses(host))


def _is_routed(family: socket.AddressFamily, address: str) -> bool:
    """Whether this machine knows where to send packets for *address*; none is sent."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
    except OSError:
        return False
    return True


async def _why_not_connected(host: str, port: int) -> str | None:
    """Connect, and hang up; why that fails."""
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S):
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
    except TimeoutError:
        return f"did not answer within {CHECK_TIMEOUT_S:g} s"
    except OSError as error:
        return f"cannot be reached: {error}"
    return None
