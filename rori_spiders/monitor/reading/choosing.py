"""Which sources a screen shows: filters, the facets that they leave, and the order. Steps over an overview."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rori_spiders.monitor.answers.dashboard import Facets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rori_spiders.monitor.reading.overview import Overview
    from rori_spiders.standing import Standing

Key = Literal["id", "name", "agency", "domain", "status", "last_run", "next_due", "pages", "changes"]
Order = Literal["asc", "desc"]
_FACETS: Mapping[str, Callable[[Standing], str]] = {
    "status": lambda one: one.status,
    "agency": lambda one: one.source.metadata.agency or "",
    "category": lambda one: one.source.effective_category,
    "domain": lambda one: one.source.domain,
}
#: What a person should look at goes first.
_STATUSES = (
    "failed",
    "suspect",
    "locked",
    "partial",
    "running",
    "changed",
    "pending",
    "OK",
    "paused",
    "proposed",
    "retired",
)


@dataclass(frozen=True, slots=True)
class Filters:
    """What is asked for; None: all. The agency "" is that of sources without one."""

    status: str | None = None
    agency: str | None = None
    category: str | None = None
    domain: str | None = None
    words: str = ""  # in id, name, URL or agency; upper and lower case are the same


def chosen(whole: Overview, filters: Filters) -> tuple[list[Standing], Facets]:
    """The sources that all filters leave; and for each of the four, how many the *others* leave of each value."""
    words = filters.words.casefold()
    wanted = {name: value for name in _FACETS if (value := getattr(filters, name)) is not None}
    if not words and not wanted:
        every = {name: Counter(map(read, whole.standings)) for name, read in _FACETS.items()}
        return list(whole.standings), _facets(every)
    found: list[Standing] = []
    facets: dict[str, Counter[str]] = {name: Counter() for name in _FACETS}
    for one in whole.standings:
        if words and words not in _told(one):
            continue
        has = {name: read(one) for name, read in _FACETS.items()}
        missed = [name for name, value in wanted.items() if has[name] != value]
        if not missed:
            found.append(one)
        if len(missed) < 2:  # of one that misses two, no single filter is the reason
            for name in missed or _FACETS:
                facets[name][has[name]] += 1
    return found, _facets(facets)


def _facets(counts: Mapping[str, Counter[str]]) -> Facets:
    """By name; statuses in the order in which sources are sorted by them."""
    sorted_by = {"status": lambda one: _STATUSES.index(one[0])}
    return Facets(**{name: dict(sorted(count.items(), key=sorted_by.get(name))) for name, count in counts.items()})


def _told(one: Standing) -> str:
    source = one.source
    return f"{source.id}\n{source.name}\n{source.url}\n{source.metadata.agency or ''}".casefold()


def in_order(whole: Overview, some: Iterable[Standing], key: Key, order: Order) -> list[Standing]:
    """Sorted; what has no value stands at the end either way, and equals go by their ids."""
    keys: dict[str, Callable[[Standing], Any]] = {
        "id": lambda one: one.source.id,
        "name": lambda one: one.source.name.casefold(),
        "agency": lambda one: one.source.metadata.agency and one.source.metadata.agency.casefold(),
        "domain": lambda one: one.source.domain,
        "status": lambda one: _STATUSES.index(one.status),
        "last_run": lambda one: one.last_run and one.last_run.started_at,
        "next_due": lambda one: None if one.hindrance else one.next_due or whole.at.min.replace(tzinfo=whole.at.tzinfo),
        "pages": lambda one: one.pages,
        "changes": lambda one: whole.changed(one.source.id),
    }
    read = keys[key]
    by_id = sorted(some, key=lambda one: one.source.id)
    valued = [(value, one) for one in by_id if (value := read(one)) is not None]
    valued.sort(key=lambda pair: pair[0], reverse=order == "desc")
    return [one for _, one in valued] + [one for one in by_id if read(one) is None]
