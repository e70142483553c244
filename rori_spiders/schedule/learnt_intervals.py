"""How often a source really changes, and the frequency that would fit: counts in, a proposal with its reason out.

Changes are taken for a Poisson process that checks sample: of several changes between two checks one is seen. So its
rate is estimated as Cho and Garcia-Molina do ("Estimating frequency of change", 2003), with half a check added: no
source is taken for one that never, or always, changes. Of all ways to spend the same checks, intervals that grow as the
root of the time between changes make the mean wait of a change shortest: a source that changes each day is not worth
thirty times the checks of one that changes each month. A proposal is never less often than the manifest says, and
never more often than a person allows; it is used once the manifest says it.
"""

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import get_args

from rori_spiders.manifest.vocabulary import Frequency
from rori_spiders.schedule.intervals import INTERVAL_DAYS

#: A source that changes once in 30 days is best checked once in 10, one that changes each day once in 2.
_ROOT_FACTOR = 1.8
#: Fewer changes say nothing of how often more will come.
_LEAST_CHANGES = 2
_LEAST_CHECKS = 4


@dataclass(frozen=True, slots=True)
class CheckHistory:
    """Complete runs of a source after its first one, those that found a change, and the days from first to last."""

    checks: int
    changed: int
    days: float

    @property
    def changes_a_day(self) -> float:
        """The estimated rate; 0 where nothing was seen over any time."""
        if not self.checks or self.days <= 0:
            return 0.0
        return -log((self.checks - self.changed + 0.5) / (self.checks + 0.5)) * self.checks / self.days


@dataclass(frozen=True, slots=True)
class IntervalProposal:
    """What the manifest says, what would fit, and why."""

    now: Frequency
    proposed: Frequency
    reason: str


def propose_interval(now: Frequency, history: CheckHistory, shortest: Frequency) -> IntervalProposal:
    """The frequency nearest to the root of the time between changes, from *now* to *shortest*."""
    seen = f"it changed in {history.changed} of {history.checks} checks in {history.days:.0f} days"
    if history.checks < _LEAST_CHECKS or history.changed < _LEAST_CHANGES or history.days < 1:
        return IntervalProposal(now, now, f"{seen}: too little to propose anything")
    rate = history.changes_a_day
    best = _ROOT_FACTOR * sqrt(1 / rate)
    allowed = [
        one for one in get_args(Frequency) if INTERVAL_DAYS[shortest] <= INTERVAL_DAYS[one] <= INTERVAL_DAYS[now]
    ]
    proposed: Frequency = min(allowed, key=lambda one: abs(log(INTERVAL_DAYS[one] / best)), default=now)
    found = 1 - exp(-rate * INTERVAL_DAYS[proposed])
    reason = f"{seen}: a {proposed} check finds a change {found:.0%} of the time"
    if proposed != now:
        reason += f", and {(INTERVAL_DAYS[now] - INTERVAL_DAYS[proposed]) / 2:g} days sooner"
    return IntervalProposal(now, proposed, reason)
