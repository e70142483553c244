"""Transactions that outlive their connection: on PostgreSQL a server may restart in the middle of a run.

In: a function of a Connection. Out: what it gave, of the one time that it was committed. A transaction that was cut off
is run again on a new connection, unless it turns out to have been committed: between COMMIT and its answer nobody can
know. So each writer has a row, ``writers``, that every transaction of its own sets to its number. Whoever comes again
reads that row, and waits for whatever the server still has of the time before, since the row is locked by it.

The server's own answer (``pg_xact_status``) would not do: a server that crashed may give the same number to another
transaction.
"""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from sqlalchemy import delete, select
from sqlalchemy.exc import DBAPIError

from rori_spiders.ledger.dialects import insert_missing, put
from rori_spiders.ledger.faults import is_lost, may_pass
from rori_spiders.ledger.tables import writers

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

logger = logging.getLogger(__name__)

#: Between two tries, seconds: at first, and at most. A server that restarts is back within one or a few.
_FIRST_WAIT_S = 0.05
_LONGEST_WAIT_S = 1.0
#: Rows of writers that were killed are of no use once whoever could ask for them is gone.
_KEPT = timedelta(days=1)

T = TypeVar("T")


class Repeating:
    """The transactions of one process, one at a time; *timeout_s* is how long it waits for a server that is away."""

    def __init__(self, reading: Engine, writing: Engine, timeout_s: float) -> None:
        self._reading = reading
        self._writing = writing
        self._timeout_s = timeout_s
        self._writer = str(uuid4())
        self._number = 0

    def write(self, work: Callable[[Connection], T]) -> T:
        """What *work* gave, committed once. It may be called several times, each in a transaction of its own."""
        self._number += 1
        given: list[T] = []

        def once(is_first: bool) -> T:
            with self._writing.begin() as conn:
                if is_first or not self._is_committed(conn):
                    self._sign(conn)
                    given[:] = [work(conn)]
            return given[0]

        return self._until_done(once)

    def read(self, work: Callable[[Connection], T]) -> T:
        """What *work* gave, in one read transaction. It may be called several times."""

        def once(_: bool) -> T:
            with self._reading.connect() as conn:
                return work(conn)

        return self._until_done(once)

    def _until_done(self, once: Callable[[bool], T]) -> T:
        until, wait, is_first, is_told = monotonic() + self._timeout_s, _FIRST_WAIT_S, True, False
        while True:
            try:
                return once(is_first)
            except DBAPIError as error:
                if not may_pass(error) or monotonic() + wait > until:
                    raise
                if is_lost(error) and not is_told:
                    logger.warning(
                        "The ledger's server has gone; waiting up to %(wait)g s for it", {"wait": self._timeout_s}
                    )
                    is_told = True
            is_first = False
            time.sleep(wait)  # in the ledger's own thread: nothing else waits
            wait = min(2 * wait, _LONGEST_WAIT_S)

    def _sign(self, conn: Connection) -> None:
        now = datetime.now(UTC)
        if self._number == 1:
            conn.execute(delete(writers).where(writers.c.at < now - _KEPT))
        put(conn, writers, [{"writer": self._writer, "number": self._number, "at": now}])

    def _is_committed(self, conn: Connection) -> bool:
        """Whether this transaction was committed the time before; waits for its end where that is still to come."""
        insert_missing(conn, writers, [{"writer": self._writer, "number": 0, "at": datetime.now(UTC)}])
        mine = select(writers.c.number).where(writers.c.writer == self._writer).with_for_update()
        return bool(conn.execute(mine).scalar_one() == self._number)

    def close(self) -> None:
        """Remove the writer's row, when that can be done at once."""
        if self._number:
            with self._writing.begin() as conn:
                conn.execute(delete(writers).where(writers.c.writer == self._writer))
