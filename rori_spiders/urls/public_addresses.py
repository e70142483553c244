"""Check IP addresses: requests may go to public ones and to those that the operator allows.

``RORI_ALLOWED_ADDRESSES`` names exceptions as ``host:port``, ``host`` or a CIDR block (``127.0.0.0/8``). Steps: no
network. What a name resolves to is judged by ``crawl/transport/resolver.py``, with the same rules.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable

from rori_spiders.exceptions import AddressRefused
from rori_spiders.urls.canonical import bracket_ipv6, host_of

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

# Prefixes whose addresses carry an IPv4 address inside (RFC 6052 NAT64): judged by what they carry.
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# All that IANA has given out for the public IPv6 internet: outside of it are site-local, IPv4-compatible and
# translated addresses, which Python calls global.
_PUBLIC_IPV6 = ipaddress.ip_network("2000::/3")
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(block)
    for block in (
        "3fff::/20",  # documentation (RFC 9637); like the next two not in the tables of every Python 3.11
        "192.88.99.0/24",  # the former 6to4 relays (RFC 7526)
        "192.0.0.0/24",  # protocol assignments (RFC 6890); Oracle Cloud answers instances on 192.0.0.192
        "168.63.129.16/32",  # Azure's WireServer, reached from its machines alone, although the block is public
        "161.26.0.0/16",  # IBM Cloud's service endpoints, reached from its machines alone
        "166.8.0.0/14",  # likewise
    )
)
#: Names that only a private network resolves (RFC 6762, RFC 8375, ICANN's .internal), metadata of clouds among them:
#: metadata.google.internal, instance-data.ec2.internal. What they resolve to may be an address like any other.
_PRIVATE_SUFFIXES = (".internal", ".local", ".home.arpa")
_METADATA_HOSTS = frozenset({"metadata", "instance-data", "api.metadata.cloud.ibm.com", "metadata.tencentyun.com"})
# Numbers and dots only: what a C library reads as an IPv4 address, whatever the notation.
_NUMERIC_HOST = re.compile(r"[0-9][0-9a-fx.]*")


def _embedded_ipv4(address: IPAddress) -> IPAddress:
    """The IPv4 address that an IPv6 one stands for (mapped, 6to4, Teredo, NAT64), else the address itself."""
    if not isinstance(address, ipaddress.IPv6Address):
        return address
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address.sixtofour:
        return address.sixtofour
    if address.teredo:
        return address.teredo[1]
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public_address(address: IPAddress) -> bool:
    """Whether *address* is globally reachable unicast, also after unwrapping an embedded IPv4 address."""
    inner = _embedded_ipv4(address)
    if isinstance(address, ipaddress.IPv6Address) and address not in _PUBLIC_IPV6 and address not in _NAT64:
        return False
    return all(
        one.is_global and not one.is_multicast and not any(one in network for network in _NOT_PUBLIC)
        for one in (address, inner)
    )


class AddressRules:
    """The operator's exceptions, parsed once. Raises ValueError for what is neither host, host:port nor CIDR."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._networks: list[IPNetwork] = []
        self._hosts: dict[str, set[int | None]] = {}
        self._passed: set[tuple[str, int | None]] = set()  # hosts that are addresses, as they were judged
        for entry in allowed:
            self._add(entry.strip())

    def _add(self, entry: str) -> None:
        if not entry:
            return
        if "/" in entry:
            self._networks.append(ipaddress.ip_network(entry, strict=False))
            return
        host, port = _split_port(entry)
        self._hosts.setdefault(host.lower().rstrip("."), set()).add(port)

    def names(self, host: str, port: int | None = None) -> bool:
        """Whether the operator named this host (with this port, when one is given)."""
        ports = self._hosts.get(host.lower().rstrip("."), set())
        if ports and (None in ports or port is None or port in ports):
            return True
        address = _parse_ip_literal(host)
        return address is not None and any(address in network for network in self._networks)

    def check(self, address: str, host: str, port: int | None = None) -> None:
        """Raise AddressRefused unless *address*, which *host* stands for, may be connected to."""
        parsed = ipaddress.ip_address(address.split("%")[0])
        if is_public_address(parsed) or self.names(host, port) or any(parsed in network for network in self._networks):
            return
        what = f"{host} ({address})" if address != host else host
        raise AddressRefused(
            f"{what} is not a public address; to allow it, add {bracket_ipv6(host)}:{port or 80} to "
            "RORI_ALLOWED_ADDRESSES"
        )

    def check_url(self, url: str, port: int | None) -> None:
        """Judge a URL whose host is itself an address; a name is judged when it is resolved."""
        host = host_of(url)
        if (host, port) in self._passed:
            return
        address = _parse_ip_literal(host)
        if address is not None:
            self.check(str(address), host, port)
            self._passed.add((host, port))
        elif host == "localhost" or host.endswith(".localhost"):
            self.check("127.0.0.1", host, port)
        elif (host.endswith(_PRIVATE_SUFFIXES) or host in _METADATA_HOSTS) and not self.names(host, port):
            raise AddressRefused(
                f"{host} is a name of a private network; to allow it, add {host}:{port or 80} to RORI_ALLOWED_ADDRESSES"
            )


def _parse_ip_literal(host: str) -> IPAddress | None:
    """The address that *host* spells, also as resolvers read it: ``127.1``, ``0x7f000001``, ``2130706433``."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        pass
    if not _NUMERIC_HOST.fullmatch(host.lower()):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def _split_port(entry: str) -> tuple[str, int | None]:
    if _parse_ip_literal(entry):  # an IPv6 address without brackets has colons of its own
        return entry, None
    host, colon, port = entry.rpartition(":")
    if not colon:
        return entry, None
    if not port.isdigit():
        raise ValueError(
            f"RORI_ALLOWED_ADDRESSES: {entry!r} is not a valid host, host:port or block such as 10.0.0.0/8"
        )
    return host.strip("[]"), int(port)
