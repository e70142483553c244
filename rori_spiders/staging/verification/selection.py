"""What a verification opens, where it is not all: a random sample, what is younger than a time, or both."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Select, or_, select

from rori_spiders.ledger.tables import envelopes, runs

T = TypeVar("T")

#: A forger must not know what will be opened.
_random = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Sample:
    """*count* things of each kind, or the *share* of them (above 0, at most 1); one of the two is None."""

    count: int | None = None
    share: float | None = None

    def __str__(self) -> str:
        return str(self.count) if self.share is None else f"{self.share * 100:g}%"

    def choose(self, items: Iterable[T]) -> Iterator[T]:
        """A random part of *items*, in their order; each has the same chance. Holds at most *count* in memory."""
        if self.share is not None:
            passed = _random.random()
            for item in items:
                passed += self.share
                if passed >= 1:
                    passed -= 1
                    yield item
        elif self.count is not None:
            yield from _choose_count(items, self.count)


def _choose_count(items: Iterable[T], count: int) -> list[T]:
    chosen: dict[int, tuple[int, T]] = {}  # a reservoir: of the items so far each is in it with the same chance
    for at, item in enumerate(items):
        place = at if at < count else _random.randrange(at + 1)
        if place < count:
            chosen[place] = (at, item)
    return [item for _, item in sorted(chosen.values(), key=lambda one: one[0])]


@dataclass(frozen=True, slots=True)
class VerificationScope:
    """What to open: everything, unless there is a *sample*, or a time *since* which runs must have been under way."""

    sample: Sample | None = None
    since: datetime | None = None

    @property
    def is_whole(self) -> bool:
        return self.sample is None and self.since is None


def _count(items: Iterable[T], kind: str, counts: Counter[str]) -> Iterator[T]:
    counts[kind] += 0  # also of what there is none of
    for item in items:
        counts[kind] += 1
        yield item


class Selection:
    """Chooses what one verification opens. ``totals`` counts from how many of each kind it chose ``chosen``."""

    def __init__(self, scope: VerificationScope | None = None) -> None:
        self.scope = scope or VerificationScope()
        self.totals: Counter[str] = Counter()
        self.chosen: Counter[str] = Counter()

    def choose(self, kind: str, items: Iterable[T]) -> Iterator[T]:
        """Those of *items* that are to be opened, in their order."""
        counted = _count(items, kind, self.totals)
        chosen = counted if self.scope.sample is None else self.scope.sample.choose(counted)
        return _count(chosen, kind, self.chosen)

    def recent_runs(self) -> Select[Any] | None:
        """The ids of the runs to look at; None: all. A run accepted since has envelopes that were staged since."""
        since = self.scope.since
        if since is None:
            return None
        staged = select(envelopes.c.run_id).where(envelopes.c.staged_at >= since)
        under_way = or_(runs.c.finished_at.is_(None), runs.c.finished_at >= since)
        return select(runs.c.run_id).where(or_(under_way, runs.c.run_id.in_(staged)))

    def restrict(self, query: Select[Any], column: Any) -> Select[Any]:
        """*query*, of the rows whose run (*column*) is to be looked at."""
        recent = self.recent_runs()
        return query if recent is None else query.where(column.in_(recent))

    def restrict_times(self, query: Select[Any], column: Any) -> Select[Any]:
        """*query*, of the rows that are young enough by the time in *column*, or have none."""
        since = self.scope.since
        return query if since is None else query.where(or_(column.is_(None), column >= since))
