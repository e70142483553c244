"""How each source stands: what a person asks first, read from the ledger. Read-only.

In: the catalogue, an open connection (or None: nothing was ever collected), the time. Out: one ``Standing`` a source.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from sqlalchemy import func, select, text

from rori_spiders.ledger import leases, tables
from rori_spiders.ledger.remembered import Remembered
from rori_spiders.ledger.runs import RunRow, counts, open_of, recent
from rori_spiders.ledger.sources import RememberedStates, pause_of_all, state_of, states
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.politeness import MARGIN
from rori_spiders.schedule import Progress, hindrance, interval_words, next_due, percent_done, plan
from rori_spiders.standing import locks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.sources import SourceState
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.standing.owed import Owed

#: What ``status`` can be; S0 §4.3's badges, and what keeps a source from running.
Status = Literal[
    "OK", "changed", "failed", "suspect", "pending", "running", "partial", "locked", "paused", "proposed", "retired"
]
STATUSES: tuple[Status, ...] = get_args(Status)
_RUN = tuple(field.name for field in fields(RunRow) if field.name in tables.runs.c)
_SAID_OF = {"incomplete": "failed", "cancelled": "pending"}


@dataclass(frozen=True, slots=True)
class Standing:
    """One source. Times are UTC."""

    source: Source
    status: Status
    state: SourceState | None
    next_due: datetime | None  # None: at once, or never while something pauses it
    pages: int  # captured once and not gone
    last_run: RunRow | None
    outcome: str  # of the last run, in words
    hindrance: str | None = None  # why no schedule starts it, due or not
    locked: str | None = None  # who keeps it from its servers, though it is due

    def row(self) -> dict[str, Any]:
        """As ``scrapy sources`` lists it."""
        return {
            "id": self.source.id,
            "agency": self.source.metadata.agency,
            "method": self.source.method,
            "status": self.status,
            "last_checked_at": self.state.last_checked_at if self.state else None,
            "next_due": self.next_due,
            "pages": self.pages,
            "last_run": self.outcome,
            "name": self.source.name,
            "url": self.source.url,
        }


class Memory:
    """What was read of all sources before, for who reads them again every second or two. In one thread at a time."""

    def __init__(self) -> None:
        self.states = RememberedStates()
        self.runs: Remembered[RunRow] = Remembered(RunRow)
        self.catalog: Catalog | None = None
        self.standings: dict[str, Standing] = {}

    def of(self, catalog: Catalog) -> dict[str, Standing]:
        """How the sources stood before; by another catalogue nothing is known of that."""
        return self.standings if self.catalog is catalog else {}


def standings(
    catalog: Catalog, connection: Connection | None, now: datetime, memory: Memory | None = None
) -> list[Standing]:
    """One for each source, in the order of the manifest; by *memory* the same object for one that stands as before."""
    memory = memory or Memory()
    known = states(connection, memory.states) if connection is not None else {}
    runs = _last_runs(connection, memory.runs) if connection is not None else {}
    pages = _pages(connection) if connection is not None else {}
    found = _standings(catalog, catalog.sources, connection, now, known, runs, pages, memory.of(catalog))
    memory.catalog, memory.standings = catalog, {one.source.id: one for one in found}
    return found


def standing(catalog: Catalog, source: Source, connection: Connection | None, now: datetime) -> Standing:
    """That of one source, read without the others."""
    if connection is None:
        return _standings(catalog, [source], None, now, {}, {}, {})[0]
    known, of = {source.id: state_of(connection, source.id)}, {source.id: recent(connection, source.id, limit=1)}
    runs = {source_id: found[0] for source_id, found in of.items() if found}
    return _standings(catalog, [source], connection, now, known, runs, _pages(connection, source.id))[0]


def _standings(
    catalog: Catalog,
    sources: Sequence[Source],
    connection: Connection | None,
    now: datetime,
    known: Mapping[str, SourceState],
    runs: Mapping[str, RunRow],
    pages: Mapping[str, int],
    before: Mapping[str, Standing] = MappingProxyType({}),
) -> list[Standing]:
    everything = pause_of_all(connection) if connection is not None else None
    kept_from = locks.read(connection, now) if connection is not None else locks.NONE
    found = []
    for one in sources:
        state, run = known.get(one.id), runs.get(one.id)
        why = hindrance(one, state, everything)
        locked = None if why else kept_from.why(catalog, one, state, run)
        held, stood = pages.get(one.id, 0), before.get(one.id)
        if (
            stood is not None
            and (stood.state is state and stood.last_run is run)
            and (held, why, locked) == (stood.pages, stood.hindrance, stood.locked)
        ):
            found.append(stood)  # when it is due, and all words, follow from the same
            continue
        due = None if why else next_due(one, state, catalog.rules)
        status = _status(one, why, locked, run)
        found.append(Standing(one, status, state, due, held, run, outcome(run), why, locked))
    return found


def outcome(run: RunRow | None) -> str:
    """What became of a run, in words: ``complete: 14 pages, 2 changed``."""
    if run is None:
        return "none yet"
    found = run.counts or {}
    said = [run.state]
    if found:
        pages = found.get("discovered", 0)
        numbers = [f"{pages} page" if pages == 1 else f"{pages} pages"]
        numbers += [f"{found[what]} {what}" for what in ("changed", "failed", "gone", "pending") if found.get(what)]
        said.append(": " + ", ".join(numbers))
        if run.state in OPEN_RUN_STATES and (share := percent_done(found)) is not None:
            said.append(f", {share} % done")
    if run.reason:
        said.append(f" ({run.reason})")
    return "".join(said)


#: The names of what a source's servers are owed, in the order of ``Owed``.
_OWED = (
    "Group",
    "Delay in s",
    "Delay asked in s",
    "Delay throttled in s",
    "At once",
    "Last request",
    "Waits until",
    "Held by",
    "Held until",
)


def facts(catalog: Catalog, one: Standing, owed: Owed) -> list[tuple[str, Any]]:
    """What is known of one source, in the order in which people ask: names and plain values."""
    source, state = one.source, one.state
    loaded = catalog.loaded_of(source.id)
    return [
        ("ID", source.id),
        ("Name", source.name),
        ("URL", source.url),
        ("Agency", source.metadata.agency),
        ("Jurisdiction", source.jurisdiction),
        ("Citation", source.citation),
        ("Method", source.method),
        ("Manifest", f"{loaded.name} {loaded.manifest.version} ({loaded.origin})"),
        ("Priority", source.effective_priority),
        ("Status", one.status),
        ("Pause", one.hindrance),
        ("Locked", one.locked),
        ("Failures in a row", state.failures_in_row if state else 0),
        ("Interval", interval_words(source, state)),
        ("Last check", state.last_checked_at if state else None),
        ("Last change", state.last_changed_at if state else None),
        ("Next due", one.next_due),
        ("Pages", one.pages),
        ("Last run", one.outcome),
        ("Last run ID", one.last_run.run_id if one.last_run else None),
        *zip(_OWED, astuple(owed), strict=True),
    ]


def why_not_now(catalog: Catalog, source: Source, connection: Connection, now: datetime) -> str | None:
    """Why a scheduled job that reaches *source* now does not begin it, in words; None: it does.

    The job was planned some time ago: meanwhile somebody may have paused it, or collected it, or its hours may be over.
    """
    known, everything = {source.id: state_of(connection, source.id)}, pause_of_all(connection)
    if (why := hindrance(source, known[source.id], everything)) is not None:
        return why
    due = plan([source], known, now, rules=catalog.rules)
    if not due:
        return "it was collected meanwhile, and is not due any more"
    opens = due[0].held_until
    return f"until {opens:%Y-%m-%d %H:%M} UTC, its next hours" if opens is not None else None


def left_alone_until(catalog: Catalog, source: Source, connection: Connection | None) -> datetime | None:
    """Until when the source's servers asked to be left alone, as last known; it may be over."""
    return None if connection is None else leases.paused_until(connection, catalog.group(source.host))


