"""What was confirmed, and what may be pruned: over both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ledger import cursors, retention
from rori_spiders.ledger.tables import envelopes
from rori_spiders.urls import url_hash
from tests.ledger.made import RUN, SOURCE, a_run, at, url

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger


def staged(conn: Connection, name: str, *, state: str = "indexed", newest: bool = False) -> str:
    """An envelope's row; its id is its name."""
    values = {"run_id": RUN, "source_id": SOURCE, "url": url(name), "url_hash": url_hash(url(name)), "state": state}
    hashes = {"file_hash": "1" * 64, "content_hash": "2" * 64, "index_line": "{}", "change_type": "new"}
    times = {"reserved_at": at(), "staged_at": at()}
    conn.execute(
        envelopes.insert().values(envelope_id=name, path=f"a/b/{name}.json", newest=newest, **values, **hashes, **times)
    )
    return name


def test_only_what_was_confirmed_long_enough_ago_and_is_not_the_newest_is_prunable(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
        old, new = staged(conn, "old"), staged(conn, "new")
        staged(conn, "unconfirmed")
        newest = staged(conn, "newest", newest=True)
        unindexed = staged(conn, "unindexed", state="staged")
        reserved = staged(conn, "reserved", state="reserved")
        assert retention.confirm(conn, [old, newest, unindexed], now=at(days=0)) == retention.Confirmed(3)
        assert retention.confirm(conn, [old, new], now=at(days=1)) == retention.Confirmed(1, 1)
        assert retention.confirm(conn, [reserved, "no such"], now=at()).unknown == ("reserved", "no such")
        assert [one.envelope_id for one in retention.prunable(conn, before=at(days=1))] == [old]
        assert [one.confirmed_at for one in retention.prunable(conn, before=at(days=2))] == [at(), at(days=1)]
        assert retention.standing(conn, before=at(days=2)) == retention.Standing(5, 4, 2, 0)


def test_a_removal_has_three_states_and_one_owner(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
        ids = [staged(conn, str(number)) for number in range(7)]
        retention.confirm(conn, ids, now=at())
    with ledger.begin() as conn:
        first = retention.begin_pruning(conn, before=at(days=90), now=at(days=90), limit=5)
    with ledger.begin() as conn:
        second = retention.begin_pruning(conn, before=at(days=90), now=at(days=90), limit=5)
        assert sorted(one.envelope_id for one in first + second) == ids
        assert retention.begin_pruning(conn, before=at(days=90), now=at(days=90)) == []
        assert len(retention.in_pruning(conn)) == 7
        assert retention.end_pruning(conn, first) == first
        assert retention.end_pruning(conn, first) == []
        assert retention.in_pruning(conn) == second
        assert retention.standing(conn, before=at(days=90)) == retention.Standing(0, 0, 0, 5)


def test_thousands_are_confirmed_at_once(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
        ids = [staged(conn, str(number)) for number in range(1_201)]
        done = retention.confirm(conn, [*ids, *ids[:3], "x"], now=at())
    assert done == retention.Confirmed(1_201, 0, ("x",))


def test_a_cursor_stays_where_it_was_moved(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert cursors.position(conn, "a") == ""
        cursors.move(conn, "a", "7:x")
        cursors.move(conn, "b", "1")
        cursors.move(conn, "a", "9:y")
    with ledger.connect() as conn:
        assert (cursors.position(conn, "a"), cursors.position(conn, "b")) == ("9:y", "1")
