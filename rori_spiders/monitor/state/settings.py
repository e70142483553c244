"""The monitor's settings (`RORI_MONITOR_*`), read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

from rori_spiders.ledger.operations.accounts import SessionLifetime

#: Host names under which a browser on this machine reaches the monitor.
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class MonitorSettings:
    """Settings of the monitor: address, host names, trusted proxies, length of a session."""

    host: str = "127.0.0.1"
    port: int = 8650
    names: frozenset[str] = LOOPBACK_NAMES
    user_header: str = ""
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    runs: str = ""  # here | queue; "": as the database suggests
    lasting: SessionLifetime = field(default_factory=lambda: SessionLifetime(timedelta(hours=1), timedelta(hours=12)))

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> MonitorSettings:
        """Read from Scrapy's checked settings, or any mapping."""
        host = settings["RORI_MONITOR_HOST"]
        named = {name.lower() for name in split_commas(settings["RORI_MONITOR_ALLOWED_HOSTS"])}
        return cls(
            host=host,
            port=int(settings["RORI_MONITOR_PORT"]),
            names=frozenset({*named, *LOOPBACK_NAMES, host.lower()}),
            user_header=settings["RORI_MONITOR_USER_HEADER"].lower(),
            proxies=tuple(
                ip_network(one, strict=False) for one in split_commas(settings["RORI_MONITOR_TRUSTED_PROXIES"])
            ),
            runs=settings["RORI_MONITOR_EXECUTOR"],
            lasting=SessionLifetime(
                timedelta(minutes=int(settings["RORI_MONITOR_IDLE_MINUTES"])),
                timedelta(hours=int(settings["RORI_MONITOR_SESSION_HOURS"])),
            ),
        )

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the monitor."""
        return self.host == "localhost" or ip_address(self.host).is_loopback


def split_commas(text: str) -> list[str]:
    """Split a text at commas."""
    return [word.strip() for word in text.split(",") if word.strip()]
