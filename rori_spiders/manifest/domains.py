"""What holds for a host: each rule from the nearest entry of `domains` that states it; of two files the stricter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rori_spiders.manifest.fences import fence, upwards
from rori_spiders.manifest.hours import Hours
from rori_spiders.manifest.models import DEFAULT_CONCURRENCY, DEFAULT_DELAY_S, DomainRules
from rori_spiders.urls import registrable_domain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rori_spiders.manifest.vocabulary import Tier


@dataclass(frozen=True)
class Rules:
    """What holds for a host."""

    delay_s: float
    concurrency: int
    hours: Hours | None  # None: nothing said; the schedule's own rule (.gov at night) holds
    tiers: tuple[Tier, ...] | None  # the fence; None: no fence
    host: str
    stated_group: str | None

    @property
    def group(self) -> str:
        """The politeness group: the manifest's, else the registrable domain."""
        return self.stated_group or registrable_domain(self.host)


class Domains:
    """The `domains` of several manifests, asked by host or by politeness group."""

    def __init__(self, files: Iterable[Mapping[str, DomainRules]]) -> None:
        self._stated = _strictest(files)
        # asked for some twenty times a page, and of each host by the schedule
        self._rules = lru_cache(maxsize=1 << 15)(self._rules_of)

    def rules(self, host: str) -> Rules:
        """Each rule from the nearest entry of `domains`, for the host or a parent, that states it; else the default."""
        return self._rules(host)

    def _rules_of(self, host: str) -> Rules:
        said = [self._stated[name] for name in upwards(host) if name in self._stated]
        hours = next((rules.hours for rules in said if rules.hours is not None), None)
        return Rules(
            delay_s=next((rules.delay_s for rules in said if "delay_s" in rules.model_fields_set), DEFAULT_DELAY_S),
            concurrency=next(
                (rules.concurrency for rules in said if "concurrency" in rules.model_fields_set), DEFAULT_CONCURRENCY
            ),
            hours=Hours.parse(hours) if hours else None,
            tiers=fence(host, next((rules.tiers for rules in said if rules.tiers is not None), None)),
            host=host,
            stated_group=next((rules.group for rules in said if rules.group is not None), None),
        )

    def group(self, host: str) -> str:
        """The politeness group: the manifest's, else the registrable domain."""
        return self.rules(host).group

    def rules_of_group(self, group: str) -> Rules:
        """What holds for a politeness group: the strictest delay and concurrency of the domains that belong to it."""
        members = [self.rules(host) for host in self._stated if self.group(host) == group] or [self.rules(group)]
        return replace(
            members[0],
            delay_s=max(member.delay_s for member in members),
            concurrency=min(member.concurrency for member in members),
        )


def _strictest(files: Iterable[Mapping[str, DomainRules]]) -> dict[str, DomainRules]:
    """Domains of several files: the longer delay, the smaller concurrency."""
    merged: dict[str, DomainRules] = {}
    for domains in files:
        for host, rules in domains.items():
            merged[host] = _stricter(merged[host], rules) if host in merged else rules
    return merged


def _stricter(one: DomainRules, other: DomainRules) -> DomainRules:
    given = {**one.model_dump(exclude_unset=True), **other.model_dump(exclude_unset=True)}
    stated = one.model_fields_set | other.model_fields_set
    if "delay_s" in stated:
        given["delay_s"] = max(rules.delay_s for rules in (one, other) if "delay_s" in rules.model_fields_set)
    if "concurrency" in stated:
        given["concurrency"] = min(one.concurrency, other.concurrency)
    return DomainRules.model_validate(given)
