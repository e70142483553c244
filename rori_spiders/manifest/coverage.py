"""What a manifest collects of what it is to cover: for each of its `subjects`, or by category where it names none, the
sources, and whether they are active.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from rori_spiders.manifest.models import Manifest, Source
from rori_spiders.manifest.vocabulary import DEFAULT_FREQUENCIES, MEANINGS, Category, Frequency

#: Of the sources that are not retired. ``active``: all are; ``in part``: some are; else the most frequent status, and
#: ``none`` where there is no source.
State = Literal["active", "in part", "proposed", "paused", "retired", "none"]


_FREQUENCY_ORDER = list(MEANINGS["frequency"])


class SubjectCoverage(NamedTuple):
    """One subject, and what collects it."""

    name: str
    category: Category
    state: State
    sources: tuple[Source, ...]
    why: str | None = None

    @property
    def active(self) -> tuple[Source, ...]:
        return tuple(source for source in self.sources if source.status == "active")

    @property
    def frequencies(self) -> tuple[Frequency, ...]:
        """How often its active sources are collected, the most frequent first."""
        return tuple(sorted({one.effective_frequency for one in self.active}, key=_FREQUENCY_ORDER.index))

    @property
    def slower(self) -> tuple[Source, ...]:
        """Its active sources that are collected less often than the specification says of their category."""
        default = _FREQUENCY_ORDER.index(DEFAULT_FREQUENCIES[self.category])
        return tuple(one for one in self.active if _FREQUENCY_ORDER.index(one.effective_frequency) > default)


def report_coverage(manifest: Manifest) -> list[SubjectCoverage]:
    """Each subject of *manifest*, in the order of the categories; without any, each category that has a source."""
    if not manifest.subjects:
        return [*_category_coverage(manifest)]
    order = list(DEFAULT_FREQUENCIES)
    covered = [
        _subject_coverage(one.name, one.category, named_sources(one.sources, manifest.sources), one.why)
        for one in manifest.subjects
    ]
    return sorted(covered, key=lambda one: order.index(one.category))


def named_sources(names: Iterable[str], sources: Sequence[Source]) -> list[Source]:
    """The *sources* that *names* mean: ids, in which ``*`` stands for any characters; each once."""
    wanted = [source_pattern(name) for name in names]
    return [source for source in sources if any(pattern.fullmatch(source.id) for pattern in wanted)]


def source_pattern(name: str) -> re.Pattern[str]:
    """The ids that *name* stands for.

    The leftmost place for each piece leaves the most room for what follows: no other is tried, however many stars.
    """
    first, *rest = map(re.escape, name.split("*"))
    last = f".*{rest.pop()}" if rest else ""
    return re.compile(first + "".join(f"(?>.*?{piece})" for piece in rest) + last)


def _category_coverage(manifest: Manifest) -> Iterator[SubjectCoverage]:
    for category in DEFAULT_FREQUENCIES:
        if sources := [one for one in manifest.sources if one.effective_category == category]:
            yield _subject_coverage(MEANINGS["category"][category], category, sources, None)


def _subject_coverage(name: str, category: Category, sources: Sequence[Source], why: str | None) -> SubjectCoverage:
    current = [source for source in sources if source.status != "retired"]
    statuses = Counter(source.status for source in current or sources)
    state: State = "none"
    if statuses:
        most = statuses.most_common(1)[0][0]
        state = most if len(statuses) == 1 or "active" not in statuses else "in part"
    return SubjectCoverage(name, category, state, tuple(current or sources), why)
