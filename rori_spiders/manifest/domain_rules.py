"""The rules of a host, from the `domains` of all manifests: crawl window, allowed tiers, delay, concurrency,
politeness group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, time
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from rori_spiders.manifest.models import DEFAULT_CONCURRENCY, DEFAULT_DELAY_S, DomainRules
from rori_spiders.urls.canonical import registrable_domain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rori_spiders.manifest.vocabulary import Tier


NEW_YORK = "America/New_York"  # S0 §6.2 speaks of ET


@dataclass(frozen=True)
class CrawlWindow:
    """From ``start`` up to, not including, ``end``, on the clocks of ``zone``; equal ones mean the whole day."""

    start: time
    end: time
    zone: str = NEW_YORK

    @classmethod
    def parse(cls, text: str) -> CrawlWindow:
        """Read what ``DomainRules.hours`` accepted."""
        if text == "any":
            return cls(time(0), time(0))
        span, _, zone = text.partition(" ")
        start, _, end = span.partition("-")
        return cls(time.fromisoformat(start), time.fromisoformat(end), zone or NEW_YORK)

    def cover(self, moment: datetime) -> bool:
        """Whether *moment*, which knows its time zone, lies inside."""
        local = moment.astimezone(ZoneInfo(self.zone)).time()
        if self.start < self.end:
            return self.start <= local < self.end
        return self.start == self.end or local >= self.start or local < self.end


# Fences that publishers ask for themselves: by which tiers alone their hosts may be reached.

#: "Programmatic access to these sites is limited to access to our extensive developer APIs" (their "Request Access"
#: page): no browser and no provider ever asks them. A manifest may narrow these fences, never widen them.
PUBLISHER_TIERS: Mapping[str, tuple[Tier, ...]] = {
    "ecfr.gov": ("official", "http"),
    "federalregister.gov": ("official", "http"),
}


def allowed_tiers(host: str, stated: tuple[Tier, ...] | None) -> tuple[Tier, ...] | None:
    """The fence that a manifest states for *host*, within the one that its publisher asks for."""
    asked = next((PUBLISHER_TIERS[name] for name in host_and_parents(host) if name in PUBLISHER_TIERS), None)
    if asked is None or stated is None:
        return asked if stated is None else stated
    return tuple(tier for tier in stated if tier in asked)


def host_and_parents(host: str) -> Iterator[str]:
    """``a.b.gov``, ``b.gov``, ``gov``; an address has no parents."""
    yield host
    if ":" not in host and not host.rpartition(".")[2].isdigit():
        while "." in host:
            host = host.partition(".")[2]
            yield host


# What holds for a host: each rule from the nearest entry of `domains` that states it; of two files the stricter.


@dataclass(frozen=True)
class HostRules:
    """The rules that apply to a host."""

    delay_s: float
    concurrency: int
    hours: CrawlWindow | None  # None: nothing said; the schedule's own rule (.gov at night) holds
    tiers: tuple[Tier, ...] | None  # the fence; None: no fence
    host: str
    stated_group: str | None

    @property
    def group(self) -> str:
        """The politeness group: the manifest's, else the registrable domain."""
        return self.stated_group or registrable_domain(self.host)


class DomainRuleIndex:
    """The `domains` of several manifests, asked by host or by politeness group."""

    def __init__(self, files: Iterable[Mapping[str, DomainRules]]) -> None:
        # Domains of several files: the longer delay, the smaller concurrency.
        merged: dict[str, DomainRules] = {}
        for domains in files:
            for host, rules in domains.items():
                merged[host] = _stricter_rules(merged[host], rules) if host in merged else rules
        self._stated = merged
        # asked for some twenty times a page, and of each host by the schedule
        self._rules = lru_cache(maxsize=1 << 15)(self._rules_of)

    def rules(self, host: str) -> HostRules:
        """Each rule from the nearest entry of `domains`, for the host or a parent, that states it; else the default."""
        return self._rules(host)

    def _rules_of(self, host: str) -> HostRules:
        said = [self._stated[name] for name in host_and_parents(host) if name in self._stated]
        hours = next((rules.hours for rules in said if rules.hours is not None), None)
        return HostRules(
            delay_s=next((rules.delay_s for rules in said if "delay_s" in rules.model_fields_set), DEFAULT_DELAY_S),
            concurrency=next(
                (rules.concurrency for rules in said if "concurrency" in rules.model_fields_set), DEFAULT_CONCURRENCY
            ),
            hours=CrawlWindow.parse(hours) if hours else None,
            tiers=allowed_tiers(host, next((rules.tiers for rules in said if rules.tiers is not None), None)),
            host=host,
            stated_group=next((rules.group for rules in said if rules.group is not None), None),
        )

    def group(self, host: str) -> str:
        """The politeness group: the manifest's, else the registrable domain."""
        return self.rules(host).group

    def rules_of_group(self, group: str) -> HostRules:
        """What holds for a politeness group: the strictest delay and concurrency of the domains that belong to it."""
        members = [self.rules(host) for host in self._stated if self.group(host) == group] or [self.rules(group)]
        return replace(
            members[0],
            delay_s=max(member.delay_s for member in members),
            concurrency=min(member.concurrency for member in members),
        )


def _stricter_rules(one: DomainRules, other: DomainRules) -> DomainRules:
    given = {**one.model_dump(exclude_unset=True), **other.model_dump(exclude_unset=True)}
    stated = one.model_fields_set | other.model_fields_set
    if "delay_s" in stated:
        given["delay_s"] = max(rules.delay_s for rules in (one, other) if "delay_s" in rules.model_fields_set)
    if "concurrency" in stated:
        given["concurrency"] = min(one.concurrency, other.concurrency)
    return DomainRules.model_validate(given)
