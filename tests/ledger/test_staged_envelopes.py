"""What was confirmed, and what may be pruned: over both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.tables import envelopes
from rori_spiders.urls.canonical import url_hash
from tests.ledger.factories import RUN, SOURCE, a_run, at, url

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


def test_staged_envelopes_prunable_are_confirmed_expired_and_not_newest(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
        old, new = staged(conn, "old"), staged(conn, "new")
        staged(conn, "unconfirmed")
        newest = staged(conn, "newest", newest=True)
        unindexed = staged(conn, "unindexed", state="staged")
        reserved = staged(conn, "reserved", state="reserved")
        assert staged_envelopes.confirm_envelopes(
            conn, [old, newest, unindexed], now=at(days=0)
        ) == staged_envelopes.ConfirmationCounts(3)
        assert staged_envelopes.confirm_envelopes(
            conn, [old, new], now=at(days=1)
        ) == staged_envelopes.ConfirmationCounts(1, 1)
        assert staged_envelopes.confirm_envelopes(conn, [reserved, "no such"], now=at()).unknown == (
            "reserved",
            "no such",
        )
        assert [one.envelope_id for one in staged_envelopes.list_prunable(conn, before=at(days=1))] == [old]
        assert [one.confirmed_at for one in staged_envelopes.list_prunable(conn, before=at(days=2))] == [
            at(),
            at(days=1),
        ]
        assert staged_envelopes.retention_status(conn, before=at(days=2)) == staged_envelopes.RetentionStatus(
            5, 4, 2, 0
        )


def test_staged_envelopes_prune_has_three_states_and_one_owner(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
        ids = [staged(conn, str(number)) for number in range(7)]
        staged_envelopes.confirm_envelopes(conn, ids, now=at())
    with ledger.begin() as conn:
        first = staged_envelopes.begin_pruning(conn, before=at(days=90), now=at(days=90), limit=5)
    with ledger.begin() as conn:
        second = staged_envelopes.begin_pruning(conn, before=at(days=90), now=at(days=90), limit=5)
        assert sorted(one.envelope_id for one in first + second) == ids
        assert staged_envelopes.begin_pruning(conn, before=at(days=90), now=at(days=90)) == []
        assert len(staged_envelopes.list_in_pruning(conn)) == 7
        assert staged_envelopes.end_pruning(conn, first) == first
        assert staged_envelopes.end_pruning(conn, first) == []
        assert staged_envelopes.list_in_pruning(conn) == second
        assert staged_envelopes.retention_status(conn, before=at(days=90)) == staged_envelopes.RetentionStatus(
            0, 0, 0, 5
        )


def test_staged_envelopes_thousands_are_confirmed_at_once(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
        ids = [staged(conn, str(number)) for number in range(1_201)]
        done = staged_envelopes.confirm_envelopes(conn, [*ids, *ids[:3], "x"], now=at())
    assert done == staged_envelopes.ConfirmationCounts(1_201, 0, ("x",))


def test_staged_envelopes_cursor_is_persistent(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert staged_envelopes.read_cursor(conn, "a") == ""
        staged_envelopes.move_cursor(conn, "a", "7:x")
        staged_envelopes.move_cursor(conn, "b", "1")
        staged_envelopes.move_cursor(conn, "a", "9:y")
    with ledger.connect() as conn:
        assert (staged_envelopes.read_cursor(conn, "a"), staged_envelopes.read_cursor(conn, "b")) == ("9:y", "1")
