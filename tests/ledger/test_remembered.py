"""What is remembered of rows is what reading them anew gives, whatever was written meanwhile; on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.ledger import runs, sources
from rori_spiders.ledger.remembered import Remembered
from rori_spiders.ledger.runs import RunRow
from rori_spiders.ledger.tables import runs as rows
from tests.ledger.made import OTHER_RUN, RUN, SOURCE, a_run, at

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_QUERY = select(*(column for column in rows.c if column.name in RunRow.__slots__)).order_by(rows.c.run_id)


def made(conn: Connection) -> list[RunRow]:
    return [RunRow(*row) for row in conn.execute(_QUERY)]


def test_a_row_that_is_the_same_is_the_same_object(ledger: Ledger) -> None:
    remembered = Remembered(RunRow)
    with ledger.begin() as conn:
        a_run(conn, RUN)
        a_run(conn, OTHER_RUN, source_id="other")
        before = remembered.read(conn, _QUERY)
        assert before == made(conn)
        runs.close_run(conn, RUN, state="failed", reason="It broke \x00 down", now=at(3))
        after = remembered.read(conn, _QUERY)
        assert after == made(conn) != before
        assert after[1] is before[1] and after[0].finished_at == at(3) and after[0].counts is not None
        conn.execute(rows.delete().where(rows.c.run_id == OTHER_RUN))
        assert remembered.read(conn, _QUERY) == after[:1]


def test_states_of_sources(ledger: Ledger) -> None:
    acts: list[Callable[[Connection], object]] = [
        lambda conn: sources.pause(conn, SOURCE, by="person", reason="a move", now=at()),
        lambda conn: sources.pause(conn, "other", by="breaker", reason="5 failures", now=at(1)),
        lambda conn: sources.resume(conn, SOURCE),
        lambda conn: sources.record_outcome(
            conn, SOURCE, run_id=RUN, state="complete", operator="system", changed=True, now=at(2)
        ),
    ]
    remembered = sources.RememberedStates()
    with ledger.begin() as conn:
        for act in acts:
            act(conn)
            assert sources.states(conn, remembered) == sources.states(conn)
        again = sources.states(conn, remembered)
        assert all(one is sources.states(conn, remembered)[name] for name, one in again.items())
