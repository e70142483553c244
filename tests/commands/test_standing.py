"""The status of a source, from what its last run and its state say."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.items import Visit
from rori_spiders.ledger import frontier, runs, sources
from rori_spiders.ledger.database import open_ledger
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import parse
from rori_spiders.standing import STATUSES, facts, standings
from tests.opening import opened
from tests.project import source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

NOW = datetime(2026, 2, 13, 12, 0, tzinfo=UTC)


def catalog(status: str = "active") -> Catalog:
    one = {**source("a", "https://www.example.org/", method="crawl"), "name": "A", "status": status}
    text = json.dumps({"version": "1", "sources": [one]})
    return Catalog([parse(text, name="mine", origin="a test")])


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.db'}")
    with ledger.begin() as found:
        yield found
    ledger.close()


def run(connection: Connection, state: str, *, at: datetime = NOW, pages: int = 1) -> None:
    begun = opened(connection, "a", at)
    frontier.discover(
        connection, begun.run_id, [Visit(begun.run_id, "a", f"https://www.example.org/{n}") for n in range(pages)]
    )
    if state == "partial":
        runs.close_run(connection, begun.run_id, state=state, reason="stopped by Ctrl-C", now=at)
    elif state != "running":
        for visit in frontier.pending(connection, begun.run_id):
            frontier.settle(
                connection,
                begun.run_id,
                visit.url,
                state="unchanged",
                reason="",
                tier="http",
                verdict="content",
                attempts=1,
                now=at,
            )
        runs.close_run(connection, begun.run_id, state=state, reason=None, now=at + timedelta(minutes=1))


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("complete", "OK"),
        ("failed", "failed"),
        ("incomplete", "failed"),
        ("suspect", "failed"),
        ("cancelled", "pending"),
        ("partial", "partial"),
        ("running", "running"),
    ],
)
def test_status_by_the_last_run(connection: Connection, state: str, status: str) -> None:
    run(connection, "complete", at=NOW - timedelta(days=7))
    run(connection, state)
    [one] = standings(catalog(), connection)
    assert one.status == status
    assert status in STATUSES


def test_no_run_is_pending() -> None:
    [one] = standings(catalog(), None)
    assert (one.status, one.outcome, one.pages, one.next_due) == ("pending", "none yet", 0, None)


@pytest.mark.parametrize("status", ["paused", "proposed", "retired"])
def test_what_the_manifest_says_wins(connection: Connection, status: str) -> None:
    run(connection, "failed")
    sources.pause(connection, "a", by="breaker", reason="x", now=NOW)
    [one] = standings(catalog(status), connection)
    assert one.status == status
    assert one.hindrance is not None


def test_a_pause_in_the_ledger(connection: Connection) -> None:
    run(connection, "complete")
    sources.pause(connection, "a", by="person", reason="x", now=NOW)
    [one] = standings(catalog(), connection)
    assert one.status == "paused"


def test_what_remains_of_a_stopped_run_is_said(connection: Connection) -> None:
    run(connection, "partial", pages=3)
    [one] = standings(catalog(), connection)
    assert one.outcome == "partial: 3 pages, 3 pending, 0 % done (stopped by Ctrl-C)"


def test_facts_of_a_source_that_was_never_seen() -> None:
    one = catalog()
    told = dict(facts(one, one.source("a"), None))
    assert told["Status"] == "pending"
    assert told["Manifest"] == "mine 1 (a test)"
    assert told["Group"] == "example.org"
    assert told["Held by"] is None
