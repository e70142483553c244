"""Accepting a held page: read again, compared anew, then staged in the order of a run (stores/staging.py).

A page that is held as missing needs no reading: what is staged says that it is gone.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.acceptance import comparing, origin, settling
from rori_spiders.acceptance.declining import Declined
from rori_spiders.acceptance.reading import Reader
from rori_spiders.acceptance.turn import Turn
from rori_spiders.exceptions import UsageError
from rori_spiders.items import PageItem
from rori_spiders.ledger import frontier, holds, runs
from rori_spiders.manifest.headers import learn_secrets
from rori_spiders.redaction import of_process
from rori_spiders.stores import staging

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.acceptance.comparing import Now
    from rori_spiders.acceptance.settling import By
    from rori_spiders.content.convert import Converted
    from rori_spiders.items import Change, Fetched
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.holds import Held
    from rori_spiders.ledger.runs import RunRow
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.pool import WorkPool
    from rori_spiders.stores.base import Store
    from rori_spiders.stores.writing import Reservation


@dataclass(frozen=True, slots=True)
class Accepted:
    """A page that was accepted. ``path`` is its envelope's; None when its text is the one that was held already."""

    url: str
    path: str | None
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Desk:
    """What acceptance works with. ``clock`` gives UTC."""

    ledger: Ledger
    store: Store
    catalog: Catalog
    pool: WorkPool
    environment: str
    clock: Callable[[], datetime]


class Acceptor:
    """Accepts held pages of one run, one by one. Close it when done.

    Raises UsageError for a run that is in progress, and where its source is not in force.
    """

    def __init__(self, desk: Desk, run_id: str) -> None:
        self._desk = desk
        self._redactor = of_process()
        learn_secrets(desk.catalog.sources, self._redactor)
        with desk.ledger.connect() as conn:
            self._run = _not_in_progress(conn, run_id)
        self._source = _in_force(desk, self._run)
        self._turn = Turn(desk.catalog, self._run)
        self._reader = Reader(desk.store, self._redactor, desk.pool)

    def accept(self, url: str, by: By) -> Accepted:
        """Accept one page. Raises Declined, and nothing of it was written; Locked, LeaseLost and WriteError too."""
        with self._desk.ledger.connect() as conn:
            held = holds.held(conn, self._run.run_id, url)
            item = PageItem(origin.visit_of(conn, self._run, url), "captured")
        item.fetched = facts = self._reader.facts(held)
        with self._desk.ledger.connect() as conn:
            now = comparing.held_now(conn, self._run.source_id, url, facts.at)
        if held.is_removal:
            item.state, item.change = "gone", comparing.removed(now)
        else:
            item.converted = self._reader.page(facts, self._source)
            item.links = tuple((held.kept or {}).get("links", ()))
            item.change = self._compared(item.converted, facts, now)
        if item.change.changed:
            self._stage(item, held, now)
        else:
            item.state = "unchanged"
            with self._begun(item, now):
                pass
        self._settle(item, held, by)
        return Accepted(url, item.staged_path, is_gone=held.is_removal)

    def _compared(self, page: Converted, facts: Fetched, now: Now) -> Change:
        return comparing.compare(page, now, lambda: self._reader.again(now.text, facts, self._source))

    @contextmanager
    def _begun(self, item: PageItem, now: Now) -> Iterator[Connection]:
        """Transaction A: our turn, nothing newer meanwhile."""
        assert item.fetched is not None
        with self._desk.ledger.begin() as conn:
            self._turn.take(conn, self._desk.clock())
            _not_in_progress(conn, self._run.run_id)
            row = frontier.url(conn, self._run.run_id, item.visit.url)
            if row is None or row.state != "failed":
                raise Declined("it was accepted just now")
            if comparing.held_now(conn, self._run.source_id, item.visit.url, item.fetched.at) != now:
                raise Declined("it was read again just now")
            yield conn

    def _stage(self, item: PageItem, held: Held, now: Now) -> None:
        """Steps 1 and 2 of the order of writing."""
        desk = self._desk
        envelope = origin.envelope_of(item, desk.store, desk.catalog, self._run, held, desk.environment)

        def reserved(taken: Collection[str]) -> Reservation:
            with self._begun(item, now) as conn:
                return staging.reserve(conn, envelope, links=item.links, now=desk.clock(), taken=taken)

        assert item.fetched is not None
        reservation = staging.reserve_and_write(desk.store, reserved, raw=item.fetched.received)
        with desk.ledger.begin() as conn:
            staging.check_reserved(conn, desk.store, reservation)
        item.envelope_id, item.staged_path = reservation.envelope_id, reservation.path

    def _settle(self, item: PageItem, held: Held, by: By) -> None:
        """Steps 3 to 5: everything in one transaction, then the lines in the files."""
        desk, at = self._desk, self._desk.clock()
        with desk.ledger.begin() as conn:
            self._turn.check(conn)
            told = settling.settle(conn, item, held, by, self._source, self._redactor, at)
        if item.envelope_id is not None:
            staging.index(desk.ledger, desk.store, [item.envelope_id])
        staging.log_errors(desk.ledger, desk.store, told)

    def close(self) -> None:
        """Give the leases back."""
        self._reader.close()
        with self._desk.ledger.begin() as conn:
            self._turn.give_back(conn)


def _in_force(desk: Desk, run: RunRow) -> Source:
    try:
        return desk.catalog.source(run.source_id)
    except KeyError:
        raise UsageError(
            f"the source of the run, {run.source_id!r}, is not in the manifest in force: activate the one that has it, "
            "or name it in RORI_MANIFEST"
        ) from None


def _not_in_progress(conn: Connection, run_id: str) -> RunRow:
    run = runs.run(conn, run_id)
    if run.state == "running":
        to_do = f"let it end first (`scrapy collect --source {run.source_id}`)"
        raise UsageError(f"run {run_id} is in progress, or its job died: {to_do}")
    return run
