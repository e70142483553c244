"""Heads are signed over what the log holds, and never over one that was cut or rewritten. On both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, event, select, text, update
from sqlalchemy.exc import DBAPIError

from rori_spiders.evidence.checkpoints import Checkpoint, hash_checkpoint, parse_checkpoint
from rori_spiders.evidence.heads import HeadRefused, sign_head
from rori_spiders.evidence.signed_notes import parse_note
from rori_spiders.ledger.audit import head_log
from rori_spiders.ledger.tables import fact_leaves, log_heads
from tests.evidence.ledgers import add_facts, minutes, new_ring
from tests.evidence.whole_tree import load_tree

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.evidence.keys import KeyRing
    from rori_spiders.ledger.audit.head_log import StoredHead
    from rori_spiders.ledger.database import Ledger


def sign(ledger: Ledger, ring: KeyRing, minute: int) -> StoredHead:
    head = sign_head(ledger, ring, now=minutes(minute))
    assert head is not None
    return head


def parsed(head: StoredHead) -> Checkpoint:
    return parse_checkpoint(parse_note(head.note).text)


def without_triggers(ledger: Ledger, *statements: object) -> None:
    """Change the ledger as the owner of the database can."""
    names = ("fact_leaves", "log_heads")
    with ledger.begin() as conn:
        if conn.dialect.name == "postgresql":
            for name in names:
                conn.execute(text(f"ALTER TABLE {name} DISABLE TRIGGER USER"))
        else:
            _drop_triggers(conn)
        for statement in statements:
            conn.execute(statement)  # type: ignore[call-overload]


def _drop_triggers(conn: Connection) -> None:
    for name in conn.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars().all():
        conn.execute(text(f"DROP TRIGGER {name}"))


def test_sign_head_continues_from_the_last_one_and_has_the_root_of_the_whole_log(ledger: Ledger) -> None:
    ring, before = new_ring(), None
    for turn, number in enumerate((1, 2, 5, 3)):
        add_facts(ledger, number)
        head = sign(ledger, ring, turn)
        with ledger.connect() as conn:
            tree = load_tree(conn)
            assert head_log.last_head(conn) == head
        assert (parsed(head).size, parsed(head).root) == (tree.size, tree.root())
        assert parsed(head).previous == (hash_checkpoint(parse_note(before.note).text) if before else None)
        assert parsed(head).at == minutes(turn)
        assert parse_note(head.note).is_signed_by(ring.verifiers[0])
        before = head


def test_sign_head_reads_the_leaves_since_the_last_head_alone(ledger: Ledger) -> None:
    ring = new_ring()
    add_facts(ledger, 20)
    sign(ledger, ring, 0)
    add_facts(ledger, 2)
    since = []

    def note(_conn: object, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        if "fact_leaves.hashes" in statement and ">=" in statement:
            since.append(parameters)

    event.listen(ledger._writing, "before_cursor_execute", note)
    sign(ledger, ring, 1)
    assert len(since) == 1
    assert "20" in str(since[0])


def test_sign_head_with_nothing_new_signs_none(ledger: Ledger) -> None:
    ring = new_ring()
    add_facts(ledger)
    sign(ledger, ring, 0)
    assert sign_head(ledger, ring, now=minutes(1)) is None


def test_sign_head_by_two_keys_is_signed_by_both_and_names_them(ledger: Ledger) -> None:
    ring = new_ring("a", "a")
    add_facts(ledger)
    head = sign(ledger, ring, 0)
    assert all(parse_note(head.note).is_signed_by(key) for key in ring.verifiers)
    assert parsed(head).keys == ring.verifiers


def test_sign_head_after_the_key_was_lost_checks_the_whole_log(ledger: Ledger) -> None:
    add_facts(ledger, 3)
    sign(ledger, new_ring(), 0)
    add_facts(ledger)
    assert parsed(sign(ledger, new_ring(), 1)).size == 4
    leaf = fact_leaves.c.position == 1
    without_triggers(ledger, update(fact_leaves).where(leaf).values(hashes=b"x" * 32))
    add_facts(ledger)
    with pytest.raises(HeadRefused, match="rewritten"):
        sign_head(ledger, new_ring(), now=minutes(2))


def test_sign_head_over_a_log_that_was_cut_is_refused(ledger: Ledger) -> None:
    ring = new_ring()
    add_facts(ledger, 3)
    sign(ledger, ring, 0)
    without_triggers(ledger, delete(fact_leaves).where(fact_leaves.c.position == 2))
    with pytest.raises(HeadRefused, match="removed from its end"):
        sign_head(ledger, ring, now=minutes(1))
    add_facts(ledger, 2)  # other facts in the place of those that were cut
    grown = sign_head(ledger, ring, now=minutes(1))
    assert grown is not None
    with ledger.connect() as conn:
        assert load_tree(conn).root(3) != parsed(grown).root  # the signed root is that of the facts that were cut


def test_sign_head_over_a_log_with_a_gap_is_refused(ledger: Ledger) -> None:
    ring = new_ring()
    add_facts(ledger, 3)
    sign(ledger, ring, 0)
    add_facts(ledger, 2)
    without_triggers(ledger, delete(fact_leaves).where(fact_leaves.c.position == 3))
    with pytest.raises(HeadRefused, match="gap"):
        sign_head(ledger, ring, now=minutes(1))


@pytest.mark.parametrize(
    ("column", "match"), [("note", "signature of the last head"), ("frontier", "rewritten"), ("text", "damaged")]
)
def test_sign_head_after_a_head_that_was_changed_is_refused(ledger: Ledger, column: str, match: str) -> None:
    ring = new_ring()
    add_facts(ledger, 3)
    head = sign(ledger, ring, 0)
    changes: dict[str, dict[str, object]] = {
        "note": {"note": head.note.replace("\n3\n", "\n2\n")},
        "frontier": {"frontier": head.frontier[32:] + head.frontier[:32]},
        "text": {"note": "nothing"},
    }
    without_triggers(ledger, update(log_heads).values(changes[column]))
    add_facts(ledger)
    with pytest.raises(HeadRefused, match=match):
        sign_head(ledger, ring, now=minutes(1))


def test_heads_are_append_only_but_for_receipts(ledger: Ledger) -> None:
    add_facts(ledger)
    head = sign(ledger, new_ring(), 0)
    with pytest.raises(DBAPIError, match="append-only"), ledger.begin() as conn:
        conn.execute(update(log_heads).values(note="x"))
    with pytest.raises(DBAPIError, match="append-only"), ledger.begin() as conn:
        conn.execute(delete(log_heads))
    with ledger.begin() as conn:
        head_log.add_receipt(conn, head.size, "line\n")
    with ledger.connect() as conn:
        assert head_log.last_head(conn) == replace(head, receipts="line\n")
        assert conn.execute(select(log_heads.c.size)).scalars().all() == [1]
