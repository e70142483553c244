"""Fences that publishers ask for themselves: by which tiers alone their hosts may be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rori_spiders.manifest.vocabulary import Tier

#: "Programmatic access to these sites is limited to access to our extensive developer APIs" (their "Request Access"
#: page): no browser and no provider ever asks them. A manifest may narrow these fences, never widen them.
FENCES: Mapping[str, tuple[Tier, ...]] = {
    "ecfr.gov": ("official", "http"),
    "federalregister.gov": ("official", "http"),
}


def fence(host: str, stated: tuple[Tier, ...] | None) -> tuple[Tier, ...] | None:
    """The fence that a manifest states for *host*, within the one that its publisher asks for."""
    asked = next((FENCES[name] for name in upwards(host) if name in FENCES), None)
    if asked is None or stated is None:
        return asked if stated is None else stated
    return tuple(tier for tier in stated if tier in asked)


def upwards(host: str) -> Iterator[str]:
    """``a.b.gov``, ``b.gov``, ``gov``; an address has no parents."""
    yield host
    if ":" not in host and not host.rpartition(".")[2].isdigit():
        while "." in host:
            host = host.partition(".")[2]
            yield host
