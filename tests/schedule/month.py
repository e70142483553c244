"""Weeks of a fleet, simulated: plan, dispatch and nodes, with a clock that is moved by hand. Nobody is asked anything.

500 sources: those of the packaged manifest, and more of its kinds. Nodes run five jobs at once (ten requests, two a
group), one of a group; a run takes its pages times 2.05 s, rests when its hours end, and goes on in the next ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.manifest.catalog import Catalog, LoadedManifest
from rori_spiders.manifest.loading import load_packaged
from rori_spiders.manifest.models import Manifest, Source
from rori_spiders.politeness.rate_limiter import MARGIN
from rori_spiders.schedule import crawl_window_for, current_closing, plan_due_sources
from rori_spiders.schedule.plan import plan_jobs
from tests.support.project import source as written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.schedule.plan import PlannedJob

NODES_RUN = 5
WAITING = 20
_PAGE = timedelta(seconds=2 * MARGIN)


def five_hundred() -> Catalog:
    """The packaged sources, all active, and state agencies, trade bodies and federal sites beside them."""
    packaged = load_packaged("fthb")
    own = [one.model_copy(update={"status": "active"}) for one in packaged.manifest.sources]
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("https://agency{0}.state{1}.gov/", {"jurisdiction": "state:CA", "priority": "low"}),
        ("https://www.body{0}.org/", {"jurisdiction": "national", "priority": None}),
        ("https://www.agency{0}.gov/part/{1}/", {"priority": "high"}),
    ]
    more = []
    for number in range(500 - len(own)):
        url, fields = kinds[number % 3]
        more.append(Source.model_validate(written(f"more-{number}", url.format(number, number % 9), **fields)))
    for one in more:
        object.__setattr__(one, "frequency", None)  # as its category says
    manifest = packaged.manifest.model_copy(update={"sources": (*own, *more)})
    assert isinstance(manifest, Manifest)
    return Catalog([LoadedManifest("five-hundred", manifest, packaged.text, packaged.sha256, "a test")])


def pages_of(source: Source) -> int:
    """Of a page one, of a site 1 to 400; of some, more than a night holds at one in 2.05 s (7,024)."""
    number = int.from_bytes(sha256(source.id.encode()).digest()[-4:])
    if source.method == "scrape":
        return 1
    return 9_000 if number % 97 == 0 else 1 + number % 400


@dataclass
class Run:
    """One time that a source was asked: from its first request to its last."""

    source: Source
    began: datetime
    ended: datetime
    complete: bool


@dataclass
class _Slot:
    """A place for one job on some node."""

    at: datetime
    job: PlannedJob | None = None
    left: list[Source] = field(default_factory=list)


class Simulation:
    """Dispatcher and nodes over a catalogue, from *start* on."""

    def __init__(self, catalog: Catalog, start: datetime) -> None:
        self.catalog = catalog
        self.states: dict[str, SourceState] = {}
        self.runs: list[Run] = []
        self.most_outstanding = 0
        self._left = {source.id: pages_of(source) for source in catalog.sources}
        self._groups = {source.id: [catalog.group(source.host)] for source in catalog.sources}
        self._waiting: list[PlannedJob] = []
        self._slots = [_Slot(start) for _ in range(NODES_RUN)]

    def until(self, start: datetime, end: datetime) -> None:
        """Rounds from *start* to *end*: every half an hour at night, every three hours by day."""
        for now in _rounds(start, end):
            for slot in self._slots:
                self._work(slot, now)
            self._dispatch(now)

    def _dispatch(self, now: datetime) -> None:
        open_jobs = [*self._waiting, *(slot.job for slot in self._slots if slot.job is not None)]
        made = plan_jobs(
            plan_due_sources(self.catalog.sources, self.states, now, rules=self.catalog.rules),
            queued={source.id: "" for job in open_jobs for source in job.sources},
            busy={group for job in open_jobs for group in job.groups},
            room=WAITING - len(self._waiting),
            groups=lambda source: self._groups[source.id],
        )
        self._waiting = sorted([*self._waiting, *made.jobs], key=lambda job: -job.priority)
        self.most_outstanding = max(self.most_outstanding, len(open_jobs) + len(made.jobs))

    def _work(self, slot: _Slot, now: datetime) -> None:
        """What the slot does until *now*: its job's sources one after the other, then the next job."""
        while slot.at < now:
            if not slot.left:
                slot.job = self._waiting.pop(0) if self._waiting else None
                slot.left = list(slot.job.sources) if slot.job else []
            if slot.job is None:
                slot.at = now
            elif slot.left:
                slot.at = self._run(slot.left.pop(0), slot.at)

    def _run(self, source: Source, at: datetime) -> datetime:
        """Ask for the source's pages from *at* on, in its hours only; gives when that ended."""
        hours = crawl_window_for(source.url, self.catalog.rules)
        known = {source.id: self.states[source.id]} if source.id in self.states else {}
        if not [
            due for due in plan_due_sources([source], known, at, rules=self.catalog.rules) if due.held_until is None
        ]:
            return at  # as a job does whose turn comes too late
        ends = at + self._left[source.id] * _PAGE
        closes = current_closing(hours, at)
        if closes is not None and ends > closes:
            self._left[source.id] -= int((closes - at) / _PAGE)
            self.runs.append(Run(source, at, closes, complete=False))
            return closes
        self.runs.append(Run(source, at, ends, complete=True))
        self._left[source.id] = pages_of(source)
        self.states[source.id] = replace(self.states.get(source.id, SourceState()), last_checked_at=ends)
        return ends


def _rounds(start: datetime, end: datetime) -> Iterator[datetime]:
    now = start
    while now < end:
        yield now
        now += timedelta(minutes=30) if 5 <= now.hour < 12 else timedelta(hours=3)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
