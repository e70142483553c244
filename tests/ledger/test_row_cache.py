"""What is remembered of rows is what reading them anew gives, whatever was written meanwhile; on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.row_cache import RowCache
from rori_spiders.ledger.runs import run_records
from rori_spiders.ledger.runs.run_records import RunRow
from rori_spiders.ledger.tables import runs as rows
from rori_spiders.reasons import Reason
from tests.ledger.factories import OTHER_RUN, RUN, SOURCE, a_run, at

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_QUERY = select(*(column for column in rows.c if column.name in RunRow.__slots__)).order_by(rows.c.run_id)


def made(conn: Connection) -> list[RunRow]:
    return [RunRow(*row) for row in conn.execute(_QUERY)]


def test_row_cache_same_row_is_same_object(ledger: Ledger) -> None:
    remembered = RowCache(RunRow)
    with ledger.begin() as conn:
        a_run(conn, RUN)
        a_run(conn, OTHER_RUN, source_id="other")
        before = remembered.read(conn, _QUERY)
        assert before == made(conn)
        run_records.close_run(
            conn, RUN, state="failed", reason=Reason("mostly_failed", failed="It broke \x00 down", tried=1), now=at(3)
        )
        after = remembered.read(conn, _QUERY)
        assert after == made(conn) != before
        assert after[1] is before[1] and after[0].finished_at == at(3) and after[0].counts is not None
        conn.execute(rows.delete().where(rows.c.run_id == OTHER_RUN))
        assert remembered.read(conn, _QUERY) == after[:1]


def test_row_cache_states_of_sources_are_current(ledger: Ledger) -> None:
    acts: list[Callable[[Connection], object]] = [
        lambda conn: source_status.pause_source(conn, SOURCE, by="person", reason="a move", now=at()),
        lambda conn: source_status.pause_source(conn, "other", by="breaker", reason="5 failures", now=at(1)),
        lambda conn: source_status.resume_source(conn, SOURCE),
        lambda conn: source_status.record_outcome(
            conn, SOURCE, run_id=RUN, state="complete", operator="system", changed=True, now=at(2)
        ),
    ]
    remembered = source_status.CachedSourceStates()
    with ledger.begin() as conn:
        for act in acts:
            act(conn)
            assert source_status.load_states(conn, remembered) == source_status.load_states(conn)
        again = source_status.load_states(conn, remembered)
        assert all(one is source_status.load_states(conn, remembered)[name] for name, one in again.items())