def progress(catalog: Catalog, source: Source, connection: Connection | None) -> Progress | None:
    """How far the source's open run has come; None when it has none."""
    run = open_of(connection, source.id) if connection is not None else None
    if connection is None or run is None:
        return None
    found = counts(connection, run.run_id)
    every_s = catalog.rules_of_group(catalog.group(source.host)).delay_s * MARGIN
    return Progress(run.started_at, found["discovered"] - found["pending"], found["discovered"], every_s)


def _status(source: Source, hindered: str | None, locked: str | None, run: RunRow | None) -> Status:
    if source.status != "active":
        return source.status
    if hindered is not None:
        return "paused"
    if locked is not None:
        return "locked"
    if run is None:
        return "pending"
    if run.state != "complete":
        return cast("Status", _SAID_OF.get(run.state, run.state))
    return "changed" if (run.counts or {}).get("changed") else "OK"


def _last_runs(connection: Connection, remembered: Remembered[RunRow]) -> dict[str, RunRow]:
    runs = tables.runs
    newest = select(runs.c.source_id, func.max(runs.c.started_at).label("at")).group_by(runs.c.source_id).subquery()
    same = (runs.c.source_id == newest.c.source_id) & (runs.c.started_at == newest.c.at)
    newest_rows = remembered.read(connection, select(*(runs.c[name] for name in _RUN)).join_from(runs, newest, same))
    return {row.source_id: row for row in newest_rows}


def _pages(connection: Connection, source_id: str | None = None) -> dict[str, int]:
    pages = tables.pages
    counted = select(pages.c.source_id, func.count()).where(text(tables.HELD)).group_by(pages.c.source_id)
    if source_id is not None:
        counted = counted.where(pages.c.source_id == source_id)
    return {row[0]: row[1] for row in connection.execute(counted)}
