"""What a request tells of where it comes from, and what a trusted reverse proxy adds: address, https, user."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

if TYPE_CHECKING:
    from starlette.types import Scope

    from rori_spiders.monitor.terms import Terms


@dataclass(frozen=True, slots=True)
class Visitor:
    """Where a request comes from. What it says of itself counts only when a trusted proxy has said it."""

    address: str  # of the browser
    https: bool
    user: str | None  # as the proxy names it


def visitor(scope: Scope, terms: Terms) -> Visitor:
    """Read from the connection, and from the headers of a proxy that RORI_MONITOR_PROXIES names."""
    client = scope.get("client")
    address = client[0] if client else ""
    if not _is_trusted(address, terms):
        return Visitor(address, scope["scheme"] == "https", None)
    headers = Headers(scope=scope)
    # Each proxy adds the address that it saw at the end: what stands before the last untrusted one anybody may write.
    chain = [one.strip() for one in ",".join(headers.getlist("x-forwarded-for")).split(",") if one.strip()]
    seen = next((one for one in reversed(chain) if not _is_trusted(one, terms)), address)
    https = headers.get("x-forwarded-proto", scope["scheme"]).split(",")[-1].strip() == "https"
    named = headers.getlist(terms.user_header) if terms.user_header else []
    # Twice the same header: one of them may be the browser's own.
    return Visitor(seen, https, named[0].strip() or None if len(named) == 1 else None)


def _is_trusted(address: str, terms: Terms) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in terms.proxies)
