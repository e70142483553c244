"""How far destinations have the heads. On both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger.audit import head_log
from rori_spiders.ledger.audit.head_log import DestinationState, StoredHead

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

NOW = datetime(2026, 11, 26, 8, 0, tzinfo=UTC)


def test_destination_that_fails_keeps_its_size_and_since_when(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        head_log.note_failed(conn, "file:///a", "The disk is full", now=NOW)
        head_log.note_sent(conn, "s3://b", 5_000_000_000)
        head_log.note_failed(conn, "s3://b", "denied", now=NOW)
        head_log.note_failed(conn, "s3://b", "denied again", now=NOW + timedelta(days=1))
        head_log.note_sent(conn, "s3://c", 7)
        head_log.note_sent(conn, "s3://c", 3)  # another job was quicker
    with ledger.connect() as conn:
        assert head_log.destination_states(conn) == {
            "file:///a": DestinationState(0, NOW, "The disk is full"),
            "s3://b": DestinationState(5_000_000_000, NOW, "denied again"),
            "s3://c": DestinationState(7),
        }
    with ledger.begin() as conn:
        head_log.note_sent(conn, "s3://b", 5_000_000_001)
    with ledger.connect() as conn:
        assert head_log.destination_states(conn)["s3://b"] == DestinationState(5_000_000_001)


def test_heads_are_listed_by_size(ledger: Ledger) -> None:
    heads = [StoredHead(size, NOW, f"note {size}\n", "", b"") for size in (1, 2, 5_000_000_000)]
    with ledger.begin() as conn:
        for head in heads:
            head_log.add_head(conn, head)
    with ledger.connect() as conn:
        assert head_log.list_heads(conn) == heads
        assert head_log.list_heads(conn, after=1, limit=1) == heads[1:2]
        assert head_log.latest_heads(conn, 2) == heads[:0:-1]
        assert head_log.last_head(conn) == heads[-1] == head_log.find_head(conn, 5_000_000_000)
        assert head_log.find_head(conn, 3) is None
